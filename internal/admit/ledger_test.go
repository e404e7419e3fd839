package admit

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// chainTip is an entry of a lane's chain, changed from a sound one.
func chainTip(t *testing.T, name, op string, change func(*lease.Record)) refstore.Tip {
	t.Helper()
	at := time.Unix(1_700_000_000, 0).UTC()
	r := lease.Record{V: lease.Version, Lane: name, State: lane.Held, Gen: 2, Nonce: "n", TTL: 900, Tree: []string{name + "/**"}, AcquiredAt: at, RenewedAt: at}
	if op == lease.OpShip {
		r.Ship = &lease.Ship{Units: []lease.ShipUnit{{Plan: "AUTH", Phase: "AUTH2", Commit: "c", Tree: "t"}}}
	}
	change(&r)
	payload, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return refstore.Tip{Ref: refstore.Ref("lane", name), ID: "e", Entry: refstore.Entry{Op: op, Gen: r.Gen, Payload: payload}}
}

func asItIs(*lease.Record) {}

func TestAnEntryIsLeasedAboveItsOwnAdmission(t *testing.T) {
	entry := func(op string, change func(*lease.Record)) refstore.Tip { return chainTip(t, "api", op, change) }
	shipped := entry(lease.OpShip, asItIs)
	for name, c := range map[string]struct {
		chain []refstore.Tip // from the tip down
		want  ship.Fact
	}{
		"its admission below":               {[]refstore.Tip{shipped, entry(lease.OpHeartbeat, asItIs), entry(lease.OpAcquire, asItIs)}, ship.Yes},
		"nothing below":                     {[]refstore.Tip{shipped}, ship.No},
		"a heartbeat is no admission":       {[]refstore.Tip{shipped, entry(lease.OpHeartbeat, asItIs)}, ship.No},
		"an admission above":                {[]refstore.Tip{entry(lease.OpAcquire, asItIs), shipped}, ship.No},
		"of another nonce":                  {[]refstore.Tip{shipped, entry(lease.OpAcquire, func(r *lease.Record) { r.Nonce = "m" })}, ship.No},
		"of another generation":             {[]refstore.Tip{shipped, entry(lease.OpAcquire, func(r *lease.Record) { r.Gen = 1 })}, ship.No},
		"of another tree":                   {[]refstore.Tip{shipped, entry(lease.OpAcquire, func(r *lease.Record) { r.Tree = []string{"**"} })}, ship.No},
		"hidden by another admission":       {[]refstore.Tip{shipped, entry(lease.OpAcquire, func(r *lease.Record) { r.Nonce = "m" }), entry(lease.OpAcquire, asItIs)}, ship.No},
		"an entry that holds nothing":       {[]refstore.Tip{entry(lease.OpShip, func(r *lease.Record) { r.State = lane.Free }), entry(lease.OpAcquire, asItIs)}, ship.No},
		"the admission is on another chain": {[]refstore.Tip{shipped, chainTip(t, "web", lease.OpAcquire, func(r *lease.Record) { r.Tree = []string{"api/**"} })}, ship.No},
	} {
		var l shipLedger
		for _, tip := range c.chain {
			l.see(tip)
		}
		if l.err != nil || len(l.entries) != 1 {
			t.Errorf("%s: %d entries, %v", name, len(l.entries), l.err)
			continue
		}
		if e := l.entries[0]; e.Leased != c.want || e.Plan != "AUTH" || e.CommitTree != "t" {
			t.Errorf("%s: %+v, want leased %s", name, e, c.want)
		}
	}
}

func TestThePushedUnitIsTheCommitThatStampsIt(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	since := refstore.OID(gitIn(t, dir, "rev-parse", "HEAD"))
	first := commit(t, dir, "AUTH: AUTH2 add", "api/a")
	work := commit(t, dir, "AUTH: AUTH2 mend", "api/b")
	tip := commit(t, dir, "chore: tidy AUTH2", "api/c")
	for phase, want := range map[string]refstore.OID{"AUTH2": work, "AUTH3": tip} {
		units, err := d.units(t.Context(), since, PushRequest{Commit: tip, Plan: "AUTH", Phase: phase})
		if err != nil || len(units) != 1 || units[0].Commit != string(want) {
			t.Errorf("%s: %+v, %v; want %s", phase, units, err, want)
		}
	}
	if units, err := d.units(t.Context(), since, PushRequest{Commit: first, Plan: "AUTH", Phase: "AUTH2"}); err != nil || len(units) != 1 || units[0].Commit != string(first) {
		t.Errorf("the first alone: %+v, %v", units, err)
	}
	back := commit(t, dir, "Revert \"AUTH: AUTH2 mend\"", "api/b")
	units, err := d.units(t.Context(), tip, PushRequest{Commit: back, Plan: "AUTH", Phase: "AUTH2"})
	if err != nil || len(units) != 1 || units[0].Commit != string(back) {
		t.Errorf("only what is pushed may stand for it: %+v, %v", units, err)
	}
}
