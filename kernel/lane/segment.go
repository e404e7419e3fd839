package lane

import (
	"strings"
	"unicode/utf8"
)

// meta are the characters that end the literal part of an entry.
const meta = "*?[{"

type op byte

const (
	lit  op = iota + 1 // one given character
	any1               // any one character
	set1               // one character of a class
	star               // any characters, or none
)

// An elem is one step of a segment's pattern.
type elem struct {
	op  op
	r   rune // lit
	set *class
}

type kind byte

const (
	literal kind = iota + 1 // a name without wildcards
	wild                    // a name with wildcards
	deep                    // "**": any number of whole segments
	opaque                  // not understood
)

// A segment is the text between two slashes of an entry.
type segment struct {
	kind kind
	text string
}

// parseSegment reads a segment exactly as written. Only a wild one has elems.
func parseSegment(s string) (segment, []elem) {
	switch {
	case s == "**":
		return segment{deep, s}, nil
	case !strings.ContainsAny(s, meta):
		return segment{literal, s}, nil
	case strings.IndexByte(s, '{') >= 0:
		return segment{opaque, s}, nil
	}
	elems, ok := parseElems(s)
	if !ok {
		return segment{opaque, s}, nil
	}
	return segment{wild, s}, elems
}

// parseElems reads the steps of a pattern. It reports false for a class that
// cannot be read.
func parseElems(s string) ([]elem, bool) {
	elems := make([]elem, 0, len(s))
	for s != "" {
		switch s[0] {
		case '*':
			s = strings.TrimLeft(s, "*")
			elems = append(elems, elem{op: star})
			continue
		case '?':
			elems = append(elems, elem{op: any1})
		case '[':
			c, ok := parseClass(s)
			if !ok {
				return nil, false
			}
			elems = append(elems, elem{op: set1, set: &c})
			s = s[len(c.text):]
			continue
		default:
			r, n := utf8.DecodeRuneInString(s)
			elems = append(elems, elem{op: lit, r: r})
			s = s[n:]
			continue
		}
		s = s[1:]
	}
	return elems, true
}

// literalElems reads a name that has no wildcards, whatever it holds.
func literalElems(s string) []elem {
	elems := make([]elem, 0, len(s))
	for _, r := range s {
		elems = append(elems, elem{op: lit, r: r})
	}
	return elems
}

// widen folds case in place, and turns each character that folding could
// merge with its neighbours into "any characters". Whatever elems matched,
// they match after folding.
func widen(elems []elem) []elem {
	for i, e := range elems {
		ok := true
		switch e.op {
		case lit:
			elems[i].r, ok = foldRune(e.r)
		case set1:
			ok = e.set.fold()
		}
		if !ok {
			elems[i] = elem{op: star}
		}
	}
	return elems
}

// meets reports whether some character matches both. Neither is a star.
func (e elem) meets(f elem) bool {
	switch {
	case e.op == any1 || f.op == any1:
		return true
	case e.op == lit && f.op == lit:
		return e.r == f.r
	case e.op == lit:
		return f.set.folded.has(e.r)
	case f.op == lit:
		return e.set.folded.has(f.r)
	}
	return e.set.folded.meets(f.set.folded)
}

// covers reports whether e surely matches whatever f matches. f is not a star.
func (e elem) covers(f elem) bool {
	switch {
	case e.op == star || e.op == any1:
		return true
	case e.op == lit:
		return f.op == lit && e.r == f.r
	case f.op == lit:
		return e.set.has(f.r)
	}
	return f.op == set1 && e.set.text == f.set.text
}
