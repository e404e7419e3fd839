package packet

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// maxRows bounds a list for people.
const maxRows = 200

// Markdown is the packet for people.
func (p Packet) Markdown(prompts []Prompt) []byte {
	var b strings.Builder
	row := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	row("# Next up %s", inline(p.Tag))
	row("")
	row("- made: %s", p.At.UTC().Format(time.RFC3339))
	if p.RefID == "" {
		row("- of: %s, which has no commit yet", inline(p.Ref))
	} else {
		row("- of: %s at `%s`", inline(p.Ref), verdict.Short(line(p.RefID)))
	}
	row("- scope: %s", inline(firstText(strings.Join(p.Scope, " "), "everything")))
	row("- %s", p.Sum())
	if p.Unread > 0 {
		row("- %s of plan documents may be a phase and cannot be read: git dos plan lists them", verdict.Count(p.Unread, "line"))
	}
	p.portfolio(&b)
	row("")
	row("## Dispatch")
	if len(prompts) == 0 {
		row("")
		row("Nothing.")
	}
	for i, own := range prompts {
		row("")
		row("### %d. %s", own.N, titled(p.Picks[i]))
		row("")
		b.WriteString(fenced(own.Text))
	}
	section(&b, "Already shipped", p.Shipped, func(c Candidate) string {
		text := "by `" + verdict.Short(line(c.Ship.Sha)) + "` (" + inline(c.Ship.Via) + ")"
		if c.Ship.Unstamped {
			text += ", and a plan document does not say so"
		}
		return text
	})
	return []byte(b.String())
}

// Sum says how many units became what.
func (p Packet) Sum() string {
	text := fmt.Sprintf("%s offered, %d for later, %d held, %d shipped", verdict.Count(len(p.Picks), "unit"), p.Later, len(p.Held), len(p.Shipped))
	for _, also := range []struct {
		n    int
		says string
	}{{len(p.Unknown), "cannot be told"}, {p.Outside, "outside the scope"}, {p.Unrouted, "without a lane"}} {
		if also.n > 0 {
			text += fmt.Sprintf(", %d %s", also.n, also.says)
		}
	}
	return text
}

// portfolio lists all that has not shipped.
func (p Packet) portfolio(b *strings.Builder) {
	section(b, "Offered", p.Picks, func(c Candidate) string {
		return fmt.Sprintf("lane %s; %s", inline(firstText(c.Lane, "UNROUTED")), inline(c.Tried.Reason))
	})
	section(b, "Held", p.Held, func(c Candidate) string {
		return fmt.Sprintf("%s: %s", inline(string(c.Screen.Outcome)), inline(c.Screen.Detail))
	})
	section(b, "Cannot be told", p.Unknown, func(c Candidate) string { return inline(c.Screen.Detail) })
}

func section(b *strings.Builder, head string, list []Candidate, says func(Candidate) string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", head)
	for _, c := range list[:min(len(list), maxRows)] {
		fmt.Fprintf(b, "- %s; %s\n", titled(c), says(c))
	}
	if more := len(list) - maxRows; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
}

// titled is a unit with its title.
func titled(c Candidate) string {
	text := inline(c.Unit())
	if c.Title != "" {
		text += " — " + inline(c.Title)
	}
	return text
}
