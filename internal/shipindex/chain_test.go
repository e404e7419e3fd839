package shipindex_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/refstore"
)

func TestChainStaysShort(t *testing.T) {
	ix, dir := open(t)
	const n = 600
	write(t, ix, id(n-1), "", history(0, n)...)
	first, _ := os.Stat(file(dir, id(n-1)))
	for i := n; i < 2*n; i++ {
		write(t, ix, id(i), id(i-1), history(i, 1)...)
		if i%50 != 0 {
			continue
		}
		check(t, ix, id(i), shipindex.Query{All: true}, history(0, i+1))
		check(t, ix, id(i), shipindex.Query{Any: [][]string{{"plan3", "p7"}}, Takes: true}, history(0, i+1))
		if links, blocks := shipindex.Shape(ix, id(i)); links > 12 || blocks > 60 {
			t.Errorf("after %d: %d segments, %d blocks", i, links, blocks)
		}
	}
	if files := names(dir); len(files) > 64 {
		t.Errorf("%d files are left", len(files))
	}
	if st, err := os.Stat(file(dir, id(n-1))); err == nil && st.Size() != first.Size() {
		t.Error("a segment was changed in place")
	}
}

func TestBigSegmentIsNotCopiedForASmallOne(t *testing.T) {
	ix, dir := open(t)
	write(t, ix, id(0), "", history(0, 5000)...)
	write(t, ix, id(1), id(0), history(5000, 1)...)
	st, err := os.Stat(file(dir, id(1)))
	if err != nil || st.Size() > 4096 {
		t.Errorf("%v, %v", st.Size(), err)
	}
	write(t, ix, id(2), id(1), history(5001, 3000)...)
	if links, _ := shipindex.Shape(ix, id(2)); links != 1 {
		t.Errorf("%d segments, want all in one", links)
	}
	check(t, ix, id(2), shipindex.Query{All: true}, history(0, 8001))
	check(t, ix, id(1), shipindex.Query{All: true}, history(0, 5001))
	check(t, ix, id(2), shipindex.Query{IDs: []refstore.OID{id(17), id(6000), id(5000)}}, history(0, 8001))
}

func TestBranchesShareABase(t *testing.T) {
	ix, _ := open(t)
	write(t, ix, id(99), "", history(0, 100)...)
	write(t, ix, id(1000), id(99), history(1000, 3)...)
	write(t, ix, id(2000), id(99), history(2000, 80)...)
	check(t, ix, id(1000), shipindex.Query{All: true}, append(history(0, 100), history(1000, 3)...))
	check(t, ix, id(2000), shipindex.Query{All: true}, append(history(0, 100), history(2000, 80)...))
}

func TestOldAndSurplusFilesGo(t *testing.T) {
	ix, dir := open(t)
	other := shipindex.Open(dir, shipindex.Key{Format: refstore.SHA1})
	write(t, other, id(50), "", history(50, 1)...)
	old := file(dir, id(50))
	age(t, old, 40*24*time.Hour)
	write(t, ix, id(199), "", history(0, 200)...)
	age(t, file(dir, id(199)), 20*24*time.Hour)
	write(t, ix, id(200), id(199), history(200, 1)...)
	if _, err := os.Stat(old); err == nil {
		t.Error("a file of 40 days is still there")
	}
	for name, by := range map[string]time.Duration{"tmp-old": 2 * time.Hour, "tmp-new": time.Minute, "README": 99 * 24 * time.Hour, "0123-" + string(id(0)): 99 * 24 * time.Hour} {
		os.WriteFile(filepath.Join(dir, name), nil, 0o600)
		age(t, filepath.Join(dir, name), by)
	}
	for i := range 100 {
		write(t, other, id(300+i), "", history(300+i, 1)...)
		age(t, file(dir, id(300+i)), time.Hour-time.Duration(i)*time.Second)
	}
	left := strings.Join(names(dir), " ")
	if strings.Contains(left, "tmp-old") || !strings.Contains(left, "tmp-new") || !strings.Contains(left, "README") || !strings.Contains(left, "0123-") {
		t.Errorf("left: %s", left)
	}
	if n := len(names(dir)); n != 64+3 {
		t.Errorf("%d files are left", n)
	}
	if other.Have(id(300)) || !other.Have(id(399)) {
		t.Error("the young went before the old")
	}
	if !ix.Have(id(200)) {
		t.Error("a base of a file that stays was removed")
	}
}

func TestBaseOfAFileThatStaysIsNotTooOld(t *testing.T) {
	ix, dir := open(t)
	write(t, ix, id(199), "", history(0, 200)...)
	write(t, ix, id(200), id(199), history(200, 1)...)
	age(t, file(dir, id(199)), 90*24*time.Hour)
	write(t, ix, id(5), "", history(0, 6)...)
	check(t, ix, id(200), shipindex.Query{All: true}, history(0, 201))
}

func TestBytesAreBounded(t *testing.T) {
	ix, dir := open(t)
	incompressible := func(i int) shipindex.Row {
		b := make([]byte, 18<<20)
		rand.NewChaCha8([32]byte{byte(i)}).Read(b)
		for i := range b {
			b[i] &= 0x7f
		}
		return shipindex.Row{ID: id(i), Subject: string(b)}
	}
	for i := range 5 {
		write(t, ix, id(i), "", incompressible(i))
		age(t, file(dir, id(i)), time.Duration(50-i)*time.Minute)
	}
	write(t, ix, id(9), "", history(9, 1)...)
	var bytes int64
	for _, name := range names(dir) {
		st, _ := os.Stat(filepath.Join(dir, name))
		bytes += st.Size()
	}
	if bytes > 100<<20 || !ix.Have(id(9)) || !ix.Have(id(4)) || ix.Have(id(0)) {
		t.Errorf("%d MB are left: %q", bytes>>20, names(dir))
	}
}
