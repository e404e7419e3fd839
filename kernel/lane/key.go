package lane

import (
	"strings"
	"unicode/utf8"
)

// key returns text that any entry which can meet this one begins with, or
// that begins with that entry's. It is the literal beginning of the entry, as
// far as comparing literal text alone decides.
func (p pattern) key() string {
	switch p.form {
	case byPrefix:
		return p.prefix
	case byGlob:
		return keyOf(p.segments)
	}
	return ""
}

// keyOf ends with the first segment that is not a plain ASCII name. Of another
// name only the beginning in ASCII counts: beyond it, names compare as they
// fold, but with a pattern character by character.
func keyOf(segs []globSegment) string {
	var b strings.Builder
	for _, s := range segs {
		switch {
		case s.kind == literal && ascii(s.name) && ascii(s.text):
			b.WriteString(s.name)
			b.WriteByte('/')
			continue
		case s.kind == literal:
			b.WriteString(strings.ToLower(plainBeginning(s.text)))
		case s.kind == wild:
			b.WriteString(wideBeginning(s.wide))
		}
		break
	}
	return b.String()
}

// plainBeginning returns the text before the first character beyond ASCII.
func plainBeginning(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return s[:i]
		}
	}
	return s
}

// wideBeginning returns the given characters, folded, that start a pattern.
func wideBeginning(elems []elem) string {
	var b strings.Builder
	for _, e := range elems {
		if e.op != lit {
			break
		}
		b.WriteRune(e.r)
	}
	return b.String()
}
