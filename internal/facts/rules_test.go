package facts

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func rulesOf(t *testing.T, dir string) (Rules, error) {
	t.Helper()
	repo, err := refstore.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return LoadRules(context.Background(), repo)
}

const (
	fiveMinutes = "[lease]\nttl = \"5m\"\n"
	tenMinutes  = "[lease]\nttl = \"10m\"\n"
	ofAFleet    = "[fleet]\nid = \"fleet-1\"\n"
)

func TestRulesWithoutAFleet(t *testing.T) {
	h := newHistory(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	check := func(claim, dir, ttl, source, ref string) {
		t.Helper()
		r, err := rulesOf(t, dir)
		if err != nil {
			t.Errorf("%s: %v", claim, err)
			return
		}
		if r.Policy.Lease.TTL.String() != ttl || !strings.HasSuffix(r.Source, source) || r.Trunk.Ref != ref || r.Remote != "" {
			t.Errorf("%s: ttl %s from %q, trunk %+v, remote %q", claim, r.Policy.Lease.TTL, r.Source, r.Trunk, r.Remote)
		}
	}
	standard := policy.Default().Lease.TTL.String()
	check("an empty repository has the defaults", h.dir, standard, "defaults", "refs/heads/main")
	h.git("clone", "-q", "--bare", h.dir, bare)
	check("an empty bare one too", bare, standard, "defaults", "refs/heads/main")
	h.commit("root", "a", "1")
	h.git("push", "-q", bare, "HEAD")
	check("a bare repository whose HEAD has no dos.toml", bare, standard, "defaults", "refs/heads/main")
	h.commit("rules", "dos.toml", fiveMinutes)
	h.git("push", "-q", bare, "HEAD")
	check("a bare repository reads that of HEAD", bare, "5m0s", ":dos.toml", "refs/heads/main")
	if err := os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte(tenMinutes), 0o644); err != nil {
		t.Fatal(err)
	}
	check("a work tree has its own, committed or not", h.dir, "10m0s", "dos.toml", "refs/heads/main")
	h.git("checkout", "-q", "--detach")
	check("a detached HEAD is no trunk", h.dir, "10m0s", "dos.toml", "")
}

// A policy that is there and cannot be read is not the absence of one.
func TestUnreadableRulesAreNotTheDefaults(t *testing.T) {
	h := newHistory(t)
	h.commit("rules", "dos.toml", fiveMinutes)
	for _, object := range []string{"HEAD", "HEAD^{tree}", "HEAD:dos.toml"} {
		bare := filepath.Join(t.TempDir(), "bare.git")
		h.git("clone", "-q", "--bare", "--no-hardlinks", h.dir, bare)
		id := h.git("rev-parse", object)
		if err := os.Remove(filepath.Join(bare, "objects", id[:2], id[2:])); err != nil {
			t.Fatal(err)
		}
		if r, err := rulesOf(t, bare); !errors.Is(err, ancestry.ErrMissing) {
			t.Errorf("without %s: rules from %q, %v; want ErrMissing", object, r.Source, err)
		}
	}
	if err := os.Remove(filepath.Join(h.dir, "dos.toml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(h.dir, "dos.toml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r, err := rulesOf(t, h.dir); err == nil {
		t.Errorf("a folder in its place: rules from %q", r.Source)
	}
}

func TestRulesOfAFleetAreThoseOfItsTrunk(t *testing.T) {
	h := newHistory(t)
	clone := filepath.Join(t.TempDir(), "clone")
	h.commit("rules", "dos.toml", ofAFleet+fiveMinutes)
	trunk := h.git("rev-parse", "HEAD")
	h.git("clone", "-q", h.dir, clone)
	if err := os.WriteFile(filepath.Join(clone, "dos.toml"), []byte(ofAFleet+tenMinutes), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := rulesOf(t, clone)
	if err != nil {
		t.Fatal(err)
	}
	if r.Policy.Lease.TTL.String() != "5m0s" || r.Remote != "origin" {
		t.Errorf("ttl %s from %q, remote %q: a work tree cannot change the rules of a fleet", r.Policy.Lease.TTL, r.Source, r.Remote)
	}
	if want := (Trunk{Branch: "refs/heads/main", Ref: "refs/remotes/origin/main", ID: refstore.OID(trunk)}); r.Trunk != want {
		t.Errorf("trunk %+v, want %+v", r.Trunk, want)
	}

	h.at(clone, "remote", "add", "fork", h.dir)
	if _, err := rulesOf(t, clone); !errors.Is(err, ErrNoFleetRemote) {
		t.Errorf("with two remotes: %v, want ErrNoFleetRemote", err)
	}
	h.at(clone, "config", "dos.remote", "fork")
	var no *TrunkError
	if _, err := rulesOf(t, clone); !errors.As(err, &no) || !errors.Is(err, ErrNoTrunk) || no.Hint != "git remote set-head fork --auto, or set [trunk] ref in dos.toml" {
		t.Errorf("a trunk that nothing here names: %v, hint %q", err, hintOf(err))
	}
	t.Setenv("GIT_DOS_REMOTE", "origin")
	if r, err := rulesOf(t, clone); err != nil || r.Remote != "origin" {
		t.Errorf("the environment outranks git config: %q, %v", r.Remote, err)
	}

	h.commit("no more rules", "dos.toml", fiveMinutes)
	h.at(clone, "fetch", "-q", "origin")
	if _, err := rulesOf(t, clone); err == nil || !strings.Contains(err.Error(), "[fleet] id") {
		t.Errorf("a trunk that names no fleet: %v", err)
	}
	h.git("rm", "-q", "dos.toml")
	h.commit("none at all")
	h.at(clone, "fetch", "-q", "origin")
	if _, err := rulesOf(t, clone); err == nil || !strings.Contains(err.Error(), "has no dos.toml") {
		t.Errorf("a trunk without rules: %v", err)
	}
}

func hintOf(err error) string {
	var no *TrunkError
	if errors.As(err, &no) {
		return no.Hint
	}
	return ""
}

// The branch that is checked out has no say in what a fleet's trunk is, and
// everybody who asks is told the same one.
func TestTheTrunkOfAFleet(t *testing.T) {
	rules := func(trunk string) string { return trunk + ofAFleet }
	const toDevelop = "[trunk]\nref = \"develop\"\n"
	for _, tt := range []struct {
		claim    string
		main     string // dos.toml on the remote's main; "" for none
		develop  string // the same on its branch develop, also in the work tree
		head     string // the remote's HEAD as known here, "" when unknown
		drop     string // a branch of the remote that was not fetched
		want     string // branch, else part of an error and its hint
		wantHint string
	}{
		{"the remote's HEAD", rules(""), rules(""), "main", "", "main", ""},
		{"whichever that is", rules(""), rules(""), "develop", "", "develop", ""},
		{"main where it is unknown", rules(""), rules(""), "", "", "main", ""},
		{"what the dos.toml there states", rules(toDevelop), rules(""), "main", "", "develop", ""},
		{"HEAD known or not", rules(toDevelop), rules(""), "", "", "develop", ""},
		{"a branch cannot name itself the trunk", rules(""), rules(toDevelop), "main", "", "main", ""},
		{"unless the trunk has no dos.toml yet", "", rules(toDevelop), "main", "", "develop", ""},
		{"or there is nothing to read it from", rules(""), rules(toDevelop), "", "main", "develop", ""},
		{"the full name", rules(""), rules("[trunk]\nref = \"refs/heads/develop\"\n"), "", "main", "develop", ""},
		{"the name it has here", rules(""), rules("[trunk]\nref = \"origin/develop\"\n"), "", "main", "develop", ""},
		{"a tag", rules("[trunk]\nref = \"refs/tags/v1\"\n"), rules(""), "main", "", "is no branch of origin", "set [trunk] ref"},
		{"nothing says", rules(""), rules(""), "", "main", "the trunk of origin is unknown", "git remote set-head origin --auto, or set [trunk] ref in dos.toml"},
		{"a HEAD that was not fetched is no other branch", rules(""), rules(""), "main", "main", "trunk main of origin has not been fetched",
			"git fetch origin, or, if origin has no main yet, git push origin HEAD:main"},
		{"what is stated and was not fetched", rules(toDevelop), rules(""), "main", "develop", "trunk develop of origin has not been fetched", "git push origin HEAD:develop"},
		{"a broken dos.toml", "[trunk]\nre = \"x\"\n", rules(""), "main", "", ":dos.toml:2: unknown key trunk.re", ""},
		{"on a HEAD that is unknown", "[trunk]\nre = \"x\"\n", rules(""), "", "", ":dos.toml:2: unknown key trunk.re", ""},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			h := newHistory(t)
			h.commit("root", "README", "1")
			if tt.main != "" {
				h.commit("rules", "dos.toml", tt.main)
			}
			h.git("checkout", "-q", "-b", "develop")
			h.commit("rules", "dos.toml", tt.develop)
			clone := filepath.Join(t.TempDir(), "clone")
			h.git("clone", "-q", h.dir, clone)
			h.at(clone, "checkout", "-q", "-B", "feature", "origin/develop")
			h.at(clone, "config", "dos.remote", "origin")
			h.at(clone, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/"+cmp.Or(tt.head, "x"))
			if tt.head == "" {
				h.at(clone, "symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
			}
			if tt.drop != "" {
				h.at(clone, "update-ref", "-d", "refs/remotes/origin/"+tt.drop)
			}
			r, err := rulesOf(t, clone)
			ev, askErr := h.ask(clone)
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) || !strings.Contains(hintOf(err), tt.wantHint) {
					t.Errorf("rules: %v, hint %q; want %q, %q", err, hintOf(err), tt.want, tt.wantHint)
				}
				if askErr == nil || !strings.Contains(askErr.Error(), tt.want) {
					t.Errorf("ship: walked %q, %v; want the same error", ev.Ref, askErr)
				}
				return
			}
			if r.Trunk.Branch != "refs/heads/"+tt.want || r.Trunk.Ref != "refs/remotes/origin/"+tt.want || ev.Ref != r.Trunk.Ref || askErr != nil {
				t.Errorf("rules %+v, ship walked %q (%v); want %s", r.Trunk, ev.Ref, askErr, tt.want)
			}
		})
	}
}

// A dos.toml is named once, with the place in it, and whose it is.
func TestAPolicyErrorNamesTheFileOnce(t *testing.T) {
	h := newHistory(t)
	h.commit("rules", "dos.toml", ofAFleet+"idd = 1\n")
	clone := filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", h.dir, clone)
	h.at(clone, "config", "dos.remote", "origin")
	check := func(claim, want, branch string) {
		t.Helper()
		_, err := rulesOf(t, clone)
		var bad *PolicyError
		if !errors.As(err, &bad) || !errors.As(err, new(policy.Errors)) || bad.Branch != branch ||
			strings.Count(err.Error(), "dos.toml") != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v (branch %q)", claim, err, bad.Branch)
		}
	}
	check("the work tree's", filepath.Join(clone, "dos.toml")+":3: unknown key fleet.idd", "")
	if err := os.WriteFile(filepath.Join(clone, "dos.toml"), []byte(ofAFleet), 0o644); err != nil {
		t.Fatal(err)
	}
	check("the trunk's", "origin at "+h.git("rev-parse", "--short=12", "HEAD")+":dos.toml:3: unknown key fleet.idd", "main")
}

// A trunk that is here and cannot be read leaves no say to the work tree.
func TestAnUnreadableTrunkIsNoOtherBranch(t *testing.T) {
	h := newHistory(t)
	h.commit("rules", "dos.toml", ofAFleet)
	h.git("checkout", "-q", "-b", "develop")
	h.commit("rules", "dos.toml", "[trunk]\nref = \"develop\"\n"+ofAFleet)
	for _, object := range []string{"main", "main^{tree}", "main:dos.toml"} {
		clone := filepath.Join(t.TempDir(), "clone")
		h.git("clone", "-q", "--no-hardlinks", h.dir, clone)
		h.at(clone, "config", "dos.remote", "origin")
		h.at(clone, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
		id := h.git("rev-parse", object)
		if err := os.Remove(filepath.Join(clone, ".git", "objects", id[:2], id[2:])); err != nil {
			t.Fatal(err)
		}
		if r, err := rulesOf(t, clone); err == nil {
			t.Errorf("without %s: rules of trunk %+v", object, r.Trunk)
		}
		h.wantIn(clone, "without "+object, "INDETERMINATE")
	}
}

// A fleet has a remote that is named, or the only one.
func TestSettingsWithoutARemoteToTellHaveNoFleet(t *testing.T) {
	for settings, want := range map[string]bool{
		"":                              false,
		"remote.origin.url=x":           true,
		"remote.a.url=x remote.b.url=x": false,
		"remote.a.url=x remote.b.url=x dos.remote=b": true,
	} {
		dir := t.TempDir()
		githome.Git(t, dir, "init", "--quiet")
		for _, s := range strings.Fields(settings) {
			key, value, _ := strings.Cut(s, "=")
			githome.Git(t, dir, "config", key, value)
		}
		repo, err := refstore.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		c, err := repo.Config()
		if got := MayHaveFleet(c); got != want || err != nil {
			t.Errorf("%q: %t, %v", settings, got, err)
		}
	}
}
