package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A lifeFinish is the part of an answer about a run all of whose steps are done that
// says what is left to do: to bring them to the trunk, and to give the lane back.
type lifeFinish struct {
	OffTrunk []string `json:"off_trunk,omitempty"` // steps that are not in the trunk's history
	Next     string   `json:"next,omitempty"`      // where the asking worktree has the run's lease

	after string // what follows then
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
	f.Next = "git dos lease release --lane " + verdict.ShellWord(r.Lease.Lane)
	if len(f.OffTrunk) > 0 {
		f.Next, f.after = "git dos push", f.Next
	}
	return f, nil
}

// text are the lines of it.
func (f lifeFinish) text() string {
	text := ""
	if n := len(f.OffTrunk); n > 0 {
		text += fmt.Sprintf("\n  trunk: %s not on it yet: %s", verdict.Count(n, "step"), someOf(f.OffTrunk))
	}
	for _, command := range []string{f.Next, f.after} {
		if command != "" {
			text += "\n  next: " + command
		}
	}
	return text
}
