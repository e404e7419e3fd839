package lease

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// under makes an ask one for a lease that the asker's node grants.
func under(own ...Delegation) func(*AcquireEvidence) {
	return func(ev *AcquireEvidence) {
		ev.Under, ev.Scope, ev.Clock, ev.Delegations = true, Local, clockAt(time.Hour+time.Minute), map[string]Delegation{}
		for _, d := range own {
			ev.Delegations[d.Lane] = d
		}
	}
}

// fencing is a table on which chains are fenced.
func fencing(t Table, chains ...string) Table {
	t.Watch.Fenced = map[string]bool{}
	for _, chain := range chains {
		t.Watch.Fenced[chain] = true
	}
	return t
}

func taking(r *Record) { r.Taking, r.Reason = true, "lapsed: nobody has renewed it" }

func announced(ids ...string) func(*Record) { return func(r *Record) { r.Pushing = ids } }

func TestANodeGrantsWhatItHas(t *testing.T) {
	bob := func(change ...func(*Record)) Table {
		return tableWith(heldBy("bob", "b0b", append([]func(*Record){granted("d0c")}, change...)...))
	}
	part := heldBy("eve", "e5e", onLane("part", lane.Cluster, "docs/part/**"), granted("pa7"))
	for _, tt := range []struct {
		claim  string
		ev     AcquireEvidence
		want   Outcome
		writes string
		err    string // "": none, else "node" or "fence"
	}{
		{"a free lane", asking(Table{}, under(having())), Acquired, "ACQUIRE GRANT GRANTED", ""},
		{"not without a delegation", asking(Table{}, under()), "", "", "node"},
		{"not under that of another lane", asking(Table{}, under(having(func(d *Delegation) { d.Lane = "code" }))), "", "", "node"},
		{"not while it is asked for", asking(Table{}, under(having(inDelegationState(Asking)))), "", "", "node"},
		{"not while it goes back", asking(Table{}, under(having(inDelegationState(Returning)))), "", "", "node"},
		{"not when it is gone", asking(Table{}, under(having(inDelegationState(Gone)))), "", "", "node"},
		{"not after a reboot", asking(Table{}, under(having(func(d *Delegation) { d.Clock.Boot = "last" }))), "", "", "node"},
		{"not past its time", asking(Table{}, under(having()), func(ev *AcquireEvidence) { ev.Clock = clockAt(2 * time.Hour) }), "", "", "node"},
		{"not with a tree that the node has not", asking(Table{}, under(having(func(d *Delegation) { d.Tree = []string{"docs/a/**"} }))), "", "", "node"},
		{"not what another worker has", asking(bob(), under(having())), Refused, "", ""},
		{"not what overlaps another lane of the node", asking(tableWith(part), under(having(), having(func(d *Delegation) { d.Lane, d.Nonce = "part", "pa7" }))), Refused, "", ""},
		{"over a lease of an older delegation", asking(bob(granted("0ld")), under(having())), Acquired, "SCAVENGE ACQUIRE GRANT GRANTED", ""},
		{"what has lapsed, but first it is fenced", asking(watching(bob(), whole, "docs"), under(having())), "", "", "fence"},
		{"nor is a mark enough", asking(watching(bob(taking), whole, "docs"), under(having())), "", "", "fence"},
		{"nor a fence without the mark", asking(fencing(watching(bob(), whole, "docs"), "docs"), under(having())), "", "", "fence"},
		{"what is marked and fenced", asking(fencing(bob(taking), "docs"), under(having())), Acquired, "SCAVENGE ACQUIRE GRANT GRANTED", ""},
		{"not what is marked only", asking(bob(taking), under(having())), Refused, "", ""},
		{"not over a push whose end is not known", asking(bob(inState(lane.Free), announced("p1")), under(having())), "", "", "fence"},
		{"over one that is fenced", asking(fencing(bob(inState(lane.Free), announced("p1")), "docs"), under(having())), Acquired, "ACQUIRE GRANT GRANTED", ""},
		{"over one of an older delegation", asking(bob(inState(lane.Free), granted("0ld"), announced("p1")), under(having())), Acquired, "ACQUIRE GRANT GRANTED", ""},
	} {
		v, writes, err := Acquire(tt.ev)
		got := ""
		switch {
		case errors.As(err, new(*DelegationError)):
			got = "node"
		case errors.As(err, new(*UnfencedError)):
			got = "fence"
		case err != nil:
			got = err.Error()
		}
		if v.Outcome != tt.want || ops(writes) != tt.writes || got != tt.err {
			t.Errorf("%s: %+v %v %v", tt.claim, v, ops(writes), err)
		}
		if v.Outcome != Acquired {
			continue
		}
		if v.Lease.Under != "d0c" || v.Lease.Scope != Local || len(v.Lease.Pushing) > 0 {
			t.Errorf("%s: %+v", tt.claim, v.Lease)
		}
		for _, w := range writes {
			if w.Op == OpGrant && (!w.Delegation || w.Chain != "docs" || w.Gen != 6) {
				t.Errorf("%s moves the delegation by %+v", tt.claim, w)
			}
		}
	}
}

// To a node that asks for its workers, its own delegations of other lanes are no
// obstacle, and everything else is.
func TestANodeAsksBesideItsOwnDelegations(t *testing.T) {
	wide := func(change ...func(*Record)) Table {
		return tableWith(delegated("w1d", append([]func(*Record){onLane("wide", lane.Cluster, "docs/**")}, change...)...))
	}
	own := having(func(d *Delegation) { d.Lane, d.Nonce = "wide", "w1d" })
	for _, tt := range []struct {
		claim string
		table Table
		own   Delegation
		want  Outcome
	}{
		{"a sibling", wide(), own, Acquired},
		{"one that goes back", wide(), having(func(d *Delegation) { d.Lane, d.Nonce, d.State = "wide", "w1d", Returning }), Acquired},
		{"not one that the node has by name alone", wide(), having(func(d *Delegation) { d.Lane, d.Nonce = "wide", "0ther" }), Refused},
		{"not one that is gone here", wide(), having(func(d *Delegation) { d.Lane, d.Nonce, d.State = "wide", "w1d", Gone }), Refused},
		{"not a worker's lease", wide(func(r *Record) { r.Delegate = false }), own, Refused},
		{"not the same lane", tableWith(delegated("w1d")), having(func(d *Delegation) { d.Nonce = "w1d" }), Refused},
	} {
		v, writes, err := Acquire(asking(tt.table, func(ev *AcquireEvidence) {
			ev.Delegate, ev.Delegations = true, map[string]Delegation{tt.own.Lane: tt.own}
		}))
		if err != nil || v.Outcome != tt.want {
			t.Errorf("%s: %+v %v", tt.claim, v, err)
		}
		if v.Outcome == Acquired && (!v.Lease.Delegate || ops(writes) != "DELEGATE GRANTED") {
			t.Errorf("%s: %+v %v", tt.claim, v.Lease, ops(writes))
		}
	}
}

func TestTakeMarksWhatHasLapsed(t *testing.T) {
	mine := heldBy("bob", "b0b", granted("d0c"))
	for _, tt := range []struct {
		claim string
		table Table
		want  string
	}{
		{"a lapsed lease", watching(tableWith(mine), whole, "docs"), "TAKING"},
		{"not one that lives", tableWith(mine), ""},
		{"not one that is marked", watching(tableWith(heldBy("bob", "b0b", taking)), whole, "docs"), ""},
		{"not a free lane", watching(tableWith(heldBy("bob", "b0b", inState(lane.Free), announced("p1"))), whole, "docs"), ""},
	} {
		writes := Take(tt.table, []string{"docs"}, Lapsing{}, Stamp{Now: noon})
		if ops(writes) != tt.want || readBack(writes) != nil {
			t.Errorf("%s: %v", tt.claim, ops(writes))
		}
		for _, w := range writes {
			if r := mustRecord("docs", &node{gen: w.Gen, data: w.Payload}); !r.Taking || r.Nonce != "b0b" || r.State != lane.Held || !r.RenewedAt.Equal(noon) || !strings.HasPrefix(r.Reason, "lapsed: ") {
				t.Errorf("%s: %+v", tt.claim, r)
			}
		}
	}
}

// underEvidence is evidence about a lease that its node granted.
func underEvidence(r Record, change ...func(*KeepEvidence)) KeepEvidence {
	d := having()
	return keeping(&r, Identity{Nonce: "n0"}, append([]func(*KeepEvidence){func(ev *KeepEvidence) { ev.Delegation = &d }}, change...)...)
}

func TestALeaseLivesWhileItsDelegationDoes(t *testing.T) {
	mine := heldBy("me", "n0", granted("d0c"))
	lent := func(change ...func(*Delegation)) func(*KeepEvidence) {
		return func(ev *KeepEvidence) { d := having(change...); ev.Delegation = &d }
	}
	for _, tt := range []struct {
		claim string
		ev    KeepEvidence
		want  Outcome
		class string
	}{
		{"it is renewed", underEvidence(mine), Renewed, ""},
		{"not without one", underEvidence(mine, func(ev *KeepEvidence) { ev.Delegation = nil }), LostLease, DelegationOver},
		{"not under a later one", underEvidence(mine, lent(func(d *Delegation) { d.Nonce = "l8r" })), LostLease, DelegationOver},
		{"not while it goes back", underEvidence(mine, lent(inDelegationState(Returning))), LostLease, DelegationOver},
		{"not when it is gone", underEvidence(mine, lent(inDelegationState(Gone))), LostLease, DelegationOver},
		{"a mark does not end it", underEvidence(heldBy("me", "n0", granted("d0c"), taking)), Renewed, ""},
	} {
		v, writes := Heartbeat(tt.ev)
		if v.Outcome != tt.want || v.ReasonClass != tt.class || (len(writes) > 0) != (v.Outcome == Renewed) {
			t.Errorf("%s: %+v %v", tt.claim, v, ops(writes))
		}
		if v.Outcome == Renewed && v.Lease.Taking {
			t.Errorf("%s, and is marked still", tt.claim)
		}
	}
	if v, _ := Heartbeat(underEvidence(heldBy("me", "n0", granted("d0c"), announced("p1")))); v.Lease == nil || !slices.Equal(v.Lease.Pushing, []string{"p1"}) {
		t.Errorf("a renewal forgets the pushes that are on their way: %+v", v.Lease)
	}
}

func TestPushesAreAnnounced(t *testing.T) {
	mine := heldBy("me", "n0", granted("d0c"))
	many := strings.Fields(strings.Repeat("p ", maxPushing))
	for _, tt := range []struct {
		claim string
		ev    KeepEvidence
		want  Outcome
		class string
		ops   string
	}{
		{"by name", underEvidence(mine), Renewed, "", "PUSHING"},
		{"once", underEvidence(heldBy("me", "n0", granted("d0c"), announced("p1"))), Renewed, "", ""},
		{"beside another", underEvidence(heldBy("me", "n0", granted("d0c"), announced("p0"))), Renewed, "", "PUSHING"},
		{"not without end", underEvidence(heldBy("me", "n0", granted("d0c"), announced(many...))), Refused, NotHeld, ""},
		{"not under a lease that is about to be taken", underEvidence(heldBy("me", "n0", granted("d0c"), taking)), LostLease, StaleLease, ""},
		{"not under another's", underEvidence(heldBy("bob", "b0b", granted("d0c"))), LostLease, StaleLease, ""},
		{"not when the node has not the lane", underEvidence(mine, func(ev *KeepEvidence) { ev.Delegation = nil }), LostLease, DelegationOver, ""},
	} {
		v, writes := Announce(tt.ev, "p1")
		if v.Outcome != tt.want || v.ReasonClass != tt.class || ops(writes) != tt.ops || readBack(writes) != nil {
			t.Errorf("%s: %+v %v", tt.claim, v, ops(writes))
		}
		if v.Outcome == Renewed && (!slices.Contains(v.Lease.Pushing, "p1") || !v.Lease.RenewedAt.Equal(noon)) {
			t.Errorf("%s: %+v", tt.claim, v.Lease)
		}
	}
}

func TestPushesAreResolved(t *testing.T) {
	for _, tt := range []struct {
		claim string
		r     Record
		ship  *Ship
		ops   string
		left  string
	}{
		{"one that landed", heldBy("me", "n0", announced("p0", "p1")), &Ship{Ref: "refs/heads/main"}, "SHIP", "p0"},
		{"one that did not", heldBy("me", "n0", announced("p1")), nil, "HEARTBEAT", ""},
		{"on a lane that was released", heldBy("me", "n0", announced("p1"), inState(lane.Free)), &Ship{Ref: "refs/heads/main"}, "RELEASE", ""},
		{"on another's lane", heldBy("bob", "b0b", announced("p1")), nil, "HEARTBEAT", ""},
		{"not one that is not named", heldBy("me", "n0", announced("p0")), nil, "", ""},
	} {
		writes := Resolve(keeping(&tt.r, Identity{}), "p1", tt.ship)
		if ops(writes) != tt.ops || readBack(writes) != nil {
			t.Errorf("%s: %v", tt.claim, ops(writes))
		}
		for _, w := range writes {
			if r := mustRecord("docs", &node{gen: w.Gen, data: w.Payload}); strings.Join(r.Pushing, " ") != tt.left || !r.RenewedAt.Equal(noon) || r.State != tt.r.State {
				t.Errorf("%s: %+v", tt.claim, r)
			}
		}
	}
	if writes := Resolve(KeepEvidence{Lane: "docs"}, "p1", nil); writes != nil {
		t.Errorf("on a lane that is not there: %v", ops(writes))
	}
}

// A push under a granted lease rides on what its node has of the lane.
func TestPushUnderADelegation(t *testing.T) {
	mine := heldBy("me", "n0", granted("d0c"), func(r *Record) { r.Gen = 4 })
	has := delegated("d0c")
	for _, tt := range []struct {
		claim  string
		mine   Record
		remote Record
		d      Delegation
		want   PushOutcome
		class  string
	}{
		{"it goes with the node's lane", mine, has, having(), Landed, ""},
		{"not when the lease is another's", heldBy("bob", "b0b", granted("d0c")), has, having(), Fenced, StaleLease},
		{"not when it is about to be taken", heldBy("me", "n0", granted("d0c"), taking), has, having(), Fenced, StaleLease},
		{"not when the remote shows another lease", mine, delegated("0ther"), having(), Fenced, DelegationOver},
		{"not when it is free there", mine, delegated("d0c", inState(lane.Free)), having(), Fenced, DelegationOver},
		{"not when it is parked there", mine, delegated("d0c", inState(lane.Parked)), having(), Fenced, DelegationOver},
		{"not when it is a worker's there", mine, delegated("d0c", func(r *Record) { r.Delegate = false }), having(), Fenced, DelegationOver},
		{"not while the lane goes back", mine, has, having(inDelegationState(Returning)), Fenced, DelegationOver},
	} {
		v, writes := DecidePush(PushEvidence{
			Ship: Ship{Ref: "refs/heads/main", New: "c"}, Order: tableWith(tt.remote).Order, Algebra: lane.Glob, Stamp: Stamp{Now: noon}, Paths: []string{"docs/a"},
			Holds: []Hold{{Lane: "docs", Chain: "docs", Identity: Identity{Nonce: "n0"}, Current: &tt.remote,
				Granted: &Granted{Chain: "docs", Current: &tt.mine, Order: tableWith(tt.mine).Order, Delegation: &tt.d}}},
		})
		if v.Outcome != tt.want || v.ReasonClass != tt.class || len(writes) > 0 != (tt.want == Landed) {
			t.Errorf("%s: %+v %v", tt.claim, v, ops(writes))
		}
		if v.Outcome == Landed {
			r := mustRecord("docs", &node{gen: writes[0].Gen, data: writes[0].Payload})
			if r.Nonce != "d0c" || r.Ship.Under == nil || r.Ship.Under.Nonce != "n0" || r.Ship.Under.Gen != 4 || r.Ship.Under.Holder.Owner != "me" {
				t.Errorf("%s: %+v %+v", tt.claim, r, r.Ship)
			}
		}
	}
}
