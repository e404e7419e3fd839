package written

import (
	"strconv"
	"strings"
)

// Object reads an object; visit reads the value of each key.
func (c *Cursor) Object(visit func(key string)) {
	c.Must('{')
	for first := true; !c.Bad && !c.Take('}'); first = false {
		if !first {
			c.Must(',')
		}
		key, _ := c.Str() // with an escape in it, it is none that anybody knows
		c.Must(':')
		if !c.Bad {
			visit(key)
		}
	}
}

// Sorted reads an object whose keys are sorted, so that none stands twice. The
// key is good until the next.
func (c *Cursor) Sorted(visit func(key []byte)) {
	var last, key []byte
	c.Must('{')
	for first := true; !c.Bad && !c.Take('}'); first = false {
		if !first {
			c.Must(',')
		}
		raw, plain := c.Str()
		c.Must(':')
		if c.Bad {
			return
		}
		if plain {
			key = append(key[:0], raw...)
		} else {
			key = c.unescape(key[:0], raw)
		}
		if c.Bad = c.Bad || !first && string(last) >= string(key); c.Bad {
			return
		}
		last, key = key, last
		visit(last)
	}
}

// List reads an array; visit reads each value. It returns how many there were.
func (c *Cursor) List(visit func(i int)) (n int) {
	c.Must('[')
	for ; !c.Bad && !c.Take(']'); n++ {
		if n > 0 {
			c.Must(',')
		}
		if !c.Bad {
			visit(n)
		}
	}
	return n
}

// In reads those of the keys of a struct, parted by blanks, that are there: in
// their order, each at most once, none other.
func (c *Cursor) In(keys string, visit func(key string)) {
	c.Object(func(key string) {
		for next := ""; next != key || key == ""; {
			if keys == "" {
				c.Bad = true
				return
			}
			next, keys, _ = strings.Cut(keys, " ")
		}
		visit(key)
	})
}

// deepest is how far a Cursor follows values within values.
const deepest = 50

// Value reads any value and returns it as it stands.
func (c *Cursor) Value() string {
	from := c.At
	c.pass(0)
	return c.JSON[from:c.At]
}

func (c *Cursor) pass(depth int) {
	switch b := c.next(); {
	case depth > deepest:
		c.Bad = true
	case b == '"':
		c.Str()
	case b == '{':
		c.passAll('{', '}', true, depth)
	case b == '[':
		c.passAll('[', ']', false, depth)
	case b == '-' || b >= '0' && b <= '9':
		c.number()
	default:
		ok := c.Word("true") || c.Word("false") || c.Word("null")
		c.Bad = c.Bad || !ok
	}
}

func (c *Cursor) passAll(open, end byte, keyed bool, depth int) {
	c.Must(open)
	for first := true; !c.Bad && !c.Take(end); first = false {
		if !first {
			c.Must(',')
		}
		if keyed {
			c.Str()
			c.Must(':')
		}
		c.pass(depth + 1)
	}
}

func (c *Cursor) number() {
	c.Take('-')
	c.digits()
	if b := c.next(); b == '.' || b == 'e' || b == 'E' {
		from := c.At
		if b == '.' && (from+1 >= len(c.JSON) || c.JSON[from+1] < '0' || c.JSON[from+1] > '9') {
			c.Bad = true
		}
		for b := c.next(); b == '.' || b == '-' || b == '+' || b == 'e' || b == 'E' || b >= '0' && b <= '9'; b = c.next() {
			c.At++
		}
		_, err := strconv.ParseFloat("1"+c.JSON[from:c.At], 64)
		c.Bad = c.Bad || err != nil
	}
}
