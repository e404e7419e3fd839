package lane

import (
	"strings"
	"unicode/utf8"
)

// A class is a bracket expression such as [a-z] or [!0-9].
type class struct {
	text   string // as written, brackets included
	negate bool
	ranges [][2]rune
	folded charset // set by fold
}

// parseClass reads the bracket expression at the start of s. It reports false
// for what has no end, for named classes and for ranges that run backwards.
func parseClass(s string) (class, bool) {
	var c class
	rest := s[1:]
	if rest != "" && (rest[0] == '!' || rest[0] == '^') {
		c.negate, rest = true, rest[1:]
	}
	for first := true; rest != ""; first = false {
		if rest[0] == ']' && !first {
			c.text = s[:len(s)-len(rest)+1]
			return c, true
		}
		if strings.HasPrefix(rest, "[:") || strings.HasPrefix(rest, "[.") || strings.HasPrefix(rest, "[=") {
			return c, false
		}
		lo, n := utf8.DecodeRuneInString(rest)
		hi := lo
		rest = rest[n:]
		if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			hi, n = utf8.DecodeRuneInString(rest[1:])
			rest = rest[1+n:]
		}
		if hi < lo {
			return c, false
		}
		c.ranges = append(c.ranges, [2]rune{lo, hi})
	}
	return c, false
}

// has reports whether the class matches r. A byte that is not part of any
// character is passed as a negative rune.
func (c class) has(r rune) bool {
	for _, p := range c.ranges {
		if p[0] <= r && r <= p[1] {
			return !c.negate
		}
	}
	return c.negate
}

// A charset over-approximates a class once case is folded: the folded ASCII
// characters it matches, and whether it may match anything else.
type charset struct {
	low, high uint64
	other     bool
}

// fold computes the class with case folded. It reports false when the class
// lists characters beyond ASCII, which may fold to any number of characters.
func (c *class) fold() bool {
	for _, p := range c.ranges {
		if p[1] >= utf8.RuneSelf {
			return false
		}
	}
	c.folded.other = c.negate
	for r := rune(0); r < utf8.RuneSelf; r++ {
		if c.has(r) {
			f, _ := foldRune(r)
			c.folded.add(f)
		}
	}
	return true
}

func (s *charset) add(r rune) {
	if r < 64 {
		s.low |= 1 << r
	} else {
		s.high |= 1 << (r - 64)
	}
}

func (s charset) has(r rune) bool {
	switch {
	case r >= utf8.RuneSelf:
		return s.other
	case r < 64:
		return s.low>>r&1 == 1
	}
	return s.high>>(r-64)&1 == 1
}

func (s charset) meets(t charset) bool {
	return s.low&t.low != 0 || s.high&t.high != 0 || s.other && t.other
}
