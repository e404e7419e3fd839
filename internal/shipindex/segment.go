package shipindex

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/git-dos/git-dos/refstore"
)

const (
	headMagic = "dosship1"
	tailMagic = "dosship."
	tailLen   = 40
)

func headLen(idLen int) int { return len(headMagic) + 8 + 32 + 2*idLen + 4 }

// segmentHead is the start of a segment. No base is all zeros.
func (ix *Index) segmentHead(tip, base refstore.OID) ([]byte, error) {
	b := append([]byte(headMagic), byte(ix.idLen), 0, 0, 0, 0, 0, 0, 0)
	b = append(b, ix.key[:]...)
	b, err := appendID(b, tip, ix.idLen)
	if err != nil {
		return nil, err
	}
	if base == "" {
		b = append(b, make([]byte, ix.idLen)...)
	} else if b, err = appendID(b, base, ix.idLen); err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(b, sum(b)), nil
}

// segmentTail is the end of a segment of size bytes. It repeats the sum of the
// head, so that no two files make a third.
func segmentTail(head []byte, rows, blocks, size int64) []byte {
	le := binary.LittleEndian
	b := le.AppendUint64(nil, uint64(rows))
	b = le.AppendUint64(b, uint64(blocks))
	b = le.AppendUint64(b, uint64(size))
	b = append(b, head[len(head)-4:]...)
	b = le.AppendUint32(b, sum(b))
	return append(b, tailMagic...)
}

// A segment is an open file that starts and ends as one should.
type segment struct {
	f            *os.File
	tip, base    refstore.OID
	rows, blocks int64
	start, end   int64 // of the blocks
	size         int64
}

func (ix *Index) openSegment(root *os.Root, tip refstore.OID) (*segment, error) {
	f, size, err := openRegular(root, ix.name(tip))
	if err != nil {
		return nil, err
	}
	s := &segment{f: f, tip: tip, size: size, start: int64(headLen(ix.idLen)), end: size - tailLen}
	if err := s.check(ix); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func (s *segment) check(ix *Index) error {
	if s.end < s.start {
		return errDamaged
	}
	head, err := readAt(s.f, nil, 0, int(s.start))
	if err != nil {
		return err
	}
	tail, err := readAt(s.f, nil, s.end, tailLen)
	if err != nil {
		return err
	}
	base := head[len(head)-4-ix.idLen : len(head)-4]
	if !bytes.Equal(base, make([]byte, ix.idLen)) {
		s.base = refstore.OID(hex.EncodeToString(base))
	}
	want, err := ix.segmentHead(s.tip, s.base)
	if err != nil || !bytes.Equal(head, want) {
		return errDamaged
	}
	s.rows, s.blocks = int64(binary.LittleEndian.Uint64(tail)), int64(binary.LittleEndian.Uint64(tail[8:]))
	if !bytes.Equal(tail, segmentTail(head, s.rows, s.blocks, s.size)) {
		return errDamaged
	}
	return nil
}

// A chain is the segments that answer for a tip, its own first.
type chain []*segment

// open opens the whole chain of a tip, so that a file removed later is still
// read.
func (ix *Index) open(tip refstore.OID) (c chain, err error) {
	root, err := ix.root()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoIndex, err)
	}
	defer root.Close()
	for at := tip; ; at = c[len(c)-1].base {
		s, err := ix.openSegment(root, at)
		if err == nil && len(c) == maxChain {
			s.f.Close()
			err = errors.New("the chain of segments is too long")
		}
		if err != nil {
			c.close()
			return nil, fmt.Errorf("%w: %.12s: %w", ErrNoIndex, at, err)
		}
		if c = append(c, s); s.base == "" {
			return c, nil
		}
	}
}

func (c chain) close() {
	for _, s := range c {
		s.f.Close()
	}
}
