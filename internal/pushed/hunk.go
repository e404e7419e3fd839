package pushed

import (
	"bytes"
	"fmt"

	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A hunk is how many lines are still to come: of the file, and of what it was
// in each parent.
type hunk struct {
	left int
	old  []int
}

func (h hunk) open() bool {
	if h.left > 0 {
		return true
	}
	for _, n := range h.old {
		if n > 0 {
			return true
		}
	}
	return false
}

// begin reads the head of a hunk: of n parents it has n+1 signs, n old ranges
// and a new one.
func (p *patch) begin(line []byte) error {
	rest := bytes.TrimLeft(line, "@")
	n := len(line) - len(rest) - 1
	old := p.hunk.old[:0]
	for i := 0; n > 0; i++ {
		field := bytes.TrimLeft(rest, " ")
		end := bytes.IndexByte(field, ' ')
		if end < 0 {
			break
		}
		field, rest = field[:end], field[end:]
		sign := byte('-')
		if i == n {
			sign = '+'
		}
		first, count, ok := span(field, sign)
		switch {
		case !ok:
			n = 0
		case i == n:
			p.at.Number, p.hunk = first, hunk{count, old}
			return nil
		default:
			old = append(old, count)
		}
	}
	return fmt.Errorf("%w: git diff-tree wrote a hunk %.80q", ancestry.ErrMissing, line)
}

// span reads "-12,3" and "-12", which is one line.
func span(field []byte, sign byte) (first, count int, ok bool) {
	if len(field) < 2 || field[0] != sign {
		return 0, 0, false
	}
	from, length, stated := bytes.Cut(field[1:], []byte(","))
	first, ok = number(from)
	count = 1
	if ok && stated {
		count, ok = number(length)
	}
	return first, count, ok
}

// number reads digits that say less than a thousand million.
func number(digits []byte) (n int, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, len(digits) > 0 && len(digits) < 10
}

// count takes a line off what is still to come.
func (p *patch) count(signs []byte, gone bool) {
	if !gone {
		p.hunk.left--
	}
	for i, sign := range signs {
		if gone && sign == '-' || !gone && sign == ' ' {
			p.hunk.old[i]--
		}
	}
}
