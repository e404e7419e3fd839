package main

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
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
			v.Reason += ": " + someOf(k.FreeClusters)
			v.Next = "git dos lease acquire --lane " + shellWord(k.FreeClusters[0])
		}
	case lane.AllHeld:
		v.Next = "wait for a release: git dos lease live"
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
		v.Next = "git dos lease acquire --lane " + shellWord(near)
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
