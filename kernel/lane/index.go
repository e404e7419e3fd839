package lane

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
	"sort"
	"strings"
)

// An index finds the leases that a region may meet without looking at those
// it surely does not. Every entry has a key, such that two entries can meet
// only if the key of one begins with the other's.
type index struct {
	rows  []indexRow // by key, then by lease
	first []int      // of each row: the first with the same key
	up    []int      // of each such first: the last row before it whose key its own begins with, or -1
	low   []int      // a tree over the rows, of the row whose lease comes first
}

type indexRow struct {
	key   string
	lease int
}

func newIndex(live []held) index {
	n := 0
	for _, h := range live {
		n += len(h.region) + 1
	}
	x := index{rows: make([]indexRow, 0, n)}
	for i, h := range live {
		if h.reserved {
			continue
		}
		if len(h.region) == 0 {
			x.rows = append(x.rows, indexRow{"", i})
		}
		for _, p := range h.region {
			x.rows = append(x.rows, indexRow{p.key(), i})
		}
	}
	slices.SortFunc(x.rows, func(a, b indexRow) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.lease, b.lease))
	})
	x.rows = slices.Compact(x.rows)
	x.link()
	return x
}

func (x *index) link() {
	n := len(x.rows)
	x.first, x.up, x.low = make([]int, n), make([]int, n), make([]int, 2*n)
	for i, row := range x.rows {
		x.low[n+i] = i
		if i > 0 && x.rows[i-1].key == row.key {
			x.first[i] = x.first[i-1]
			continue
		}
		j := i - 1
		for j >= 0 && !strings.HasPrefix(row.key, x.rows[j].key) {
			j = x.up[x.first[j]]
		}
		x.first[i], x.up[i] = i, j
	}
	for i := n - 1; i > 0; i-- {
		x.low[i] = x.earlier(x.low[2*i], x.low[2*i+1])
	}
}

func (x *index) earlier(i, j int) int {
	if x.rows[j].lease < x.rows[i].lease {
		return j
	}
	return i
}

// lowest returns the row in [from, to), not empty, whose lease comes first.
func (x *index) lowest(from, to int) int {
	best, n := from, len(x.rows)
	for i, j := from+n, to+n; i < j; i, j = i/2, j/2 {
		if i&1 == 1 {
			best = x.earlier(best, x.low[i])
			i++
		}
		if j&1 == 1 {
			j--
			best = x.earlier(best, x.low[j])
		}
	}
	return best
}

// A span is a run of rows, and which of them has the lease that comes first.
type span struct{ from, to, at, lease int }

type spans []span

func (s spans) Len() int           { return len(s) }
func (s spans) Less(i, j int) bool { return s[i].lease < s[j].lease }
func (s spans) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *spans) Push(v any)        { *s = append(*s, v.(span)) }
func (s *spans) Pop() any {
	last := len(*s) - 1
	v := (*s)[last]
	*s = (*s)[:last]
	return v
}

// candidates lists, each once and in order, the leases that a known region may
// meet. It works as far as it is read.
func (x *index) candidates(r region) iter.Seq[int] {
	return func(yield func(int) bool) {
		var open spans
		for _, p := range r {
			x.open(&open, p.key())
		}
		last := -1
		for len(open) > 0 {
			s := heap.Pop(&open).(span)
			x.push(&open, s.from, s.at)
			x.push(&open, s.at+1, s.to)
			if s.lease != last && !yield(s.lease) {
				return
			}
			last = s.lease
		}
	}
}

// open adds the rows whose keys begin with the key, and those it begins with.
func (x *index) open(open *spans, key string) {
	from := sort.Search(len(x.rows), func(i int) bool { return x.rows[i].key >= key })
	below := sort.Search(len(x.rows)-from, func(i int) bool { return !strings.HasPrefix(x.rows[from+i].key, key) })
	x.push(open, from, from+below)
	for i := from - 1; i >= 0; i = x.up[x.first[i]] {
		if strings.HasPrefix(key, x.rows[i].key) {
			x.push(open, x.first[i], i+1)
		}
	}
}

func (x *index) push(open *spans, from, to int) {
	if from < to {
		at := x.lowest(from, to)
		heap.Push(open, span{from, to, at, x.rows[at].lease})
	}
}
