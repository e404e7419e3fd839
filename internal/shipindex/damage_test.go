package shipindex_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/refstore"
)

// damaged is a chain of two segments and the questions asked of it.
type damaged struct {
	ix   *shipindex.Index
	rows []shipindex.Row
	path string
	good []byte
}

var damageQueries = []shipindex.Query{
	{All: true},
	{Any: [][]string{{"plan3", "p10 "}}},
	{Any: [][]string{{"nobody wrote this"}}},
	{Takes: true},
	{IDs: []refstore.OID{id(5), id(23)}},
}

func damagedChain(t *testing.T, tip refstore.OID) *damaged {
	ix, dir := open(t)
	rows := history(0, 28)
	write(t, ix, id(23), "", rows[:24]...)
	write(t, ix, id(27), id(23), rows[24:]...)
	good, err := os.ReadFile(file(dir, tip))
	if err != nil {
		t.Fatal(err)
	}
	return &damaged{ix, rows, file(dir, tip), good}
}

// ask puts other bytes in the file's place. A question may go unanswered, but
// an answer is right. It reports whether all rows were read.
func (d *damaged) ask(t *testing.T, what string, at int, data []byte) (whole bool) {
	t.Helper()
	for i, q := range damageQueries {
		if err := os.WriteFile(d.path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := search(d.ix, id(27), q)
		if err == nil {
			whole = whole || i == 0
			err = sameRows(found, q, d.rows)
		} else if errors.Is(err, shipindex.ErrNoIndex) {
			continue
		}
		if err != nil {
			t.Fatalf("%s at %d of %d: %v", what, at, len(d.good), err)
		}
	}
	return whole
}

func TestTornAndDamagedFilesGiveNoWrongRows(t *testing.T) {
	for name, tip := range map[string]refstore.OID{"the tip's": id(27), "the base's": id(23)} {
		t.Run(name, func(t *testing.T) {
			d := damagedChain(t, tip)
			if !d.ask(t, "as written", 0, d.good) {
				t.Fatal("the undamaged chain does not answer")
			}
			unseen := func(what string, at int, data []byte) {
				if d.ask(t, what, at, data) {
					t.Errorf("%s at %d of %d went unseen", what, at, len(d.good))
				}
			}
			for n := range d.good {
				unseen("cut", n, d.good[:n])
				bad := bytes.Clone(d.good)
				bad[n] ^= 1 << (n % 8)
				unseen("a flipped bit", n, bad)
				if n%5 == 0 {
					unseen("cut and filled", n, append(bytes.Clone(d.good[:n]), make([]byte, len(d.good)-n)...))
				}
			}
			unseen("something more", len(d.good), append(bytes.Clone(d.good), 0))
			unseen("twice", len(d.good), append(bytes.Clone(d.good), d.good...))
			for n := 0; n+64 < len(d.good); n += 17 {
				bad := bytes.Clone(d.good)
				clear(bad[n : n+64])
				unseen("a hole", n, bad)
			}
		})
	}
}

func TestDamagedBaseIsNotMergedAndNotKept(t *testing.T) {
	d := damagedChain(t, id(27))
	bad := bytes.Clone(d.good)
	bad[len(bad)/2] ^= 4
	os.WriteFile(d.path, bad, 0o600)
	rows := append(d.rows, history(28, 9)...)
	if err := tryWrite(d.ix, id(36), id(27), rows[28:]...); !errors.Is(err, shipindex.ErrNotWritten) {
		t.Fatalf("merged a damaged segment: %v", err)
	}
	if d.ix.Have(id(36)) || d.ix.Have(id(27)) {
		t.Error("a chain with the damaged segment is still offered")
	}
	write(t, d.ix, id(36), "", rows...)
	check(t, d.ix, id(36), shipindex.Query{All: true}, rows)
}

func TestDamagedBlockIsNotCopied(t *testing.T) {
	ix, dir := open(t)
	write(t, ix, id(2999), "", history(0, 3000)...)
	path := file(dir, id(2999))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		bad := bytes.Clone(good)
		bad[len(bad)*(2*i+1)/40] ^= 1
		os.WriteFile(path, bad, 0o600)
		if err := tryWrite(ix, id(5999), id(2999), history(3000, 3000)...); !errors.Is(err, shipindex.ErrNotWritten) || ix.Have(id(2999)) {
			t.Fatalf("damage %d: %v, still there: %v", i, err, ix.Have(id(2999)))
		}
	}
	os.WriteFile(path, good, 0o600)
	write(t, ix, id(5999), id(2999), history(3000, 3000)...)
	check(t, ix, id(5999), shipindex.Query{All: true}, history(0, 6000))
}

func TestDamageFoundIsDamageRemoved(t *testing.T) {
	d := damagedChain(t, id(23))
	bad := bytes.Clone(d.good)
	bad[len(bad)/2] ^= 1
	os.WriteFile(d.path, bad, 0o600)
	if !d.ix.Have(id(27)) || len(d.ix.Candidates()) != 2 {
		t.Fatal("the damage shows before it is searched for")
	}
	if _, err := search(d.ix, id(27), shipindex.Query{All: true}); !errors.Is(err, shipindex.ErrNoIndex) {
		t.Fatal(err)
	}
	if d.ix.Have(id(27)) || len(d.ix.Candidates()) > 0 {
		t.Errorf("a chain that cannot be searched is still offered: %q", d.ix.Candidates())
	}
	write(t, d.ix, id(27), "", d.rows...)
	check(t, d.ix, id(27), shipindex.Query{All: true}, d.rows)
}
