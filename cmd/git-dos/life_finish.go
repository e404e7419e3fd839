package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A lifeFinish is the part of an answer about a run all of whose steps are done that
// says what is left to do: to let a parked lane run again, to bring the steps to the
// trunk, and to give the lane back.
type lifeFinish struct {
	OffTrunk []string `json:"off_trunk,omitempty"` // steps that are not in the trunk's history
	Next     string   `json:"next,omitempty"`      // where the asking worktree has the run's lease

	after []string // what follows then
}

func lifeFinishOf(c *cli.Context, r life.Run, plan *resume.Verdict) (f lifeFinish, err error) {
	if plan == nil || plan.Outcome != resume.Complete {
		return f, nil
	}
	if f.OffTrunk, err = r.OffTrunk(c.Context, plan.Verified); err != nil {
		return f, lifeError(err)
	}
	if !r.Finished(plan) {
		return f, nil
	}
	steps := []string{"git dos lease release --lane " + verdict.ShellWord(r.Lease.Lane)}
	if len(f.OffTrunk) > 0 {
		steps = append([]string{"git dos push"}, steps...)
	}
	if r.Lease.State == lane.Parked {
		steps = append([]string{unparkCommand(r.Lease.Lane)}, steps...)
	}
	f.Next, f.after = steps[0], steps[1:]
	return f, nil
}

// text are the lines of it.
func (f lifeFinish) text() string {
	text := ""
	if n := len(f.OffTrunk); n > 0 {
		text += fmt.Sprintf("\n  trunk: %s not on it yet: %s", verdict.Count(n, "step"), someOf(f.OffTrunk))
	}
	if f.Next == "" {
		return text
	}
	for _, command := range append([]string{f.Next}, f.after...) {
		text += "\n  next: " + command
	}
	return text
}

// unparkCommand lets the lease of a parked lane run again, in the worktree that has it.
func unparkCommand(name string) string {
	return "git dos lease unpark --lane " + verdict.ShellWord(name)
}
