package mergegate

import (
	"fmt"
	"strings"
)

// shownLines is how much of a failed suite's output text for people repeats.
const shownLines = 20

// String is the outcome and the causes, then what was looked at, and the end of
// what a failed suite printed.
func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s into %s: %s\n", v.Outcome, v.Branch, v.Into, v.Reason)
	fmt.Fprintf(&b, "  candidate %s, base %s, %d commits\n", short(v.CandidateID), short(v.BaseID), v.Commits)
	b.WriteString("  suite     " + v.Suite.text(v.NoSuite) + "\n")
	fmt.Fprintf(&b, "  audit     %d witnessed, %d abstained, %d unwitnessed\n", v.Audit.Witnessed, v.Audit.Abstained, v.Audit.Unwitnessed)
	for _, c := range v.Claims {
		word := "holds"
		if !c.Holds {
			word = "does not hold: " + c.Reason
		}
		fmt.Fprintf(&b, "  claim     %s %s %s\n", c.Unit, short(c.Commit), word)
	}
	if v.Test != nil {
		fmt.Fprintf(&b, "  test      %s: %s\n", v.Test.Outcome, v.Test.Reason)
	}
	if v.Suite.Ran && !v.Suite.passed() {
		b.WriteString(lastLines(v.Suite.Output))
	}
	return b.String()
}

func (s Suite) text(leftOut bool) string {
	switch {
	case leftOut:
		return "left out on request"
	case !s.Ran:
		return "not run"
	}
	text := fmt.Sprintf("%s, exit %d on the %s %s", strings.Join(s.Command, " "), s.Exit, s.On, short(s.Tree))
	if s.TimedOut {
		text = fmt.Sprintf("%s, stopped after %.0f s on the %s %s", strings.Join(s.Command, " "), s.Seconds, s.On, short(s.Tree))
	}
	if s.Submodules > 0 {
		text += fmt.Sprintf(" (%d submodules not checked out)", s.Submodules)
	}
	return text
}

func lastLines(output string) string {
	line := strings.Split(strings.TrimRight(output, "\n"), "\n")
	if len(line) > shownLines {
		line = line[len(line)-shownLines:]
	}
	return "  | " + strings.Join(line, "\n  | ") + "\n"
}
