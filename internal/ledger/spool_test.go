package ledger

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

func TestReversalIsTheReverseForEverySize(t *testing.T) {
	t.Parallel()
	var all []Entry
	for i, size := range []int{0, 1, 7, pageSize - 1, pageSize, pageSize + 1, 3 * pageSize, 2, 100, 100000, 100000, 100000, 0} {
		all = append(all, Entry{Node: "n", Seq: uint64(i + 1), Op: "A", At: at.Add(time.Duration(i) * time.Second), ID: refstore.OID(fmt.Sprint(i)), Payload: []byte(strings.Repeat(string(rune('a'+i)), size))})
	}
	for n := range len(all) + 1 {
		walk := func(visit func(Entry) bool) error {
			for _, e := range all[:n] {
				if !visit(e) {
					break
				}
			}
			return nil
		}
		left := n
		if err := reversed(t.Context(), walk, func(e Entry) bool {
			left--
			if w := all[left]; string(e.Payload) != string(w.Payload) || e.ID != w.ID || e.Seq != w.Seq || !e.At.Equal(w.At) {
				t.Errorf("of %d: entry %d is seq %d of %d bytes", n, left, e.Seq, len(e.Payload))
			}
			return true
		}); err != nil || left != 0 {
			t.Errorf("of %d: %d left, %v", n, left, err)
		}
	}
}

func TestReversalOfAWalkThatFailsVisitsNothing(t *testing.T) {
	t.Parallel()
	mine := errors.New("mine")
	err := reversed(t.Context(), func(visit func(Entry) bool) error {
		visit(Entry{Seq: 1})
		return mine
	}, func(Entry) bool {
		t.Error("visited")
		return true
	})
	if !errors.Is(err, mine) {
		t.Error(err)
	}
}

// TestMemoryDoesNotGrowWithHistory reads a ledger that is many times as large
// as what its reading may hold at any time.
func TestMemoryDoesNotGrowWithHistory(t *testing.T) {
	r := newRepo(t)
	history(t, r, "n1", 10000, 5000, 1800)
	peak := func(q Query) uint64 {
		runtime.GC()
		var base, now runtime.MemStats
		runtime.ReadMemStats(&base)
		most, rows, bytes := uint64(0), 0, 0
		if _, err := Read(t.Context(), r, q, func(e Entry) bool {
			if rows++; rows%1000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc-min(base.HeapAlloc, now.HeapAlloc))
			}
			bytes += len(e.Payload)
			return true
		}); err != nil || rows < 5000 {
			t.Fatalf("%+v: %d rows, %v", q, rows, err)
		}
		t.Logf("%+v: %d rows of %d KiB, at most %d KiB held", q, rows, bytes>>10, most>>10)
		return most
	}
	for _, q := range []Query{{Oldest: true}, {}} {
		if held := peak(q); held > 1<<20 {
			t.Errorf("%+v: %d bytes held", q, held)
		}
	}
	for _, q := range []Query{{History: true}, {History: true, Oldest: true}} {
		if held := peak(q); held > 12<<20 { // of 20 MiB; a segment has 4
			t.Errorf("%+v: %d bytes held", q, held)
		}
	}
}

func TestObjectKeepsOrderAndBytes(t *testing.T) {
	t.Parallel()
	o, err := ParseObject([]byte(` {"b" : 1.0, "a":{"x" : [1,2 , 3]}, "<k>":"\u00e9<é\/"} `))
	if err != nil {
		t.Fatal(err)
	}
	c := o.clone()
	c.Set("a", []byte(`null`))
	c.Set("new", []byte(`[ ]`))
	var got []string
	for _, x := range []Object{o, c, {}} {
		b, err := x.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b))
	}
	if want := []string{`{"b":1.0,"a":{"x":[1,2,3]},"<k>":"\u00e9<é\/"}`, `{"b":1.0,"a":null,"<k>":"\u00e9<é\/","new":[]}`, `{}`}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzParseObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, `{"a":{"b":[1e9,"x"]},"c":null}`, `[`, `{"a"`, `{"a":1,}`, `{"a":1}x`, "{\"\\ud800\":1}", `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := ParseObject(b)
		if err != nil {
			return
		}
		out, err := o.Encode()
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", b, err)
		}
		again, err := ParseObject(out)
		if err != nil {
			t.Fatalf("%q was written as %q, which cannot be read: %v", b, out, err)
		}
		if third, err := again.Encode(); err != nil || string(third) != string(out) {
			t.Fatalf("%q then %q, %v", out, third, err)
		}
	})
}
