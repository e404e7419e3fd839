package setup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// locks reports the lock files that stand in the way of the fleet's refs on a remote
// that is a path of this machine, and removes those that are stale with fix.
func (r asked) locks(ctx context.Context, a *refstore.Remote, fix bool) {
	const id = "REMOTE_LOCKS"
	found, err := a.Locks(ctx, fix)
	switch {
	case errors.Is(err, refstore.ErrElsewhere) && fix:
		r.check(id, Info, "its files are not on this machine; nothing was removed", "where it is, run: git dos doctor --remote --fix")
	case errors.Is(err, refstore.ErrElsewhere):
	case err != nil:
		r.check(id, Error, "whether lock files stand in the way cannot be told: "+err.Error(), "")
	case len(found) == 0:
		r.check(id, OK, "no lock file stands in the way", "")
	}
	for _, l := range found {
		what := fmt.Sprintf("%s, %s old", l.Path, l.Age.Round(time.Second))
		switch {
		case l.Removed:
			r.fixed(id, r.name, "removed "+what+", which a killed transaction left")
		case l.Stale:
			r.check(id, Error, "a killed transaction left "+what, "git dos doctor --remote "+verdict.ShellWord(r.name)+" --fix")
		default:
			r.check(id, Error, "in the way of "+l.Ref+": "+what+"; a git may be at work on it", "if no git runs there, remove it")
		}
	}
}
