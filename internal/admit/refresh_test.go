package admit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// How old the lanes and the trunk may be is told apart: to fetch the one says
// nothing of the other.
func TestAsOfIsTheOldestOfWhatWasSeen(t *testing.T) {
	f := newFleet(t)
	dir := f.clone(t)
	d := open(t, dir)
	before := time.Now().Add(-24 * time.Hour).Truncate(time.Second)
	age := func(names ...string) {
		t.Helper()
		for _, name := range names {
			err := os.Chtimes(filepath.Join(dir, ".git", filepath.FromSlash(name)), before, before)
			if err != nil && !(strings.HasPrefix(name, "logs/") && errors.Is(err, os.ErrNotExist)) { // a clone begins without a log
				t.Fatal(err)
			}
		}
	}
	if at := d.AsOf(false); !at.IsZero() {
		t.Errorf("lanes that were never read are as of %s", at)
	}
	if at := d.AsOf(true); !at.IsZero() {
		t.Errorf("and so is all of it: %s", at)
	}
	if err := d.Refresh(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if at := d.AsOf(true); time.Since(at) > time.Minute {
		t.Errorf("after a look at everything: %s", at)
	}
	age("dos/at-origin.fetched", "dos/at-origin.seen-main", "logs/refs/remotes/origin/main")
	if err := d.Refresh(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if at := d.AsOf(false); time.Since(at) > time.Minute || !d.AsOf(true).Equal(before) {
		t.Errorf("after a look at the lanes: lanes as of %s, all as of %s", at, d.AsOf(true))
	}
	age("dos/at-origin.fetched")
	if _, err := d.remote.Read(t.Context(), refstore.Query{Branches: []string{mainRef}}); err != nil {
		t.Fatal(err)
	}
	if at := d.AsOf(false); !at.Equal(before) {
		t.Errorf("a fetch of the trunk made the lanes as of %s", at)
	}
}

// A trunk that says it is another branch is followed there.
func TestRefreshFollowsTheTrunk(t *testing.T) {
	f := newFleet(t)
	first := f.clone(t)
	d := open(t, f.clone(t))
	commit(t, first, "the trunk moves", "dos.toml", "[trunk]\nref = \"next\"\n"+fleetToml)
	gitIn(t, first, "push", "--quiet", "origin", "HEAD:main", "HEAD:next")
	want := commit(t, first, "on next")
	gitIn(t, first, "push", "--quiet", "origin", "HEAD:next")
	if err := d.Refresh(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if got := d.Rules.Trunk; got.Branch != "refs/heads/next" || got.ID != want {
		t.Errorf("trunk %+v, want next at %s", got, want)
	}
}

func TestRefreshOfATrunkThatIsGone(t *testing.T) {
	f := newFleet(t)
	d := open(t, f.clone(t))
	gitIn(t, f.hub, "branch", "-m", "main", "next")
	var store *StoreError
	if err := d.Refresh(t.Context(), true); !errors.As(err, &store) || Unreachable(err) || !strings.Contains(err.Error(), "origin has no branch main") {
		t.Errorf("%v", err)
	}
	if err := d.Refresh(t.Context(), false); err != nil {
		t.Errorf("the lanes alone: %v", err)
	}
}

// With the remote out of reach after a write was sent, its holder is told what
// is not known, and that to repeat it is safe, which it is.
func TestAWriteThatWasNotHeardOf(t *testing.T) {
	for name, verb := range map[string]func(*Desk, context.Context, string, lease.Identity) (lease.Verdict, error){
		"heartbeat": (*Desk).Heartbeat, "release": (*Desk).Release,
	} {
		f := newFleet(t)
		d := open(t, f.clone(t))
		id := lease.Identity{Nonce: acquire(t, d, "api", "alice").Nonce}
		if err := os.Rename(f.hub, f.hub+".away"); err != nil {
			t.Fatal(err)
		}
		v, err := verb(d, t.Context(), "api", id)
		wantStore(t, v, err, "origin could not be reached; whether the write arrived is not known")
		var store *StoreError
		if !errors.As(err, &store) || !strings.Contains(store.Hint, "run the same verb again when origin is back") {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Rename(f.hub+".away", f.hub); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if v, err := verb(d, t.Context(), "api", id); err != nil || v.ExitCode() != 0 {
				t.Errorf("%s again: %+v, %v", name, v, err)
			}
		}
	}
}

func TestALaneThatNobodyKnows(t *testing.T) {
	d := open(t, localRepo(t))
	if err := d.Remember(acquire(t, d, "web", "alice")); err != nil {
		t.Fatal(err)
	}
	verbs := map[string]func(string) error{
		"heartbeat": func(n string) error { _, err := d.Heartbeat(t.Context(), n, lease.Identity{}); return err },
		"release":   func(n string) error { _, err := d.Release(t.Context(), n, lease.Identity{}); return err },
		"scavenge":  func(n string) error { _, err := d.Scavenge(t.Context(), n, "ops"); return err },
		"show":      func(n string) error { _, _, err := d.Lease(t.Context(), n, false); return err },
		"log":       func(n string) error { return d.Log(t.Context(), n, false, func(refstore.Tip) bool { return true }) },
	}
	for name, verb := range verbs {
		var unknown *UnknownLaneError
		if err := verb("x2"); !errors.As(err, &unknown) {
			t.Errorf("%s of a lane that nobody knows: %v", name, err)
		} else if strings.Join(unknown.Known, " ") != "all api docs web" || strings.Join(unknown.Held, " ") != "web" {
			t.Errorf("%s: %+v", name, unknown)
		}
		for _, known := range []string{"docs", "SERVER", "global", "_gate"} {
			if err := verb(known); err != nil {
				t.Errorf("%s of %s, which is declared, an alias, implied or reserved: %v", name, known, err)
			}
		}
	}
}

// A trunk that is no branch can be asked about and not be shipped to.
func TestPushToWhatIsNoBranch(t *testing.T) {
	dir := localRepo(t)
	write(t, filepath.Join(dir, "dos.toml"), "[trunk]\nref = \"refs/tags/v1\"\n"+lanesToml)
	gitIn(t, dir, "tag", "v1")
	d := open(t, dir)
	tip := commit(t, dir, "work", "api/a", "2\n")
	api := acquire(t, d, "api", "alice")
	v, err := d.Push(t.Context(), PushRequest{Commit: tip, Holds: []lease.Hold{{Lane: "api", Identity: lease.Identity{Nonce: api.Nonce}}}})
	if err == nil || !strings.Contains(err.Error(), "trunk refs/tags/v1 is no branch") || gitIn(t, dir, "rev-parse", "v1") == string(tip) {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestTheWayIn(t *testing.T) {
	d := open(t, localRepo(t))
	for path, want := range map[string]string{
		"docs/a":       "git dos lease acquire --lane docs",
		"Makefile":     "git dos lease acquire --lane NAME --tree Makefile",
		"it's a file":  `git dos lease acquire --lane NAME --tree 'it'\''s a file'`,
		"a\nb":         "git dos lease acquire --lane NAME --tree PATH",
		"a\x1b[2J\xff": "git dos lease acquire --lane NAME --tree PATH",
	} {
		if got := d.wayIn(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}
