package replan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/kernel/replan"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A Lease is one that the caller has, and what a commit under it says beside its
// message.
type Lease struct {
	Lane string
	Tree []string
	Note worktree.Note
}

// covers reports whether a path lies in what the lease covers.
func (l Lease) covers(path string) bool {
	return len(l.Tree) == 0 || lane.NewScope(l.Tree).Contains(path)
}

// A Page is a plan document with rows that say something else than history.
type Page struct {
	File   string
	Lane   string      // under whose lease it is stamped, "" for none
	Rows   []plan.Mend // that were stamped or cannot be; none where it was not looked into
	Why    string      // it was not stamped, "" where it was
	Commit string      // with the stamps, "" before there is one
	Bare   bool        // it was not stamped for want of a lease

	was, is []byte // on disk, before and after
}

// Stamped counts the rows that were stamped.
func Stamped(pages []Page) (n int) {
	for _, p := range pages {
		for _, m := range p.Rows {
			if p.Why == "" && m.Why == "" {
				n++
			}
		}
	}
	return n
}

// Message is that of a commit with stamps. It names no unit: it ships none.
const Message = "docs: plan documents say what history says"

// A stamper stamps plan documents in one work tree.
type stamper struct {
	repo   *refstore.Repo
	tree   *worktree.Tree
	files  *files
	leases []Lease
	dry    bool
}

// Stamp brings the rows that drift in line in the work tree, and commits the
// documents by their paths, for each lane its own. What cannot be done is said
// of the page. With dry set it only looks. An error says how far it came by the
// pages that have a commit. The caller is the only one that stamps in the
// repository.
func Stamp(ctx context.Context, repo *refstore.Repo, ships facts.ShipScope, drift []replan.Unit, leases []Lease, dry bool) ([]Page, error) {
	pages := pagesOf(drift)
	if len(pages) == 0 {
		return pages, nil
	}
	s := stamper{repo: repo, leases: leases, dry: dry}
	for i := range pages {
		s.assign(&pages[i])
	}
	if !slices.ContainsFunc(pages, func(p Page) bool { return p.Why == "" }) {
		return pages, nil
	}
	if err := s.open(ctx); err != nil {
		if !errors.Is(err, worktree.ErrBare) {
			return pages, err
		}
		return all(pages, "there is no work tree here"), nil
	}
	defer s.files.close()
	if err := s.prepare(ctx, pages, ships, drift); err != nil || dry {
		return pages, err
	}
	for _, l := range leases {
		if err := s.commit(ctx, l, pages); err != nil {
			return pages, err
		}
	}
	return pages, nil
}

// pagesOf are the documents with rows that drift, by name.
func pagesOf(drift []replan.Unit) (pages []Page) {
	seen := map[string]bool{}
	for _, u := range drift {
		for _, r := range u.Rows {
			if r.Shipped != (u.Truth == replan.Shipped) && !seen[r.File] {
				seen[r.File] = true
				pages = append(pages, Page{File: r.File})
			}
		}
	}
	slices.SortFunc(pages, func(a, b Page) int { return bytes.Compare([]byte(a.File), []byte(b.File)) })
	return pages
}

func all(pages []Page, why string) []Page {
	for i := range pages {
		if pages[i].Why == "" {
			pages[i].Why = why
		}
	}
	return pages
}

// assign finds the lease that covers a document.
func (s *stamper) assign(p *Page) {
	for _, l := range s.leases {
		if l.covers(p.File) {
			p.Lane = l.Lane
			return
		}
	}
	p.Why, p.Bare = "no lease of the caller covers it", true
}

func (s *stamper) open(ctx context.Context) (err error) {
	if s.tree, err = worktree.Open(ctx, s.repo); err != nil {
		return err
	}
	s.files, err = openFiles(s.repo.WorkTree)
	return err
}

// prepare edits the documents that can be, in memory.
func (s *stamper) prepare(ctx context.Context, pages []Page, ships facts.ShipScope, drift []replan.Unit) error {
	head, err := ancestry.Resolve(ctx, s.repo.Git, "HEAD")
	if errors.Is(err, ancestry.ErrUnborn) {
		all(pages, "the branch that is checked out has no commit")
		return nil
	}
	if err != nil {
		return err
	}
	fix, err := s.fixes(ctx, head, ships, drift)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, p := range pages {
		named[p.File] = true
	}
	dirty, err := s.tree.Uncommitted(ctx, func(path string, _ bool) bool { return named[path] })
	if err != nil {
		return err
	}
	state := map[string]scope.State{}
	for _, d := range dirty {
		state[d.Path] = d.State
	}
	for i := range pages {
		p := &pages[i]
		if p.Why != "" {
			continue
		}
		st := state[p.File]
		if st == "" || st == scope.InFile {
			if err := s.edit(ctx, head, fix, p, st != ""); err != nil {
				return err
			}
		}
		if st != "" && p.is == nil && p.Why == "" {
			p.Why = fmt.Sprintf("it has changes that no commit has (%s)", st)
		}
	}
	return nil
}

// edit finds what the rows of a document should say, as it is checked out. Of one
// that is changed it finds nothing, unless the changes are those that it would
// make: then a stamping was cut off before its commit.
func (s *stamper) edit(ctx context.Context, head refstore.OID, fix func(plan, phase string) *plan.Fix, p *Page, changed bool) error {
	committed, found, err := ancestry.File(ctx, s.repo.Git, head, p.File)
	switch {
	case errors.Is(err, ancestry.ErrMissing):
		return err
	case err != nil || !found:
		p.Why = "the commit that is checked out has no such file"
		return nil
	}
	if p.was, err = s.files.read(p.File); err != nil {
		p.Why = "it cannot be read in the work tree: " + words(err)
		return nil
	}
	if bytes.IndexByte(p.was, 0) >= 0 {
		p.Why = "it is not text: it has a NUL byte"
		return nil
	}
	if changed {
		if is, rows := plan.Repair(committed, fix); len(rows) > 0 && !bytes.Equal(is, committed) && bytes.Equal(is, p.was) {
			p.is, p.Rows = p.was, rows
		}
		return nil
	}
	p.is, p.Rows = plan.Repair(p.was, fix)
	switch {
	case len(p.Rows) == 0:
		p.Why = "the branch that is checked out has another version of it, which needs no stamp: push it"
	case bytes.Equal(p.was, p.is):
		p.Why = "none of its rows can be changed alone"
	}
	return nil
}

// fixes is what the rows should say. Of a unit that did not ship on the trunk no
// stamp is taken back where it cannot be told that it has not on the branch that
// is checked out.
func (s *stamper) fixes(ctx context.Context, head refstore.OID, ships facts.ShipScope, drift []replan.Unit) (func(plan, phase string) *plan.Fix, error) {
	fixes := map[string]*plan.Fix{}
	var open []facts.Unit
	for _, u := range drift {
		if u.Truth == replan.Shipped {
			fixes[fold(u.Plan, u.Phase)] = &plan.Fix{Plan: u.Plan, Phase: u.Phase, Shipped: true, By: verdict.Short(u.Sha)}
		} else {
			open = append(open, facts.Unit{Plan: u.Plan, Phase: u.Phase})
		}
	}
	if len(open) > 0 {
		ships.Ref = string(head)
		evidence, err := facts.Ships(ctx, s.repo, open, ships)
		if err != nil {
			return nil, err
		}
		for i, u := range open {
			if ship.Decide(evidence[i]).Outcome == ship.NotShipped {
				fixes[fold(u.Plan, u.Phase)] = &plan.Fix{Plan: u.Plan, Phase: u.Phase}
			}
		}
	}
	return func(plan, phase string) *plan.Fix { return fixes[fold(plan, phase)] }, nil
}

// commit writes the documents of a lane and has them committed. Without a commit
// they are as they were.
func (s *stamper) commit(ctx context.Context, l Lease, pages []Page) error {
	var own []*Page
	var names []string
	for i := range pages {
		if p := &pages[i]; p.Lane == l.Lane && p.Why == "" && p.Commit == "" {
			own, names = append(own, p), append(names, p.File)
		}
	}
	if len(own) == 0 {
		return nil
	}
	text, err := worktree.Compose(Message, l.Note)
	if err != nil {
		return err
	}
	var v scope.CommitVerdict
	if werr := s.write(own); werr != nil {
		v.Reason = werr.Error()
	} else {
		var draft worktree.Draft
		if draft, err = s.tree.Draft(ctx, names, l.Lane, treeOf(l)); err == nil {
			v, err = draft.Commit(ctx, text)
		}
	}
	if err == nil && v.Outcome == scope.Committed {
		for _, p := range own {
			p.Commit = v.Commit
		}
		return nil
	}
	for _, p := range own {
		p.Why = "it could not be committed: " + v.Reason
	}
	if v.Outcome == scope.Raced { // there is a commit, and it stays
		return err
	}
	var path *worktree.PathError
	if errors.As(err, &path) {
		for _, p := range own {
			p.Why = "it cannot be committed: " + path.Error()
		}
		err = nil
	}
	return errors.Join(err, s.restore(own))
}

// treeOf is what the lease covers, as a commit is judged by it.
func treeOf(l Lease) []string {
	if len(l.Tree) == 0 {
		return []string{"**"}
	}
	return l.Tree
}

func (s *stamper) write(own []*Page) error {
	for _, p := range own {
		if bytes.Equal(p.was, p.is) {
			continue
		}
		if err := s.files.replace(p.File, p.was, p.is); err != nil {
			return fmt.Errorf("write %s: %w", p.File, err)
		}
	}
	return nil
}

// restore takes back what was written and is there still.
func (s *stamper) restore(own []*Page) (err error) {
	for _, p := range own {
		now, rerr := s.files.read(p.File)
		if rerr == nil && bytes.Equal(now, p.is) && !bytes.Equal(p.was, p.is) {
			rerr = s.files.replace(p.File, p.is, p.was)
		}
		if rerr != nil {
			err = errors.Join(err, fmt.Errorf("take back what was written to %s: %w", p.File, rerr))
		}
	}
	return err
}

// words are an error of a file without its name.
func words(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
