package mergegate

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

func (ev Evidence) conflicts() string {
	switch {
	case len(ev.Conflicts) > 0:
		return fmt.Sprintf("%s does not merge into %s: %s in conflict, first %q", ev.Branch, ev.Into, verdict.Count(len(ev.Conflicts), "path"), ev.Conflicts[0])
	case ev.Conflict:
		return fmt.Sprintf("%s does not merge into %s: git merge-tree names no path, git merge says why", ev.Branch, ev.Into)
	}
	return ""
}

// red is a suite that ran and did not pass.
func (ev Evidence) red() string {
	switch s := ev.Suite; {
	case !s.Ran || s.passed():
		return ""
	case s.TimedOut:
		return fmt.Sprintf("the suite did not end in time (%.0f s)", s.Seconds)
	case s.Exit < 0:
		return "the suite was ended by a signal"
	default:
		return fmt.Sprintf("the suite failed with exit status %d", s.Exit)
	}
}

// unrun is a suite that did not run although nobody left it out. A merge that
// conflicts has nothing to run it on.
func (ev Evidence) unrun() string {
	if ev.Suite.Ran || ev.NoSuite || ev.conflicts() != "" {
		return ""
	}
	return fmt.Sprintf("the dos.toml of %s has no gates.trunk_would_not_compile.command to run", ev.Into)
}

// dirty is a claim that the branch's own history contradicts.
func (ev Evidence) dirty() string {
	broken := 0
	var first Claim
	for _, c := range ev.Claims {
		if !c.Holds {
			if broken++; broken == 1 {
				first = c
			}
		}
	}
	if broken == 0 {
		return ""
	}
	why := fmt.Sprintf("by its Dos-Ship trailer %s ships %q, and it does not: %s", verdict.Short(first.Commit), first.Unit, first.Reason)
	if broken > 1 {
		why += fmt.Sprintf(" (and %d more)", broken-1)
	}
	return why
}

func (ev Evidence) unwitnessed() string {
	n, first := ev.Audit.Unwitnessed, ""
	if n == 0 {
		return ""
	}
	if len(ev.Audit.Shas) > 0 {
		first = ", " + verdict.Short(ev.Audit.Shas[0])
	}
	if n == 1 {
		return "1 commit claims what its diff does not carry" + first
	}
	if first != "" {
		first = ", first" + first[1:]
	}
	return fmt.Sprintf("%d commits claim what their diffs do not carry%s", n, first)
}

func (ev Evidence) vacuous() string {
	if ev.Test == nil || ev.Test.Outcome == Discriminates {
		return ""
	}
	return fmt.Sprintf("test witness %s: %s", ev.Test.Outcome, ev.Test.Reason)
}

// next is what helps with a cause, "" where the answer itself says all there
// is. Commands name commits, so that no name of a branch is pasted into a shell.
func (ev Evidence) next(c Cause) string {
	switch c {
	case MergeConflict:
		return "rebase the branch onto " + verdict.Short(ev.IntoID) + ", or merge that into it"
	case SuiteUnrun:
		return "set gates.trunk_would_not_compile.command in the dos.toml there, or leave the suite out with --no-suite"
	case TruthDirty:
		for _, c := range ev.Claims {
			if !c.Holds && isPlain(c.Unit) {
				return fmt.Sprintf("git dos verify %s --ref %s --explain", c.Unit, verdict.Short(ev.CandidateID))
			}
		}
		return "amend the message, or let the commit do what it says"
	case AuditUnwitnessed:
		return fmt.Sprintf("git dos commit-audit %s..%s", verdict.Short(ev.IntoID), verdict.Short(ev.CandidateID))
	case TestNotWitnessed:
		return "add a test that fails without the change, or leave --require-test-witness out"
	}
	return ""
}

// isPlain reports whether a unit can stand in a command as it is.
func isPlain(unit string) bool {
	return unit != "" && unit[0] != '-' && strings.Contains(unit, "/") && strings.Trim(unit, plainBytes) == ""
}

const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-"
