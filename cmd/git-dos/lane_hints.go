package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// unknownLaneHint names the lane that was probably meant, and what this
// worktree holds.
func unknownLaneHint(e *admit.UnknownLaneError) string {
	parts := []string{"the lanes are " + someOf(e.Known)}
	if near := nearest(e.Lane, e.Known); near != "" {
		parts[0] = "did you mean --lane " + near + "?"
	}
	if len(e.Held) > 0 {
		parts = append(parts, "this worktree holds "+someOf(e.Held))
	}
	return strings.Join(parts, "; ")
}

// explained says in a refusal what to run: over an unknown lane which ones
// there are, and over no lane at all which one may be had by name.
func explained(d *admit.Desk, v lease.Verdict) lease.Verdict {
	switch v.ReasonClass {
	case lane.UnknownLane:
		return explainedLane(d, v)
	case lane.LadderEmptyOthersFree:
		if k := v.Kernel; k != nil && len(k.FreeClusters) > 0 {
			v.Reason = strings.Replace(v.Reason, k.Reason, k.Reason+": "+someOf(k.FreeClusters), 1)
			if !v.HeldHere {
				v.Next = "git dos lease acquire --lane " + verdict.ShellWord(k.FreeClusters[0])
			}
		}
	case lane.AllHeld:
		if !v.HeldHere {
			v.Next = "wait for a release: git dos lease live"
		}
	}
	return v
}

func explainedLane(d *admit.Desk, v lease.Verdict) lease.Verdict {
	declared := d.Declared()
	near := nearest(v.Lane, declared)
	switch {
	case !d.Rules.Stated():
		v.Reason = fmt.Sprintf("lane %s is not declared: there is no dos.toml, so the lanes are %s", v.Lane, someOf(declared))
		v.Next = "git dos init"
	case near != "":
		v.Reason = fmt.Sprintf("lane %s is not declared in dos.toml, which has %s; did you mean %s?", v.Lane, someOf(declared), near)
		v.Next = "look at the lanes: git dos lease live --all" // a guess is nothing to run unread
	default:
		v.Reason = fmt.Sprintf("lane %s is not declared in dos.toml, which has %s", v.Lane, someOf(declared))
		v.Next = "declare it in dos.toml, or name the files it is about with --tree GLOB"
	}
	return v
}

// someOf lists names, not more than fit a line.
func someOf(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// warnOfNonce tells a caller whose nonce names no lease on the lanes it was
// given that it will be offered again, in place of what the worktree remembers.
func warnOfNonce(c *cli.Context, v lease.Verdict) {
	offered, from := c.String("nonce"), "--nonce"
	if offered == "" {
		offered, from = os.Getenv("GIT_DOS_NONCE"), "GIT_DOS_NONCE"
	}
	if offered == "" || v.Lease == nil || slices.ContainsFunc(v.All(), func(r lease.Record) bool { return r.Nonce == offered }) {
		return
	}
	warn(c, "%s %s is of no lease on lane %s, and a later verb that has it offers it: leave it out, or make it %s", from, offered, v.Lane, v.Lease.Nonce)
}
