package shipindex_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// realistic is a history with subjects of 50 to 70 bytes: one in ten stamps a
// unit, one in a hundred takes a commit back, one in twenty is a merge.
type realistic struct {
	n    int
	rng  *rand.Rand
	ids  []refstore.OID
	made int
}

func newRealistic(n int) *realistic {
	return &realistic{n: n, rng: rand.New(rand.NewPCG(1, 2))}
}

var verbs = strings.Fields("add fix drop move rename speed document test split merge check bound refuse allow read write keep forget")
var nouns = strings.Fields("parser lexer cache walk index scheduler socket lease lane holder entry digest boundary trailer timeout worker queue journal policy")

func (h *realistic) word(list []string) string { return list[h.rng.IntN(len(list))] }

func (h *realistic) randomID() refstore.OID {
	return refstore.OID(fmt.Sprintf("%016x%016x%08x", h.rng.Uint64(), h.rng.Uint64(), h.rng.Uint32()))
}

// next is the next older commit, as a walk meets them.
func (h *realistic) next() shipindex.Row {
	if len(h.ids) == 0 {
		h.ids = []refstore.OID{h.randomID()}
	}
	i := h.made
	h.made++
	r := shipindex.Row{ID: h.ids[0], Time: int64(1800000000 - 97*i), Signed: i%50 == 0}
	h.ids[0] = h.randomID()
	r.Parents = []refstore.OID{h.ids[0]}
	if i%20 == 0 {
		r.Parents = append(r.Parents, h.randomID())
	}
	area := h.word(nouns)
	r.Subject = fmt.Sprintf("%s(%s): %s the %s of the %s when %s", h.word(verbs), area, h.word(verbs), h.word(nouns), h.word(nouns), h.word(nouns))
	switch {
	case i%100 == 7:
		r.Subject = "Revert \"" + r.Subject + "\""
		r.Takes = []ship.Taken{{ID: string(h.randomID())}}
	case i%10 == 3:
		plan, phase := h.rng.IntN(200), h.rng.IntN(20)
		r.Subject = fmt.Sprintf("PLAN%d: P%d %s the %s of the %s", plan, phase, h.word(verbs), h.word(nouns), area)
		r.Units = []string{fmt.Sprintf("PLAN%d/P%d", plan, phase)}
	}
	return r
}

var benchSizes = []int{100_000, 500_000}

func BenchmarkWrite(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			rows := make([]shipindex.Row, n)
			bytes := 0
			for i, h := 0, newRealistic(n); i < n; i++ {
				rows[i] = h.next()
				bytes += len(rows[i].Subject)
			}
			b.ResetTimer()
			for b.Loop() {
				ix, dir := open(b)
				write(b, ix, id(0), "", rows...)
				st, _ := os.Stat(file(dir, id(0)))
				b.ReportMetric(float64(st.Size())/float64(n), "file-B/row")
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/op")
			b.ReportMetric(float64(bytes*b.N)/1e6/b.Elapsed().Seconds(), "subject-MB/s")
			b.ReportMetric(float64(bytes)/float64(n), "subject-B")
		})
	}
}

// BenchmarkPeak writes and then searches a history that is made on the way, and
// reports how much memory the runtime held at most beyond what it began with.
func BenchmarkPeak(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				peak := watchHeap(func() {
					ix, _ := open(b)
					w := ix.NewWriter(id(0), "")
					for h := newRealistic(n); h.made < n; {
						w.Add(h.next())
					}
					if err := w.Commit(); err != nil {
						b.Fatal(err)
					}
					for _, err := range ix.Search(id(0), shipindex.Query{All: true}) {
						if err != nil {
							b.Fatal(err)
						}
					}
				})
				b.ReportMetric(float64(peak)/1e6, "peak-MB")
			}
		})
	}
}

func watchHeap(f func()) (peak uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
		}
	}()
	f()
	close(done)
	<-watched
	return peak - min(peak, before)
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range benchSizes {
		ix := shipindex.Open(filepath.Join(b.TempDir(), "index"), key1)
		w := ix.NewWriter(id(0), "")
		h := newRealistic(n)
		var middle refstore.OID
		for h.made < n {
			r := h.next()
			if h.made == n/2 {
				middle = r.ID
			}
			w.Add(r)
		}
		if err := w.Commit(); err != nil {
			b.Fatal(err)
		}
		for _, q := range []struct {
			name  string
			query shipindex.Query
		}{
			{"nothing", shipindex.Query{Any: [][]string{{"zebra9"}}}},
			{"a unit by plan and phase", shipindex.Query{Any: [][]string{{"plan117", "p3"}}}},
			{"a phase of three letters", shipindex.Query{Any: [][]string{{"p17"}}}},
			{"a phase of two letters", shipindex.Query{Any: [][]string{{"p3"}}}},
			{"a common word", shipindex.Query{Any: [][]string{{"lease"}}}},
			{"all reverts", shipindex.Query{Takes: true}},
			{"one id", shipindex.Query{IDs: []refstore.OID{middle}}},
			{"every row", shipindex.Query{All: true}},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, q.name), func(b *testing.B) {
				rows := 0
				for b.Loop() {
					rows = 0
					for _, err := range ix.Search(id(0), q.query) {
						if err != nil {
							b.Fatal(err)
						}
						rows++
					}
				}
				b.ReportMetric(float64(rows), "rows")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1e3, "ms/op")
			})
		}
	}
}

// BenchmarkAppend adds one commit after another to a long history.
func BenchmarkAppend(b *testing.B) {
	ix, _ := open(b)
	w := ix.NewWriter(id(0), "")
	for h := newRealistic(100_000); h.made < h.n; {
		w.Add(h.next())
	}
	if err := w.Commit(); err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		write(b, ix, id(i+1), id(i), commit(i+1))
		i++
	}
	segments, _ := shipindex.Shape(ix, id(i))
	b.ReportMetric(float64(segments), "segments")
}
