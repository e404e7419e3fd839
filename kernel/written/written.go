// Package written reads JSON in the one form in which the kernel writes it, without
// reflection and in one pass.
//
// It is for what is read again and again: whoever reads a record this way must be
// able to leave every other form to encoding/json, and to say the same of both.
package written

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A Cursor reads JSON without blanks, with the keys of a struct in their order and
// those of a map sorted. Bad means another form, not an error: whoever meets it asks
// the decoder, which knows them all. What a Cursor reads the decoder reads too, and
// as the same. Once it is bad, nothing more is read.
type Cursor struct {
	JSON string
	At   int // where the next byte to be read stands
	Bad  bool
}

// Ended reports whether everything was read and nothing of it was bad.
func (c *Cursor) Ended() bool { return !c.Bad && c.At == len(c.JSON) }

// Key reads a comma and the name of the next field of an object.
func (c *Cursor) Key(name string) {
	ok := c.Word(`,"` + name + `":`)
	c.Bad = c.Bad || !ok
}

// Strings reads an array of strings. An empty one is not nil.
func (c *Cursor) Strings() []string {
	all := []string{}
	c.List(func(int) { all = append(all, c.Text()) })
	return all
}

// next is the byte to be read, 0 at the end.
func (c *Cursor) next() byte {
	if c.At < len(c.JSON) && !c.Bad {
		return c.JSON[c.At]
	}
	return 0
}

// Take reads one byte if it is b.
func (c *Cursor) Take(b byte) bool {
	if c.next() != b {
		return false
	}
	c.At++
	return true
}

// Must reads one byte, b.
func (c *Cursor) Must(b byte) { c.Bad = !c.Take(b) || c.Bad }

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

// Str reads a string and returns it as it stands between its quotes; plain
// says that it means what it is.
func (c *Cursor) Str() (raw string, plain bool) {
	c.Must('"')
	s, i := c.JSON, c.At
	plain = true
	utf := false
	for ; !c.Bad; i++ {
		for i < len(s) && classes[s[i]] == ordinary {
			i++
		}
		if i >= len(s) {
			break
		}
		switch classes[s[i]] {
		case quote:
			raw = s[c.At:i]
			c.At = i + 1
			c.Bad = utf && !utf8.ValidString(raw)
			return raw, plain
		case escape:
			plain = false
			i++
			c.Bad = i >= len(s) || s[i] != 'u' && strings.IndexByte(escapes, s[i]) < 0 || s[i] == 'u' && !hex(s[i+1:])
		case control:
			c.Bad = true
		case high:
			utf = true
		}
	}
	c.Bad = true
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

// The escapes a Cursor reads for what they mean.
const (
	escapes = `"\/bfnrt`
	meant   = "\"\\/\b\f\n\r\t"
)

// Text reads a string and returns what it means.
func (c *Cursor) Text() string {
	raw, plain := c.Str()
	if plain {
		return raw
	}
	return string(c.unescape(nil, raw))
}

// unescape appends what a string means. One with characters by their numbers is
// left to the decoder.
func (c *Cursor) unescape(to []byte, raw string) []byte {
	for i := 0; i < len(raw); i++ {
		b := raw[i]
		if b == '\\' {
			i++
			if raw[i] == 'u' {
				c.Bad = true
				return to
			}
			b = meant[strings.IndexByte(escapes, raw[i])]
		}
		to = append(to, b)
	}
	return to
}

// digits reads a number without sign, point and exponent.
func (c *Cursor) digits() string {
	from := c.At
	for c.next() >= '0' && c.next() <= '9' {
		c.At++
	}
	s := c.JSON[from:c.At]
	if s == "" || s[0] == '0' && len(s) > 1 {
		c.Bad = true
	}
	return s
}

// Uint reads a number of at most 18 digits: all that fit whatever they are.
func (c *Cursor) Uint() (n uint64) {
	s := c.digits()
	if len(s) > 18 {
		c.Bad = true
	}
	for i := 0; i < len(s) && !c.Bad; i++ {
		n = 10*n + uint64(s[i]-'0')
	}
	return n
}

func (c *Cursor) Int() int64 {
	if c.Take('-') {
		return -int64(c.Uint())
	}
	return int64(c.Uint())
}

// Word reads one of the words of JSON that is no number.
func (c *Cursor) Word(w string) bool {
	if c.Bad || !strings.HasPrefix(c.JSON[c.At:], w) {
		return false
	}
	c.At += len(w)
	return true
}

// Yes reads the only value of a bool that is written: false is left out.
func (c *Cursor) Yes() bool {
	ok := c.Word("true")
	c.Bad = c.Bad || !ok
	return ok
}

// Time reads a time; most are of whole seconds, in UTC.
func (c *Cursor) Time() (t time.Time) {
	raw, plain := c.Str()
	if c.Bad || !plain {
		c.Bad = true
		return t
	}
	t, ok := seconds(raw)
	if !ok {
		c.Bad = t.UnmarshalJSON([]byte(`"`+raw+`"`)) != nil
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
