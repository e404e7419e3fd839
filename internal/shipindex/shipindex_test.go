package shipindex_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

var key1 = shipindex.Key{Format: refstore.SHA1, Digest: sha256.Sum256([]byte("rules"))}

// id is the nth commit of a made-up history.
func id(n int) refstore.OID {
	return refstore.OID(fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, "commit ", n)))[:40])
}

func longID(n int) refstore.OID {
	return refstore.OID(fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, "commit ", n))))
}

func open(t testing.TB) (*shipindex.Index, string) {
	dir := filepath.Join(t.TempDir(), "index")
	return shipindex.Open(dir, key1), dir
}

func write(t testing.TB, ix *shipindex.Index, tip, base refstore.OID, rows ...shipindex.Row) {
	t.Helper()
	if err := tryWrite(ix, tip, base, rows...); err != nil {
		t.Fatal(err)
	}
}

func tryWrite(ix *shipindex.Index, tip, base refstore.OID, rows ...shipindex.Row) error {
	w := ix.NewWriter(tip, base)
	defer w.Abort()
	for _, r := range rows {
		w.Add(r)
	}
	return w.Commit()
}

func search(ix *shipindex.Index, tip refstore.OID, q shipindex.Query) (map[refstore.OID]shipindex.Row, error) {
	found := map[refstore.OID]shipindex.Row{}
	for r, err := range ix.Search(tip, q) {
		if err != nil {
			return nil, err
		}
		if _, twice := found[r.ID]; twice {
			return nil, fmt.Errorf("%s was yielded twice", r.ID)
		}
		found[r.ID] = r
	}
	return found, nil
}

// sameRows fails unless the rows found are those of want that q matches.
func sameRows(found map[refstore.OID]shipindex.Row, q shipindex.Query, want []shipindex.Row) error {
	n := 0
	for _, w := range want {
		if !q.Matches(w) {
			continue
		}
		n++
		if got, ok := found[w.ID]; !ok {
			return fmt.Errorf("%s is missing: %.300q", w.ID, fmt.Sprint(w))
		} else if g, w := show(got), show(w); g != w {
			return fmt.Errorf("got  %.600s\nwant %.600s", g, w)
		}
	}
	if n != len(found) {
		return fmt.Errorf("%d rows found, want %d", len(found), n)
	}
	return nil
}

// show prints a row so that nil and empty lists are alike, but not nil and
// empty bodies.
func show(r shipindex.Row) string {
	return fmt.Sprintf("%s %q %d %q %q %q %q %q %v %q %v", r.ID, r.Parents, r.Time, r.Subject, r.Units, r.Leases, r.Takes, r.Copies, r.Body == nil, r.Body, r.Signed)
}

func check(t testing.TB, ix *shipindex.Index, tip refstore.OID, q shipindex.Query, want []shipindex.Row) {
	t.Helper()
	found, err := search(ix, tip, q)
	if err == nil {
		err = sameRows(found, q, want)
	}
	if err != nil {
		t.Errorf("search %.8s for %.80q: %v", tip, fmt.Sprint(q), err)
	}
}

func oddRows(id func(int) refstore.OID) []shipindex.Row {
	var parents []refstore.OID
	for i := range 300 {
		parents = append(parents, id(1000+i))
	}
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	return []shipindex.Row{
		{ID: id(0)},
		{ID: id(1), Parents: []refstore.OID{id(0)}, Time: 1700000000, Subject: "AUTH: AUTH1 Ship \u212a and \u0130", Signed: true},
		{ID: id(2), Parents: parents, Time: -1, Subject: string(every)},
		{ID: id(3), Parents: []refstore.OID{id(4), id(1)}, Time: 1 << 62, Units: []string{"Auth/AUTH3", "", "\xff/\x00"}, Leases: []string{"api@3", ""}},
		{ID: id(4), Subject: "lower", Body: []byte{}},
		{ID: id(5), Subject: "Big", Body: bytes.Repeat([]byte("A body of one MB with \x00 and \xff. "), 1<<20/32)},
		{ID: id(6), Subject: "revert: x", Copies: []string{"abcd1", "ef012"}, Takes: []ship.Taken{{ID: "abcd", Title: "x"}, {Title: "only \xff"}, {ID: string(id(3)), Base: string(id(1))}}, Body: []byte("already folded\n")},
		{ID: id(7), Parents: []refstore.OID{id(7)}, Subject: "line\nbreak", Takes: []ship.Taken{{ID: "0123"}}},
		{ID: id(8), Subject: strings.Repeat("x", 200<<10), Units: []string{strings.Repeat("U", 100<<10)}},
	}
}

func TestRowsComeBackAsTheyWereAdded(t *testing.T) {
	for name, c := range map[string]struct {
		format refstore.Format
		id     func(int) refstore.OID
	}{"sha1": {refstore.SHA1, id}, "sha256": {refstore.SHA256, longID}} {
		t.Run(name, func(t *testing.T) {
			ix := shipindex.Open(filepath.Join(t.TempDir(), "index"), shipindex.Key{Format: c.format})
			rows := oddRows(c.id)
			write(t, ix, c.id(3), "", rows...)
			for _, q := range []shipindex.Query{
				{}, {All: true}, {Takes: true},
				{IDs: []refstore.OID{c.id(1), c.id(6), c.id(99), "short"}},
				{Any: [][]string{{}}}, {Any: [][]string{{""}}},
				{Any: [][]string{{"auth3"}}}, {Any: [][]string{{"ship", "auth1"}}}, {Any: [][]string{{"ship", "auth3"}}},
				{Any: [][]string{{"w"}, {"\xff"}}}, {Any: [][]string{{"lower\n"}}}, {Any: [][]string{{"\x00\x01"}}},
				{Any: [][]string{{"AUTH"}}}, {Any: [][]string{{strings.Repeat("x", 200<<10)}}}, {Any: [][]string{{strings.Repeat("x", 200<<10+1)}}},
				{Any: [][]string{{"one mb", "already"}, {"line\nbreak"}}, Takes: true, IDs: []refstore.OID{c.id(0)}},
			} {
				check(t, ix, c.id(3), q, rows)
			}
		})
	}
}

func TestTextOfTwoRowsIsNotOne(t *testing.T) {
	ix, _ := open(t)
	rows := []shipindex.Row{{ID: id(0), Subject: "0 aut"}, {ID: id(1), Subject: "h1 and auth1"}, {ID: id(2), Subject: "", Units: []string{""}}, {ID: id(3), Subject: "0auth"}}
	write(t, ix, id(0), "", rows...)
	for _, s := range []string{"auth1", "auth", "th1", "1x", "h1 and auth1"} {
		check(t, ix, id(0), shipindex.Query{Any: [][]string{{s}}}, rows)
	}
}

func TestNoRowsIsAnAnswer(t *testing.T) {
	ix, _ := open(t)
	write(t, ix, id(1), "")
	check(t, ix, id(1), shipindex.Query{All: true}, nil)
	if !ix.Have(id(1)) || ix.Have(id(2)) {
		t.Error("Have is wrong")
	}
}

func TestSearchMayBeLeftEarly(t *testing.T) {
	ix, _ := open(t)
	rows := history(0, 30000)
	write(t, ix, id(0), "", rows...)
	for n := range 50 {
		for range ix.Search(id(0), shipindex.Query{All: true}) {
			if n--; n < 0 {
				break
			}
		}
	}
}

func TestWhatIsNotThereIsNoIndex(t *testing.T) {
	ix, dir := open(t)
	noIndex := func(what string, ix *shipindex.Index, tip refstore.OID) {
		t.Helper()
		if _, err := search(ix, tip, shipindex.Query{}); !errors.Is(err, shipindex.ErrNoIndex) {
			t.Errorf("%s: %v, want ErrNoIndex", what, err)
		}
		if ix.Have(tip) {
			t.Errorf("%s: Have says yes", what)
		}
	}
	noIndex("no directory", ix, id(0))
	write(t, ix, id(0), "", history(0, 3)...)
	noIndex("another tip", ix, id(1))
	noIndex("no tip", ix, "")
	noIndex("a path", ix, refstore.OID("../x"))
	noIndex("another digest", shipindex.Open(dir, shipindex.Key{Format: refstore.SHA1}), id(0))
	other := key1
	other.Format = refstore.SHA256
	noIndex("another format", shipindex.Open(dir, other), id(0))

	write(t, ix, id(9), id(0), history(9, 1)...)
	os.Remove(file(dir, id(0)))
	noIndex("a base that is gone", ix, id(9))
	if err := tryWrite(ix, id(10), id(9), history(10, 1)...); !errors.Is(err, shipindex.ErrNotWritten) || !errors.Is(err, shipindex.ErrNoIndex) {
		t.Errorf("on a base whose base is gone: %v", err)
	}

	write(t, ix, id(0), "", history(0, 9)...)
	data, _ := os.ReadFile(file(dir, id(0)))
	os.WriteFile(file(dir, id(5)), data, 0o600)
	noIndex("a file of another tip", ix, id(5))
}

func TestSegmentsThatLeadInACircle(t *testing.T) {
	a, dirA := open(t)
	b, dirB := open(t)
	write(t, a, id(1), "", history(0, 9)...)
	write(t, a, id(2), id(1), history(9, 1)...)
	write(t, b, id(2), "", history(0, 9)...)
	write(t, b, id(1), id(2), history(9, 1)...)
	data, _ := os.ReadFile(file(dirA, id(2)))
	os.WriteFile(file(dirB, id(2)), data, 0o600)
	_, err := search(b, id(1), shipindex.Query{})
	if !errors.Is(err, shipindex.ErrNoIndex) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v, want ErrNoIndex for the length of the chain", err)
	}
	if tips := b.Candidates(); len(tips) > 0 {
		t.Errorf("%q are offered", tips)
	}
}

func TestWritersThatCannot(t *testing.T) {
	ix, dir := open(t)
	notWritten := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, shipindex.ErrNotWritten) {
			t.Errorf("%s: %v, want ErrNotWritten", what, err)
		}
	}
	notWritten("a tip of the other format", tryWrite(ix, longID(0), ""))
	notWritten("a base nobody has", tryWrite(ix, id(0), id(1)))
	notWritten("an id of the other format", tryWrite(ix, id(0), "", shipindex.Row{ID: longID(0)}))
	notWritten("a parent that is no id", tryWrite(ix, id(0), "", shipindex.Row{ID: id(0), Parents: []refstore.OID{"xyz"}}))
	notWritten("a row beyond bounds", tryWrite(ix, id(0), "", shipindex.Row{ID: id(0), Subject: strings.Repeat("x", 65<<20)}))
	w := ix.NewWriter(id(0), "")
	w.Add(shipindex.Row{ID: id(0)})
	w.Abort()
	w.Abort()
	w.Add(shipindex.Row{ID: id(0)})
	notWritten("after Abort", w.Commit())
	if left := names(dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}

	os.RemoveAll(dir)
	os.WriteFile(dir, nil, 0o600)
	notWritten("a file for a directory", tryWrite(ix, id(0), ""))
	notWritten("no parent directory", tryWrite(shipindex.Open(filepath.Join(dir, "a", "b"), key1), id(0), ""))
}

func TestSegmentIsNotItsOwnBase(t *testing.T) {
	ix, _ := open(t)
	write(t, ix, id(0), "", history(0, 9)...)
	if err := tryWrite(ix, id(0), id(0), history(9, 1)...); !errors.Is(err, shipindex.ErrNotWritten) {
		t.Errorf("got %v, want ErrNotWritten", err)
	}
	check(t, ix, id(0), shipindex.Query{All: true}, history(0, 9))
}

func TestCommitTwice(t *testing.T) {
	ix, _ := open(t)
	w := ix.NewWriter(id(0), "")
	w.Add(shipindex.Row{ID: id(0)})
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if err := w.Commit(); !errors.Is(err, shipindex.ErrNotWritten) {
		t.Errorf("a second Commit: %v", err)
	}
	check(t, ix, id(0), shipindex.Query{All: true}, []shipindex.Row{{ID: id(0)}})
}

func TestCandidatesAreTheNewestFirst(t *testing.T) {
	ix, dir := open(t)
	if got := ix.Candidates(); got != nil {
		t.Errorf("of nothing: %q", got)
	}
	for i, name := range []string{"notes", "tmp-0123456789abcdef", "0000000000000000-" + string(id(0))} {
		write(t, ix, id(i), "", history(i, 1)...)
		os.WriteFile(filepath.Join(dir, name), nil, 0o600)
		age(t, file(dir, id(i)), time.Duration(10-i)*time.Minute)
	}
	if got, want := ix.Candidates(), []refstore.OID{id(2), id(1), id(0)}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// history is n commits from the ith on, the eldest first.
func history(i, n int) []shipindex.Row {
	rows := make([]shipindex.Row, n)
	for k := range rows {
		rows[k] = commit(i + k)
	}
	return rows
}

// commit is the ith commit of a history in which every 20th takes one back.
func commit(i int) shipindex.Row {
	r := shipindex.Row{ID: id(i), Time: int64(1700000000 + 60*i), Subject: fmt.Sprintf("Plan%d: P%d repairs what number %d broke", i%7, i%11, i)}
	if i > 0 {
		r.Parents = []refstore.OID{id(i - 1)}
	}
	if i%20 == 19 {
		r.Takes = []ship.Taken{{ID: string(id(i - 3))}}
	}
	if i%5 == 0 {
		r.Units = []string{fmt.Sprintf("Plan%d/P%d", i%7, i)}
	}
	return r
}

// file is where a tip's segment is.
func file(dir string, tip refstore.OID) string {
	found, _ := filepath.Glob(filepath.Join(dir, "*-"+string(tip)))
	for _, f := range found {
		if !strings.Contains(f, "0000000000000000-") {
			return f
		}
	}
	return filepath.Join(dir, "none")
}

func names(dir string) []string {
	names := map[string]bool{}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names[d.Name()] = true
		}
		return nil
	})
	return slices.Sorted(maps.Keys(names))
}

func age(t testing.TB, path string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}
