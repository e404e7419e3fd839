package manual

import (
	"fmt"
	"strings"
	"unicode"
)

// escape makes a line of text mean itself in roff: nothing in it is a request,
// an escape or a font. It holds no line break and nothing beyond ASCII.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString("\\(ga")
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r == '\t', r == '\n':
			b.WriteByte(' ')
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		case r >= ' ' && r != 0x7f:
			b.WriteRune(r)
		}
	}
	text := strings.TrimRight(b.String(), " ")
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

func bold(s string) string { return `\fB` + escape(s) + `\fR` }

// A roff is a page as it grows.
type roff struct{ strings.Builder }

func (r *roff) line(s string) {
	if s != "" {
		r.WriteString(s + "\n")
	}
}

// section begins a section, of the level SH or SS.
func (r *roff) section(level, title string) { r.line("." + level + ` "` + quoted(title) + `"`) }

// quoted is text inside a quoted argument of a request.
func quoted(s string) string { return strings.ReplaceAll(escape(s), `"`, `\(dq`) }

// text writes paragraphs. Lines follow each other as they are filled; those
// that begin with a blank stand as they are.
func (r *roff) text(s string, first bool) {
	for _, paragraph := range strings.Split(strings.Trim(s, "\n"), "\n\n") {
		if !first {
			r.line(".PP")
		}
		first = false
		r.lines(strings.Split(paragraph, "\n"))
	}
}

func (r *roff) lines(lines []string) {
	set := false
	for _, l := range lines {
		if as := strings.HasPrefix(l, " "); as != set {
			r.line(map[bool]string{true: ".nf", false: ".fi"}[as])
			set = as
		}
		r.line(escape(strings.TrimLeft(l, " ")))
	}
	if set {
		r.line(".fi")
	}
}

// verbatim writes lines as they are.
func (r *roff) verbatim(lines []string) {
	r.line(".nf")
	for _, l := range lines {
		r.line(escape(l))
	}
	r.line(".fi")
}

// entries writes a list of words with what they mean.
func (r *roff) entries(list []Entry) {
	for _, e := range list {
		r.line(".TP")
		word := bold(e.Word)
		if e.Note != "" {
			word += " " + escape(e.Note)
		}
		r.line(word)
		r.line(escape(e.Text))
	}
}
