package facts

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// planDoc adds what a plan document at the ref says of each unit, and the
// commits that changed the files it names for the unit, once it named them.
func (s *shipSearch) planDoc(ctx context.Context) error {
	if s.scope.PlanDoc == "" {
		return nil
	}
	none := &ShipRequestError{fmt.Errorf("there is no plan document %q at the ref that is walked: name a file as git ls-files does from the top", s.scope.PlanDoc)}
	if !inTree(s.scope.PlanDoc) {
		return none
	}
	text, found, err := ancestry.File(ctx, s.repo.Git, s.tip, s.scope.PlanDoc)
	if err != nil {
		return err
	}
	if !found {
		return none
	}
	doc := plan.Parse(text)
	for _, u := range s.units {
		section, ok := doc.Section(u.ev.Query.Phase)
		if !ok {
			continue
		}
		u.ev.Section = ship.SectionContradicts
		if section.ClaimsShipped() && !section.Soaking() {
			u.ev.Section = ship.SectionAgrees
		}
		if err := s.planFiles(ctx, u, section.Files(s.policy.Stamp.CodeDirs)); err != nil {
			return err
		}
	}
	return nil
}

// inTree reports whether a name can be that of a file in a tree.
func inTree(name string) bool {
	return path.Clean(name) == name && !path.IsAbs(name) && name != ".." && !strings.HasPrefix(name, "../") && !strings.ContainsAny(name, "\n\x00")
}

// planFiles finds the commits that changed the files since the plan names the
// unit, and among the files those that any such commit changed.
func (s *shipSearch) planFiles(ctx context.Context, u *unitSearch, files []string) error {
	if len(files) == 0 {
		return nil
	}
	ids, err := ancestry.Touching(ctx, s.repo.Git, s.tip, files)
	if err != nil {
		return err
	}
	if ids, err = s.sincePlanned(ctx, u, ids); err != nil {
		return err
	}
	touches := map[refstore.OID][]string{}
	var commits []ancestry.Commit
	for c, err := range ancestry.Read(ctx, s.repo.Git, ids) {
		if err != nil {
			return err
		}
		commits = append(commits, c)
	}
	live := map[string]bool{}
	for c, err := range ancestry.Changed(ctx, s.repo.Git, commits...) {
		if errors.Is(err, ancestry.ErrMissing) && s.repo.Shallow {
			break // at the edge; a shallow history says no to nothing
		}
		if err != nil {
			return err
		}
		if slices.Contains(files, c.Path) {
			touches[c.Commit] = append(touches[c.Commit], c.Path)
			live[c.Path] = true
		}
	}
	for _, f := range files {
		if live[f] {
			u.ev.Files = append(u.ev.Files, ship.PlanFile{Path: f, Hub: plan.Hub(f, s.policy.Stamp.InfraBasenames, s.policy.Stamp.InfraDocBasenames)})
		}
	}
	for _, c := range commits {
		if list := touches[c.ID]; len(list) > 0 {
			s.find(u, c).Touches = list
		}
	}
	return nil
}

// find is the unit's find of a commit, a new one if need be.
func (s *shipSearch) find(u *unitSearch, c ancestry.Commit) *find {
	for _, f := range u.found {
		if f.commit.ID == c.ID {
			return f
		}
	}
	f := newFind(rowOf(c, s.policy.Stamp), u.ev.Query)
	u.found = append(u.found, f)
	return f
}

// sincePlanned keeps the commits that descend from one at which the document
// named the unit already: a file that is older than its row in the plan ships
// nothing.
func (s *shipSearch) sincePlanned(ctx context.Context, u *unitSearch, ids []refstore.OID) ([]refstore.OID, error) {
	versions, err := ancestry.Touching(ctx, s.repo.Git, s.tip, []string{s.scope.PlanDoc})
	if err != nil {
		return nil, err
	}
	var kept []refstore.OID
	for _, v := range slices.Backward(versions) {
		if len(ids) == 0 {
			break
		}
		text, found, err := ancestry.File(ctx, s.repo.Git, v, s.scope.PlanDoc)
		if err != nil {
			return nil, err
		}
		if _, named := plan.Parse(text).Section(u.ev.Query.Phase); !found || !named {
			continue
		}
		var left []refstore.OID
		for _, id := range ids {
			later, err := ancestry.ReachesAll(ctx, s.repo.Git, id, []refstore.OID{v})
			switch {
			case err != nil:
				return nil, err
			case later && id != v:
				kept = append(kept, id)
			default:
				left = append(left, id)
			}
		}
		ids = left
	}
	return kept, nil
}
