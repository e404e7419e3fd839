package lease

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

func TestD03ALeaseWithoutATreeBlocksEverything(t *testing.T) {
	r, err := ParseRecord("docs", 3, with(t, map[string]any{"tree": []string{}}))
	if err != nil || r.State != lane.Held {
		t.Fatalf("it is readable, and held: %+v %v", r, err)
	}
	v, writes, err := Acquire(asking(tableWith(r), lanes("code")))
	if err != nil || v.ReasonClass != lane.Collision || writes != nil {
		t.Errorf("%+v %v", v, err)
	}
	if v, _, err = Acquire(asking(tableWith(), lanes("all"))); err != nil || !equal(v.Lease.Tree, []string{"**/*"}) {
		t.Errorf("an exclusive lane without a tree is stored with one: %+v %v", v, err)
	}
}

func TestD05TheDecidedKindIsStored(t *testing.T) {
	for _, kind := range []string{"", lane.Cluster, lane.Keyword} {
		_, writes, err := Acquire(asking(tableWith(), lanes("all"), func(ev *AcquireEvidence) { ev.Requests[0].Kind = kind }))
		if err != nil {
			t.Fatal(err)
		}
		records, order := parsed(t, writes)
		r := records["all"]
		if r.LaneKind != "all" || !r.exclusive() || order.Lanes["all"].Kind != "all" {
			t.Errorf("asked for as %q: %+v", kind, r)
		}
		if v, _, _ := Acquire(asking(Table{Chains: records, Order: order}, lanes("docs"), func(ev *AcquireEvidence) { ev.Stamp.Nonce = "later" })); v.ReasonClass != lane.ExclusiveLive {
			t.Errorf("asked for as %q it excludes nobody: %+v", kind, v)
		}
	}
}

func TestD12AskingTwiceIsOneLease(t *testing.T) {
	table := tableWith(heldBy("me", "old"))
	for claim, ev := range map[string]AcquireEvidence{
		"by name":          asking(table, as(Identity{RunID: "run-me"})),
		"for any":          asking(table, as(Identity{RunID: "run-me"}), anyLane),
		"or by name":       asking(table, as(Identity{Nonce: "old"}), elseAny),
		"or as a cluster":  asking(table, as(Identity{Nonce: "old"}), func(ev *AcquireEvidence) { ev.Requests[0].Kind = lane.Cluster }),
		"or among several": asking(table, as(Identity{Nonce: "old"}), lanes("docs")),
	} {
		v, writes, err := Acquire(ev)
		if err != nil || !v.Reacquired || v.Lease.Nonce != "old" || v.Lease.Gen != 3 || ops(writes) != "HEARTBEAT" || v.ExitCode() != 0 {
			t.Errorf("%s: %+v %v", claim, v, err)
		}
	}
	// A named lane is had or refused; another is never booked for it.
	for _, kind := range []string{"", lane.Cluster, lane.Keyword} {
		v, writes, err := Acquire(asking(tableWith(heldBy("bob", "b0b")), func(ev *AcquireEvidence) { ev.Requests[0].Kind = kind }))
		if err != nil || v.Outcome != Refused || v.Lane != "docs" || writes != nil {
			t.Errorf("kind %q: %+v %v", kind, v, err)
		}
	}
}

func TestD14GenerationsNeverRestart(t *testing.T) {
	free := heldBy("bob", "b0b", inState(lane.Free))
	if v, _, _ := Acquire(asking(tableWith(free))); v.Lease.Gen != 4 {
		t.Errorf("after a release: %d", v.Lease.Gen)
	}
	slot := heldBy("bob", "b0b", inSlot("k.00", "verb", "bin/**"), inState(lane.Free))
	if v, _, _ := Acquire(asking(tableWith(slot), keyword("word", "etc/**"))); v.Lease.Gen != 4 || v.Lease.Slot != "k.00" {
		t.Errorf("a slot that another lane had: %+v", v.Lease)
	}
	if v, _, _ := Acquire(asking(tableWith(heldBy("bob", "b0b")), forcing)); v.Lease.Gen != 4 {
		t.Errorf("after force: %d", v.Lease.Gen)
	}
	old := heldBy("bob", "b0b")
	next := heldBy("eve", "e5e", inGen(4))
	if v, _ := Heartbeat(keeping(&next, Identity{Nonce: old.Nonce})); v.Outcome != LostLease {
		t.Errorf("the holder of the generation before: %+v", v)
	}
}

func TestD18ARecordWithoutAProcessLivesByItsTime(t *testing.T) {
	v, writes, err := Acquire(asking(tableWith()))
	if err != nil || v.Lease.Proc != nil || strings.Contains(string(writes[0].Payload), "proc") {
		t.Errorf("nobody named a process: %+v %v", v.Lease, err)
	}
	named := Proc{PID: 4711, Start: "123", Boot: "b00t", PIDNS: "4026531836"}
	_, writes, err = Acquire(asking(tableWith(), func(ev *AcquireEvidence) { ev.Proc = &named }))
	if err != nil {
		t.Fatal(err)
	}
	records, _ := parsed(t, writes)
	if p := records["docs"].Proc; p == nil || *p != named {
		t.Errorf("the worker's own process: %+v", p)
	}
	for claim, proc := range map[string]any{
		"no pid":           map[string]any{"start": "1"},
		"a negative one":   map[string]any{"pid": -1},
		"one that is none": map[string]any{"pid": "init"},
		"an escape":        map[string]any{"pid": 1, "start": "\x1b[2J"},
	} {
		if r, err := ParseRecord("docs", 3, with(t, map[string]any{"proc": proc})); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: %+v %v", claim, r.Proc, err)
		}
	}
}

func TestD19TimesThatCannotBeRead(t *testing.T) {
	for claim, values := range map[string]map[string]any{
		"a renewal that is no time":   {"renewed_at": "yesterday"},
		"no renewal":                  {"renewed_at": nil},
		"the zero time":               {"renewed_at": "0001-01-01T00:00:00Z"},
		"before there were computers": {"renewed_at": "1066-10-14T09:00:00Z"},
		"after all calendars":         {"renewed_at": "9001-01-01T00:00:00Z"},
		"an admission that is none":   {"acquired_at": 5},
		"an admission out of range":   {"acquired_at": "1066-10-14T09:00:00Z"},
	} {
		for _, state := range []string{"held", "waiting", "parked"} {
			values["state"] = state
			r, err := ParseRecord("docs", 3, with(t, values))
			if !errors.Is(err, ErrRecord) || r.State != "" {
				t.Errorf("%s, %s: %+v %v", claim, state, r, err)
			}
			// Neither free nor held for ever: it leaves no verdict, however late.
			table := tableWith(heldBy("bob", "b0b"))
			delete(table.Chains, "docs")
			table.Unread = map[string]error{"docs": err}
			var unread *UnreadError
			late := func(ev *AcquireEvidence) { ev.Stamp.Now = noon.Add(10000 * time.Hour) }
			if v, _, aerr := Acquire(asking(table, late)); !errors.As(aerr, &unread) || !errors.Is(aerr, ErrRecord) {
				t.Errorf("%s, %s: %+v %v", claim, state, v, aerr)
			}
		}
	}
	future := heldBy("bob", "b0b", func(r *Record) { r.RenewedAt = noon.Add(1000 * time.Hour) })
	if v, _, err := Acquire(asking(tableWith(future))); err != nil || v.Outcome != Refused {
		t.Errorf("a renewal in the future holds: %+v %v", v, err)
	}
}

func TestD20NobodyReleasesWithoutAnIdentity(t *testing.T) {
	nameless := heldBy("", "n0", func(r *Record) { r.RunID = "" })
	named := heldBy("bob", "n0")
	for claim, tt := range map[string]struct {
		held Record
		id   Identity
	}{
		"none":              {nameless, Identity{}},
		"none, of a run":    {named, Identity{}},
		"the owner's name":  {named, Identity{Nonce: "bob", RunID: "bob"}},
		"the lane's name":   {named, Identity{Nonce: "docs", RunID: "docs"}},
		"a part of the run": {named, Identity{RunID: "run-"}},
		"another nonce":     {named, Identity{Nonce: "n"}},
	} {
		if v, writes := Release(keeping(&tt.held, tt.id)); v.Outcome != Refused || v.ReasonClass != StaleLease || writes != nil {
			t.Errorf("%s: %+v", claim, v)
		}
	}
	v, writes := Scavenge(keeping(&nameless, Identity{}))
	if records, _ := parsed(t, writes); v.Outcome != Scavenged || records["docs"].Operator != "oncall" || !strings.Contains(records["docs"].Reason, "oncall") {
		t.Errorf("an operator's word is on the record: %+v", v)
	}
}
