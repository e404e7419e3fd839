package shipindex

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
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
		if _, ok := parseBlockHead(b, 0, int64(len(b)), 20); ok {
			t.Errorf("%s: accepted", name)
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
