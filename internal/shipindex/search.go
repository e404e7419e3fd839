package shipindex

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/git-dos/git-dos/refstore"
)

// unpackers is how many goroutines unpack blocks in a search.
const unpackers = 2

// Search yields the rows that q wants of all commits that tip reaches, each
// once. Their order follows from how the segments were made and means nothing.
// An error, which ends the search, is an ErrNoIndex: what came before it is in
// the history too, but is not all. A segment found damaged is removed, so that
// Have says no from then on and the next writer replaces it.
func (ix *Index) Search(tip refstore.OID, q Query) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		c, err := ix.open(tip)
		if err != nil {
			yield(Row{}, err)
			return
		}
		defer c.close()
		s := &search{ix: ix, m: newMatcher(q, ix.idLen), todo: make(chan *job, unpackers), order: make(chan *job, 2*unpackers), stop: make(chan struct{})}
		for j := range s.jobs(c) {
			rows, err := j.result()
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
			if errors.Is(err, errDamaged) {
				ix.drop(j.seg.tip)
			}
			if err != nil {
				yield(Row{}, fmt.Errorf("%w: %.12s: %w", ErrNoIndex, j.seg.tip, err))
				return
			}
		}
	}
}

func (ix *Index) drop(tip refstore.OID) {
	if root, err := ix.root(); err == nil {
		_ = root.Remove(ix.name(tip))
		_ = root.Close()
	}
}

// A search hands the blocks that may match to the unpackers and takes the
// results in the order of the blocks.
type search struct {
	ix    *Index
	m     *matcher
	todo  chan *job
	order chan *job
	stop  chan struct{}
}

// A job is one block, or the error that ends a segment.
type job struct {
	seg  *segment
	head blockHead
	want wanted
	done chan struct{}
	rows []Row
	err  error
}

func (j *job) result() ([]Row, error) {
	<-j.done
	return j.rows, j.err
}

// jobs yields the jobs in order. When it returns, nothing runs any more.
func (s *search) jobs(c chain) iter.Seq[*job] {
	return func(yield func(*job) bool) {
		var running sync.WaitGroup
		defer running.Wait()
		defer close(s.stop)
		running.Go(func() { s.plan(c) })
		for range unpackers {
			running.Go(s.unpack)
		}
		for j := range s.order {
			if !yield(j) {
				return
			}
		}
	}
}

// plan reads the heads and filters of all blocks.
func (s *search) plan(c chain) {
	defer close(s.order)
	defer close(s.todo)
	for _, seg := range c {
		for blocks := seg.scan(s.ix.idLen); ; {
			h, g, err := blocks.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				failed := &job{seg: seg, err: err, done: make(chan struct{})}
				close(failed.done)
				s.send(s.order, failed)
				return
			}
			want, some := s.m.wants(h, g)
			if !some {
				continue
			}
			j := &job{seg: seg, head: h, want: want, done: make(chan struct{})}
			if !s.send(s.order, j) || !s.send(s.todo, j) {
				return
			}
		}
	}
}

func (s *search) send(to chan<- *job, j *job) bool {
	select {
	case to <- j:
		return true
	case <-s.stop:
		return false
	}
}

func (s *search) unpack() {
	r := newBlockReader(s.ix.idLen)
	for j := range s.todo {
		r.load(j.seg.f, j.head)
		j.rows, j.err = s.m.rows(r, j.want)
		close(j.done)
	}
}
