package journal

import (
	"strconv"
	"strings"
)

// object reads an object; visit reads the value of each key.
func (c *cursor) object(visit func(key string)) {
	c.must('{')
	for first := true; !c.bad && !c.take('}'); first = false {
		if !first {
			c.must(',')
		}
		key, _ := c.str() // with an escape in it, it is none that anybody knows
		c.must(':')
		if !c.bad {
			visit(key)
		}
	}
}

// sorted reads an object whose keys are sorted, so that none stands twice. The
// key is good until the next.
func (c *cursor) sorted(visit func(key []byte)) {
	var last, key []byte
	c.must('{')
	for first := true; !c.bad && !c.take('}'); first = false {
		if !first {
			c.must(',')
		}
		raw, plain := c.str()
		c.must(':')
		if c.bad {
			return
		}
		if plain {
			key = append(key[:0], raw...)
		} else {
			key = c.unescape(key[:0], raw)
		}
		if c.bad = c.bad || !first && string(last) >= string(key); c.bad {
			return
		}
		last, key = key, last
		visit(last)
	}
}

// list reads an array; visit reads each value. It returns how many there were.
func (c *cursor) list(visit func(i int)) (n int) {
	c.must('[')
	for ; !c.bad && !c.take(']'); n++ {
		if n > 0 {
			c.must(',')
		}
		if !c.bad {
			visit(n)
		}
	}
	return n
}

// in reads those of the keys of a struct, parted by blanks, that are there: in
// their order, each at most once, none other.
func (c *cursor) in(keys string, visit func(key string)) {
	c.object(func(key string) {
		for next := ""; next != key || key == ""; {
			if keys == "" {
				c.bad = true
				return
			}
			next, keys, _ = strings.Cut(keys, " ")
		}
		visit(key)
	})
}

// deepest is how far a cursor follows values within values.
const deepest = 50

// value reads any value and returns it as it stands.
func (c *cursor) value() string {
	from := c.i
	c.pass(0)
	return c.s[from:c.i]
}

func (c *cursor) pass(depth int) {
	switch b := c.next(); {
	case depth > deepest:
		c.bad = true
	case b == '"':
		c.str()
	case b == '{':
		c.passAll('{', '}', true, depth)
	case b == '[':
		c.passAll('[', ']', false, depth)
	case b == '-' || b >= '0' && b <= '9':
		c.number()
	default:
		ok := c.word("true") || c.word("false") || c.word("null")
		c.bad = c.bad || !ok
	}
}

func (c *cursor) passAll(open, end byte, keyed bool, depth int) {
	c.must(open)
	for first := true; !c.bad && !c.take(end); first = false {
		if !first {
			c.must(',')
		}
		if keyed {
			c.str()
			c.must(':')
		}
		c.pass(depth + 1)
	}
}

func (c *cursor) number() {
	c.take('-')
	c.digits()
	if b := c.next(); b == '.' || b == 'e' || b == 'E' {
		from := c.i
		if b == '.' && (from+1 >= len(c.s) || c.s[from+1] < '0' || c.s[from+1] > '9') {
			c.bad = true
		}
		for b := c.next(); b == '.' || b == '-' || b == '+' || b == 'e' || b == 'E' || b >= '0' && b <= '9'; b = c.next() {
			c.i++
		}
		_, err := strconv.ParseFloat("1"+c.s[from:c.i], 64)
		c.bad = c.bad || err != nil
	}
}
