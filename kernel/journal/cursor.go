package journal

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A cursor reads JSON in the one form in which this package writes it: without
// blanks, the keys of a struct in their order and those of a map sorted. Bad
// means another form, not an error: whoever meets it asks the decoder, which
// knows them all. What a cursor reads the decoder reads too, and as the same.
type cursor struct {
	s   string
	i   int
	bad bool
}

// next is the byte to be read, 0 at the end.
func (c *cursor) next() byte {
	if c.i < len(c.s) && !c.bad {
		return c.s[c.i]
	}
	return 0
}

// take reads one byte if it is b.
func (c *cursor) take(b byte) bool {
	if c.next() != b {
		return false
	}
	c.i++
	return true
}

// must reads one byte, b.
func (c *cursor) must(b byte) { c.bad = !c.take(b) || c.bad }

// The classes of the bytes in a string.
const (
	ordinary = iota
	control
	escape
	quote
	high
)

var classes = func() (all [256]byte) {
	for i := range all {
		if i < ' ' {
			all[i] = control
		}
		if i >= utf8.RuneSelf {
			all[i] = high
		}
	}
	all['\\'], all['"'] = escape, quote
	return all
}()

// str reads a string and returns it as it stands between its quotes; plain
// says that it means what it is.
func (c *cursor) str() (raw string, plain bool) {
	c.must('"')
	s, i := c.s, c.i
	plain = true
	utf := false
	for ; !c.bad; i++ {
		for i < len(s) && classes[s[i]] == ordinary {
			i++
		}
		if i >= len(s) {
			break
		}
		switch classes[s[i]] {
		case quote:
			raw = s[c.i:i]
			c.i = i + 1
			c.bad = utf && !utf8.ValidString(raw)
			return raw, plain
		case escape:
			plain = false
			i++
			c.bad = i >= len(s) || s[i] != 'u' && strings.IndexByte(escapes, s[i]) < 0 || s[i] == 'u' && !hex(s[i+1:])
		case control:
			c.bad = true
		case high:
			utf = true
		}
	}
	c.bad = true
	return "", false
}

// hex reports whether s begins with four hexadecimal digits.
func hex(s string) bool {
	for i := range 4 {
		if i >= len(s) || strings.IndexByte("0123456789abcdefABCDEF", s[i]) < 0 {
			return false
		}
	}
	return true
}

// The escapes a cursor reads for what they mean.
const (
	escapes = `"\/bfnrt`
	meant   = "\"\\/\b\f\n\r\t"
)

// text reads a string and returns what it means.
func (c *cursor) text() string {
	raw, plain := c.str()
	if plain {
		return raw
	}
	return string(c.unescape(nil, raw))
}

// unescape appends what a string means. One with characters by their numbers is
// left to the decoder.
func (c *cursor) unescape(to []byte, raw string) []byte {
	for i := 0; i < len(raw); i++ {
		b := raw[i]
		if b == '\\' {
			i++
			if raw[i] == 'u' {
				c.bad = true
				return to
			}
			b = meant[strings.IndexByte(escapes, raw[i])]
		}
		to = append(to, b)
	}
	return to
}

// digits reads a number without sign, point and exponent.
func (c *cursor) digits() string {
	from := c.i
	for c.next() >= '0' && c.next() <= '9' {
		c.i++
	}
	s := c.s[from:c.i]
	if s == "" || s[0] == '0' && len(s) > 1 {
		c.bad = true
	}
	return s
}

// uint reads a number of at most 18 digits: all that fit whatever they are.
func (c *cursor) uint() (n uint64) {
	s := c.digits()
	if len(s) > 18 {
		c.bad = true
	}
	for i := 0; i < len(s) && !c.bad; i++ {
		n = 10*n + uint64(s[i]-'0')
	}
	return n
}

func (c *cursor) int() int64 {
	if c.take('-') {
		return -int64(c.uint())
	}
	return int64(c.uint())
}

// word reads one of the words of JSON that is no number.
func (c *cursor) word(w string) bool {
	if c.bad || !strings.HasPrefix(c.s[c.i:], w) {
		return false
	}
	c.i += len(w)
	return true
}

// yes reads the only value of a bool that is written: false is left out.
func (c *cursor) yes() bool {
	ok := c.word("true")
	c.bad = c.bad || !ok
	return ok
}

// time reads a time; most are of whole seconds, in UTC.
func (c *cursor) time() (t time.Time) {
	raw, plain := c.str()
	if c.bad || !plain {
		c.bad = true
		return t
	}
	t, ok := seconds(raw)
	if !ok {
		c.bad = t.UnmarshalJSON([]byte(`"`+raw+`"`)) != nil
	}
	return t
}

// seconds is a time of the form 2026-01-02T03:04:05Z.
func seconds(s string) (t time.Time, ok bool) {
	if len(s) != 20 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != 'Z' {
		return t, false
	}
	var n [7]int // two digits each, by where they stand
	for i, at := range [...]int{0, 2, 5, 8, 11, 14, 17} {
		a, b := s[at]-'0', s[at+1]-'0'
		if a > 9 || b > 9 {
			return t, false
		}
		n[i] = int(a)*10 + int(b)
	}
	month, day, hour, minute, second := n[2], n[3], n[4], n[5], n[6]
	if month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	t = time.Date(n[0]*100+n[1], time.Month(month), day, hour, minute, second, 0, time.UTC)
	return t, t.Day() == day
}
