package admit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// What a node has of a lane is of its repository: the copy of a clone has none of it.
func TestACopiedCloneHasNoneOfTheLanes(t *testing.T) {
	f := delegating(t, `keep = "1h"`)
	dir := f.clone(t)
	d := open(t, dir)
	got := acquire(t, d, "api", "alice")
	v, err := d.Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Released, "")
	twin := filepath.Join(t.TempDir(), "twin")
	if err := os.CopyFS(twin, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	acquire(t, d, "api", "alice")
	v, err = open(t, twin).Acquire(t.Context(), ask("api", "bob"))
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	if now := has(t, dir, "api"); now.State != lease.Live {
		t.Errorf("the original has it %s", now.State)
	}
}

func TestAnUnreadableDelegationCostsItsOwnLaneOnly(t *testing.T) {
	f := delegating(t, `keep = "1h"`)
	dir := f.clone(t)
	d := open(t, dir)
	acquire(t, d, "api", "alice")
	web := acquire(t, d, "web", "bob")
	gitIn(t, dir, "update-ref", "refs/dos/delegation/api", "HEAD")
	if v, err := d.Acquire(t.Context(), ask("api", "carol")); err == nil && v.Outcome == lease.Acquired {
		t.Errorf("granted %+v", v)
	}
	acquire(t, d, "docs", "carol")
	v, err := d.Heartbeat(t.Context(), "web", mine(&web))
	wantVerdict(t, v, err, lease.Renewed, "")
	reading, err := d.Leases(t.Context(), true)
	if err != nil || len(reading.Unread) != 1 || reading.Unread[0].Chain != "api" || len(reading.Lanes) != 2 {
		t.Errorf("read %+v, %v", reading, err)
	}
	_, err = d.ReturnIdle(t.Context())
	if err == nil || !strings.Contains(err.Error(), "what this node has of lane api cannot be read") {
		t.Errorf("a sync says %v", err)
	}
	if se := err.(*StoreError); !strings.Contains(se.Hint, "git update-ref -d refs/dos/delegation/api") {
		t.Errorf("the way out is %q", se.Hint)
	}
	tip := commit(t, dir, "web: work", "web/w", "2\n")
	p, err := d.Push(t.Context(), PushRequest{Commit: tip, Holds: []lease.Hold{{Lane: "web", Identity: mine(&web)}}})
	if err != nil || p.Outcome != lease.Landed {
		t.Errorf("got %+v, %v", p, err)
	}
}

// The worker who parked knows the nonce it had here, whoever carried the lane over.
func TestAParkedLaneIsItsWorkersByTheNonceItHad(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	got := acquire(t, d, "api", "alice")
	back := offline(t, f)
	if v, err := d.Park(t.Context(), "api", "", mine(&got)); err == nil {
		t.Errorf("parked without the remote: %+v", v)
	}
	back()
	if _, err := d.ReturnIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := d.Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Refused, lease.ParkedLane)
	for _, id := range []lease.Identity{{}, {Nonce: "dead"}, {RunID: "run-bob"}} {
		if v, err = d.Unpark(t.Context(), "api", "", id); err != nil || v.ExitCode() == 0 {
			t.Errorf("unparked by %+v: %+v, %v", id, v, err)
		}
	}
	v, err = d.Unpark(t.Context(), "api", "", mine(&got))
	wantVerdict(t, v, err, lease.Unparked, "")
	v, err = d.Heartbeat(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Renewed, "")
	tip := commit(t, dir, "api: work", "api/a", "2\n")
	p, err := d.Push(t.Context(), PushRequest{Commit: tip, Holds: []lease.Hold{{Lane: "api", Identity: mine(&got)}}})
	if err != nil || p.Outcome != lease.Landed {
		t.Errorf("got %+v, %v", p, err)
	}
	v, err = d.Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Released, "")
	other := acquire(t, d, "api", "bob")
	v, err = d.Release(t.Context(), "api", mine(&got))
	if err != nil || v.Outcome == lease.Released {
		t.Errorf("a worker that is gone releases %+v: %+v, %v", other, v, err)
	}
}

func TestAnotherNodesWorkersLaneIsNotParkedFromElsewhere(t *testing.T) {
	f := delegating(t)
	alice, bob := f.clone(t), f.clone(t)
	got := acquire(t, open(t, alice), "api", "alice")
	v, err := open(t, bob).Park(t.Context(), "api", "oncall", lease.Identity{})
	wantVerdict(t, v, err, lease.Refused, lease.NotHeld)
	v, err = open(t, alice).Heartbeat(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Renewed, "")
	v, err = open(t, alice).Park(t.Context(), "api", "oncall", lease.Identity{})
	wantVerdict(t, v, err, lease.Parked, "")
	if v.Lease.Holder.Owner != "alice" {
		t.Errorf("kept for %s", v.Lease.Holder)
	}
}

// A node that has seen on the remote that a lane is another's grants it no more.
func TestANodeTakesNoteOfWhatItSees(t *testing.T) {
	sees := map[string]func(t *testing.T, d *Desk, got lease.Record){
		"in a sync": func(t *testing.T, d *Desk, _ lease.Record) {
			if _, err := d.Sync(t.Context(), SyncRequest{}); err != nil {
				t.Fatal(err)
			}
		},
		"before a grant": func(t *testing.T, d *Desk, _ lease.Record) {
			if err := d.Refresh(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		},
		"in a push": func(t *testing.T, d *Desk, got lease.Record) {
			tip := commit(t, d.Repo.WorkTree, "api: work", "api/a", "2\n")
			v, err := d.Push(t.Context(), PushRequest{Commit: tip, Holds: []lease.Hold{{Lane: "api", Identity: mine(&got)}}})
			if err != nil || v.Outcome != lease.Fenced {
				t.Errorf("got %+v, %v", v, err)
			}
		},
	}
	for name, see := range sees {
		t.Run(name, func(t *testing.T) {
			f := delegating(t, `keep = "1h"`)
			alice, bob := f.clone(t), f.clone(t)
			d := open(t, alice)
			got := acquire(t, d, "api", "alice")
			req := ask("api", "bob")
			req.Force, req.Operator = true, "oncall"
			v, err := open(t, bob).Acquire(t.Context(), req)
			wantVerdict(t, v, err, lease.Acquired, "")
			see(t, d, got)
			if now := has(t, alice, "api"); (now.State != lease.Gone) != (name == "before a grant") {
				t.Errorf("the node has it %s", now.State)
			}
			v, err = d.Acquire(t.Context(), ask("api", "carol"))
			wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
			if v.Holder.Owner != "bob" {
				t.Errorf("held by %s", v.Holder)
			}
			v, err = d.Heartbeat(t.Context(), "api", mine(&got))
			if err != nil || v.Outcome != lease.LostLease {
				t.Errorf("got %+v, %v", v, err)
			}
		})
	}
}

func TestAReleaseNeedsNoOrder(t *testing.T) {
	f := delegating(t, `keep = "1h"`)
	dir := f.clone(t)
	d := open(t, dir)
	got := acquire(t, d, "api", "alice")
	gitIn(t, dir, "update-ref", "refs/dos/order/grants", "HEAD")
	v, err := d.Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Released, "")
}

// A node that was refused a lane wants it, and the wish is over with what the other
// node had of it.
func TestAWishIsOverWithWhatItWasFor(t *testing.T) {
	f := delegating(t)
	alice, bob := f.clone(t), f.clone(t)
	a, b := open(t, alice), open(t, bob)
	for range 2 { // each is refused once, and has it once
		got := acquire(t, a, "api", "alice")
		v, err := b.Acquire(t.Context(), ask("api", "bob"))
		wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
		v, err = a.Release(t.Context(), "api", mine(&got))
		wantVerdict(t, v, err, lease.Released, "")
		for _, d := range []*Desk{b, a} {
			if _, err := d.Sync(t.Context(), SyncRequest{Force: true}); err != nil {
				t.Fatal(err)
			}
		}
		a, b = b, a
	}
}

func TestAReadShowsNoLongerDeadlineThanTheNodeHas(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	got := acquire(t, open(t, dir), "api", "alice")
	defer offline(t, f)()
	d := later(t, dir, 12*time.Minute)
	v, err := d.Heartbeat(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Renewed, "")
	until := has(t, dir, "api").RenewedAt.Add(15 * time.Minute)
	if !strings.Contains(v.String(), "deadline  "+until.Format(time.RFC3339)) {
		t.Errorf("it says %s, and the node has it until %s", v, until)
	}
	r, _, err := d.Lease(t.Context(), "api", true)
	if err != nil || !r.Deadline().Equal(until) {
		t.Errorf("shown until %s, %v", r.Deadline(), err)
	}
}

func TestAnEmptiedMirrorIsFilledAgain(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	acquire(t, d, "api", "alice")
	for _, ref := range strings.Fields(gitIn(t, dir, "for-each-ref", "--format=%(refname)", "refs/dos/at")) {
		gitIn(t, dir, "update-ref", "-d", ref)
	}
	if r, err := open(t, dir).Leases(t.Context(), false); err != nil || len(r.Lanes) != 1 {
		t.Errorf("read %+v, %v", r, err)
	}
}

func TestADamagedObjectHereIsNoNetworkFailure(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	acquire(t, d, "api", "alice")
	id := gitIn(t, dir, "rev-parse", "refs/dos/delegation/api")
	path := filepath.Join(dir, ".git", "objects", id[:2], id[2:])
	if err := errors.Join(os.Chmod(path, 0o600), os.Truncate(path, 0)); err != nil {
		t.Fatal(err)
	}
	_, err := d.Sync(t.Context(), SyncRequest{})
	if err == nil || strings.Contains(err.Error(), "unreachable") || !strings.Contains(err.Error(), "of this repository is damaged") {
		t.Errorf("it says %v", err)
	}
}

// A worker that would take any lane is not kept from one by what its own node keeps
// idle, and neither does an exclusive lane wait for that.
func TestWhatTheNodeKeepsIdleIsInNobodysWayHere(t *testing.T) {
	idle := func(t *testing.T) *Desk {
		d := open(t, delegating(t, `keep = "1h"`).clone(t))
		for _, name := range []string{"api", "web", "docs"} {
			got := acquire(t, d, name, "alice")
			v, err := d.Release(t.Context(), name, mine(&got))
			wantVerdict(t, v, err, lease.Released, "")
		}
		return d
	}
	t.Run("any lane", func(t *testing.T) {
		d := idle(t)
		req := ask("", "bob")
		req.Lanes = nil
		v, err := d.Acquire(t.Context(), req)
		wantVerdict(t, v, err, lease.Acquired, "")
	})
	t.Run("one that runs alone", func(t *testing.T) {
		d := idle(t)
		v, err := d.Acquire(t.Context(), ask("all", "bob"))
		wantVerdict(t, v, err, lease.Acquired, "")
		if held, err := d.Recall("all"); err != nil || held == nil || held.Nonce != v.Lease.Nonce {
			t.Errorf("this worktree remembers %+v, %v", held, err)
		}
	})
}

func TestARefusalOfTheSecondLaneLeavesTheFirst(t *testing.T) {
	f := delegating(t)
	alice, bob := f.clone(t), f.clone(t)
	acquire(t, open(t, bob), "web", "bob")
	req := ask("api", "alice")
	req.Lanes = []string{"api", "web"}
	v, err := open(t, alice).Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	if now := has(t, alice, "api"); now.State != lease.Gone {
		t.Errorf("the node has api %s, and nobody works on it", now.State)
	}
}

func TestALeaseThatOutlastsWhatANodeHasIsTheRemotes(t *testing.T) {
	f := delegating(t)
	d := open(t, f.clone(t))
	short := acquire(t, d, "api", "alice") // so that something of the same run stands here
	v, err := d.Release(t.Context(), "api", mine(&short))
	wantVerdict(t, v, err, lease.Released, "")
	req := ask("api", "alice")
	req.TTL = 6 * time.Hour
	v, err = d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Acquired, "")
	if v.Lease.Scope != lease.Fleet || v.Lease.TTL != 6*3600 {
		t.Errorf("had as %+v", v.Lease)
	}
	v, err = d.Heartbeat(t.Context(), "api", lease.Identity{RunID: req.RunID})
	wantVerdict(t, v, err, lease.Renewed, "")
}

func TestAGrantRenewsWhatTheNodeHasWhenThatIsDue(t *testing.T) {
	f := delegating(t, `keep = "1h"`)
	dir := f.clone(t)
	got := acquire(t, open(t, dir), "api", "alice")
	v, err := open(t, dir).Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Released, "")
	d := later(t, dir, 6*time.Minute)
	again := acquire(t, d, "api", "bob")
	if again.Under != got.Under {
		t.Errorf("granted under %s, and the node had it as %s", again.Under, got.Under)
	}
	if ops := opsOf(t, f.hub, "refs/dos/lane/api"); ops != "DELEGATE HEARTBEAT" {
		t.Errorf("the chain is %s", ops)
	}
}
