package plan

import (
	"strings"
	"unicode"
)

// A Section is the part of a document that is about one phase, from its
// heading or bullet on.
type Section struct {
	Text string
	Line int // of its first line, from 1
}

// Section returns the section of a phase: that of the first heading
// "### PHASE" or "### Phase PHASE", up to the next heading of level 2 or
// deeper; without one that of the first bullet "- **PHASE", up to the next
// bullet of a phase that stands no deeper, or any heading. The phase is a whole
// token in either case of letters.
func (d Document) Section(phase string) (Section, bool) {
	if s, ok := d.headed(phase); ok {
		return s, true
	}
	for i, m := range d.marks {
		if m.level == 0 && opens(d.label(m), phase) {
			return Section{d.upTo(i, d.endsBullet(m)), m.line}, true
		}
	}
	return Section{}, false
}

// headed is the section that a heading opens.
func (d Document) headed(phase string) (Section, bool) {
	for i, m := range d.marks {
		if m.level == 3 && opens(d.label(m), phase) {
			return Section{d.upTo(i, func(m mark) bool { return m.level >= 2 }), m.line}, true
		}
	}
	return Section{}, false
}

// endsBullet tells which marks end the section of a bullet. Where its phase has
// an id, only a bullet with an id is another phase: others are its details.
func (d Document) endsBullet(first mark) func(mark) bool {
	_, _, numbered := phaseAt(d.label(first))
	return func(m mark) bool {
		if m.level > 0 || m.depth > first.depth {
			return m.level > 0
		}
		_, _, ok := phaseAt(d.label(m))
		return ok || !numbered
	}
}

// ClaimsShipped reports whether the section says SHIPPED.
func (s Section) ClaimsShipped() bool { return claimOf(s.Text) == ClaimShipped }

// soaks are the phrases that say a phase is not through yet: the words in this
// order within one paragraph, in either case of letters.
var soaks = [][]string{
	{"gates on ", "soak"},
	{"soak window ", "closes"},
	{"status: in_progress"},
	{"-> tomb"},
	{"\u2192 tomb"},
	{"zero-emit window"},
}

// Soaking reports whether the section says that the phase still soaks. Code
// fences are read too: a status often stands in one.
func (s Section) Soaking() bool {
	for paragraph := range paragraphs(s.Text) {
		for _, phrase := range soaks {
			if inOrder(paragraph, phrase) {
				return true
			}
		}
	}
	return false
}

// paragraphs yields the paragraphs of a text in lower case, each as one line
// with single blanks.
func paragraphs(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var fields []string
		for l := range strings.Lines(text) {
			if own := strings.Fields(l); len(own) > 0 {
				fields = append(fields, own...)
				continue
			}
			if len(fields) > 0 && !yield(strings.ToLower(strings.Join(fields, " "))) {
				return
			}
			fields = fields[:0]
		}
		if len(fields) > 0 {
			yield(strings.ToLower(strings.Join(fields, " ")))
		}
	}
}

// inOrder reports whether the parts stand in the text one after the other, each
// at the start of a word.
func inOrder(text string, parts []string) bool {
	for _, part := range parts {
		for {
			i := strings.Index(text, part)
			if i < 0 {
				return false
			}
			within := i > 0 && isWord(text[i-1]) && isWord(part[0])
			text = text[i+len(part):]
			if !within {
				break
			}
		}
	}
	return true
}

func isWord(c byte) bool { return c == '_' || c < 0x80 && unicode.In(rune(c), unicode.L, unicode.Nd) }
