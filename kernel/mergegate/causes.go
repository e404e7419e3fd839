package mergegate

import "fmt"

const shortID = 12

func short(id string) string { return id[:min(len(id), shortID)] }

func (ev Evidence) conflicts() string {
	if len(ev.Conflicts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s does not merge into %s: %d paths conflict, first %q", ev.Branch, ev.Into, len(ev.Conflicts), ev.Conflicts[0])
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
	if ev.Suite.Ran || ev.NoSuite || len(ev.Conflicts) > 0 {
		return ""
	}
	return fmt.Sprintf("the dos.toml of %s has no gates.trunk_would_not_compile.command to run", ev.Into)
}

func (ev Evidence) dirty() string {
	broken := 0
	first := ""
	for _, c := range ev.Claims {
		if !c.Holds {
			if broken++; broken == 1 {
				first = fmt.Sprintf("%s says it ships %q: %s", short(c.Commit), c.Unit, c.Reason)
			}
		}
	}
	switch broken {
	case 0:
		return ""
	case 1:
		return first
	}
	return fmt.Sprintf("%s, and %d more", first, broken-1)
}

func (ev Evidence) unwitnessed() string {
	if ev.Audit.Unwitnessed == 0 {
		return ""
	}
	first := ""
	if len(ev.Audit.Shas) > 0 {
		first = ", first " + short(ev.Audit.Shas[0])
	}
	return fmt.Sprintf("%d commits claim what their diff does not carry%s", ev.Audit.Unwitnessed, first)
}

func (ev Evidence) vacuous() string {
	if ev.Test == nil || ev.Test.Outcome == Discriminates {
		return ""
	}
	return fmt.Sprintf("test witness %s: %s", ev.Test.Outcome, ev.Test.Reason)
}
