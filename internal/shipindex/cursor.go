package shipindex

import "encoding/binary"

// A cursor reads bytes that may be anything. After the first thing that does
// not fit it is bad and returns nothing more.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) fail() { c.b, c.bad = nil, true }

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) varint() int64 {
	v, n := binary.Varint(c.b)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.fail()
		return nil
	}
	taken := c.b[:n]
	c.b = c.b[n:]
	return taken
}

// count reads how many things follow that take at least size bytes each.
func (c *cursor) count(size int) int {
	n := c.uvarint()
	if n > uint64(len(c.b)/size) {
		c.fail()
		return 0
	}
	return int(n)
}

// lent reads a length and as many bytes, from the start or the end of text
// where they were left there.
func (c *cursor) lent(text []byte, inText, atEnd bool) []byte {
	n := c.uvarint()
	if !inText {
		return c.take(int(min(n, uint64(len(c.b)+1))))
	}
	if n > uint64(len(text)) {
		c.fail()
		return nil
	}
	if atEnd {
		return text[len(text)-int(n):]
	}
	return text[:n]
}

func (c *cursor) string() string { return string(c.lent(nil, false, false)) }

func (c *cursor) strings() []string {
	var list []string
	for range c.count(1) {
		list = append(list, c.string())
	}
	return list
}
