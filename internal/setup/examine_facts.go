package setup

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
)

// predicates are the reason classes with which an acquire is refused, in the
// order in which they are asked.
func predicates() []string {
	return []string{
		lease.PolicySkew, lease.LeaseDiffers,
		lane.ExclusiveLive, lane.SameLaneHeld, lane.UnknownLane, lane.UnknownTree, lane.TreeOutsideLane,
		lane.ExclusiveNotAlone, lane.Collision, lane.ClassBudgetExhausted, lane.SelfModify,
		lease.UnitClaimed, lease.SeatTaken,
	}
}

// facts fills in what follows from the rules in force.
func (x *examiner) facts(ctx context.Context, r facts.Rules) {
	p := r.Policy
	x.Trunk = &TrunkFacts{Branch: r.Trunk.Short(), Ref: r.Trunk.Ref, Commit: r.Trunk.Commit()}
	x.Lanes = &LaneFacts{
		Concurrent: list(p.Lanes.Concurrent), Exclusive: list(p.Lanes.Exclusive), Autopick: list(p.Lanes.Autopick),
		Trees: map[string][]string{}, Aliases: map[string]string{},
	}
	for name, tree := range p.Lanes.Trees {
		x.Lanes.Trees[name] = list(tree)
	}
	maps.Copy(x.Lanes.Aliases, p.Lanes.Aliases)
	x.Paths = &PathFacts{Root: p.Paths.Root, PlansGlob: p.Paths.PlansGlob, NextPackets: p.Paths.NextPackets, Runs: p.Paths.Runs}
	x.Stamp = stampFacts(p.Stamp)
	x.OverlapPolicy = &OverlapFacts{
		Active: string(p.Overlap.Policy), Available: []string{string(policy.OverlapGlob), string(policy.OverlapPrefix)},
		RatioMax: p.Overlap.RatioMax, Floor: lane.SoftFloor,
	}
	x.Supervise = superviseFacts(p.Supervise)
	x.workspace(ctx, r)
}

func stampFacts(s policy.Stamp) *StampFacts {
	return &StampFacts{
		Style: s.Style, SubjectDirs: list(s.SubjectDirs), TrailerStamp: s.TrailerStamp,
		SummaryBundlePrefixes: list(s.SummaryBundlePrefixes), BookkeepingPrefixes: list(s.BookkeepingPrefixes),
		ProgressMarkers: list(s.ProgressMarkers), SubPhaseParentFallback: s.SubPhaseParentFallback,
		CodeDirs: list(s.CodeDirs), InfraBasenames: list(s.InfraBasenames), InfraDocBasenames: list(s.InfraDocBasenames),
	}
}

func superviseFacts(s policy.Supervise) *SuperviseFacts {
	f := &SuperviseFacts{
		Target: s.Target, CountSpinningAsAlive: s.CountSpinningAsAlive, ReapStalled: s.ReapStalled,
		Interval: int64(s.Interval / time.Second), PendingWindow: int64(s.PendingWindow / time.Second),
		WorkerLaunchTemplate: s.WorkerLaunchTemplate,
	}
	if s.SpinHaltAfter != nil {
		ms := s.SpinHaltAfter.Milliseconds()
		f.SpinHaltAfterMS = &ms
	}
	if s.MaxConcurrency > 0 {
		f.MaxConcurrency = &s.MaxConcurrency
	}
	return f
}

// list is a copy that JSON shows as an array, also when it is empty.
func list(words []string) []string { return append([]string{}, words...) }

// workspace tells whether this is git-dos's own source.
func (x *examiner) workspace(ctx context.Context, r facts.Rules) {
	const id = "WORKSPACE"
	own, err := facts.OwnRepository(ctx, x.repo, r)
	if err != nil {
		x.unknown(id, err)
		return
	}
	w := &WorkspaceFacts{IsKernelRepo: own, RuntimePresent: []string{}}
	if own {
		if w.RuntimePresent, err = x.present(ctx, facts.OwnProtected()); err != nil {
			x.unknown(id, err)
			return
		}
		x.add(Check{ID: id, Severity: Info, Detail: "git-dos's own source: a lease that covers what it runs on is refused unless dos.toml says otherwise"})
	}
	x.IsKernelRepo, x.Workspace = &own, w
}

// present lists which of the paths are in the work tree, in a bare repository
// in HEAD.
func (x *examiner) present(ctx context.Context, paths []string) ([]string, error) {
	if x.repo.WorkTree != "" {
		return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
			_, err := os.Lstat(filepath.Join(x.repo.WorkTree, filepath.FromSlash(p)))
			return err != nil
		}), nil
	}
	args := []string{"ls-tree", "-z", "--name-only", "--full-tree", "HEAD", "--"}
	for _, p := range paths {
		args = append(args, strings.TrimSuffix(p, "/"))
	}
	out, err := x.repo.Git.Output(ctx, args...)
	found := strings.Split(string(out), "\x00")
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !slices.Contains(found, strings.TrimSuffix(p, "/")) }), err
}
