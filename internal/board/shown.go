package board

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How many bytes of somebody's words are shown.
const (
	mostName    = 120
	mostText    = 600
	mostCommand = 4096
)

// shown is the data with every word fit to be looked at: bounded, and what cannot be
// seen or turns text around escaped.
func shown(d Data) Data {
	d.Lanes = mapped(d.Lanes, func(l Lane) Lane {
		fitAll(mostName, &l.Lane, &l.Chip, &l.Owner, &l.Node, &l.RunID, &l.Unit)
		fitAll(mostText, &l.Reason)
		l.Spans = mapped(l.Spans, func(s Span) Span {
			fitAll(mostName, &s.Owner, &s.Node, &s.RunID, &s.Unit, &s.End)
			return s
		})
		return l
	})
	d.Events = mapped(d.Events, func(e Event) Event {
		fitAll(mostName, &e.Op, &e.Word, &e.Lane, &e.RunID, &e.Node)
		fitAll(mostText, &e.Text)
		return e
	})
	d.Decisions = mapped(d.Decisions, func(e Decision) Decision {
		fitAll(mostName, &e.ID, &e.Kind, &e.Lane, &e.RunID, &e.Label, &e.Ack)
		fitAll(mostText, &e.Text)
		e.Command = command(e.Command)
		return e
	})
	d.Unread = mapped(d.Unread, func(s string) string { return fit(s, mostText) })
	return d
}

// fit is text of at most so many bytes and a little, on one line, quoted where it
// holds anything that cannot be seen.
func fit(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return strconv.QuoteToASCII(s)
	}
	return s
}

// command is a command as it can be copied. Of one that cannot, nothing is shown: half
// a command is another one.
func command(s string) string {
	if fit(s, mostCommand) != s {
		return ""
	}
	return s
}

func fitAll(most int, all ...*string) {
	for _, s := range all {
		*s = fit(*s, most)
	}
}

func mapped[T any](all []T, f func(T) T) []T {
	out := make([]T, len(all))
	for i, v := range all {
		out[i] = f(v)
	}
	return out
}
