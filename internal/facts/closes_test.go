package facts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/closes"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// states asks about issues and renders what is said of each: "CLOSED REVERTED".
func (h *history) states(dir, ref string, issues ...int) string {
	h.t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		h.t.Fatal(err)
	}
	ev, err := Closes(context.Background(), repo, ClosesRequest{Ref: ref, Issues: issues})
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, i := range closes.Decide(ev).Issues {
		out = append(out, string(i.State))
	}
	return strings.Join(out, " ")
}

func TestClosesAcrossTheShapesOfHistory(t *testing.T) {
	h := base(t)
	h.git("checkout", "-q", "-b", "side")
	h.commit("fix: one, closes #1", "api/b.go", "package b\n")
	h.git("checkout", "-q", "main")
	h.commit("fix: two", "api/c.go", "package c\n")
	ask := func(claim, want string, issues ...int) {
		t.Helper()
		if got := h.states(h.dir, "", issues...); got != want {
			t.Errorf("%s: %s, want %s", claim, got, want)
		}
	}
	ask("a side branch is not the trunk", "NOT_NAMED", 1)
	h.git("merge", "-q", "--no-ff", "-m", "merge side, closes #9", "side")
	ask("what was merged is, and the merge itself claims nothing", "CLOSED UNWITNESSED", 1, 9)
	h.git("revert", "--no-edit", "-m", "1", "HEAD")
	ask("a revert of the merge takes back what it brought", "REVERTED", 1)
	h.git("revert", "--no-edit", "HEAD")
	ask("and its revert brings it again", "CLOSED", 1)
	h.commit("fix: one again, closes #1\n")
	ask("an empty claim on top hides nothing", "CLOSED", 1)
	h.raw("fix: nul\x00, closes #5", "api/d.go", "package d\n")
	ask("a message with a NUL closes nothing", "NOT_NAMED", 5)
	h.raw("fix: separators\u2028closes #6\n\nfixes\xff #7 closes\u00a0#8", "api/e.go", "package e\n")
	ask("separators and bytes that are no UTF-8 forge nothing", "CLOSED MENTIONED MENTIONED", 6, 7, 8)
}

func TestClosesWhereHistoryIsNotAllHere(t *testing.T) {
	h := base(t)
	h.commit("fix: one, closes #1", "api/b.go", "package b\n")
	h.git("revert", "--no-edit", "HEAD")
	h.git("checkout", "-q", "-b", "side", "HEAD~1")
	h.commit("fix: two, closes #2", "api/c.go", "package c\n")
	h.git("checkout", "-q", "main")
	h.commit("fix: three, closes #3", "api/d.go", "package d\n")
	h.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	if got := h.states(h.dir, "", 1, 2, 3, 4); got != "REVERTED CLOSED CLOSED NOT_NAMED" {
		t.Fatalf("the whole history: %s", got)
	}
	clone := func(depth int) string {
		dir := filepath.Join(t.TempDir(), "clone")
		h.git("clone", "-q", fmt.Sprintf("--depth=%d", depth), "file://"+h.dir, dir)
		return dir
	}
	if got := h.states(clone(1), "", 1, 2, 3, 4); got != "INDETERMINATE INDETERMINATE INDETERMINATE INDETERMINATE" {
		t.Errorf("depth 1: %s", got)
	}
	// The edge of depth 2 is the two sides' tips, whose own diffs are unknown.
	if got := h.states(clone(2), "", 2, 3); got != "INDETERMINATE INDETERMINATE" {
		t.Errorf("depth 2: %s", got)
	}
	shallow := clone(3)
	if got := h.states(shallow, "", 3); got != "INDETERMINATE" {
		t.Errorf("a hidden side may hold a revert: %s", got)
	}
	h.at(shallow, "fetch", "-q", "--unshallow")
	if got := h.states(shallow, "", 1, 2, 3, 4); got != "REVERTED CLOSED CLOSED NOT_NAMED" {
		t.Errorf("after unshallow: %s", got)
	}
}

// A commit whose diff cannot be read hides neither the others nor its own
// claim.
func TestClosesWithATreeMissing(t *testing.T) {
	h := base(t)
	h.commit("fix: one, closes #1", "api/b.go", "package b\n")
	h.commit("fix: two, closes #2", "web/c.go", "package c\n")
	h.commit("fix: three, closes #3", "api/d.go", "package d\n")
	h.commit("fix: four, closes #4", "api/e.go", "package e\n")
	tree := h.git("rev-parse", "HEAD~1:api")
	if err := os.Remove(filepath.Join(h.dir, ".git", "objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	if got := h.states(h.dir, "", 1, 2, 3, 4); got != "CLOSED CLOSED INDETERMINATE INDETERMINATE" {
		t.Errorf("got %s", got)
	}
	commit := h.git("rev-parse", "HEAD~3")
	if err := os.Remove(filepath.Join(h.dir, ".git", "objects", commit[:2], commit[2:])); err != nil {
		t.Fatal(err)
	}
	if got := h.states(h.dir, "", 1, 2); got != "INDETERMINATE INDETERMINATE" {
		t.Errorf("with a commit missing: %s", got)
	}
}

func TestClosesOfARefThatIsNotThere(t *testing.T) {
	h := base(t)
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Closes(context.Background(), repo, ClosesRequest{Ref: "nowhere"}); !errors.Is(err, ancestry.ErrNoRevision) {
		t.Errorf("%v, want ErrNoRevision", err)
	}
	h.commit("rules", "dos.toml", "[stamp]\nstyl = 1\n")
	if _, err := Closes(context.Background(), repo, ClosesRequest{}); err == nil {
		t.Error("a broken dos.toml was passed over")
	}
}
