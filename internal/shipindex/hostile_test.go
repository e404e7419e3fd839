package shipindex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

var onePacker = sync.OnceValues(newPacker)

func packer(t testing.TB) *zstd.Encoder {
	z, err := onePacker()
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// forge packs columns that no writer made, with right sums.
func forge(t testing.TB, rows int, takes bool, text, rest []byte) []byte {
	z := packer(t)
	ids, filter := bytes.Repeat([]byte{7}, 20*rows), newGrams(0, 0)
	packedText, packedRest := z.EncodeAll(text, nil), z.EncodeAll(rest, nil)
	h := blockHead{
		rows: rows, takes: takes, gramsLog: filter.log(),
		textSize: len(text), textLen: len(packedText), restSize: len(rest), restLen: len(packedRest),
		gramsSum: sum(filter), idsSum: sum(ids), textSum: sum(packedText), restSum: sum(packedRest),
	}
	return bytes.Join([][]byte{h.append(nil), filter, ids, packedText, packedRest}, nil)
}

// readForged reads all rows of a block.
func readForged(b []byte) (rows []Row, err error) {
	h, ok := parseBlockHead(b, 0, int64(len(b)), 20)
	if !ok {
		return nil, errDamaged
	}
	r := newBlockReader(20)
	r.load(bytes.NewReader(b), h)
	return newMatcher(Query{}, 20).rows(r, wanted{all: true})
}

func honest() (rows []Row, texts []string) {
	for i := range 12 {
		r := Row{ID: refstore.OID(fmt.Sprintf("%040x", i+1)), Parents: []refstore.OID{refstore.OID(fmt.Sprintf("%040x", i+2)), refstore.OID(fmt.Sprintf("%040x", i+9))},
			Subject: fmt.Sprintf("Subject %d", i), Units: []string{"A/B"}, Leases: []string{"x@1"}, Takes: []ship.Taken{{ID: "abcdef", Base: "0123"}}, Body: []byte("body " + strings.Repeat("b", i))}
		rows, texts = append(rows, r), append(texts, r.Text())
	}
	return rows, texts
}

// columns unpacks the columns of honest rows.
func columns(t testing.TB) (text, rest []byte) {
	rows, texts := honest()
	b, err := encodeBlock(packer(t), rows, texts, true, 20)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readForged(b); err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	h, _ := parseBlockHead(b, 0, int64(len(b)), 20)
	r := newBlockReader(20)
	r.load(bytes.NewReader(b), h)
	if err := r.readAll(); err != nil {
		t.Fatal(err)
	}
	return r.text.unpacked, r.rest.unpacked
}

func TestForgedColumnsDoNotPanic(t *testing.T) {
	text, rest := columns(t)
	rng := rand.New(rand.NewPCG(3, 4))
	read := 0
	for range 20000 {
		text, rest := bytes.Clone(text), bytes.Clone(rest)
		for range 1 + rng.IntN(3) {
			column := text
			if rng.IntN(3) > 0 {
				column = rest
			}
			column[rng.IntN(len(column))] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(rng.Uint32())}[rng.IntN(6)]
		}
		rows, cut := 12, 0
		if rng.IntN(8) == 0 {
			rows, cut = 1+rng.IntN(13), rng.IntN(2)
		}
		if _, err := readForged(forge(t, rows, true, text[:len(text)-cut], rest[:len(rest)-cut])); err == nil {
			read++
		}
	}
	if read < 1000 || read > 19000 {
		t.Errorf("%d of 20000 could be read: the test forges too much or too little", read)
	}
}

func TestRowsNoWriterMakesAreRefused(t *testing.T) {
	text, rest := columns(t)
	if _, err := readForged(forge(t, 12, true, text, rest)); err != nil {
		t.Fatal(err)
	}
	if _, err := readForged(forge(t, 12, false, text, rest)); err == nil {
		t.Error("a row that takes something back is hidden among others")
	}
	row, err := appendRest(nil, Row{Subject: "s"}, "s", "", 20)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		rest []byte
		ok   bool
	}{
		"as written":         {row, true},
		"an unknown flag":    {append([]byte{row[0] | rowFlags}, row[1:]...), false},
		"something more":     {append(bytes.Clone(row), 0), false},
		"parents for ever":   {binary.AppendUvarint([]byte{row[0], 0}, 1<<62), false},
		"units for ever":     {binary.AppendUvarint([]byte{row[0], 0, 0, 1}, 1<<63), false},
		"no next for parent": {append([]byte{row[0] | rowNextParent}, row[1:]...), false},
	} {
		got, err := readForged(forge(t, 1, false, []byte{1, 's'}, append([]byte{byte(len(c.rest))}, c.rest...)))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func FuzzColumns(f *testing.F) {
	text, rest := columns(f)
	f.Add(12, true, text, rest)
	f.Add(1, false, []byte{0}, []byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, rows int, takes bool, text, rest []byte) {
		if rows > 0 && rows <= blockRows {
			_, _ = readForged(forge(t, rows, takes, text, rest))
		}
	})
}

func TestSizesAreBoundedBeforeTheyAreUsed(t *testing.T) {
	good := forge(t, 1, false, []byte{0}, []byte{4, 0, 0, 0, 0})
	le := binary.LittleEndian
	for name, change := range map[string]func(b []byte){
		"no rows":        func(b []byte) { le.PutUint32(b[4:], 0) },
		"too many rows":  func(b []byte) { le.PutUint32(b[4:], blockRows+1) },
		"all the rows":   func(b []byte) { le.PutUint32(b[4:], 1<<32-1) },
		"flags":          func(b []byte) { b[8] = 2 },
		"a small filter": func(b []byte) { b[9] = minGrams - 1 },
		"a huge filter":  func(b []byte) { b[9] = maxGrams + 1 },
		"a shift":        func(b []byte) { b[9] = 255 },
		"text size":      func(b []byte) { le.PutUint32(b[12:], maxSection+1) },
		"text length":    func(b []byte) { le.PutUint32(b[16:], 1<<32-1) },
		"rest size":      func(b []byte) { le.PutUint32(b[20:], maxSection+1) },
		"rest length":    func(b []byte) { le.PutUint32(b[24:], 1<<31) },
	} {
		b := bytes.Clone(good)
		change(b)
		le.PutUint32(b[44:], sum(b[:44]))
		limit := int64(1) << 40
		if strings.HasSuffix(name, "length") {
			limit = int64(len(b))
		}
		if _, ok := parseBlockHead(b, 0, limit, 20); ok {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSizeOfAColumnIsExact(t *testing.T) {
	text, rest := columns(t)
	b := forge(t, 12, true, text, rest)
	for _, at := range []int{12, 20} {
		for _, by := range []uint32{0, 1, 1<<32 - 1} {
			b := bytes.Clone(b)
			binary.LittleEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:])+by)
			binary.LittleEndian.PutUint32(b[44:], sum(b[:44]))
			if _, err := readForged(b); (err == nil) != (by == 0) {
				t.Errorf("size at %d changed by %d: %v", at, int32(by), err)
			}
		}
	}
}

func TestWhatUnpacksToMoreThanItSaysIsRefused(t *testing.T) {
	z := packer(t)
	for name, text := range map[string][]byte{"a little": make([]byte, 200), "a bomb": make([]byte, 2*maxSection)} {
		b := forge(t, 1, false, []byte{100}, []byte{0})
		packed := z.EncodeAll(text, nil)
		r := newBlockReader(20)
		h, _ := parseBlockHead(b, 0, int64(len(b)), 20)
		h.atText, h.atRest, h.textSum, h.textSize = 0, int64(len(packed)), sum(packed), 100
		r.load(bytes.NewReader(packed), h)
		if err := r.readText(); err == nil {
			t.Errorf("%s: unpacked", name)
		}
		if cap(r.text.unpacked) > maxSection {
			t.Errorf("%s: %d bytes were held", name, cap(r.text.unpacked))
		}
	}
}

func TestGramsNeverDenyWhatIsThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	words := make([]string, 500)
	for i := range words {
		for range 3 + rng.IntN(7) {
			words[i] += string(rune('a' + min(rng.IntN(26), rng.IntN(26))))
		}
	}
	denied := 0
	for range 1000 {
		var text []byte
		for range rng.IntN(3000) {
			text = append(append(text, words[rng.IntN(len(words))]...), ' ')
		}
		id := make([]byte, 20)
		binary.LittleEndian.PutUint64(id, rng.Uint64())
		binary.LittleEndian.PutUint64(id[8:], rng.Uint64())
		g := newGrams(len(text), 1)
		g.addText(text)
		g.addID(id)
		from := rng.IntN(len(text) + 1)
		if part := string(text[from : from+rng.IntN(min(9, len(text)-from+1))]); !g.mayText(part) {
			t.Fatalf("%q is denied", part)
		}
		if !g.mayID(string(id)) {
			t.Fatal("the id is denied")
		}
		if !g.mayText("0123") {
			denied++
		}
		id[3], id[7], id[11] = id[3]+1, id[7]+1, id[11]+1
		if !g.mayID(string(id)) {
			denied++
		}
	}
	if denied < 1700 {
		t.Errorf("only %d of 2000 strangers are denied: the filter filters little", denied)
	}
}

func TestOnlyStampsAreNumbered(t *testing.T) {
	for s, want := range map[string]bool{
		"": false, "fix the parser (#1234)": false, "P1 done": true, "12: x": true, "phase 2": true, "#12 and #3": false, "#1a2": true,
	} {
		if got := numbered(s); got != want {
			t.Errorf("numbered(%q) = %v", s, got)
		}
	}
}

func TestWriteThatFailsLeavesNothing(t *testing.T) {
	ix := Open(filepath.Join(t.TempDir(), "index"), Key{Format: refstore.SHA1})
	for name, fill := range map[string]int{"at the end": 1, "on the way": 2 * blockRows} {
		w := ix.NewWriter(refstore.OID(fmt.Sprintf("%040x", 1)), "")
		if w.err != nil {
			t.Fatal(w.err)
		}
		w.f.Close() // as good as a full disk
		for i := range fill {
			w.Add(Row{ID: refstore.OID(fmt.Sprintf("%040x", i+1))})
		}
		if err := w.Commit(); !errors.Is(err, ErrNotWritten) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(ix.dir); len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
	}
}

func TestTailThatCountsWrongIsRefused(t *testing.T) {
	ix := Open(filepath.Join(t.TempDir(), "index"), Key{Format: refstore.SHA1})
	rows, _ := honest()
	tip := rows[0].ID
	w := ix.NewWriter(tip, "")
	for i, r := range rows {
		if i%2 == 0 {
			r.Takes = nil
		}
		w.Add(r)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(ix.dir, ix.name(tip))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body, head := good[:len(good)-tailLen], good[:headLen(20)]
	for name, c := range map[string]struct {
		rows, blocks int64
		bad          bool
	}{
		"right":       {12, 2, false},
		"a row less":  {11, 2, true},
		"a row more":  {13, 2, true},
		"half of it":  {6, 1, true},
		"a block on":  {12, 3, true},
		"nothing":     {0, 0, true},
		"less":        {12, -1, true},
		"without end": {1<<63 - 1, 1<<63 - 1, true},
	} {
		forged := append(bytes.Clone(body), segmentTail(head, c.rows, c.blocks, int64(len(good)))...)
		if err := os.WriteFile(path, forged, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, q := range []Query{{All: true}, {}} {
			var got error
			for _, err := range ix.Search(tip, q) {
				got = err
			}
			if errors.Is(got, ErrNoIndex) != c.bad {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}
