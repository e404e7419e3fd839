package shipindex

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/git-dos/git-dos/refstore"
)

// tempPrefix begins the names of unfinished segments.
const tempPrefix = "tmp-"

// A Writer makes one segment. It belongs to one goroutine. After the first
// thing that goes wrong it does nothing more, and Commit says what it was.
type Writer struct {
	ix        *Index
	tip, base refstore.OID
	root      *os.Root
	f         *os.File // nil once committed, aborted or never made
	tmp       string
	z         *zstd.Encoder

	next         [kinds]pending
	rows, blocks int64
	size         int64
	err          error
}

// Rows of one kind lie in blocks of their own, so that a question unpacks
// little else: those that take something back, those that look like stamps,
// and prose. Only the first is more than a guess, and is what its blocks say.
const (
	kindTakes = iota
	kindStamp
	kindProse
	kinds
)

func (r Row) kind() int {
	switch {
	case len(r.Takes) > 0:
		return kindTakes
	case len(r.Units) > 0 || numbered(r.Subject):
		return kindStamp
	}
	return kindProse
}

// numbered reports whether s has a number that is not an issue's.
func numbered(s string) bool {
	before := byte(0)
	for i := range len(s) {
		if digit(s[i]) && before != '#' && !digit(before) {
			return true
		}
		before = s[i]
	}
	return false
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// pending is the rows of the next block of a kind.
type pending struct {
	rows   []Row
	texts  []string
	text   int
	weight int
}

// NewWriter starts the segment of base..tip, or of all that tip reaches where
// base is "". The base must be a tip that has a chain by the time of Commit.
// Call Commit or Abort in the end; both may be called.
func (ix *Index) NewWriter(tip, base refstore.OID) *Writer {
	w := &Writer{ix: ix, tip: tip, base: base}
	w.err = w.create()
	return w
}

func (w *Writer) create() (err error) {
	if _, err := w.ix.segmentHead(w.tip, w.base); err != nil {
		return fmt.Errorf("%q..%q: not ids of the repository's format", w.base, w.tip)
	}
	if w.base == w.tip {
		return errors.New("a segment cannot be its own base")
	}
	if w.z, err = newPacker(); err != nil {
		return err
	}
	if err := os.Mkdir(w.ix.dir, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if w.root, err = w.ix.root(); err != nil {
		return err
	}
	var random [8]byte
	_, _ = rand.Read(random[:])
	w.tmp = tempPrefix + hex.EncodeToString(random[:])
	// As readable as the objects it is made from, for those who share them.
	if w.f, err = w.root.OpenFile(w.tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		return err
	}
	return w.write(make([]byte, headLen(w.ix.idLen)))
}

func (w *Writer) write(b []byte) error {
	n, err := w.f.Write(b)
	w.size += int64(n)
	return err
}

// Add adds the row of one commit of base..tip, in any order; neighbours in
// history are stored best side by side, the younger first. The row is kept:
// its lists and its body must not change afterwards.
func (w *Writer) Add(r Row) {
	if w.err != nil {
		return
	}
	kind := r.kind()
	p, text := &w.next[kind], r.Text()
	p.rows, p.texts = append(p.rows, r), append(p.texts, text)
	p.text += len(text)
	p.weight += r.weight(w.ix.idLen)
	w.rows++
	if len(p.rows) == blockRows || p.text >= textOf(kind) || p.weight >= blockRest {
		w.err = w.flush(kind)
	}
}

func textOf(kind int) int {
	if kind == kindStamp {
		return blockStamp
	}
	return blockText
}

// weight estimates the size of a row's rest.
func (r Row) weight(idLen int) int {
	n := 16 + len(r.Subject) + len(r.Body) + len(r.Parents)*idLen + 64*len(r.Takes)
	for _, s := range r.Units {
		n += len(s)
	}
	for _, s := range r.Leases {
		n += len(s)
	}
	for _, s := range r.Copies {
		n += len(s)
	}
	for _, t := range r.Takes {
		n += len(t.Title)
	}
	return n
}

func (w *Writer) flush(kind int) error {
	p := &w.next[kind]
	if len(p.rows) == 0 {
		return nil
	}
	b, err := encodeBlock(w.z, p.rows, p.texts, kind == kindTakes, w.ix.idLen)
	if err != nil {
		return err
	}
	clear(p.rows)
	clear(p.texts)
	*p = pending{rows: p.rows[:0], texts: p.texts[:0]}
	w.blocks++
	return w.write(b)
}

// Commit gives the segment its name. Small segments at the head of the base's
// chain are merged into it, so that a chain stays short, and files that nobody
// is likely to need again are removed. Any error is an ErrNotWritten: no
// segment was added. A damaged one that was to be merged is removed.
func (w *Writer) Commit() error {
	if w.err == nil && w.f == nil {
		w.err = errors.New("the writer has ended")
	}
	if w.err == nil {
		w.err = w.finish()
	}
	err := w.err
	w.Abort()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotWritten, err)
	}
	return nil
}

func (w *Writer) finish() error {
	if err := w.merge(); err != nil {
		return err
	}
	for kind := range kinds {
		if err := w.flush(kind); err != nil {
			return err
		}
	}
	head, err := w.ix.segmentHead(w.tip, w.base)
	if err != nil {
		return err
	}
	if err := w.write(segmentTail(head, w.rows, w.blocks, w.size+tailLen)); err != nil {
		return err
	}
	if _, err := w.f.WriteAt(head, 0); err != nil {
		return err
	}
	err = w.f.Close()
	w.f = nil
	if err == nil {
		err = w.root.Rename(w.tmp, w.ix.name(w.tip))
	}
	if err != nil {
		_ = w.root.Remove(w.tmp)
		return err
	}
	w.ix.prune(w.root, w.tip)
	return nil
}

// Abort drops what is not committed.
func (w *Writer) Abort() {
	if w.f != nil {
		_ = w.f.Close()
		_ = w.root.Remove(w.tmp)
		w.f = nil
	}
	if w.root != nil {
		_ = w.root.Close()
		w.root = nil
	}
	if w.err == nil {
		w.err = errors.New("the writer has ended")
	}
}
