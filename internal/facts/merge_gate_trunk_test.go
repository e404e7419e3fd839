package facts

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// into asks from dir which trunk the branch would be merged into; "refused" where
// none is known.
func (h *history) into(dir, branch string) string {
	h.t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		h.t.Fatal(err)
	}
	ev, err := MergeGate(context.Background(), repo, MergeGateRequest{Branch: branch, NoSuite: true})
	var refused *MergeGateError
	switch {
	case errors.As(err, &refused) && strings.Contains(err.Error(), "branch's own word"):
		if !strings.Contains(refused.Hint, "--into ") {
			h.t.Errorf("hint %q", refused.Hint)
		}
		return "refused"
	case err != nil:
		return err.Error()
	}
	return strings.TrimPrefix(ev.Into, "refs/")
}

const (
	statesMain = "[trunk]\nref = \"main\"\n"
	statesLax  = "[trunk]\nref = \"lax\"\n"
)

// anchored is a trunk main with this dos.toml, a branch work of it with one
// commit, and a branch lax that holds main and would be the trunk itself.
func anchored(t *testing.T, toml string) *history {
	h := newHistory(t)
	h.commit("root", "dos.toml", toml, "api/a.go", "package a\n")
	h.git("branch", "work")
	h.git("checkout", "-q", "-b", "lax")
	h.commit("chore: rules", "dos.toml", statesLax)
	h.git("checkout", "-q", "work")
	h.commit("fix: one", "api/a.go", "package a // 1\n")
	return h
}

func TestALinkedWorktreeGoesByTheMainOne(t *testing.T) {
	for _, c := range []struct{ claim, main, mine, want string }{
		{"both state it", statesMain, "", "heads/main"},
		{"the main one is on it and states none", "# none\n", statesMain, "heads/main"},
		{"the branch states itself", statesMain, "[trunk]\nref = \"work\"\n", "nothing to merge: refs/heads/work already has refs/heads/work"},
		{"the branch states another that holds the main one", statesMain, statesLax, "refused"},
		{"the main one is on no commit of what the branch states", "# none\n", statesLax, "refused"},
	} {
		h := anchored(t, c.main)
		if c.mine != "" {
			h.commit("chore: mine", "dos.toml", c.mine)
		}
		h.git("checkout", "-q", "main")
		w1 := filepath.Join(t.TempDir(), "w1")
		h.git("worktree", "add", "-q", w1, "work")
		if got := h.into(w1, "work"); got != c.want {
			t.Errorf("%s: %s, want %s", c.claim, got, c.want)
		}
	}
	h := anchored(t, statesMain)
	h.git("checkout", "-q", "lax")
	w1 := filepath.Join(t.TempDir(), "w1")
	h.git("worktree", "add", "-q", w1, "work")
	if got := h.into(w1, "work"); got != "refused" {
		t.Errorf("the main one is on another branch: %s", got)
	}
	h.git("checkout", "-q", "-b", "side", "main")
	h.commit("fix: aside", "api/b.go", "package a\n")
	if got := h.into(w1, "work"); got != "refused" {
		t.Errorf("the main one is on a branch of it: %s", got)
	}
}

func TestTheDefaultBranchNamesTheTrunk(t *testing.T) {
	h := anchored(t, statesMain)
	if got := h.into(h.dir, "work"); got != "refused" {
		t.Errorf("nothing but the checkout: %s", got)
	}
	h.git("config", "init.defaultBranch", "nowhere")
	if got := h.into(h.dir, "work"); got != "refused" {
		t.Errorf("a default branch that is not there: %s", got)
	}
	h.git("config", "init.defaultBranch", "main")
	if got := h.into(h.dir, "work"); got != "heads/main" {
		t.Errorf("the default branch states itself: %s", got)
	}
	h.commit("chore: mine", "dos.toml", statesLax)
	if got := h.into(h.dir, "work"); got != "refused" {
		t.Errorf("the default branch states another: %s", got)
	}
}

func TestARemotesHeadNamesTheTrunk(t *testing.T) {
	h := anchored(t, statesMain)
	h.git("checkout", "-q", "main")
	clone := filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", h.dir, clone)
	h.at(clone, "checkout", "-q", "work")
	if got := h.into(clone, "work"); got != "heads/main" {
		t.Errorf("the remote's HEAD states main: %s", got)
	}
	h.at(clone, "checkout", "-q", "-b", "mine", "origin/lax")
	h.at(clone, "merge", "-q", "-m", "merge work", "-X", "ours", "origin/work")
	if got := h.into(clone, "mine"); got != "heads/main" {
		t.Errorf("whatever the branch states: %s", got)
	}
	h.git("branch", "develop")
	h.commit("chore: trunk", "dos.toml", "[trunk]\nref = \"develop\"\n")
	other := filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", h.dir, other)
	h.at(other, "checkout", "-q", "-b", "mine", "origin/work")
	if got := h.into(other, "mine"); got != "remotes/origin/develop" {
		t.Errorf("the remote's HEAD states another: %s", got)
	}
	h.at(other, "remote", "set-head", "origin", "--delete")
	if got := h.into(other, "mine"); got != "remotes/origin/develop" {
		t.Errorf("its main does, where the HEAD is not known: %s", got)
	}
	h.git("rm", "-q", "dos.toml")
	h.git("commit", "-q", "-m", "no rules")
	for branch, want := range map[string]string{"origin/work": "heads/main", "origin/lax": "remotes/origin/main"} {
		dir := filepath.Join(t.TempDir(), "clone")
		h.git("clone", "-q", h.dir, dir)
		h.at(dir, "branch", "lax", "origin/lax")
		h.at(dir, "checkout", "-q", "-b", "mine", branch)
		h.at(dir, "commit", "-q", "--allow-empty", "-m", "more")
		if got := h.into(dir, "mine"); got != want {
			t.Errorf("a remote without rules, from %s: %s, want %s", branch, got, want)
		}
	}
}

func TestABranchThatIsNotThereIsToldFirst(t *testing.T) {
	h := anchored(t, statesMain)
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = MergeGate(context.Background(), repo, MergeGateRequest{Branch: "wrok"})
	if !errors.Is(err, ancestry.ErrNoRevision) || !strings.Contains(err.Error(), "wrok") {
		t.Errorf("%v", err)
	}
}
