package hookset

import (
	"errors"
	"fmt"
	"os"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// blocked says why a hook cannot be armed, and what to do about it.
func (s spot) blocked() (reason, detail, fix string, err error) {
	for _, f := range []hookFile{s.now, s.legacy, s.old} {
		if f.claim == edited || f.claim == newer {
			return EditedHook, f.path + " is git-dos's and has been changed since, or is a newer version's",
				"keep what was added in a file of its own, remove " + verdict.ShellWord(f.path) + ", and install again", nil
		}
	}
	if s.now.claim != foreign || !s.now.exists || !s.saved.exists || s.behind() {
		return "", "", "", nil
	}
	if f := s.displaced(); f != nil && f.shim.Chained == s.name+savedSuffix {
		return "", "", "", nil // retiring that file frees the name
	}
	alike, err := s.saved.same(s.now)
	if err != nil || alike || toolOf(s.saved.data) != "" && toolOf(s.saved.data) == toolOf(s.now.data) {
		return "", "", "", err
	}
	return SavedHook, s.saved.path + " was kept when ours was installed, and another hook has taken the place of ours since",
		"remove whichever of the two is not wanted, and install again", nil
}

// arm puts our file in place. What is there is kept under its other name first,
// so that a cut between the two leaves it working.
func (s spot) arm(want Shim, order Order) (Change, error) {
	c := Change{Name: s.name, File: s.now.path, Did: "armed"}
	if s.behind() {
		c.Did, c.File, c.Order, c.Chained = "kept", s.legacy.path, s.legacy.shim.Order, s.legacy.shim.Chained
		return c, nil
	}
	if f := s.displaced(); f != nil {
		if err := s.retire(f); err != nil {
			return c, err
		}
		var err error
		if s, err = readSpot(s.dir, s.name); err != nil {
			return c, err
		}
	}
	chain := s.saved.exists
	if s.now.exists && s.now.claim == foreign {
		if err := s.keep(); err != nil {
			return c, err
		}
		chain = true
	}
	if chain {
		want.Order, want.Chained = order, s.name+savedSuffix
		c.Order, c.Chained = want.Order, want.Chained
	}
	return c, s.write(want, &c)
}

// keep saves the foreign hook that is in place.
func (s spot) keep() error {
	alike, err := s.saved.same(s.now)
	if err != nil || alike {
		return err
	}
	if s.saved.exists { // an older hook of the same tool
		if err := remove(s.saved.path); err != nil {
			return err
		}
	}
	err = s.now.save(s.saved.path)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s has just appeared: is another install running? run it again", s.saved.path)
	}
	return err
}

func (s spot) write(want Shim, c *Change) error {
	if err := want.check(); err != nil {
		return err
	}
	if s.now.claim == ours && s.now.shim == want && runs(s.now.path) {
		c.Did = "kept"
		return nil
	}
	return put(s.now.path, want.Render(), 0o755)
}
