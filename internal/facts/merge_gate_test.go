package facts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/suite"
	"github.com/git-dos/git-dos/kernel/mergegate"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// gated is a trunk whose suite fails while a file named fail is there, and a
// branch work that is checked out.
func gated(t *testing.T, more ...string) *history {
	h := newHistory(t)
	toml := "[trunk]\nref = \"main\"\n[gates.trunk_would_not_compile]\ncommand = [\"test\", \"!\", \"-e\", \"fail\"]\n" + strings.Join(more, "\n")
	h.commit("root", "dos.toml", toml, "api/a.go", "package a\n", "web/w.go", "package w\n")
	h.git("checkout", "-q", "-b", "work")
	return h
}

// gate renders the verdict on a branch: the causes, "clean", or the error.
func (h *history) gate(dir string, req MergeGateRequest) (string, mergegate.Verdict) {
	h.t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		h.t.Fatal(err)
	}
	if req.Into == "" {
		req.Into = "main"
	}
	ev, err := MergeGate(context.Background(), repo, req)
	switch {
	case errors.Is(err, ancestry.ErrMissing), errors.Is(err, suite.ErrMissing):
		return "missing", mergegate.Verdict{}
	case err != nil:
		return err.Error(), mergegate.Verdict{}
	}
	v := mergegate.Decide(ev)
	if v.Outcome == mergegate.Clean {
		return "clean", v
	}
	return strings.Trim(fmt.Sprint(v.Causes), "[]"), v
}

func (h *history) wantGate(claim, want string, req MergeGateRequest) mergegate.Verdict {
	h.t.Helper()
	got, v := h.gate(h.dir, req)
	if got != want {
		h.t.Errorf("%s: %q (%s), want %q", claim, got, v.Reason, want)
	}
	return v
}

func TestTheGateIsComputedFromTheBranch(t *testing.T) {
	h := gated(t)
	work := MergeGateRequest{Branch: "work"}
	h.commit("fix: one", "api/a.go", "package a // 1\n")
	v := h.wantGate("a branch that is fine", "clean", work)
	if v.Commits != 1 || v.Suite.On != mergegate.OnCandidate || v.Suite.Tree != h.git("rev-parse", "work^{tree}") || v.BaseID != h.git("rev-parse", "main") {
		t.Errorf("%+v", v)
	}
	if ms := v.Suite.Seconds * 1000; math.Abs(ms-math.Round(ms)) > 1e-6 {
		t.Errorf("%v seconds are not whole milliseconds", v.Suite.Seconds)
	}
	h.commit("fix: nothing at all")
	h.wantGate("a commit without a diff", "audit-unwitnessed", work)
	h.git("reset", "-q", "--hard", "HEAD~1")
	h.commit("feat: fail", "fail", "x\n")
	h.wantGate("a suite that fails", "suite-red", work)
	h.git("rm", "-q", "fail")
	h.git("commit", "-q", "-m", "fix: remove what fails")
	if err := os.WriteFile(filepath.Join(h.dir, "fail"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	h.wantGate("the work tree takes no part", "clean", work)
}

// The merge is judged, not the branch: what two sides break together is seen.
func TestTheGateRunsTheSuiteOnTheMerge(t *testing.T) {
	h := gated(t)
	h.commit("fix: one", "api/a.go", "package a // 1\n")
	h.git("checkout", "-q", "main")
	h.commit("feat: fail", "fail", "x\n")
	v := h.wantGate("the other side's file", "suite-red", MergeGateRequest{Branch: "work"})
	if v.Suite.On != mergegate.OnMerge {
		t.Errorf("on %s", v.Suite.On)
	}
	h.commit("fix: another way", "api/a.go", "package a // 2\n")
	v = h.wantGate("a conflict", "merge-conflict", MergeGateRequest{Branch: "work"})
	if len(v.Conflicts) != 1 || v.Conflicts[0] != "api/a.go" || v.Suite.Ran {
		t.Errorf("%+v", v)
	}
}

// A conflict for which git names no path is one all the same, and the branch does
// not choose how it merges by being checked out.
func TestTheGateTakesNoConflictForAMerge(t *testing.T) {
	h := gated(t)
	text := func(s string) string { return strings.Repeat(s+"\n", 20) }
	h.git("checkout", "-q", "main")
	h.commit("feat: files", "lib/1", text("1"), "lib/2", text("2"), "lib/3", text("3"), "lib/4", text("4"))
	h.git("checkout", "-q", "-b", "adds")
	h.commit("feat: new", "lib/new.go", "package lib\n")
	h.git("checkout", "-q", "main")
	h.git("mv", "lib", "one")
	h.commit("refactor: two folders", "two/x", "x\n")
	h.git("mv", "one/3", "one/4", "two/")
	h.git("commit", "-q", "-m", "refactor: split")
	if v := h.wantGate("a folder that was split", "merge-conflict", MergeGateRequest{Branch: "adds"}); v.Suite.Ran || v.Reason == "" || v.Next == "" {
		t.Errorf("%+v", v)
	}
	h.git("checkout", "-q", "work")
	h.commit("fix: one", "api/a.go", "package a // 1\n", ".gitattributes", "* merge=union\n")
	h.git("checkout", "-q", "main")
	h.commit("fix: another way", "api/a.go", "package a // 2\n")
	h.git("checkout", "-q", "work")
	h.wantGate("attributes of the branch that is checked out", "merge-conflict", MergeGateRequest{Branch: "work"})
}

// Neither the branch's dos.toml nor the work tree's can weaken what is asked.
func TestABranchCannotWeakenItsGate(t *testing.T) {
	h := gated(t, "[verify]\nfloor = \"subject-in-tree\"\n[lanes]\nconcurrent = [\"api\"]\n[lanes.trees]\napi = [\"api/**\"]\n[plans]\nAUTH = \"api\"")
	lax := "[gates.trunk_would_not_compile]\ncommand = [\"true\"]\n[verify]\nfloor = \"subject\"\n"
	h.commit("fix: outside\n\nDos-Ship: AUTH/AUTH1\n", "dos.toml", lax, "fail", "x\n", "web/w.go", "package w // 1\n")
	v := h.wantGate("rules of its own", "suite-red truth-dirty", MergeGateRequest{Branch: "work"})
	if len(v.Suite.Command) != 4 {
		t.Errorf("ran %q", v.Suite.Command)
	}
	h.git("checkout", "-q", "main")
	h.git("rm", "-q", "dos.toml")
	h.git("commit", "-q", "-m", "no rules")
	if err := os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte(lax), 0o644); err != nil {
		t.Fatal(err)
	}
	h.git("checkout", "-q", "-b", "plain")
	h.commit("fix: one", "api/a.go", "package a // 1\n")
	h.wantGate("a work tree's rules where the trunk has none", "suite-unrun", MergeGateRequest{Branch: "plain"})
}

// A branch that is checked out says in its dos.toml which ref is the trunk; that
// must not be how it picks who judges it.
func TestABranchCannotPickItsTrunk(t *testing.T) {
	h := gated(t)
	lax := "[trunk]\nref = \"lax\"\n[gates.trunk_would_not_compile]\ncommand = [\"true\"]\n"
	h.git("checkout", "-q", "-b", "lax", "main")
	h.commit("chore: rules", "dos.toml", lax)
	h.git("checkout", "-q", "work")
	h.commit("fix: one", "dos.toml", lax, "fail", "x\n")
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	var refused *MergeGateError
	if _, err := MergeGate(context.Background(), repo, MergeGateRequest{Branch: "work"}); !errors.As(err, &refused) || refused.Hint == "" {
		t.Errorf("from the branch: %v", err)
	}
	h.git("checkout", "-q", "main")
	ev, err := MergeGate(context.Background(), repo, MergeGateRequest{Branch: "work"})
	if v := mergegate.Decide(ev); err != nil || v.Into != "refs/heads/main" || v.Cause != mergegate.SuiteRed {
		t.Errorf("from the trunk: %+v, %v", v, err)
	}
}

func TestTheGateHoldsClaimsAgainstTheirOwnCommits(t *testing.T) {
	plans := "[lanes]\nconcurrent = [\"api\"]\n[lanes.trees]\napi = [\"api/**\"]\n[plans]\nAUTH = \"api\"\n"
	ship := "\n\nDos-Ship: AUTH/AUTH1\n"
	for _, c := range []struct {
		claim, floor, want string
		build              func(h *history)
	}{
		{"a diff in the lane holds", "", "clean", func(h *history) { h.commit("fix: a"+ship, "api/a.go", "package a // 1\n") }},
		{"one outside does not", "", "truth-dirty", func(h *history) { h.commit("fix: a"+ship, "web/w.go", "package w // 1\n") }},
		{"an empty commit does not", "", "truth-dirty", func(h *history) { h.commit("merge: a" + ship) }},
		{"even where another ships the unit", "", "truth-dirty", func(h *history) {
			h.commit("fix: a"+ship, "api/a.go", "package a // 1\n")
			h.commit("chore: a" + ship)
		}},
		{"nor does one that was taken back", "", "truth-dirty", func(h *history) {
			h.commit("fix: a"+ship, "api/a.go", "package a // 1\n")
			h.git("revert", "--no-edit", "HEAD")
		}},
		{"unless it was put back", "", "clean", func(h *history) {
			h.commit("fix: a"+ship, "api/a.go", "package a // 1\n")
			h.git("revert", "--no-edit", "HEAD")
			h.git("revert", "--no-edit", "HEAD")
		}},
		{"or shipped again", "", "clean", func(h *history) {
			h.commit("fix: a"+ship, "api/a.go", "package a // 1\n")
			h.git("revert", "--no-edit", "HEAD")
			h.commit("fix: a, better"+ship, "api/a.go", "package a // 2\n")
		}},
		{"a ledger's floor waits for the push", "ledger", "clean", func(h *history) { h.commit("fix: a"+ship, "api/a.go", "package a // 1\n") }},
		{"and still wants the lane", "ledger", "truth-dirty", func(h *history) { h.commit("fix: a"+ship, "web/w.go", "package w // 1\n") }},
		{"every trailer is held", "", "truth-dirty", func(h *history) {
			h.commit("fix: a\n\nDos-Ship: AUTH/AUTH1\nDos-Ship: nonsense\n", "api/a.go", "package a // 1\n")
		}},
		{"a stamp in a subject claims no unit here", "", "clean", func(h *history) { h.commit("AUTH: AUTH1 tidy", "web/w.go", "package w // 1\n") }},
	} {
		floor := ""
		if c.floor != "" {
			floor = "[verify]\nfloor = \"" + c.floor + "\"\n"
		}
		t.Run(c.claim, func(t *testing.T) {
			h := gated(t, floor+plans)
			c.build(h)
			got, v := h.gate(h.dir, MergeGateRequest{Branch: "work"})
			if got == "truth-dirty audit-unwitnessed" {
				got = "truth-dirty" // an empty commit is both
			}
			if got != c.want {
				t.Errorf("%s (%s), want %s", got, v.Reason, c.want)
			}
		})
	}
}

// A part of the branch that is not here is not clean.
func TestTheGateNeedsTheWholeBranch(t *testing.T) {
	h := gated(t)
	for i := range 3 {
		h.commit("fix: one", "api/a.go", fmt.Sprintf("package a // %d\n", i))
	}
	clone := func(args ...string) string {
		dir := filepath.Join(t.TempDir(), "clone")
		h.git(append(append([]string{"clone", "-q", "--no-single-branch"}, args...), "file://"+h.dir, dir)...)
		return dir
	}
	req := MergeGateRequest{Branch: "origin/work", Into: "origin/main"}
	for depth, want := range map[int]string{1: "missing", 2: "missing", 3: "missing", 4: "clean"} {
		if got, _ := h.gate(clone(fmt.Sprintf("--depth=%d", depth)), req); got != want {
			t.Errorf("depth %d: %s, want %s", depth, got, want)
		}
	}
	// A side of the branch may be cut although all objects are here.
	h.git("checkout", "-q", "-b", "side", "main")
	h.commit("fix: nothing at all")
	edge := h.commit("fix: w", "web/w.go", "package w // 1\n")
	h.git("checkout", "-q", "work")
	h.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	cut := clone()
	if got, _ := h.gate(cut, req); got != "audit-unwitnessed" {
		t.Fatalf("before the cut: %s", got)
	}
	if err := os.WriteFile(filepath.Join(cut, ".git", "shallow"), []byte(edge+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _ := h.gate(cut, req); got != "missing" {
		t.Errorf("with a side cut: %s", got)
	}
	h.git("config", "uploadpack.allowFilter", "true")
	h.git("config", "uploadpack.allowAnySHA1InWant", "true")
	partial := clone("--filter=blob:none", "--no-checkout")
	if got, _ := h.gate(partial, req); got != "missing" {
		t.Errorf("a partial clone without its files: %s", got)
	}
}

func TestTheGateWorksFromAnywhere(t *testing.T) {
	h := gated(t)
	h.commit("fix: one", "api/a.go", "package a // 1\n")
	home := t.TempDir()
	h.git("worktree", "add", "-q", home+"/wt", "main")
	h.git("clone", "-q", "--bare", h.dir, home+"/bare")
	for _, dir := range []string{home + "/wt", home + "/bare", h.dir + "/api"} {
		if got, _ := h.gate(dir, MergeGateRequest{Branch: "work"}); got != "clean" {
			t.Errorf("%s: %s", dir, got)
		}
	}
	t.Setenv("GIT_DIR", h.dir+"/.git")
	if got, _ := h.gate("", MergeGateRequest{Branch: "work"}); got != "clean" {
		t.Errorf("with GIT_DIR exported: %s", got)
	}
}

func TestWhatThereIsNothingToJudgeOf(t *testing.T) {
	h := gated(t)
	h.wantGate("no commit of its own", "nothing to merge: refs/heads/main already has refs/heads/work", MergeGateRequest{Branch: "work"})
	h.git("checkout", "-q", "--orphan", "alone")
	h.commit("fix: alone", "b.go", "package b\n")
	h.wantGate("no commit in common", "refs/heads/alone and refs/heads/main have no commit in common", MergeGateRequest{Branch: "alone"})
	h.git("checkout", "-q", "--orphan", "unborn")
	h.wantGate("a trunk without a commit", "refs/heads/unborn has no commit to merge into", MergeGateRequest{Branch: "work", Into: "HEAD"})
	for _, bad := range []string{"nowhere", "--all", "^main", "main..work", "main:api"} {
		if got, v := h.gate(h.dir, MergeGateRequest{Branch: bad}); v.Outcome != "" {
			t.Errorf("%s: %s", bad, got)
		}
	}
}
