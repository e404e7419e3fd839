//go:build unix

package shipindex_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/git-dos/git-dos/internal/shipindex"
)

func TestLinkForTheDirectoryIsNotFollowed(t *testing.T) {
	elsewhere := t.TempDir()
	write(t, shipindex.Open(elsewhere, key1), id(0), "", history(0, 3)...)
	before := names(elsewhere)
	ix, dir := open(t)
	if err := os.Symlink(elsewhere, dir); err != nil {
		t.Fatal(err)
	}
	if ix.Have(id(0)) {
		t.Error("read through a link")
	}
	if err := tryWrite(ix, id(1), ""); !errors.Is(err, shipindex.ErrNotWritten) {
		t.Errorf("written through a link: %v", err)
	}
	if after := names(elsewhere); len(after) != len(before) {
		t.Errorf("the other directory has %q", after)
	}
}

func TestLinksInTheDirectoryAreNotFollowed(t *testing.T) {
	ix, dir := open(t)
	write(t, ix, id(0), "", history(0, 3)...)
	outside := filepath.Join(t.TempDir(), "x")
	if err := os.Rename(file(dir, id(0)), outside); err != nil {
		t.Fatal(err)
	}
	os.Symlink(outside, file(dir, id(0)))
	if ix.Have(id(0)) {
		t.Error("a link out of the directory was read")
	}
	if tips := ix.Candidates(); len(tips) > 0 {
		t.Errorf("a link is a candidate: %q", tips)
	}
	before, _ := os.ReadFile(outside)
	write(t, ix, id(0), "", history(0, 5)...)
	if after, _ := os.ReadFile(outside); !bytes.Equal(before, after) {
		t.Error("a link was written through")
	}
	check(t, ix, id(0), shipindex.Query{All: true}, history(0, 5))
}

func TestPipeIsNotWaitedFor(t *testing.T) {
	ix, dir := open(t)
	write(t, ix, id(0), "", history(0, 3)...)
	name := file(dir, id(0))
	os.Remove(name)
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if ix.Have(id(0)) || len(ix.Candidates()) > 0 {
		t.Error("a pipe is taken for a segment")
	}
	write(t, ix, id(1), "", history(1, 1)...)
	write(t, ix, id(0), "", history(0, 5)...)
	check(t, ix, id(0), shipindex.Query{All: true}, history(0, 5))
}
