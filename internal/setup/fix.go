package setup

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/hookset"
	"github.com/git-dos/git-dos/refstore"
)

// A Repair lets an examination put right what is provably git-dos's own.
type Repair struct {
	Program string // full path of what hooks are to call
}

// fix puts right what is ours, each thing by itself. What it leaves alone is found by
// the checks that follow.
func (x *examiner) fix(ctx context.Context, r Repair) {
	x.fixLocks(ctx)
	x.fixScratches()
	x.fixNode(ctx)
	x.fixHooks(ctx, r)
}

func (x *examiner) fixed(id, target, detail string) {
	x.add(Check{ID: id, Severity: OK, Target: target, Detail: detail, Fixed: true})
}

func (x *examiner) unfixed(id string, err error) {
	x.add(Check{ID: id, Severity: Error, Detail: "could not be put right: " + err.Error()})
}

// fixLocks removes what killed writers left in the way of refs.
func (x *examiner) fixLocks(ctx context.Context) {
	if found, err := lockFiles(x.repo.CommonDir); err == nil && len(found) == 0 && !x.cutOff() {
		return
	}
	removed, settled, err := x.repo.Heal(ctx)
	for _, l := range removed {
		x.fixed("STALE_LOCK", l.Path, fmt.Sprintf("removed, %s old: a killed writer of git-dos left it", l.Age.Round(time.Second)))
	}
	if settled {
		x.fixed("INTENT", "", "cleaned up after a write that was cut off")
	}
	if err != nil {
		x.unfixed("STALE_LOCK", err)
	}
}

// fixScratches removes the temporary folders of processes that are gone.
func (x *examiner) fixScratches() {
	left, err := refstore.LeftScratches()
	if err != nil {
		return // said when they are looked at
	}
	for _, l := range left {
		if err := l.Remove(); err != nil {
			x.unfixed("SCRATCH", fmt.Errorf("%s: %w", l.Path, err))
			continue
		}
		x.fixed("SCRATCH", l.Path, fmt.Sprintf("removed, %s old: a killed git-dos left it", l.Age.Round(time.Second)))
	}
}

// fixNode gives a copy of a clone a name of its own.
func (x *examiner) fixNode(ctx context.Context) {
	desk := admit.Unready(x.repo, x.now)
	n, err := desk.LookNode(ctx)
	if err != nil || !n.Copied {
		return
	}
	if err := desk.EnsureNode(ctx); err != nil {
		x.unfixed("NODE", err)
		return
	}
	x.fixed("NODE", "", "named "+desk.Node+": "+n.ID+" is another clone, of which this is a copy")
}

// fixHooks arms again the hooks that were installed and are gone, or cannot be run.
// Where a single one was changed or written over it leaves them all.
func (x *examiner) fixHooks(ctx context.Context, r Repair) {
	look, err := hookset.See(ctx, x.repo)
	if err != nil || !look.Installed || look.Outcome == hookset.Armed || look.Place.Shared {
		return
	}
	for _, h := range look.Hooks {
		if h.Wanted && !h.Armed && !slices.Contains([]hookset.Reason{hookset.Missing, hookset.NotExecutable, hookset.LineEnds}, h.Reason) {
			return
		}
	}
	done, err := hookset.Install(ctx, x.repo, hookset.Request{Program: r.Program})
	switch {
	case err != nil:
		x.unfixed(hookset.GateNotArmed, err)
	case done.Outcome == hookset.Installed:
		x.fixed(hookset.GateNotArmed, done.Place.Dir, "the hooks that were installed are armed again")
	}
}
