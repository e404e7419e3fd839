package admit

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// delegating makes a fleet whose ordinary lanes nodes take for their workers. more
// goes into its [fleet] table.
func delegating(t *testing.T, more ...string) *testFleet {
	t.Helper()
	f := newFleet(t)
	dir := f.clone(t)
	text := strings.Replace(fleetToml, "lanes = \"all\"\n", strings.Join(more, "\n")+"\n", 1)
	commit(t, dir, "nodes take lanes", "dos.toml", text)
	gitIn(t, dir, "push", "--quiet", "origin", "HEAD:main")
	return f
}

// has is what a clone's node has of a lane on the remote.
func has(t *testing.T, dir, name string) lease.Delegation {
	t.Helper()
	d, err := open(t, dir).own().delegation(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func offline(t *testing.T, f *testFleet) (back func()) {
	t.Helper()
	away := f.hub + ".away"
	if err := os.Rename(f.hub, away); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Rename(away, f.hub); err != nil {
			t.Fatal(err)
		}
	}
}

func mine(r *lease.Record) lease.Identity { return lease.Identity{Nonce: r.Nonce} }

func TestALaneUnderALiveDelegationCostsNoNetwork(t *testing.T) {
	f := delegating(t, `keep = "10m"`)
	d, commands := tracedDesk(t, f.clone(t))
	got := acquire(t, d, "api", "alice")
	if c := commands(); c != "fetch push" {
		t.Errorf("the first acquire runs %q, want one fetch and one push", c)
	}
	if got.Scope != lease.Local || got.Under == "" || got.UnderGen != 1 {
		t.Errorf("granted %+v", got)
	}
	defer offline(t, f)()
	v, err := d.Heartbeat(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Renewed, "")
	v, err = d.Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Released, "")
	again := acquire(t, d, "api", "bob")
	if c := commands(); c != "" {
		t.Errorf("heartbeat, release and acquire run %q", c)
	}
	if again.Gen != 2 || again.Under != got.Under {
		t.Errorf("had again as %+v", again)
	}
}

// A verb under a delegation lists what is here and what the remote was last seen to
// have once each beside its transaction, which lists what it decides on.
func TestAVerbUnderADelegationRunsFewGits(t *testing.T) {
	f := delegating(t, `keep = "10m"`)
	d, commands := tracedGits(t, f.clone(t))
	got := acquire(t, d, "api", "alice")
	defer offline(t, f)()
	commands()
	ran := func(verb string, want ...string) {
		t.Helper()
		c := commands()
		slices.Sort(c) // some run side by side
		if !slices.Equal(c, want) {
			t.Errorf("%s runs %q, want %q", verb, c, want)
		}
	}
	v, err := d.Heartbeat(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Renewed, "")
	ran("heartbeat", "for-each-ref", "for-each-ref", "update-ref")
	v, err = d.Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Released, "")
	ran("release", "for-each-ref", "for-each-ref", "for-each-ref", "update-ref")
	acquire(t, d, "api", "alice")
	ran("acquire", "for-each-ref", "for-each-ref", "update-ref")
}

func TestTheLastReleaseGivesTheLaneBack(t *testing.T) {
	f := delegating(t)
	alice, bob := f.clone(t), f.clone(t)
	d := open(t, alice)
	got := acquire(t, d, "api", "alice")
	v, err := open(t, bob).Acquire(t.Context(), ask("api", "bob"))
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	if v.Holder.String() != "node "+d.Node {
		t.Errorf("held by %s", v.Holder)
	}
	v, err = d.Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Released, "")
	if r := stateOf(t, f.hub, "api"); r.State != lane.Free || has(t, alice, "api").State != lease.Gone {
		t.Errorf("the remote has %+v", r)
	}
	if ops := opsOf(t, f.hub, "refs/dos/lane/api"); ops != "DELEGATE RETURN" {
		t.Errorf("the chain is %s", ops)
	}
	acquire(t, open(t, bob), "api", "bob")
}

func TestAReturnThatWasCutOffIsFinished(t *testing.T) {
	finish := map[string]func(t *testing.T, d *Desk){
		"by the next who asks": func(t *testing.T, d *Desk) { acquire(t, d, "api", "carol") },
		"by a sync": func(t *testing.T, d *Desk) {
			if back, err := d.ReturnIdle(t.Context()); err != nil || strings.Join(back, " ") != "api" {
				t.Errorf("went back: %v, %v", back, err)
			}
		},
	}
	for name, do := range finish {
		t.Run(name, func(t *testing.T) {
			f := delegating(t)
			dir := f.clone(t)
			d := open(t, dir)
			got := acquire(t, d, "api", "alice")
			back := offline(t, f)
			v, err := d.Release(t.Context(), "api", mine(&got))
			wantVerdict(t, v, err, lease.Released, "")
			if !strings.Contains(v.Reason, "git dos sync") || has(t, dir, "api").State != lease.Returning {
				t.Errorf("%s; the node has it %s", v.Reason, has(t, dir, "api").State)
			}
			back()
			do(t, d)
			if r := stateOf(t, f.hub, "api"); r.Nonce == got.Under && r.State != lane.Free {
				t.Errorf("the remote has %+v", r)
			}
		})
	}
}

// A process that dies between two steps leaves one of these states.
func TestAnAskThatWasCutOffIsTakenUpByItsNonce(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	asked, err := d.own().turn(t.Context(), lease.Delegation{}, "api", func(now lease.Delegation, _ lease.Table) (lease.Delegation, []lease.Write, error) {
		n, w := now.Ask("api", d.stamp("", ""))
		return n, w, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("before the remote was asked", func(t *testing.T) {
		got := acquire(t, d, "api", "alice")
		if got.Under != asked.Nonce {
			t.Errorf("granted under %s, want %s", got.Under, asked.Nonce)
		}
		v, err := d.Release(t.Context(), "api", mine(&got))
		wantVerdict(t, v, err, lease.Released, "")
	})
	t.Run("after the remote gave it", func(t *testing.T) {
		was := has(t, dir, "web")
		asked, err := d.own().turn(t.Context(), was, "web", func(now lease.Delegation, _ lease.Table) (lease.Delegation, []lease.Write, error) {
			n, w := now.Ask("web", d.stamp("", ""))
			return n, w, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		a := &acquisition{desk: d, delegate: true, stamp: d.stamp("", ""), req: Request{Lanes: []string{"web"}, TTL: 15 * time.Minute, Identity: lease.Identity{Nonce: asked.Nonce}}}
		a.stamp.Nonce = asked.Nonce
		v, err := a.whole(t.Context())
		wantVerdict(t, v, err, lease.Acquired, "")
		got := acquire(t, d, "web", "alice")
		if r := stateOf(t, f.hub, "web"); got.Under != asked.Nonce || r.Nonce != asked.Nonce || r.Gen != 1 {
			t.Errorf("granted under %s on generation %d of %s", got.Under, r.Gen, r.Nonce)
		}
	})
	t.Run("and nobody comes for it", func(t *testing.T) {
		asked, err := d.own().turn(t.Context(), has(t, dir, "docs"), "docs", func(now lease.Delegation, _ lease.Table) (lease.Delegation, []lease.Write, error) {
			n, w := now.Ask("docs", d.stamp("", ""))
			return n, w, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		a := &acquisition{desk: d, delegate: true, stamp: d.stamp("", ""), req: Request{Lanes: []string{"docs"}, TTL: 15 * time.Minute, Identity: lease.Identity{Nonce: asked.Nonce}}}
		a.stamp.Nonce = asked.Nonce
		v, err := a.whole(t.Context())
		wantVerdict(t, v, err, lease.Acquired, "")
		if _, err := d.ReturnIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := stateOf(t, f.hub, "docs"); r.State != lane.Free || has(t, dir, "docs").State != lease.Gone {
			t.Errorf("the remote has %+v", r)
		}
	})
}

// moved is a desk whose clock and time of day are ahead of the others'.
func later(t *testing.T, dir string, by time.Duration) *Desk {
	t.Helper()
	d := open(t, dir)
	now, clock := d.Now, d.Clock
	d.Now = func() time.Time { return now().Add(by) }
	d.Clock = func() lease.Instant { i := clock(); i.At += int64(by); return i }
	return d
}

func TestADelegationIsRenewedWhenAThirdOfItHasPassed(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	got := acquire(t, open(t, dir), "api", "alice")
	d := later(t, dir, 6*time.Minute)
	v, err := d.Heartbeat(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Renewed, "")
	if ops := opsOf(t, f.hub, "refs/dos/lane/api"); ops != "DELEGATE HEARTBEAT" {
		t.Errorf("the chain is %s", ops)
	}
	if v.WorkUntil == nil || v.WorkUntil.Before(d.Now().Add(13*time.Minute)) {
		t.Errorf("works until %v", v.WorkUntil)
	}
}

func TestALeaseCountsNoLongerThanItsDelegation(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	got := acquire(t, open(t, dir), "api", "alice")
	defer offline(t, f)()
	d := later(t, dir, 12*time.Minute) // too late to renew, and usable still
	v, err := d.Heartbeat(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Renewed, "")
	if limit := has(t, dir, "api").RenewedAt.Add(13*time.Minute + 30*time.Second); v.WorkUntil == nil || v.WorkUntil.After(limit) {
		t.Errorf("works until %v, and the delegation is sure until %v", v.WorkUntil, limit)
	}
	d = later(t, dir, 14*time.Minute)
	if v, err := d.Heartbeat(t.Context(), "api", mine(&got)); err == nil {
		t.Errorf("renewed without the remote: %+v", v)
	}
}

func TestADelegationIsNotUsableAfterAReboot(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	got := acquire(t, open(t, dir), "api", "alice")
	d := open(t, dir)
	d.Clock = func() lease.Instant { return lease.Instant{Boot: "another", At: 1e9} }
	back := offline(t, f)
	if v, err := d.Heartbeat(t.Context(), "api", mine(&got)); err == nil {
		t.Errorf("renewed without the remote: %+v", v)
	}
	back()
	v, err := d.Heartbeat(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Renewed, "")
	if now := has(t, dir, "api"); now.Clock.Boot != "another" {
		t.Errorf("the delegation is of boot %q", now.Clock.Boot)
	}
}

func TestALostDelegationEndsWhatWasGrantedUnderIt(t *testing.T) {
	f := delegating(t)
	alice, bob := f.clone(t), f.clone(t)
	got := acquire(t, open(t, alice), "api", "alice")
	v, err := open(t, bob).Scavenge(t.Context(), "api", "oncall")
	wantVerdict(t, v, err, lease.Scavenged, "")
	acquire(t, open(t, bob), "api", "bob")
	d := later(t, alice, 6*time.Minute)
	v, err = d.Heartbeat(t.Context(), "api", mine(&got))
	if err != nil || v.Outcome != lease.LostLease {
		t.Fatalf("got %+v, %v", v, err)
	}
	if now := has(t, alice, "api"); now.State != lease.Gone {
		t.Errorf("the node has it %s", now.State)
	}
	v, err = d.Acquire(t.Context(), ask("api", "alice"))
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
}

func TestALapsedLeaseIsTakenOverOnlyAfterTheLaneMovedOnTheRemote(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	old := acquire(t, open(t, dir), "api", "alice")
	v, err := open(t, dir).Acquire(t.Context(), ask("api", "bob")) // who sees it for the first time
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	d := later(t, dir, 17*time.Minute)
	got := acquire(t, d, "api", "bob")
	if got.Gen != 2 {
		t.Errorf("granted %+v", got)
	}
	if ops := opsOf(t, dir, "refs/dos/lane/api"); ops != "ACQUIRE TAKING SCAVENGE ACQUIRE" {
		t.Errorf("the node's chain is %s", ops)
	}
	if ops := opsOf(t, f.hub, "refs/dos/lane/api"); !strings.HasSuffix(ops, "HEARTBEAT HEARTBEAT") {
		t.Errorf("the chain on the remote is %s, want the renewal and the fence", ops)
	}
	v, err = d.Heartbeat(t.Context(), "api", mine(&old))
	wantVerdict(t, v, err, lease.LostLease, lease.StaleLease)
}

func TestAParkedLaneOutlivesItsDelegation(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	got := acquire(t, d, "api", "alice")
	v, err := d.Park(t.Context(), "api", "", mine(&got))
	wantVerdict(t, v, err, lease.Parked, "")
	r := stateOf(t, f.hub, "api")
	if r.State != lane.Parked || r.Delegate || r.Holder.Owner != "alice" || r.RunID != got.RunID || has(t, dir, "api").State != lease.Gone {
		t.Errorf("the remote has %+v", r)
	}
	v, err = d.Acquire(t.Context(), ask("api", "bob"))
	if err != nil || v.Outcome != lease.Refused {
		t.Errorf("another gets %+v, %v", v, err)
	}
	v, err = d.Unpark(t.Context(), "api", "", lease.Identity{RunID: got.RunID})
	wantVerdict(t, v, err, lease.Unparked, "")
	v, err = d.Heartbeat(t.Context(), "api", lease.Identity{Nonce: r.Nonce})
	wantVerdict(t, v, err, lease.Renewed, "")
}

func TestAParkThatWasCutOffIsFinishedByASync(t *testing.T) {
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
	if r := stateOf(t, f.hub, "api"); r.State != lane.Parked || r.RunID != got.RunID {
		t.Errorf("the remote has %+v", r)
	}
}

func TestADelegationDrainsForWhomItIsInTheWay(t *testing.T) {
	t.Run("a lane that runs alone", func(t *testing.T) {
		f := delegating(t, `keep = "1h"`)
		alice, bob := f.clone(t), f.clone(t)
		d := open(t, alice)
		got := acquire(t, d, "api", "alice")
		v, err := open(t, bob).Acquire(t.Context(), ask("all", "bob"))
		wantVerdict(t, v, err, lease.Waits, "")
		if _, err := d.Sync(t.Context(), SyncRequest{}); err != nil { // it learns of it
			t.Fatal(err)
		}
		if r := stateOf(t, f.hub, "api"); r.State != lane.Held {
			t.Errorf("a lane that is worked on went back: %+v", r)
		}
		v2, err := d.Release(t.Context(), "api", mine(&got))
		wantVerdict(t, v2, err, lease.Released, "")
		v2, err = d.Acquire(t.Context(), ask("api", "carol"))
		wantVerdict(t, v2, err, lease.Refused, lane.ExclusiveLive)
		v, err = open(t, bob).Await(t.Context(), "all", mine(v.Lease), 0)
		wantVerdict(t, v, err, lease.Acquired, "")
	})
	t.Run("a node that wants it", func(t *testing.T) {
		f := delegating(t, `keep = "1h"`)
		alice, bob := f.clone(t), f.clone(t)
		d := open(t, alice)
		got := acquire(t, d, "api", "alice")
		v, err := d.Release(t.Context(), "api", mine(&got))
		wantVerdict(t, v, err, lease.Released, "")
		if r := stateOf(t, f.hub, "api"); r.State != lane.Held {
			t.Fatalf("it was not kept: %+v", r)
		}
		v, err = open(t, bob).Acquire(t.Context(), ask("api", "bob"))
		wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
		if _, err := d.Sync(t.Context(), SyncRequest{}); err != nil {
			t.Fatal(err)
		}
		acquire(t, open(t, bob), "api", "bob")
	})
	t.Run("the node's own worker", func(t *testing.T) {
		f := delegating(t, `keep = "1h"`)
		d := open(t, f.clone(t))
		got := acquire(t, d, "api", "alice")
		v, err := d.Release(t.Context(), "api", mine(&got))
		wantVerdict(t, v, err, lease.Released, "")
		req := ask("api", "bob")
		req.Unit = "p/1"
		v, err = d.Acquire(t.Context(), req)
		wantVerdict(t, v, err, lease.Acquired, "")
		if v.Lease.Scope != lease.Fleet {
			t.Errorf("a unit is booked by %+v", v.Lease)
		}
	})
}

func TestAPushUnderADelegationIsAnnouncedAndShipsOnTheRemote(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	got := acquire(t, d, "api", "alice")
	tip := commit(t, dir, "api: work", "api/a", "2\n")
	v, err := d.Push(t.Context(), PushRequest{Commit: tip, Holds: []lease.Hold{{Lane: "api", Identity: mine(&got)}}})
	if err != nil || v.Outcome != lease.Landed {
		t.Fatalf("got %+v, %v", v, err)
	}
	if ops := opsOf(t, dir, "refs/dos/lane/api"); ops != "ACQUIRE PUSHING SHIP" {
		t.Errorf("the node's chain is %s", ops)
	}
	r := stateOf(t, f.hub, "api")
	if r.Ship == nil || r.Ship.New != string(tip) || r.Ship.Under == nil || r.Ship.Under.Nonce != got.Nonce || r.Ship.Under.Holder.Owner != "alice" {
		t.Errorf("the remote has %+v", r)
	}
	if now := stateOf(t, dir, "api"); len(now.Pushing) != 0 {
		t.Errorf("unresolved: %v", now.Pushing)
	}
}

// A push of which the end is not known may still be on its way when the lane is
// granted anew. It was decided on the tip that the lane has on the remote.
func TestAGrantOverAnUnresolvedPushMovesTheLaneOnTheRemote(t *testing.T) {
	f := delegating(t, `keep = "1h"`)
	dir := f.clone(t)
	d := open(t, dir)
	for _, pushed := range []bool{false, true} {
		got := acquire(t, d, "api", "alice")
		if pushed {
			a := &announcement{own: d.own(), push: NewNonce()}
			holds := []lease.Hold{{Lane: "api", Identity: mine(&got), Granted: &lease.Granted{}}}
			if v, err := a.announce(t.Context(), holds, []string{"api"}); err != nil || len(a.lanes) != 1 {
				t.Fatalf("got %+v, %v", v, err)
			}
		}
		v, err := d.Heartbeat(t.Context(), "api", mine(&got)) // of a worker that beats while it pushes
		wantVerdict(t, v, err, lease.Renewed, "")
		v, err = d.Release(t.Context(), "api", mine(&got))
		wantVerdict(t, v, err, lease.Released, "")
		before := gitIn(t, f.hub, "rev-parse", "refs/dos/lane/api")
		next := acquire(t, d, "api", "bob")
		if moved := before != gitIn(t, f.hub, "rev-parse", "refs/dos/lane/api"); moved != pushed {
			t.Errorf("announced %t: the lane moved on the remote: %t", pushed, moved)
		}
		if len(next.Pushing) != 0 {
			t.Errorf("the next lease has %v", next.Pushing)
		}
		v, err = d.Release(t.Context(), "api", mine(&next))
		wantVerdict(t, v, err, lease.Released, "")
	}
}

func TestLanesOfTwoAuthoritiesAreAskedForApart(t *testing.T) {
	f := delegating(t)
	d := open(t, f.clone(t))
	req := ask("api", "alice")
	req.Lanes = []string{"api", "all"}
	if v, err := d.Acquire(t.Context(), req); err == nil || !strings.Contains(err.Error(), "ask for them apart") {
		t.Errorf("got %+v, %v", v, err)
	}
	req.Lanes = []string{"api", "web"}
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Acquired, "")
	if len(v.Leases) != 2 || v.Leases[1].Under == "" || v.Leases[0].Under == v.Leases[1].Under {
		t.Errorf("had %+v", v.Leases)
	}
}

func TestReadsShowTheLeasesUnderADelegation(t *testing.T) {
	f := delegating(t, `keep = "1h"`)
	alice, bob := f.clone(t), f.clone(t)
	d := open(t, alice)
	got := acquire(t, d, "api", "alice")
	r, _, err := d.Lease(t.Context(), "api", true)
	if err != nil || r == nil || r.Nonce != got.Nonce {
		t.Errorf("the node sees %+v, %v", r, err)
	}
	reading, err := open(t, bob).Leases(t.Context(), false)
	if err != nil || len(reading.Lanes) != 1 || !reading.Lanes[0].Delegate {
		t.Errorf("another sees %+v, %v", reading.Lanes, err)
	}
	k, _, err := d.Arbitrate(t.Context(), ArbitrateRequest{Request: lane.Request{Lane: "api"}, Cached: true})
	if err != nil || k.Outcome != lane.Refuse {
		t.Errorf("arbitrate says %+v, %v", k, err)
	}
	v, err := d.Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Released, "")
	k, _, err = d.Arbitrate(t.Context(), ArbitrateRequest{Request: lane.Request{Lane: "api"}, Cached: true})
	if err != nil || k.Outcome != lane.Acquire {
		t.Errorf("of a lane that its node keeps arbitrate says %+v, %v", k, err)
	}
}

// A local grant that was cut off after the order would keep a drained lane for ever:
// nobody is granted anything any more who would settle it.
func TestACutOffGrantDoesNotKeepALane(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	got := acquire(t, d, "api", "alice")
	v, err := d.Release(t.Context(), "api", mine(&got))
	wantVerdict(t, v, err, lease.Released, "")
	before := gitIn(t, dir, "rev-parse", "refs/dos/lane/api")
	acquire(t, d, "api", "bob")
	gitIn(t, dir, "update-ref", "refs/dos/lane/api", before) // as if only the order and the delegation had moved
	if _, err := d.ReturnIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := has(t, dir, "api"); now.State != lease.Gone {
		t.Errorf("the node has it %s", now.State)
	}
}

func TestWhatTheRemoteDecidesOnIsNotTakenByTheNode(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	req := ask("web", "alice")
	req.Tree = []string{"web/part/**"}
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Acquired, "")
	if v.Lease.Scope != lease.Fleet || len(v.Lease.Tree) != 1 || v.Lease.Tree[0] != "web/part/**" {
		t.Errorf("a part of a lane is had as %+v", v.Lease)
	}
	req = ask("api", "alice")
	req.Unit = "p/1"
	v, err = d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Acquired, "")
	again := ask("api", "alice")
	again.Identity = lease.Identity{RunID: v.Lease.RunID}
	got, err := d.Acquire(t.Context(), again)
	wantVerdict(t, got, err, lease.Acquired, "")
	if !got.Reacquired || got.Lease.Nonce != v.Lease.Nonce {
		t.Errorf("asked for again without its unit it is %+v", got.Lease)
	}
}

func TestAnAdmissionThatCameToNothingKeepsNoLane(t *testing.T) {
	f := delegating(t)
	dir := f.clone(t)
	d := open(t, dir)
	acquire(t, d, "web", "alice")
	req := ask("api", "bob")
	req.Lanes = []string{"api", "web"}
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	if now := has(t, dir, "api"); now.State != lease.Gone {
		t.Errorf("the node has api %s, and nobody works on it", now.State)
	}
}

func TestWhatAnotherProcessHasJustTakenIsNotAskedForAgain(t *testing.T) {
	f := delegating(t)
	d, commands := tracedDesk(t, f.clone(t))
	acquire(t, d, "api", "alice")
	commands()
	if v, err := d.ensure(t.Context(), "api"); err != nil || v.Outcome != "" {
		t.Fatalf("got %+v, %v", v, err)
	}
	if c := commands(); c != "" {
		t.Errorf("what the node has is asked for again: %q", c)
	}
}
