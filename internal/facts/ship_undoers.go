package facts

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// undoers answers which reverts undo a commit, as indices.
type undoers struct {
	search  *undoSearch
	reverts map[refstore.OID]ancestry.Commit
	named   map[string][]naming // by the first digits of the id a revert names
	titled  map[string][]int    // by the title a revert quotes
	brought map[refstore.OID][]int
	vague   map[refstore.OID]bool // reverts that name one of several commits
	meant   map[string]map[refstore.OID]ancestry.Commit
	own     map[int]bool // what lost found out
	asked   int
	descent *ancestry.Descent
}

type naming struct {
	id     string
	revert int
}

// digits is how much of an id the shortest abbreviation has.
const digits = 4

// of finds the reverts that name the commit by its id. Those that name a
// commit it is a copy of, and those that quote its title and name no commit of
// their own history, mean it too if they come after it: a rebase and a pick
// give the work another id, and its revert goes on naming the old one.
func (u *undoers) of(ctx context.Context, t trace) ([]int, error) {
	list := slices.Clone(u.brought[t.commit.ID])
	list = append(list, u.naming(string(t.commit.ID))...)
	var perhaps []int
	for _, id := range t.copies {
		perhaps = append(perhaps, u.naming(id)...)
	}
	for _, i := range u.titled[ship.Title(t.subject)] {
		quotes := func(taken ship.Taken) bool { return taken.Title != "" && ship.SameTitle(taken.Title, t.subject) }
		if !slices.ContainsFunc(u.search.reverts[i].takes, quotes) {
			continue
		}
		lost, err := u.lost(ctx, i)
		if err != nil {
			return nil, err
		}
		if lost {
			perhaps = append(perhaps, i)
		}
	}
	for _, i := range perhaps {
		after, err := u.descends(ctx, u.search.reverts[i].commit.ID, t.commit.ID)
		if err != nil {
			return nil, err
		}
		if after {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// naming are the reverts that name the id, either of them perhaps abbreviated.
func (u *undoers) naming(id string) []int {
	var list []int
	for _, n := range u.named[id[:digits]] {
		if strings.HasPrefix(id, n.id) || strings.HasPrefix(n.id, id) {
			list = append(list, n.revert)
		}
	}
	return list
}

// lost reports whether a revert names no commit of its own history.
func (u *undoers) lost(ctx context.Context, i int) (bool, error) {
	if own, ok := u.own[i]; ok {
		return !own, nil
	}
	r := u.search.reverts[i]
	for _, t := range r.takes {
		for id := range u.meant[t.ID] {
			own, err := u.descends(ctx, r.commit.ID, id)
			if err != nil {
				return false, err
			}
			u.own[i] = u.own[i] || own
		}
	}
	return !u.own[i], nil
}

// fewPairs is how many pairs of commits are related one by one, before all are
// by a pass over the history.
const fewPairs = 12

// descends reports whether a revert comes after a commit.
func (u *undoers) descends(ctx context.Context, revert, earlier refstore.OID) (bool, error) {
	if u.asked++; u.asked <= fewPairs {
		return ancestry.ReachesAll(ctx, u.search.repo.Git, revert, []refstore.OID{earlier})
	}
	if u.descent == nil {
		var later, all []refstore.OID
		for _, r := range u.search.reverts {
			later = append(later, r.commit.ID)
		}
		for _, t := range u.search.targets {
			all = append(all, t.commit.ID)
		}
		for _, meant := range u.meant {
			all = slices.AppendSeq(all, maps.Keys(meant))
		}
		for _, merges := range u.search.merges {
			for _, m := range merges {
				all = append(all, m.commit.ID)
			}
		}
		var err error
		if u.descent, err = ancestry.Descents(ctx, u.search.repo.Git, u.search.tip, later, append(all, later...)); err != nil {
			return false, err
		}
	}
	return u.descent.Reaches(revert, earlier), nil
}

// undoers reads what the reverts name. Where that is a merge, the revert also
// undoes the targets and reverts which the merge brought in: all that its tip
// reaches and the side the revert went back to does not.
func (s *undoSearch) undoers(ctx context.Context) (*undoers, error) {
	u := &undoers{
		search: s, reverts: map[refstore.OID]ancestry.Commit{}, named: map[string][]naming{}, titled: map[string][]int{},
		brought: map[refstore.OID][]int{}, vague: map[refstore.OID]bool{}, meant: map[string]map[refstore.OID]ancestry.Commit{}, own: map[int]bool{},
	}
	interesting := map[refstore.OID]bool{}
	for _, t := range s.targets {
		interesting[t.commit.ID] = true
	}
	var names []string
	for i, r := range s.reverts {
		interesting[r.commit.ID] = true
		u.reverts[r.commit.ID] = r.commit
		for _, t := range r.takes {
			if t.Title != "" {
				title := ship.Title(t.Title)
				u.titled[title] = append(u.titled[title], i)
			}
			if t.ID != "" {
				u.named[t.ID[:digits]] = append(u.named[t.ID[:digits]], naming{t.ID, i})
				names = append(names, t.ID)
			}
		}
	}
	if err := u.expand(ctx, names); err != nil {
		return nil, err
	}
	var merges []undoneMerge
	for i, r := range s.reverts {
		for _, t := range r.takes {
			u.vague[r.commit.ID] = u.vague[r.commit.ID] || len(u.meant[t.ID]) > 1
			meant, err := u.merges(ctx, i, t)
			if err != nil {
				return nil, err
			}
			merges = append(merges, meant...)
		}
	}
	return u, u.bring(ctx, merges, interesting)
}

// expand finds the commits that each of the names may mean.
func (u *undoers) expand(ctx context.Context, names []string) error {
	full, err := ancestry.Expand(ctx, u.search.repo.Git, names)
	if err != nil {
		return err
	}
	commits, err := u.search.commits(ctx, full)
	if err != nil {
		return err
	}
	for name, ids := range full {
		u.meant[name] = map[refstore.OID]ancestry.Commit{}
		for _, id := range ids {
			if c, ok := commits[id]; ok {
				u.meant[name][id] = c
			}
		}
	}
	return nil
}

// An undoneMerge is a merge that a revert takes back, to the side it kept.
type undoneMerge struct {
	revert      int
	merge, kept refstore.OID
}

// merges are the merges that revert i means: those it names, and where it names
// no commit, the one whose title it quotes.
func (u *undoers) merges(ctx context.Context, i int, t ship.Taken) ([]undoneMerge, error) {
	meant := slices.Collect(maps.Values(u.meant[t.ID]))
	if t.ID == "" {
		c, ok, err := u.quotedMerge(ctx, i, t.Title)
		if err != nil {
			return nil, err
		}
		if ok {
			meant = append(meant, c)
		}
	}
	var found []undoneMerge
	for _, c := range meant {
		if len(c.Parents) > 1 {
			found = append(found, undoneMerge{i, c.ID, keptSide(c, t.Base)})
		}
	}
	return found, nil
}

// quotedMerge is the newest merge of a title that revert i quotes and comes
// after: a branch may be merged more than once under one title.
func (u *undoers) quotedMerge(ctx context.Context, i int, title string) (newest ancestry.Commit, ok bool, err error) {
	list := u.search.merges[ship.Title(title)]
	slices.SortFunc(list, newestFirst)
	for _, m := range list {
		if !ship.SameTitle(title, m.subject) {
			continue
		}
		if after, err := u.descends(ctx, u.search.reverts[i].commit.ID, m.commit.ID); err != nil || after {
			return m.commit, after, err
		}
	}
	return ancestry.Commit{}, false, nil
}

// keptSide is the parent that the revert of a merge went back to: the first,
// unless it says another.
func keptSide(merge ancestry.Commit, base string) refstore.OID {
	for _, p := range merge.Parents {
		if base != "" && strings.HasPrefix(string(p), base) {
			return p
		}
	}
	return merge.Parents[0]
}

// bring notes which of the interesting commits each merge brought in: those it
// reaches and the side that was kept does not.
func (u *undoers) bring(ctx context.Context, merges []undoneMerge, interesting map[refstore.OID]bool) error {
	if len(merges) <= fewPairs {
		return u.bringEach(ctx, merges, interesting)
	}
	var sides []refstore.OID
	for _, m := range merges {
		sides = append(sides, m.merge, m.kept)
	}
	ids := slices.Sorted(maps.Keys(interesting))
	d, err := ancestry.Descents(ctx, u.search.repo.Git, u.search.tip, sides, ids)
	if err != nil {
		return err
	}
	for _, m := range merges {
		for _, id := range ids {
			if d.Reaches(m.merge, id) && !d.Reaches(m.kept, id) {
				u.brought[id] = append(u.brought[id], m.revert)
			}
		}
	}
	return nil
}

// bringEach is bring for few merges, by a look at what each added.
func (u *undoers) bringEach(ctx context.Context, merges []undoneMerge, interesting map[refstore.OID]bool) error {
	for _, m := range merges {
		for c, err := range ancestry.Range(u.search.repo.Git, m.kept, m.merge).Commits(ctx) {
			if err != nil {
				return err
			}
			if !interesting[c.ID] {
				continue
			}
			// Where dates are wrong git lists more than it should.
			before, err := ancestry.ReachesAll(ctx, u.search.repo.Git, m.kept, []refstore.OID{c.ID})
			if err != nil {
				return err
			}
			if !before {
				u.brought[c.ID] = append(u.brought[c.ID], m.revert)
			}
		}
	}
	return nil
}

// commits returns those of the objects that are commits. What is not here was
// not merged here.
func (s *undoSearch) commits(ctx context.Context, full map[string][]refstore.OID) (map[refstore.OID]ancestry.Commit, error) {
	ids := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(full))...)))
	found := map[refstore.OID]ancestry.Commit{}
	for c, err := range ancestry.Read(ctx, s.repo.Git, slices.Compact(ids)) {
		switch {
		case errors.Is(err, ancestry.ErrMissing) && c.ID != "":
		case err != nil:
			return nil, err
		default:
			c.Message = nil
			found[c.ID] = c
		}
	}
	return found, nil
}
