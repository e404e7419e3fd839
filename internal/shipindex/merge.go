package shipindex

import (
	"fmt"
	"io"
)

// merge takes in the segments of the base's chain that are not much larger
// than what is written already.
func (w *Writer) merge() error {
	if w.base == "" {
		return nil
	}
	c, err := w.ix.open(w.base)
	if err != nil {
		return err
	}
	defer c.close()
	for i, s := range c {
		if s.rows > 2*w.rows && len(c)-i < maxChain/2 {
			break
		}
		if err := w.absorb(s); err != nil {
			_ = w.root.Remove(w.ix.name(s.tip)) // or it would fail everyone after
			return fmt.Errorf("merge %.12s: %w", s.tip, err)
		}
		w.base = s.base
	}
	return nil
}

// absorb adds all rows of a segment. Full blocks are copied as they are.
func (w *Writer) absorb(s *segment) error {
	r := newBlockReader(w.ix.idLen)
	for blocks, at := s.scan(w.ix.idLen), s.start; ; {
		h, _, err := blocks.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		r.load(s.f, h)
		if h.light() {
			err = w.addAll(r)
		} else {
			err = w.copyBlock(r, at)
		}
		if err != nil {
			return err
		}
		at = h.end
	}
}

func (w *Writer) addAll(r *blockReader) error {
	if err := r.readAll(); err != nil {
		return err
	}
	for i := range r.head.rows {
		row, err := r.row(i)
		if err != nil {
			return err
		}
		if w.Add(row); w.err != nil {
			return w.err
		}
	}
	return nil
}

// copyBlock copies the loaded block, once every part of it is sound.
func (w *Writer) copyBlock(r *blockReader, at int64) error {
	h := r.head
	b, err := readAt(r.file, nil, at, int(h.end-at))
	if err != nil {
		return err
	}
	for _, part := range []struct {
		at, end int64
		sum     uint32
	}{{h.atIDs, h.atText, h.idsSum}, {h.atText, h.atRest, h.textSum}, {h.atRest, h.end, h.restSum}} {
		if sum(b[part.at-at:part.end-at]) != part.sum {
			return errDamaged
		}
	}
	w.rows += int64(h.rows)
	w.blocks++
	return w.write(b)
}
