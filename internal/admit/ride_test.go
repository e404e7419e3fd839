package admit

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

func ride(t *testing.T, d *Desk, under lease.Record, unit string, tree ...string) ([]lease.Record, lease.Verdict) {
	t.Helper()
	claims, v, err := d.Ride(t.Context(), Request{Unit: unit, Tree: tree, TTL: d.Rules.Policy.Lease.TTL, RunID: "run-" + NewNonce(), Owner: "rider"}, under)
	if err != nil {
		t.Fatal(err)
	}
	return claims, v
}

func refusedFor(t *testing.T, d *Desk, class string, under lease.Record, unit string, tree ...string) {
	t.Helper()
	if claims, v := ride(t, d, under, unit, tree...); len(claims) > 0 || v.Outcome != lease.Refused || v.ReasonClass != class {
		t.Fatalf("%d claims, %s (%s): %s", len(claims), v.Outcome, v.ReasonClass, v.Reason)
	}
}

func claimsSeen(t *testing.T, d *Desk) string {
	t.Helper()
	reading, err := d.Leases(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, r := range reading.Claims {
		words = append(words, r.Lane+"="+r.Unit)
	}
	return strings.Join(words, " ")
}

func TestClaimsInsideALeaseOfThisRepository(t *testing.T) {
	d := open(t, localRepo(t))
	p := acquire(t, d, "api", "alice")
	claims, _ := ride(t, d, p, "S/1", "api/a/**")
	refusedFor(t, d, lease.UnitClaimed, p, "S/1")
	refusedFor(t, d, lane.Collision, p, "S/2", "api/**")
	refusedFor(t, d, lane.TreeOutsideLane, p, "S/2", "web/**")
	if v, err := d.Acquire(t.Context(), Request{Lanes: []string{"web"}, Unit: "s/1", TTL: time.Hour, Owner: "bob"}); err != nil || v.ReasonClass != lease.UnitClaimed {
		t.Fatalf("%v %v", v, err)
	}
	if v, err := d.Heartbeat(t.Context(), claims[0].Lane, mine(&claims[0])); err != nil || v.Outcome != lease.Renewed {
		t.Fatalf("%v %v", v, err)
	}
	if got := claimsSeen(t, d); got != "api+k.00=S/1" {
		t.Errorf("seen are %s", got)
	}
	if v, err := d.Release(t.Context(), "api", mine(&p)); err != nil || v.Outcome != lease.Released {
		t.Fatalf("%v %v", v, err)
	}
	if v, err := d.Heartbeat(t.Context(), claims[0].Lane, mine(&claims[0])); err != nil || v.Outcome != lease.LostLease {
		t.Errorf("a claim outlives its lease: %v %v", v, err)
	}
	if got := claimsSeen(t, d); got != "" {
		t.Errorf("seen are %s", got)
	}
	refusedFor(t, d, lease.RideOver, p, "S/1")
	if v, err := d.Acquire(t.Context(), Request{Lanes: []string{"web"}, Unit: "S/1", TTL: time.Hour, Owner: "bob"}); err != nil || v.Outcome != lease.Acquired {
		t.Errorf("its unit is not free: %v %v", v, err)
	}
}

func TestPartsOfADelegatedLaneCostNoNetworkAndUnitsAreTheFleets(t *testing.T) {
	f := delegating(t, `keep = "10m"`)
	one, two := open(t, f.clone(t)), open(t, f.clone(t))
	p, q := acquire(t, one, "api", "alice"), acquire(t, two, "web", "bob")
	claims, _ := ride(t, one, p, "S/1", "api/a/**")
	if len(claims) != 2 || claims[0].Rides.Through != "" || claims[1].Rides.Through != p.Under || len(claims[1].Tree) > 0 {
		t.Fatalf("%+v", claims)
	}
	refusedFor(t, two, lease.UnitClaimed, q, "S/1")
	refusedFor(t, two, lease.UnitClaimed, q, "S/1", "web/a")
	if got := claimsSeen(t, two); got != "api+k.00=S/1" {
		t.Errorf("the other node sees %s: a refused ride leaves nothing behind", got)
	}
	for _, r := range claims {
		if v, err := one.Heartbeat(t.Context(), r.Lane, mine(&r)); err != nil || v.Outcome != lease.Renewed {
			t.Errorf("%s: %v %v", r.Lane, v, err)
		}
	}
	back := offline(t, f)
	more, _ := ride(t, one, p, "", "api/b/**")
	refusedFor(t, one, lane.Collision, p, "", "api/b/x")
	if err := one.Dismount(t.Context(), more); err != nil {
		t.Error(err)
	}
	if _, _, err := one.Ride(t.Context(), Request{Unit: "S/2", Tree: []string{"api/c"}, TTL: time.Hour, Owner: "x"}, p); err == nil {
		t.Error("a unit is had while the remote is away")
	}
	back()
	if again, _ := ride(t, one, p, "", "api/c"); len(again) != 1 {
		t.Error("a ride that failed half keeps its part")
	}
	if v, err := one.Release(t.Context(), "api", mine(&p)); err != nil || v.Outcome != lease.Released {
		t.Fatalf("%v %v", v, err)
	}
	if now := claimsSeen(t, open(t, two.Repo.WorkTree)); now != "" {
		if err := two.Refresh(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	if got := claimsSeen(t, two); got != "" {
		t.Errorf("claims outlive the lease that its node granted: %s", got)
	}
	if claims, v := ride(t, two, q, "S/1"); len(claims) != 1 {
		t.Errorf("its unit is not free: %v", v)
	}
}

func TestASyncEndsWhatWasClaimedThroughALeaseThatItsNodeEnded(t *testing.T) {
	f := delegating(t, `keep = "10m"`)
	d := open(t, f.clone(t))
	p := acquire(t, d, "api", "alice")
	ride(t, d, p, "S/1")
	if v, err := d.own().Release(t.Context(), "api", mine(&p)); err != nil || v.Outcome != lease.Released { // as of one that was killed after it
		t.Fatalf("%v %v", v, err)
	}
	if _, err := d.ReturnIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := claimsSeen(t, d); got != "" {
		t.Errorf("seen are %s", got)
	}
}

func TestAParkedLaneOfTheFleetHasNoClaims(t *testing.T) {
	f := delegating(t, `keep = "10m"`)
	d := open(t, f.clone(t))
	p := acquire(t, d, "api", "alice")
	claims, _ := ride(t, d, p, "S/1", "api/a")
	if v, err := d.Park(t.Context(), "api", "", mine(&p)); err != nil || v.Outcome != lease.Parked {
		t.Fatalf("%v %v", v, err)
	}
	for _, r := range claims {
		if v, err := d.Heartbeat(t.Context(), r.Lane, mine(&r)); err != nil || v.Outcome != lease.LostLease {
			t.Errorf("%s: %v %v", r.Lane, v, err)
		}
	}
	if got := claimsSeen(t, d); got != "" {
		t.Errorf("seen are %s", got)
	}
}

// Eight riders of one lane ask at once for parts that overlap, and for two units.
func TestRidersOfOneLaneNeverHaveOnePart(t *testing.T) {
	dir := localRepo(t)
	p := acquire(t, open(t, dir), "api", "alice")
	parts := []string{"api/**", "api/a/**", "api/a/x", "api/b/**", "api/b/y", "api/*/x", "api/c", "api/a"}
	var mu sync.Mutex
	live := map[string]lease.Record{}
	var wg sync.WaitGroup
	for n := range 8 {
		d := open(t, dir)
		wg.Go(func() {
			for round := range 4 {
				claims, _, err := d.Ride(t.Context(), Request{Unit: []string{"S/1", "S/2", ""}[(n+round)%3], Tree: []string{parts[(n+3*round)%8]}, TTL: time.Hour, RunID: NewNonce(), Owner: "r"}, p)
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range claims {
					mu.Lock()
					for _, other := range live {
						if !lane.Glob.Disjoint(r.Tree, other.Tree) || r.Unit != "" && r.Unit == other.Unit {
							t.Errorf("%s (%v, %s) beside %s (%v, %s)", r.Lane, r.Tree, r.Unit, other.Lane, other.Tree, other.Unit)
						}
					}
					live[r.Nonce] = r
					mu.Unlock()
					time.Sleep(20 * time.Millisecond)
					mu.Lock()
					delete(live, r.Nonce)
					mu.Unlock()
				}
				if err := d.Dismount(t.Context(), claims); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := claimsSeen(t, open(t, dir)); got != "" {
		t.Errorf("left are %s", got)
	}
}

// Two nodes claim one unit at the same time, inside lanes that each has for itself.
func TestTwoNodesNeverHaveOneUnit(t *testing.T) {
	f := delegating(t, `keep = "10m"`)
	desks := []*Desk{open(t, f.clone(t)), open(t, f.clone(t))}
	under := []lease.Record{acquire(t, desks[0], "api", "alice"), acquire(t, desks[1], "web", "bob")}
	for range 3 {
		var won [2][]lease.Record
		var wg sync.WaitGroup
		for n, d := range desks {
			wg.Go(func() {
				claims, _, err := d.Ride(t.Context(), Request{Unit: "S/1", TTL: time.Hour, RunID: NewNonce(), Owner: "r"}, under[n])
				if err != nil {
					t.Error(err)
				}
				won[n] = claims
			})
		}
		wg.Wait()
		if len(won[0])+len(won[1]) != 1 {
			t.Fatalf("%d and %d have it", len(won[0]), len(won[1]))
		}
		for n, d := range desks {
			if err := d.Dismount(t.Context(), won[n]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A lease is released while riders claim inside it: none is told of a claim that was
// admitted after the end, and nothing is left.
func TestALeaseReleasedUnderItsRidersLeavesNothing(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	p := acquire(t, d, "api", "alice")
	var wg sync.WaitGroup
	for n := range 4 {
		own := open(t, dir)
		wg.Go(func() {
			for {
				claims, v, err := own.Ride(t.Context(), Request{Unit: []string{"S/1", "S/2", "S/3", "S/4"}[n], TTL: time.Hour, RunID: NewNonce(), Owner: "r"}, p)
				switch {
				case err != nil:
					t.Error(err)
					return
				case v.ReasonClass == lease.RideOver:
					return
				}
				if err := own.Dismount(t.Context(), claims); err != nil {
					t.Error(err)
				}
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	if v, err := d.Release(t.Context(), "api", mine(&p)); err != nil || v.Outcome != lease.Released {
		t.Errorf("%v %v", v, err)
	}
	wg.Wait()
	if got := claimsSeen(t, open(t, dir)); got != "" {
		t.Errorf("left are %s", got)
	}
}
