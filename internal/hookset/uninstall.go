package hookset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// What became of a removal.
const (
	Removed     = "REMOVED"
	NothingHere = "NOTHING"
	Left        = "LEFT" // what another hand has changed is left as it is
)

// A Removal answers uninstall.
type Removal struct {
	Outcome string   `json:"outcome"`
	Place   Place    `json:"place"` // where git looks from now on
	Hooks   []Change `json:"hooks"`
}

// ExitCode implements verdict.Verdict.
func (r Removal) ExitCode() int {
	switch r.Outcome {
	case Removed, NothingHere:
		return verdict.Yes
	case Left:
		return 3
	}
	return verdict.NoVerdict
}

// Uninstall takes everything out that install put in, and puts back what was
// there. What is not ours is not touched.
func Uninstall(ctx context.Context, repo *refstore.Repo) (Removal, error) {
	out := Removal{Outcome: NothingHere, Hooks: []Change{}}
	r, err := readRecord(repo)
	if err != nil {
		return out, err
	}
	p, err := FindPlace(ctx, repo)
	if err != nil {
		return out, err
	}
	if r != nil {
		out.Outcome = Removed
		if r.Moved != nil {
			if _, err := r.Moved.giveBack(ctx, repo); err != nil {
				return out, err
			}
		}
	}
	for _, dir := range r.dirs(repo, p) {
		changes, err := takeOut(dir)
		out.Hooks = append(out.Hooks, changes...)
		if err != nil {
			return out, err
		}
	}
	if len(out.Hooks) > 0 {
		out.Outcome = Removed
	}
	if slices.ContainsFunc(out.Hooks, func(c Change) bool { return c.Did == "left" }) {
		out.Outcome = Left
	}
	if err := r.forget(repo); err != nil {
		return out, err
	}
	out.Place, err = FindPlace(ctx, repo)
	return out, err
}

// forget removes the record with what was left unfinished beside it, and the folders that were made where they are
// empty again.
func (r *record) forget(repo *refstore.Repo) error {
	if err := sweep(filepath.Dir(recordPath(repo))); err != nil || r == nil {
		return err
	}
	if err := remove(recordPath(repo)); err != nil && !errors.Is(err, errNotExist) {
		return err
	}
	made := slices.DeleteFunc(slices.Clone(r.Made), func(rel string) bool { return !filepath.IsLocal(rel) })
	slices.SortFunc(made, func(a, b string) int { return len(b) - len(a) }) // the inner ones first
	for _, rel := range made {
		_ = os.Remove(filepath.Join(repo.CommonDir, rel)) // fails where something is in it
	}
	return nil
}

// takeOut removes what is ours from one folder.
func takeOut(dir string) (changes []Change, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, errNotExist) || errors.Is(err, errNotDir) {
		return nil, nil
	}
	if err == nil {
		err = sweep(dir)
	}
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, e := range entries {
		name := e.Name()
		for _, suffix := range []string{savedSuffix, ".legacy", ".old"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if seen[name] || !Known(name) && !slices.Contains(forwarded, name) {
			continue
		}
		seen[name] = true
		s, err := readSpot(dir, name)
		if err != nil {
			return changes, err
		}
		found, err := s.takeOut()
		changes = append(changes, found...)
		if err != nil {
			return changes, err
		}
	}
	return changes, nil
}

func (s spot) takeOut() (changes []Change, err error) {
	for _, f := range []*hookFile{&s.now, &s.legacy, &s.old} {
		c := Change{Name: s.name, File: f.path, Did: "removed"}
		switch f.claim {
		case foreign:
			continue
		case edited, newer:
			c.Did, c.Why = "left", "it is marked as git-dos's, and has been changed since or is a newer version's"
		default:
			if f.shim.Chained == s.name+savedSuffix && s.saved.exists {
				c.Did = "restored"
			}
			if err := s.retire(f); err != nil {
				return changes, err
			}
			if s.saved, err = readHook(s.saved.path); err != nil {
				return changes, err
			}
		}
		changes = append(changes, c)
	}
	last, err := s.leftOver()
	if last.Did != "" {
		changes = append(changes, last)
	}
	return changes, err
}

// leftOver sees to a hook that is still kept under its other name, as it is
// after a cut or after another tool wrote over ours.
func (s spot) leftOver() (Change, error) {
	s, err := readSpot(s.dir, s.name)
	if err != nil || !s.saved.exists {
		return Change{}, err
	}
	c := Change{Name: s.name, File: s.saved.path, Did: "removed"}
	if !s.now.exists {
		c.Did, c.File = "restored", s.now.path
		return c, rename(s.saved.path, s.now.path)
	}
	alike, err := s.saved.same(s.now)
	if err != nil {
		return Change{}, err
	}
	if alike {
		return c, remove(s.saved.path)
	}
	c.Did, c.Why = "left", "it was kept when ours was installed, and another hook has taken the place of ours since"
	return c, nil
}
