package shipindex

import "io"

// A scanner goes through the blocks of a segment by their heads and filters.
// It reads a little ahead, so that both come with one read.
type scanner struct {
	s     *segment
	idLen int
	at    int64
	left  int64 // blocks
	rows  int64 // rows seen

	buf   []byte // of the file from bufAt
	bufAt int64
}

const scanAhead = blockHeadLen + 8<<10

func (s *segment) scan(idLen int) *scanner {
	return &scanner{s: s, idLen: idLen, at: s.start, left: s.blocks}
}

// next returns the next block and its filter, which is good until the call
// after; io.EOF when the segment ended as it should.
func (c *scanner) next() (blockHead, grams, error) {
	if c.left <= 0 {
		if c.left < 0 || c.at != c.s.end || c.rows != c.s.rows {
			return blockHead{}, nil, errDamaged
		}
		return blockHead{}, nil, io.EOF
	}
	b, err := c.bytes(c.at, blockHeadLen)
	if err != nil {
		return blockHead{}, nil, err
	}
	h, ok := parseBlockHead(b, c.at, c.s.end, c.idLen)
	if !ok {
		return blockHead{}, nil, errDamaged
	}
	g, err := c.bytes(h.atGrams, gramsLen(h.gramsLog))
	if err != nil {
		return blockHead{}, nil, err
	}
	if sum(g) != h.gramsSum {
		return blockHead{}, nil, errDamaged
	}
	c.at, c.left, c.rows = h.end, c.left-1, c.rows+int64(h.rows)
	return h, g, nil
}

// bytes returns n bytes of the file before the end of the blocks.
func (c *scanner) bytes(at int64, n int) (b []byte, err error) {
	if at+int64(n) > c.s.end {
		return nil, errDamaged
	}
	if at < c.bufAt || at+int64(n) > c.bufAt+int64(len(c.buf)) {
		ahead := max(n, int(min(scanAhead, c.s.end-at)))
		if c.buf, err = readAt(c.s.f, c.buf, at, ahead); err != nil {
			return nil, err
		}
		c.bufAt = at
	}
	return c.buf[at-c.bufAt:][:n], nil
}
