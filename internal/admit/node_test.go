package admit

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/git-dos/git-dos/kernel/lease"
)

func TestCopiedCloneGetsANodeOfItsOwn(t *testing.T) {
	dir := localRepo(t)
	first := open(t, dir).Node
	if again := open(t, dir).Node; again != first || first == "" {
		t.Fatalf("node %q, then %q", first, again)
	}
	twin := filepath.Join(t.TempDir(), "twin")
	if out, err := exec.Command("cp", "-a", dir, twin).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	second := open(t, twin).Node
	if second == first {
		t.Errorf("the copy is %s too", first)
	}
	if again := open(t, twin).Node; again != second {
		t.Errorf("the copy is %q, then %q", second, again)
	}
	if still := open(t, dir).Node; still != first {
		t.Errorf("the original became %q", still)
	}
}

func TestNodeIsTakenFromWhereItIsStated(t *testing.T) {
	dir := localRepo(t)
	gitIn(t, dir, "config", "dos.node", "by-hand")
	if n := open(t, dir).Node; n != "by-hand" {
		t.Errorf("git config: %q", n)
	}
	t.Setenv("DISPATCH_HOST_ID", "legacy")
	if n := open(t, dir).Node; n != "legacy" {
		t.Errorf("legacy environment: %q", n)
	}
	t.Setenv("GIT_DOS_NODE", "stated")
	if n := open(t, dir).Node; n != "stated" {
		t.Errorf("environment: %q", n)
	}
	t.Setenv("GIT_DOS_NODE", "../x")
	d, err := Open(t.Context(), openRepo(t, dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.EnsureNode(t.Context()); err == nil || d.Node != "" {
		t.Errorf("an illegal node id became %q", d.Node)
	}
}

func TestWorktreesRememberApart(t *testing.T) {
	dir := localRepo(t)
	tree := filepath.Join(t.TempDir(), "tree")
	gitIn(t, dir, "worktree", "add", "--quiet", "-b", "side", tree)
	one, two := open(t, dir), open(t, tree)
	if one.Node != two.Node {
		t.Errorf("nodes %s and %s", one.Node, two.Node)
	}
	api, web := acquire(t, one, "api", "one"), acquire(t, two, "web", "two")
	for d, r := range map[*Desk]lease.Record{one: api, two: web} {
		if err := d.Remember(r); err != nil {
			t.Fatal(err)
		}
	}
	for d, want := range map[*Desk]lease.Record{one: api, two: web} {
		all, err := d.RecallAll()
		if err != nil || len(all) != 1 || all[0].Nonce != want.Nonce || all[0].Lane != want.Lane {
			t.Errorf("remembered %+v %v, want %s", all, err, want.Lane)
		}
	}
	if h, err := two.Recall("API"); err != nil || h != nil {
		t.Errorf("the other worktree recalls %+v %v", h, err)
	}
}

// A copy of a repository has the files of the original, and none of its leases.
func TestACopiedCloneHoldsNothing(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	api := acquire(t, d, "api", "alice")
	if err := d.Remember(api); err != nil {
		t.Fatal(err)
	}
	twin := filepath.Join(t.TempDir(), "twin")
	if out, err := exec.Command("cp", "-r", dir, twin).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	two := open(t, twin)
	if h, err := two.Recall("api"); err != nil || h != nil {
		t.Errorf("the copy recalls %+v %v", h, err)
	}
	if all, err := two.RecallAll(); err != nil || len(all) != 0 {
		t.Errorf("the copy recalls %+v %v", all, err)
	}
	if lanes, err := two.Copied(); err != nil || len(lanes) != 1 || lanes[0] != "api" {
		t.Errorf("copied: %q %v", lanes, err)
	}
	if lanes, err := d.Copied(); err != nil || len(lanes) != 0 {
		t.Errorf("copied in the original: %q %v", lanes, err)
	}
	if h, err := d.Recall("api"); err != nil || h == nil || h.Nonce != api.Nonce {
		t.Errorf("the original recalls %+v %v", h, err)
	}

	// Moved, a repository is still itself.
	moved := dir + "-moved"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if h, err := open(t, moved).Recall("api"); err != nil || h == nil || h.Nonce != api.Nonce {
		t.Errorf("moved, the original recalls %+v %v", h, err)
	}

	// Given by hand it can still be ended and forgotten.
	if err := two.Forget("api", api.Nonce); err != nil {
		t.Fatal(err)
	}
	if lanes, err := two.Copied(); err != nil || len(lanes) != 0 {
		t.Errorf("after forgetting: %q %v", lanes, err)
	}

	path, err := two.heldPath("api")
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, `{"lane":"api","nonce":"n","run_id":"r","gen":1}`)
	if h, err := two.Recall("api"); err != nil || h != nil {
		t.Errorf("without a binding it recalls %+v %v", h, err)
	}
}

func TestForgettingNeedsTheSameLease(t *testing.T) {
	d := open(t, localRepo(t))
	if err := d.Remember(lease.Record{Lane: "api", Nonce: "new", Gen: 2}); err != nil {
		t.Fatal(err)
	}
	if err := d.Forget("api", "old"); err != nil {
		t.Fatal(err)
	}
	if h, err := d.Recall("server"); err != nil || h == nil || h.Nonce != "new" {
		t.Errorf("after forgetting another lease: %+v %v", h, err)
	}
	if err := d.Forget("API", "new"); err != nil {
		t.Fatal(err)
	}
	if h, err := d.Recall("api"); err != nil || h != nil {
		t.Errorf("after forgetting it: %+v %v", h, err)
	}
	path, err := d.heldPath("api")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", `{"lane":"web","nonce":"n"}`, `{"lane":"api"}`} {
		write(t, path, text)
		if h, err := d.Recall("api"); err == nil {
			t.Errorf("%q is remembered as %+v", text, h)
		}
		if all, err := d.RecallAll(); err == nil {
			t.Errorf("%q is listed as %+v", text, all)
		}
	}
}
