package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A word is one argument as far as it can be read without running anything.
type word struct {
	text  string // what it begins with; all of it where exact
	exact bool
	many  bool   // may become no word, or several
	globs bool   // what is not known of it are patterns of file names
	parts string // all that is literal in it, with a NUL for each part that is not
	src   string // as it was written
}

// literal is a word that is known.
func literal(s string) word { return word{text: s, exact: true, parts: s, src: s} }

// is says whether the word is one of these, without a doubt.
func (w word) is(any ...string) bool {
	for _, s := range any {
		if w.exact && w.text == s {
			return true
		}
	}
	return false
}

// mayBeOption says whether the word can turn out to be an option, or several
// words. What a pattern matches begins like the pattern.
func (w word) mayBeOption() bool {
	if w.globs && w.text != "" {
		return strings.HasPrefix(w.text, "-")
	}
	return w.many || !w.exact && (w.text == "" || w.text == "-")
}

func sources(words []word) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		out = append(out, w.src)
	}
	return out
}

func texts(words []word) (out []string, exact bool) {
	exact = true
	for _, w := range words {
		out = append(out, w.text)
		exact = exact && w.exact
	}
	return out, exact
}

// A speller reads the parts of a word one by one.
type speller struct {
	parts strings.Builder
	open  bool // something before was not literal
	text  strings.Builder
	many  bool
	odd   bool // something is not known, and no pattern
}

// add takes literal text.
func (s *speller) add(text string) {
	s.parts.WriteString(text)
	if !s.open {
		s.text.WriteString(text)
	}
}

// blank takes a part that is not known; several says that it may be split.
func (s *speller) blank(several bool) {
	s.odd = true
	s.gap(several)
}

func (s *speller) gap(several bool) {
	s.parts.WriteByte(0)
	s.open = true
	s.many = s.many || several
}

// spell reads a word of a script whose text is src.
func spell(src string, w *syntax.Word) word {
	if w.Lit() == "[" {
		return literal("[")
	}
	var s speller
	for i, part := range w.Parts {
		s.part(part, i == 0)
	}
	out := word{text: s.text.String(), exact: !s.open, many: s.many, globs: s.open && !s.odd, parts: s.parts.String()}
	from, to := int(w.Pos().Offset()), int(w.End().Offset())
	if from <= to && to <= len(src) {
		out.src = src[from:to]
	}
	return out
}

func (s *speller) part(part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		s.bare(p.Value, first)
	case *syntax.SglQuoted:
		if p.Dollar && strings.Contains(p.Value, `\`) {
			s.blank(false)
			return
		}
		s.add(p.Value)
	case *syntax.DblQuoted:
		if p.Dollar { // may be translated
			s.blank(false)
			return
		}
		for _, inner := range p.Parts {
			s.quoted(inner)
		}
	default: // expansions, and patterns
		s.blank(true)
	}
}

// quoted takes a part that stands in double quotes.
func (s *speller) quoted(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.Lit:
		s.add(unescape(p.Value, "$`\"\\"))
	case *syntax.ParamExp:
		// "$@" and arrays are several words, also in quotes.
		several := p.Excl || p.Names != 0 || p.Index != nil || p.Param == nil || p.Param.Value == "@" || p.Param.Value == "*" || p.Exp != nil || p.Repl != nil || p.Slice != nil
		s.blank(several)
	default:
		s.blank(false)
	}
}

// bare takes text outside quotes, where patterns, braces and a tilde at the
// start stand for something else.
func (s *speller) bare(text string, first bool) {
	if first && (strings.HasPrefix(text, "~") || strings.HasPrefix(text, "=")) {
		s.blank(false)
		s.parts.WriteString(text)
		return
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
			if i < len(text) && text[i] != '\n' {
				s.add(text[i : i+1])
			}
		case '*', '?', '[':
			s.gap(true)
		case '{':
			if oneBrace(text[i:]) {
				s.add("{")
				continue
			}
			s.blank(true)
		default:
			s.add(text[i : i+1])
		}
	}
}

// oneBrace says whether a brace stands for itself, as in HEAD@{1} and {}.
func oneBrace(text string) bool {
	inner, _, closed := strings.Cut(text, "}")
	return closed && !strings.Contains(inner, ",") && !strings.Contains(inner, "..")
}

// unescape takes the backslashes away that a shell takes away before one of
// these characters. Lines that are continued are one in what the parser gives.
func unescape(text, before string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(before, text[i+1]) >= 0 {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
