package pushed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// whole reads all that a history adds.
func whole(t *testing.T, h *History) *History {
	t.Helper()
	for _, err := range h.Added(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func TestSolidIsWhatChangesInMoreThanWhiteSpace(t *testing.T) {
	p := newPlace(t)
	p.write("spaced", "a b\nc\n")
	p.write("gone", "text\n")
	p.write("gone blank", "\n \n")
	p.write("shorter", "a\nb\n")
	p.write("turns", "x\n")
	p.write("turns alike", "blank\n")
	p.write("swapped", "ab\ncd\n")
	p.write("mode", "x\n")
	first := p.commit("same", "same\n", "one")
	p.write("spaced", "ab\n\n\tc\f\r\n")
	p.write("new", "text\n")
	p.write("blank", "\n\n")
	p.write("--- a", "-- b\n++ c\n")
	p.write("long", strings.Repeat("x", 3*maxPiece))
	p.write("shorter", "a\n")
	p.write("swapped", "ba\ncd\n")
	for _, name := range []string{"gone", "gone blank", "turns", "turns alike"} {
		if err := os.Remove(p.dir + "/" + name); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "turns") {
			if err := os.Symlink("blank", p.dir+"/"+name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chmod(p.dir+"/mode", 0o755); err != nil {
		t.Fatal(err)
	}
	tip := p.commit("same", "same\n", "two")
	h := p.outgoing("x", hooks.Update{Ref: "refs/heads/main", Old: first, New: tip}).(*History)
	if h.Solid(tip, "new") {
		t.Error("something is known before anything was read")
	}
	whole(t, h)
	for path, want := range map[string]bool{
		"new": true, "gone": true, "shorter": true, "turns": true, "--- a": true, "long": true,
		"spaced": false, "gone blank": false, "blank": false, "same": false, "swapped": false, "mode": false, "turns alike": false,
	} {
		if got := h.Solid(tip, path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	for c, err := range h.Commits(context.Background()) {
		for _, ch := range c.Changes {
			if err != nil || ch.Same != (ch.Path == "mode") || ch.Was == "" != (ch.Status == 'A') {
				t.Errorf("%+v, %v", ch, err)
			}
		}
	}
}

// What is solid, git too counts lines of, however it lays them side by side.
func TestWhatIsSolidIsCounted(t *testing.T) {
	p := newPlace(t)
	random := rand.New(rand.NewPCG(5, 6))
	text := func() string {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString([]string{"a", "b", "c", " ", "\t", "\n", "\n\n", "\r\n", "a\n", "b\n", "ab\n", "\v", "\x00"}[random.IntN(13)])
		}
		return b.String()
	}
	const files = 300
	for i := range files {
		p.write(fmt.Sprint("f", i), text())
	}
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "one")
	for i := range files {
		p.write(fmt.Sprint("f", i), text())
	}
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "two")
	tip := p.git("rev-parse", "HEAD")
	h := whole(t, p.outgoing("x", hooks.Update{Ref: "refs/heads/main", New: tip}).(*History))
	run, solid, hollow := p.open().Git, 0, 0
	for stat, err := range ancestry.Numstat(context.Background(), run, ancestry.Read(context.Background(), run, h.IDs())) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range stat.Files {
			counted := f.Binary || f.Added+f.Deleted > 0
			switch {
			case !counted:
				hollow++
			case h.Solid(string(stat.ID), f.Path):
				solid++
			}
			if !counted && h.Solid(string(stat.ID), f.Path) {
				t.Errorf("%s of %s is solid, and git counts nothing", f.Path, stat.ID)
			}
		}
	}
	if solid < files || hollow == 0 {
		t.Errorf("%d solid, %d hollow", solid, hollow)
	}
}
