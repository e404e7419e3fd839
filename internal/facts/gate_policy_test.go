package facts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

func gatePolicyOf(t *testing.T, dir string) (GatePolicy, error) {
	t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return LoadGatePolicy(context.Background(), repo)
}

const (
	secretOff  = "[gates]\nsecret_shape.mode = \"off\"\n"
	secretWarn = "[gates]\nsecret_shape.mode = \"warn\"\n"
)

// No branch and no work tree weakens what it is judged by.
func TestGatesAreJudgedByTheTrunksPolicy(t *testing.T) {
	h := newHistory(t)
	check := func(claim, mode, ref string) {
		t.Helper()
		g, err := gatePolicyOf(t, h.dir)
		if err != nil {
			t.Errorf("%s: %v", claim, err)
			return
		}
		if got := string(g.Policy.Gates.Mode("secret_shape")); got != mode || g.Trunk.Ref != ref || (g.Digest == "") != (g.Source == "defaults") {
			t.Errorf("%s: %s from %q at %s (%.8s); want %s at %s", claim, got, g.Source, g.Trunk.Ref, g.Digest, mode, ref)
		}
	}
	check("before the first commit the defaults hold", "block", "")
	h.commit("root", "a", "1")
	check("a trunk without dos.toml has the defaults", "block", "refs/heads/main")
	if err := os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte(secretOff), 0o644); err != nil {
		t.Fatal(err)
	}
	check("the work tree's has no say", "block", "refs/heads/main")
	h.commit("rules", "dos.toml", secretWarn)
	check("a branch here is the trunk where no remote is known", "warn", "refs/heads/main")
	h.git("remote", "add", "origin", "/nowhere")
	h.git("update-ref", "refs/remotes/origin/main", "HEAD")
	h.commit("weaker", "dos.toml", secretOff)
	check("what is not pushed yet has no say", "warn", "refs/remotes/origin/main")
	if err := os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte("not toml"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("a broken one in the work tree neither", "warn", "refs/remotes/origin/main")
}

func TestAGatePolicyThatCannotBeReadIsAnError(t *testing.T) {
	h := newHistory(t)
	h.commit("rules", "dos.toml", "not toml")
	h.git("remote", "add", "origin", "/nowhere")
	h.git("update-ref", "refs/remotes/origin/main", "HEAD")
	var bad policy.Errors
	if g, err := gatePolicyOf(t, h.dir); !errors.As(err, &bad) {
		t.Errorf("a trunk's dos.toml that is none: %q, %v", g.Source, err)
	}
	id := h.git("rev-parse", "HEAD:dos.toml")
	if err := os.Remove(filepath.Join(h.dir, ".git/objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	if g, err := gatePolicyOf(t, h.dir); err == nil {
		t.Errorf("one that is not here: %q", g.Source)
	}
	h.git("update-ref", "-d", "refs/remotes/origin/main")
	h.git("config", "dos.remote", "origin")
	h.commit("better", "dos.toml", ofAFleet+"[trunk]\nref = \"main\"\n")
	var trunk *TrunkError
	if g, err := gatePolicyOf(t, h.dir); !errors.As(err, &trunk) || trunk.Unfetched != "refs/heads/main" || !strings.Contains(err.Error(), "has not been fetched") {
		t.Errorf("a fleet's trunk that is not here: %q, %v", g.Source, err)
	}
}
