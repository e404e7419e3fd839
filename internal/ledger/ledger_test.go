package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/refstore"
)

// TestMain gives all tests a home of their own, and lets the test binary be a
// worker process.
func TestMain(m *testing.M) {
	if name := os.Getenv(workerVar); name != "" {
		os.Exit(runWorker(name, os.Args[1:]))
	}
	os.Exit(githome.Run(m, nil))
}

var at = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return githome.Git(t, dir, args...)
}

func newRepo(t testing.TB, flags ...string) *refstore.Repo {
	t.Helper()
	dir := t.TempDir()
	gitIn(t, dir, append(append([]string{"init", "--quiet"}, flags...), ".")...)
	return open(t, dir)
}

func open(t testing.TB, dir string) *refstore.Repo {
	t.Helper()
	r, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// row is a row with a number that says which it is.
func row(op string, n int) Row {
	return JSON(fmt.Sprintf(`{"v":1,"op":%q,"seq":0,"at":"2026-01-02T12:00:00Z","n":%d}`, op, n))
}

func add(t testing.TB, r *refstore.Repo, node string, from, to int) Appended {
	t.Helper()
	var rows []Row
	for n := from; n <= to; n++ {
		rows = append(rows, row("ATTEMPT", n))
	}
	a, err := Append(t.Context(), r, node, rows...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// numbers reads rows as "seq:n", a checkpoint as "seq:sum".
func numbers(t testing.TB, r *refstore.Repo, q Query) (list []string, rep Report, err error) {
	t.Helper()
	rep, err = Read(t.Context(), r, q, func(e Entry) bool {
		list = append(list, numberOf(t, e))
		return true
	})
	return list, rep, err
}

func numberOf(t testing.TB, e Entry) string {
	t.Helper()
	var p struct {
		Seq    uint64
		N, Sum int
	}
	if err := json.Unmarshal(e.Payload, &p); err != nil || p.Seq != e.Seq {
		t.Fatalf("payload %s of seq %d: %v", e.Payload, e.Seq, err)
	}
	if e.Op == refstore.OpCheckpoint {
		return fmt.Sprintf("%d:sum%d", e.Seq, p.Sum)
	}
	return fmt.Sprintf("%d:%d", e.Seq, p.N)
}

func want(t testing.TB, got []string, words string) {
	t.Helper()
	if s := strings.Join(got, " "); s != words {
		t.Errorf("read %s, want %s", s, words)
	}
}

// sum folds the numbers of rows into their sum; pad makes it large.
func sum(pad int) Fold {
	return func(rows iter.Seq[Entry]) ([]byte, []refstore.Part, error) {
		total := 0
		for e := range rows {
			var p struct{ N, Sum int }
			if err := json.Unmarshal(e.Payload, &p); err != nil {
				return nil, nil, err
			}
			total += p.N + p.Sum
		}
		return fmt.Appendf(nil, `{"sum":%d,"pad":%q}`, total, strings.Repeat("p", pad)), nil, nil
	}
}

func compact(t testing.TB, r *refstore.Repo, node string, pad int) refstore.OID {
	t.Helper()
	id, err := Compact(t.Context(), r, node, at, sum(pad))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestRowsAreNumberedAcrossCheckpoints(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}, "bare": {"--bare"}} {
		for pad, size := range []string{"small", "large"} {
			t.Run(name+" "+size, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t, flags...)
				if a := add(t, r, "n1", 1, 6); a.First != 1 || a.Last != 6 {
					t.Errorf("appended %+v", a)
				}
				if compact(t, r, "n1", pad*20000) == "" {
					t.Error("no checkpoint")
				}
				if id := compact(t, r, "n1", 0); id != "" {
					t.Errorf("checkpoint %s of nothing new", id)
				}
				got, _, err := numbers(t, r, Query{})
				want(t, got, "6:sum21")
				a := add(t, r, "n1", 7, 8)
				if err != nil || a.First != 7 || a.Last != 8 {
					t.Errorf("%v; appended %+v", err, a)
				}
				got, rep, err := numbers(t, r, Query{})
				want(t, got, "8:8 7:7 6:sum21")
				if err != nil || len(rep.Nodes) != 1 || rep.Nodes[0] != (Ledger{Node: "n1", Seq: 8, Tip: a.Tip}) {
					t.Errorf("report %+v, %v", rep, err)
				}
				got, _, _ = numbers(t, r, Query{Oldest: true})
				want(t, got, "6:sum21 7:7 8:8")
				compact(t, r, "n1", pad*20000)
				add(t, r, "n1", 9, 9)
				got, _, _ = numbers(t, r, Query{})
				want(t, got, "9:9 8:sum36")
				got, _, _ = numbers(t, r, Query{History: true})
				want(t, got, "9:9 8:8 7:7 6:6 5:5 4:4 3:3 2:2 1:1")
				got, _, _ = numbers(t, r, Query{History: true, Oldest: true})
				want(t, got, "1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9")
				gitIn(t, r.CommonDir, "fsck", "--strict")
			})
		}
	}
}

func TestRowIsStoredAsGivenButForItsNumber(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for given, stored := range map[string]string{
		`{"v":1,"op":"HALT","seq":7,"at":"2026-01-02T12:00:00Z","big":12345678901234567890.50,"s":"<&> "}`: `{"v":1,"op":"HALT","seq":1,"at":"2026-01-02T12:00:00Z","big":12345678901234567890.50,"s":"<&> "}`,
		`{ "op" : "ACK", "at": "2026-01-02T12:00:00Z" }`:                                                   `{"v":1,"op":"ACK","at":"2026-01-02T12:00:00Z","seq":1}`,
	} {
		node := fmt.Sprintf("n%d", len(given))
		if _, err := Append(t.Context(), r, node, JSON(given)); err != nil {
			t.Fatal(err)
		}
		_, err := Read(t.Context(), r, Query{Nodes: []string{node}}, func(e Entry) bool {
			if string(e.Payload) != stored || !e.At.Equal(at) || e.Node != node {
				t.Errorf("%s: stored %+v %s", given, e, e.Payload)
			}
			return true
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestRowsThatAreNoneAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for claim, text := range map[string]string{
		"no JSON":           `hello`,
		"an array":          `[]`,
		"two values":        `{"op":"A","at":"2026-01-02T12:00:00Z"} {}`,
		"cut short":         `{"op":"A","at":"2026-01-02T12:00:00Z"`,
		"a key twice":       `{"op":"A","op":"B","at":"2026-01-02T12:00:00Z"}`,
		"an alias of a key": `{"op":"A","Op":"B","at":"2026-01-02T12:00:00Z"}`,
		"no op":             `{"at":"2026-01-02T12:00:00Z"}`,
		"op in small":       `{"op":"halt","at":"2026-01-02T12:00:00Z"}`,
		"a checkpoint":      `{"op":"CHECKPOINT","at":"2026-01-02T12:00:00Z"}`,
		"no time":           `{"op":"A"}`,
		"a time of its own": `{"op":"A","at":"noon"}`,
		"a newer version":   `{"v":2,"op":"A","at":"2026-01-02T12:00:00Z"}`,
		"a negative seq":    `{"op":"A","seq":-1,"at":"2026-01-02T12:00:00Z"}`,
		"oversized":         `{"op":"A","at":"2026-01-02T12:00:00Z","x":"` + strings.Repeat("x", MaxRow) + `"}`,
	} {
		if _, err := Append(t.Context(), r, "n1", row("GOOD", 1), JSON(text)); !errors.Is(err, ErrRow) {
			t.Errorf("%s: %v", claim, err)
		}
	}
	for _, node := range []string{"", "a/b", "A", "..", "-x", "x.lock", strings.Repeat("a", 101)} {
		if _, err := Append(t.Context(), r, node, row("GOOD", 1)); err == nil {
			t.Errorf("node %q has a ledger", node)
		}
		if _, err := Read(t.Context(), r, Query{Nodes: []string{node}}, nil); err == nil {
			t.Errorf("node %q is read", node)
		}
	}
	if refs := gitIn(t, r.CommonDir, "for-each-ref"); refs != "" {
		t.Errorf("written: %s", refs)
	}
}

func TestLargestRowIsReadBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	head := `{"v":1,"op":"A","at":"2026-01-02T12:00:00Z","x":"`
	big := head + strings.Repeat("x", MaxRow-len(head)-2) + `"}`
	if _, err := Append(t.Context(), r, "n1", JSON(big), row("B", 2)); err != nil {
		t.Fatal(err)
	}
	for _, q := range []Query{{}, {History: true}, {Oldest: true}} {
		var sizes []int
		if _, err := Read(t.Context(), r, q, func(e Entry) bool { sizes = append(sizes, len(e.Payload)); return true }); err != nil {
			t.Fatal(err)
		}
		if slices.Max(sizes) != MaxRow+len(`,"seq":1`) || len(sizes) != 2 {
			t.Errorf("%+v: sizes %v", q, sizes)
		}
	}
}

func TestReadingStopsWhereTheVisitorHasEnough(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	add(t, r, "a", 1, 3)
	add(t, r, "b", 1, 3)
	for _, q := range []Query{{}, {History: true}, {Oldest: true}, {History: true, Oldest: true}} {
		var got []string
		rep, err := Read(t.Context(), r, q, func(e Entry) bool {
			got = append(got, e.Node+numberOf(t, e))
			return false
		})
		if err != nil || len(rep.Nodes) != 2 {
			t.Errorf("%+v: %+v, %v", q, rep, err)
		}
		if q.Oldest {
			want(t, got, "a1:1 b1:1")
		} else {
			want(t, got, "a3:3 b3:3")
		}
	}
	got, _, _ := numbers(t, r, Query{Nodes: []string{"b", "none"}})
	want(t, got, "3:3 2:2 1:1")
}
