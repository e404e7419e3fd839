package mergegate

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// shownLines is how much of a failed suite's output text for people repeats.
const shownLines = 20

// String is the outcome with a line for each cause, then what was looked at,
// the end of what a failed suite printed, and what to do next.
func (v Verdict) String() string {
	var b strings.Builder
	if len(v.Causes) == 0 {
		fmt.Fprintf(&b, "%s %s into %s: %s\n", v.Outcome, v.Branch, v.Into, v.Reason)
	} else {
		fmt.Fprintf(&b, "%s %s into %s\n", v.Outcome, v.Branch, v.Into)
	}
	for i, c := range v.Causes {
		fmt.Fprintf(&b, "  %s: %s\n", c, v.why[i])
	}
	fmt.Fprintf(&b, "  candidate %s, base %s, %s\n", verdict.Short(v.CandidateID), verdict.Short(v.BaseID), verdict.Count(v.Commits, "commit"))
	b.WriteString("  suite     " + v.Suite.text(v.NoSuite) + "\n")
	fmt.Fprintf(&b, "  audit     %d witnessed, %d abstained, %d unwitnessed\n", v.Audit.Witnessed, v.Audit.Abstained, v.Audit.Unwitnessed)
	for _, c := range v.Claims {
		word := "holds"
		if !c.Holds {
			word = "does not hold: " + c.Reason
		}
		fmt.Fprintf(&b, "  claim     %s %s %s\n", c.Unit, verdict.Short(c.Commit), word)
	}
	if v.Test != nil {
		fmt.Fprintf(&b, "  test      %s: %s\n", v.Test.Outcome, v.Test.Reason)
	}
	if v.Suite.Ran && !v.Suite.passed() {
		b.WriteString(lastLines(v.Suite.Output))
	}
	if v.Next != "" {
		b.WriteString("  next: " + v.Next + "\n")
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
	text := fmt.Sprintf("%s, exit %d on the %s %s", strings.Join(s.Command, " "), s.Exit, s.On, verdict.Short(s.Tree))
	if s.TimedOut {
		text = fmt.Sprintf("%s, stopped after %.0f s on the %s %s", strings.Join(s.Command, " "), s.Seconds, s.On, verdict.Short(s.Tree))
	}
	if s.Submodules > 0 {
		text += fmt.Sprintf(" (%s not checked out)", verdict.Count(s.Submodules, "submodule"))
	}
	return text
}

// lastLines is the end of what was printed, nothing when that is blank.
func lastLines(output string) string {
	if strings.TrimSpace(output) == "" {
		return ""
	}
	line := strings.Split(strings.TrimRight(output, "\n"), "\n")
	if len(line) > shownLines {
		line = line[len(line)-shownLines:]
	}
	return "  | " + strings.Join(line, "\n  | ") + "\n"
}
