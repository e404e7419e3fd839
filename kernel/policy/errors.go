package policy

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Error is one problem of a dos.toml.
type Error struct {
	Line    int    // starting at 1; 0 when it is about the file as a whole
	Column  int    // starting at 1, in bytes; 0 when the line is enough
	Key     string // the key concerned, dotted; "" when there is none
	Message string // what is wrong, naming the key
	Hint    string // what to write instead; may be empty
}

// Error is the problem as one line: file, line, message and hint.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("dos.toml:")
	for _, n := range []int{e.Line, e.Column} {
		if n > 0 {
			b.WriteString(strconv.Itoa(n) + ":")
		}
	}
	b.WriteString(" " + e.Message)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Errors holds every problem found in one dos.toml, in line order. It is
// never empty.
type Errors []*Error

// Error is the first problem and the number of others.
func (e Errors) Error() string {
	if len(e) == 0 {
		return "dos.toml: no problem recorded"
	}
	if len(e) == 1 {
		return e[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", e[0].Error(), len(e)-1)
}

// maxProblems bounds what a hostile file can make us hold and print.
const maxProblems = 1000

// A collector gathers problems in the order they are met.
type collector struct {
	list    []*Error
	dropped bool
}

func (c *collector) add(e *Error) {
	if !c.full() {
		c.list = append(c.list, e)
	}
}

// full reports that no more is taken, and notes that more was offered.
func (c *collector) full() bool {
	c.dropped = c.dropped || len(c.list) == maxProblems
	return c.dropped
}

// errors is what was gathered, or nil when there was nothing.
func (c *collector) errors() error {
	if len(c.list) == 0 {
		return nil
	}
	slices.SortStableFunc(c.list, func(a, b *Error) int { return a.Line - b.Line })
	if c.dropped {
		c.list = append(c.list, &Error{
			Message: fmt.Sprintf("more than %d problems, the rest is not listed", maxProblems),
		})
	}
	return Errors(c.list)
}

// maxBytes is the largest dos.toml that is read at all.
const maxBytes = 1 << 20

// screen strips the byte order mark and refuses what is not UTF-8 text. Its
// slice has no spare capacity, which is how positions are computed from it.
func screen(data []byte) ([]byte, Errors) {
	if len(data) > maxBytes {
		return nil, Errors{{Message: fmt.Sprintf("the file has %d bytes, more than the %d allowed", len(data), maxBytes)}}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	hint := "save the file as UTF-8 text"
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, Errors{{Line: lineAt(data, i), Message: "the file contains a NUL byte", Hint: hint}}
	}
	if i := invalidUTF8(data); i >= 0 {
		return nil, Errors{{Line: lineAt(data, i), Message: "the file is not valid UTF-8", Hint: hint}}
	}
	return slices.Clip(data), nil
}

func lineAt(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }

// invalidUTF8 is the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
