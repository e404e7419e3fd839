package plan

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Idle says in one line why a board has no unit.
func (b Board) Idle() string {
	if len(b.Files) == 0 {
		return "there is no plan file on " + b.Ref + b.sought()
	}
	s := fmt.Sprintf("%s on %s, and no phase in a form that is read", verdict.Count(len(b.Files), "plan file"), b.Ref)
	for _, u := range b.Unread {
		if u.Line > 0 {
			return fmt.Sprintf("%s; %s not read, the first %s", s, headings(b.UnreadTotal), u)
		}
	}
	if len(b.Loose) > 0 {
		s += "; under no plan heading: " + placed(b.Loose, true)
	}
	return s
}

// sought says which files were looked for.
func (b Board) sought() string {
	if b.Glob == "" {
		return ""
	}
	return ": none is named " + verdict.Show(b.Glob)
}

// maxShown bounds what a line for people lists.
const maxShown = 5

// String is the summary and a line for each unit.
func (b Board) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s %s of %s on %s: %d over-claimed, %d under-claimed, %d unknown\n", b.Outcome,
		verdict.Count(len(b.Units), "unit"), verdict.Count(len(b.Files), "plan file"), b.Ref, b.OverClaims, b.UnderClaims, b.Unknowns)
	for _, l := range b.Units {
		fmt.Fprintf(&s, "  %s\n", l)
	}
	if len(b.Files) == 0 {
		s.WriteString("  there is no plan file" + b.sought() + "; paths.plans_glob of dos.toml says which files are\n")
	}
	s.WriteString(b.unread())
	if len(b.Loose) > 0 {
		fmt.Fprintf(&s, "  under no plan heading, so of no plan: %s\n", placed(b.Loose, true))
	}
	return s.String()
}

// String is one line.
func (l Line) String() string {
	mark := string(l.Divergence)
	if mark == "" {
		mark = "-"
	}
	s := fmt.Sprintf("%-11s  %-7s  %-13s  %s %s  %s", mark, l.Claim, l.Truth, l.Plan, l.Phase, placed(l.Rows, false))
	if l.Reason != "" && (l.Divergence == OverClaim || l.Truth == Indeterminate) {
		s += ": " + l.Reason
	}
	return s
}

func placed(places []Place, phases bool) string {
	var all []string
	for _, p := range places {
		at := fmt.Sprintf("%s:%d", p.File, p.Line)
		if phases {
			at = p.Phase + " at " + at
		}
		all = append(all, at)
	}
	return list(all)
}

// unread is a line for each heading or bullet that was not read, up to
// maxShown, and one for the files without a phase.
func (b Board) unread() string {
	var s strings.Builder
	var silent []string
	if b.UnreadTotal > 0 {
		fmt.Fprintf(&s, "  %s not read:\n", headings(b.UnreadTotal))
	}
	shown := 0
	for _, u := range b.Unread {
		if u.Line == 0 {
			silent = append(silent, u.File)
		} else if shown++; shown <= maxShown {
			fmt.Fprintf(&s, "    %s\n", u)
		}
	}
	if b.UnreadTotal > maxShown {
		fmt.Fprintf(&s, "    and %d more\n", b.UnreadTotal-maxShown)
	}
	if len(silent) > 0 {
		fmt.Fprintf(&s, "  without a phase in a form that is read: %s\n", list(silent))
	}
	return s.String()
}

func headings(n int) string {
	if n == 1 {
		return "1 heading or bullet"
	}
	return fmt.Sprintf("%d headings or bullets", n)
}

func list(all []string) string {
	shown := strings.Join(all[:min(len(all), maxShown)], ", ")
	if more := len(all) - maxShown; more > 0 {
		shown += fmt.Sprintf(", and %d more", more)
	}
	return shown
}
