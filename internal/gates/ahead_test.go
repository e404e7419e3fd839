package gates

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/pushed"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// audited renders what an audit of the ids says, and its error.
func audited(t *testing.T, s *Site, ids []string) (all []string, err error) {
	t.Helper()
	for f, e := range s.Audit(t.Context(), ids) {
		if err = e; err == nil {
			all = append(all, f.Sha+" "+string(f.Outcome)+" "+f.Subject+" "+string(f.Cause))
		}
	}
	return all, err
}

// claims makes a history of claims of all kinds, and reads what it adds.
func (f *field) claims() (*pushed.History, []string) {
	f.t.Helper()
	f.commit("fix: the api", "api/a.go", "package a\n")
	f.commit("fix: by white space", "api/a.go", "package  a\n\n")
	f.commit("fix: by a test", "api/a_test.go", "package a\n")
	f.commit("docs: of code", "api/a.go", "package b\n")
	f.commit("docs: it", "README.md", "text\n")
	f.commit("fix: by a document", "README.md", "more\n")
	f.commit("test: add more", "api/a_test.go", "package a\n1\n2\n")
	f.commit("test: add more", "api/a_test.go", "package a\n")
	f.commit("test: the api", "api/a_test.go", "package b\n")
	f.commit("fix: nothing")
	f.commit("lanes: what holds", "api/a.go", "package c\n")
	f.git("update-index", "--chmod=+x", "api/a.go")
	f.git("commit", "-q", "-m", "fix: a mode")
	f.git("checkout", "-q", "-f", "HEAD")
	f.git("rm", "-q", "api/a.go")
	f.commit("remove what is dead")
	f.git("checkout", "-q", "-b", "side")
	f.commit("chore: x", "web/x.js", "1\n")
	f.git("checkout", "-q", "main")
	f.commit("chore: y", "web/y.js", "1\n")
	f.git("merge", "-q", "--no-ff", "-m", "fix: by what a branch brings", "side")
	f.git("checkout", "-q", "-b", "other", "HEAD~1")
	f.commit("chore: z", "web/z.md", "1\n")
	f.git("checkout", "-q", "main")
	f.git("merge", "-q", "--no-ff", "-m", "Merge branch 'other'", "other")
	h, err := pushed.Between(f.t.Context(), f.repo(), []refstore.OID{refstore.OID(f.git("rev-parse", "HEAD"))}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, err := range h.Added(f.t.Context()) {
		if err != nil {
			f.t.Fatal(err)
		}
	}
	var ids []string
	for _, id := range h.IDs() {
		ids = append(ids, string(id))
	}
	return h, ids
}

func TestWhatIsKnownChangesNoOutcome(t *testing.T) {
	f := newField(t)
	h, ids := f.claims()
	read := make(chan struct{})
	close(read)
	want, err := audited(t, f.site("", "", policy.Gates{}), ids)
	if err != nil || len(want) != len(ids) {
		t.Fatalf("%d of %d, %v", len(want), len(ids), err)
	}
	for claim, known := range map[string]Known{
		"nothing":         {},
		"the paths":       {Commits: h.Commits(t.Context())},
		"what is added":   {Commits: h.Commits(t.Context()), Read: read, Solid: h.Solid},
		"nothing of them": {Commits: h.Commits(t.Context()), Read: read, Solid: func(string, string) bool { return false }},
	} {
		s := f.site("", "", policy.Gates{})
		s.AuditAhead(t.Context(), ids, known)
		if got, err := audited(t, s, ids); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is known: %v\n%q, want\n%q", claim, err, got, want)
		}
	}
}

// A commit whose outcome hangs on no count is not compared with its parent: it is
// audited although what its parent had is gone.
func TestWhatIsSettledIsNotCounted(t *testing.T) {
	f := newField(t)
	blob := f.git("rev-parse", "HEAD:api/a")
	fix := f.commit("fix: the api", "api/a", "2\n")
	if err := os.Remove(filepath.Join(f.dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	h, err := pushed.Between(t.Context(), f.repo(), []refstore.OID{refstore.OID(fix)}, []refstore.OID{refstore.OID(f.git("rev-parse", "HEAD~1"))})
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	close(read)
	for _, solid := range []bool{true, false} {
		s := f.site("", "", policy.Gates{})
		s.AuditAhead(t.Context(), []string{fix}, Known{h.Commits(t.Context()), read, func(string, string) bool { return solid }})
		if got, err := audited(t, s, []string{fix}); (err == nil) != solid || solid && len(got) != 1 {
			t.Errorf("known %v: %q, %v", solid, got, err)
		}
	}
}

// What is not read yet is waited for, until nobody wants to know.
func TestAnAuditWaitsForWhatIsRead(t *testing.T) {
	f := newField(t)
	h, ids := f.claims()
	ctx, cancel := context.WithCancelCause(t.Context())
	s := f.site("", "", policy.Gates{})
	s.AuditAhead(ctx, ids, Known{h.Commits(t.Context()), make(chan struct{}), h.Solid})
	select {
	case <-s.ahead.done:
		t.Errorf("it did not wait: %v", s.ahead.err)
	case <-time.After(300 * time.Millisecond):
	}
	why := errors.New("enough")
	cancel(why)
	select {
	case <-s.ahead.done:
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on after its context has ended")
	}
	if got, err := audited(t, s, ids); !errors.Is(err, why) || len(got) == len(ids) {
		t.Errorf("%d findings, %v", len(got), err)
	}
}
