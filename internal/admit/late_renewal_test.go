package admit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// takenInTheOrder leaves on a hub what a takeover of api leaves that was cut off
// after the order had moved.
func takenInTheOrder(t *testing.T, f *testFleet) {
	t.Helper()
	elsewhere := f.hub + ".elsewhere"
	if err := os.CopyFS(elsewhere, os.DirFS(f.hub)); err != nil {
		t.Fatal(err)
	}
	dir := f.clone(t)
	gitIn(t, dir, "remote", "set-url", "origin", elsewhere)
	if _, err := open(t, dir).Acquire(t.Context(), ask("api", "bob")); err != nil { // he sees it
		t.Fatal(err)
	}
	if got := acquire(t, later(t, dir, 17*time.Minute), "api", "bob"); got.Gen != 2 {
		t.Fatalf("taken over as %+v", got)
	}
	gitIn(t, f.hub, "fetch", "--quiet", elsewhere, "+refs/dos/order/grants:refs/dos/order/grants")
}

// A holder that comes back late decides on what it last saw, and its renewal lands:
// the lane itself has not moved.
func TestALateRenewalYieldsToATakeoverThatWasCutOff(t *testing.T) {
	verbs := map[string]func(d *Desk, id lease.Identity) (lease.Verdict, error){
		"heartbeat": func(d *Desk, id lease.Identity) (lease.Verdict, error) {
			return d.Heartbeat(t.Context(), "api", id)
		},
		"park": func(d *Desk, id lease.Identity) (lease.Verdict, error) {
			return d.Park(t.Context(), "api", "", id)
		},
	}
	for name, verb := range verbs {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t)
			alice := f.clone(t)
			got := acquire(t, open(t, alice), "api", "alice")
			takenInTheOrder(t, f)
			v, err := verb(later(t, alice, 16*time.Minute), mine(&got))
			wantVerdict(t, v, err, lease.LostLease, lease.StaleLease)
		})
	}
	t.Run("in time it is nobody's to take", func(t *testing.T) {
		f := newFleet(t)
		alice := f.clone(t)
		d, commands := tracedDesk(t, alice)
		got := acquire(t, d, "api", "alice")
		commands()
		v, err := d.Heartbeat(t.Context(), "api", mine(&got))
		wantVerdict(t, v, err, lease.Renewed, "")
		if c := commands(); c != "push" {
			t.Errorf("a renewal in time runs %q", c)
		}
	})
}

// What is parked on the remote for a worker is an obstacle to its own node too,
// which its delegations are not to each other.
func TestALaneIsParkedBesideNothingThatItsNodeHas(t *testing.T) {
	f := delegating(t, `keep = "1h"`)
	dir := f.clone(t)
	text, err := os.ReadFile(filepath.Join(dir, "dos.toml"))
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(text), `"docs"]`, `"docs", "deep"]`, 1)
	more = strings.Replace(more, "[lanes.trees]\n", "[lanes.trees]\ndeep = [\"api/deep/**\"]\n", 1)
	commit(t, dir, "a lane in a lane", "dos.toml", more)
	gitIn(t, dir, "push", "--quiet", "origin", "HEAD:main")
	d := open(t, dir)
	whole := acquire(t, d, "api", "alice")
	v, err := d.Release(t.Context(), "api", mine(&whole))
	wantVerdict(t, v, err, lease.Released, "")
	deep := acquire(t, d, "deep", "bob")
	if now := has(t, dir, "api"); now.State != lease.Live {
		t.Fatalf("api is %s: nothing is beside it", now.State)
	}
	v, err = d.Park(t.Context(), "deep", "", mine(&deep))
	wantVerdict(t, v, err, lease.Parked, "")
	if now := has(t, dir, "api"); now.State != lease.Gone {
		t.Errorf("api is %s", now.State)
	}
	v, err = d.Acquire(t.Context(), ask("api", "carol"))
	wantVerdict(t, v, err, lease.Refused, lane.Collision)
}

// Two processes of a node finish one return. The one that comes late finds the lane
// with the worker who parked it and took it up again, under the nonce it knows.
func TestALateFinisherLeavesTheLaneToTheWorkerWhoHasIt(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	got := acquire(t, d, "api", "alice")
	was := has(t, dir, "api")
	v, err := d.Park(t.Context(), "api", "", mine(&got))
	wantVerdict(t, v, err, lease.Parked, "")
	v, err = d.Unpark(t.Context(), "api", "", lease.Identity{RunID: got.RunID})
	wantVerdict(t, v, err, lease.Unparked, "")
	was.State = lease.Returning
	if _, err := d.finish(t.Context(), was); err == nil {
		t.Error("it ended what another has ended")
	}
	if r := stateOf(t, f.hub, "api"); r.State != lane.Held || r.RunID != got.RunID {
		t.Errorf("the lane is %+v", r)
	}
}
