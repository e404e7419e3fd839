package pushed

import (
	"context"
	"strings"
	"testing"
)

func (p place) staged(message string) *Making {
	p.t.Helper()
	m, err := Staged(context.Background(), p.open(), []byte(message))
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

func TestWhatIsStagedIsTheCommitThatIsMade(t *testing.T) {
	p := newPlace(t)
	p.write("a", "first\n")
	p.git("add", "a")
	m := p.staged("subject\n")
	if got := changed(t, m); got != "A a 6" {
		t.Errorf("before the first commit: %q", got)
	}
	p.git("commit", "-q", "-m", "one")
	p.write("a", "first\nin the work tree\n")
	p.write("b", "staged\n")
	p.git("add", "b")
	p.write("b", "changed since\n")
	if got := added(t, p.staged("")); got != "b:1 staged" {
		t.Errorf("%q is staged", got)
	}
	if got := subjects(t, p.staged("subject\n\nbody\n")); got != "subject" {
		t.Errorf("subject %q", got)
	}
}

// What a merge takes from a parent is not the work of who merges.
func TestAMergeBringsWhatItHasFromNoParent(t *testing.T) {
	p := newPlace(t)
	p.commit("a", "1\n", "one")
	p.git("checkout", "-q", "-b", "side")
	p.commit("theirs", "theirs\n", "two")
	p.git("checkout", "-q", "main")
	p.commit("ours", "ours\n", "three")
	p.git("merge", "-q", "--no-commit", "side")
	p.write("evil", "evil\n")
	p.git("add", "evil")
	m := p.staged("")
	if got, want := changed(t, m)+"; "+added(t, m), "A evil 5; evil:1 evil"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAnUnmergedPathIsAnError(t *testing.T) {
	p := newPlace(t)
	p.commit("a", "1\n", "one")
	p.git("checkout", "-q", "-b", "side")
	p.commit("a", "theirs\n", "two")
	p.git("checkout", "-q", "main")
	p.commit("a", "ours\n", "three")
	p.git("config", "alias.collide", "!git merge -q side || true")
	p.git("collide")
	var err error
	for _, e := range p.staged("").Commits(context.Background()) {
		err = e
	}
	if err == nil || !strings.Contains(err.Error(), "a is unmerged") {
		t.Errorf("%v", err)
	}
}
