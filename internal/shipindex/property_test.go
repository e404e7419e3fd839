package shipindex_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// drawRow draws a commit with texts from a few syllables, so that they often
// contain each other.
func drawRow(t *rapid.T, n int) shipindex.Row {
	text := func(label string) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"au", "th", "P", "1", "2", " ", ": ", "/", "\n", "\x00", "\xff", "Ü", "ship", "#"}), 0, 12).Draw(t, label), "")
	}
	r := shipindex.Row{ID: id(n), Time: rapid.Int64().Draw(t, "time"), Subject: text("subject"), Signed: rapid.Bool().Draw(t, "signed")}
	for range rapid.IntRange(0, 3).Draw(t, "parents") {
		r.Parents = append(r.Parents, id(n+rapid.IntRange(-2, 2).Draw(t, "parent")))
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "units") {
		r.Units = append(r.Units, text("unit"))
	}
	for range rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "leases") {
		r.Leases = append(r.Leases, text("lease"))
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "takes") {
		r.Takes = append(r.Takes, ship.Taken{ID: string(id(n - 1)), Base: rapid.SampledFrom([]string{"", "abcd"}).Draw(t, "base")})
	}
	switch rapid.IntRange(0, 40).Draw(t, "body") {
	case 0:
		r.Body = []byte(strings.Repeat(text("long body")+"x", 9000))
	case 1, 2:
		r.Body = []byte(text("body"))
	}
	return r
}

// drawQuery draws what mostly is in some row.
func drawQuery(t *rapid.T, rows []shipindex.Row) shipindex.Query {
	part := func() string {
		s := rapid.SampledFrom(rows).Draw(t, "of").Text()
		s = s[:min(len(s), 60)]
		from := rapid.IntRange(0, len(s)).Draw(t, "from")
		return s[from:rapid.IntRange(from, min(len(s), from+8)).Draw(t, "to")] + rapid.SampledFrom([]string{"", "", "", "z"}).Draw(t, "more")
	}
	q := shipindex.Query{Takes: rapid.IntRange(0, 5).Draw(t, "takes") == 0, All: rapid.IntRange(0, 9).Draw(t, "all") == 0}
	for range rapid.IntRange(0, 3).Draw(t, "groups") {
		var group []string
		for range rapid.IntRange(1, 3).Draw(t, "strings") {
			group = append(group, part())
		}
		q.Any = append(q.Any, group)
	}
	for range rapid.IntRange(0, 2).Draw(t, "ids") {
		q.IDs = append(q.IDs, id(rapid.IntRange(0, len(rows)+2).Draw(t, "id")))
	}
	return q
}

// TestSearchIsAFilterOverAllRows grows a history by segments of random sizes,
// on random earlier ones, and asks random questions of random tips.
func TestSearchIsAFilterOverAllRows(t *testing.T) {
	root := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		ix := shipindex.Open(root+"/"+id(runs).Short(), key1)
		made := 0
		histories := map[refstore.OID][]shipindex.Row{"": nil}
		var tips []refstore.OID
		for range rapid.IntRange(1, 8).Draw(t, "segments") {
			base := refstore.OID("")
			if len(tips) > 0 && rapid.IntRange(0, 5).Draw(t, "grows") > 0 {
				base = rapid.SampledFrom(tips).Draw(t, "base")
			}
			rows := slices.Clone(histories[base])
			var fresh []shipindex.Row
			for range rapid.SampledFrom([]int{0, 1, 1, 2, 5, 20, 60}).Draw(t, "rows") {
				fresh = append(fresh, drawRow(t, made))
				made++
			}
			made++
			tip := id(100000 + made)
			if err := tryWrite(ix, tip, base, fresh...); err != nil {
				t.Fatal(err)
			}
			histories[tip], tips = append(rows, fresh...), append(tips, tip)
		}
		for range 6 {
			tip := rapid.SampledFrom(tips).Draw(t, "tip")
			rows := histories[tip]
			q := shipindex.Query{All: true}
			if len(rows) > 0 {
				q = drawQuery(t, rows)
			}
			found, err := search(ix, tip, q)
			if err == nil {
				err = sameRows(found, q, rows)
			}
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
		}
	})
}
