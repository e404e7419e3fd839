package lease

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

// clockAt is a reading of one boot's clock.
func clockAt(d time.Duration) Instant { return Instant{"boot", int64(d)} }

// having is a live delegation of lane docs, renewed at noon, unless changed.
func having(change ...func(*Delegation)) Delegation {
	d := Delegation{
		V: Version, Seq: 5, Lane: "docs", State: Live, Nonce: "d0c", Gen: 7, Kind: lane.Cluster, Tree: []string{"docs/**"}, TTL: 900,
		RenewedAt: noon, Clock: clockAt(time.Hour),
	}
	for _, f := range change {
		f(&d)
	}
	return d
}

func inDelegationState(s DelegationState) func(*Delegation) {
	return func(d *Delegation) { d.State = s }
}

// granted makes a lease one that was granted under a delegation.
func granted(under string) func(*Record) {
	return func(r *Record) { r.Scope, r.Under = Local, under }
}

// delegated is a lease that a node has for its workers.
func delegated(nonce string, change ...func(*Record)) Record {
	r := heldBy("", nonce, func(r *Record) { r.Delegate, r.RunID = true, "" })
	for _, f := range change {
		f(&r)
	}
	return r
}

func TestDelegationsReadBack(t *testing.T) {
	for _, d := range []Delegation{having(), having(inDelegationState(Returning)), {V: Version, Seq: 5, Lane: "docs", State: Asking, Nonce: "d0c"}, {V: Version, Seq: 5, Lane: "docs", State: Gone}} {
		got, err := ParseDelegation("docs", 5, encode(d))
		if err != nil || string(encode(got)) != string(encode(d)) {
			t.Errorf("%+v reads back as %+v %v", d, got, err)
		}
	}
	for claim, payload := range map[string]string{
		"no JSON":                   "{",
		"of another lane":           string(encode(having(func(d *Delegation) { d.Lane = "code" }))),
		"of another number":         string(encode(having(func(d *Delegation) { d.Seq = 4 }))),
		"of another version":        string(encode(having(func(d *Delegation) { d.V = 2 }))),
		"in an unknown state":       string(encode(having(inDelegationState("lent")))),
		"without a nonce":           string(encode(having(func(d *Delegation) { d.Nonce = "" }))),
		"live without a generation": string(encode(having(func(d *Delegation) { d.Gen = 0 }))),
		"live without a ttl":        string(encode(having(func(d *Delegation) { d.TTL = 0 }))),
		"live without a time":       string(encode(having(func(d *Delegation) { d.RenewedAt = time.Time{} }))),
		"with a ttl out of range":   string(encode(having(func(d *Delegation) { d.TTL = maxTTL + 1 }))),
		"with a control character":  string(encode(having(func(d *Delegation) { d.Nonce = "a\x1bb" }))),
		"with a boot id too long":   string(encode(having(func(d *Delegation) { d.Clock.Boot = strings.Repeat("b", maxWord+1) }))),
		"with a tree that escapes":  string(encode(having(func(d *Delegation) { d.Tree = []string{"../x"} }))),
		"too large":                 strings.Repeat(" ", maxRecord+1),
	} {
		if d, err := ParseDelegation("docs", 5, []byte(payload)); !errors.Is(err, ErrRecord) || d.State != "" {
			t.Errorf("one %s is read as %+v %v", claim, d, err)
		}
	}
}

func TestADelegationIsUsableUntilOthersCouldSeeItLapse(t *testing.T) {
	by := Lapsing{Now: noon}
	const margin = 90 * time.Second
	for _, tt := range []struct {
		claim  string
		d      Delegation
		now    Instant
		usable bool
		due    bool
	}{
		{"just renewed", having(), clockAt(time.Hour), true, false},
		{"a third of its ttl later", having(), clockAt(time.Hour + 5*time.Minute), true, true},
		{"a moment before", having(), clockAt(time.Hour + 5*time.Minute - 1), true, false},
		{"a moment before its ttl less the margin", having(), clockAt(time.Hour + 15*time.Minute - margin - 1), true, true},
		{"at its ttl less the margin", having(), clockAt(time.Hour + 15*time.Minute - margin), false, true},
		{"after a reboot", having(), Instant{"next", int64(time.Hour)}, false, true},
		{"on a clock that ran backwards", having(), clockAt(time.Minute), false, true},
		{"without a clock", having(func(d *Delegation) { d.Clock = Instant{} }), Instant{}, false, true},
		{"while it is asked for", having(inDelegationState(Asking)), clockAt(time.Hour), false, false},
		{"while it goes back", having(inDelegationState(Returning)), clockAt(time.Hour), false, false},
		{"when it is gone", having(inDelegationState(Gone)), clockAt(time.Hour), false, false},
		{"when there never was one", Delegation{}, clockAt(time.Hour), false, true},
	} {
		if usable, due := tt.d.Usable(tt.now, by), tt.d.Due(tt.now); usable != tt.usable || due != tt.due {
			t.Errorf("%s: usable %v, due %v", tt.claim, usable, due)
		}
	}
}

// An answer about a lease promises no more than its delegation does.
func TestAnswersAreWithinTheDelegation(t *testing.T) {
	at := func(d time.Duration) *time.Time { when := noon.Add(d); return &when }
	for _, tt := range []struct {
		claim           string
		v               Verdict
		deadline, until *time.Time
	}{
		{"the nearer of the two", Verdict{Deadline: at(time.Hour), WorkUntil: at(50 * time.Minute)}, at(15 * time.Minute), at(13*time.Minute + 30*time.Second)},
		{"its own where that is nearer", Verdict{Deadline: at(time.Minute), WorkUntil: at(time.Second)}, at(time.Minute), at(time.Second)},
		{"none where it has none", Verdict{}, nil, nil},
	} {
		same := func(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }
		if v := tt.v.Within(having(), Lapsing{}); !same(v.Deadline, tt.deadline) || !same(v.WorkUntil, tt.until) {
			t.Errorf("%s: %v %v", tt.claim, v.Deadline, v.WorkUntil)
		}
	}
}

func TestAskingKeepsItsNonce(t *testing.T) {
	first, writes := Delegation{}.Ask("docs", Stamp{Nonce: "one"})
	if first.State != Asking || first.Nonce != "one" || first.Seq != 1 || first.Lane != "docs" || ops(writes) != OpAsking || !writes[0].Delegation || readBack(writes) != nil {
		t.Errorf("asks as %+v, %v", first, ops(writes))
	}
	if again, writes := first.Ask("docs", Stamp{Nonce: "two"}); again.Nonce != "one" || writes != nil {
		t.Errorf("asks again as %+v, %v", again, ops(writes))
	}
	if anew, _ := having(inDelegationState(Gone)).Ask("docs", Stamp{Nonce: "two"}); anew.Nonce != "two" || anew.Seq != 6 || anew.Gen != 0 {
		t.Errorf("asks anew as %+v", anew)
	}
}

func TestHoldTakesTheVeryLeaseThatWasAskedFor(t *testing.T) {
	r := delegated("d0c")
	asking := Delegation{V: Version, Seq: 5, Lane: "docs", State: Asking, Nonce: "d0c"}
	older := heldBy("me", "n0", granted("0ld"))
	younger := heldBy("me", "n0", granted("d0c"))
	for _, tt := range []struct {
		claim  string
		d      Delegation
		r      Record
		local  Table
		writes string
	}{
		{"what was asked for is had", asking, r, Table{}, "LIVE"},
		{"what is live is renewed", having(), r, Table{}, "LIVE"},
		{"a lease under an older delegation ends", asking, r, tableWith(older), "LIVE VOID"},
		{"one under this goes on", having(), r, tableWith(younger), "LIVE"},
		{"a free lane stays as it is", asking, r, tableWith(heldBy("me", "n0", granted("0ld"), inState(lane.Free))), "LIVE"},
		{"another nonce is not what was asked for", asking, delegated("0ther"), Table{}, ""},
		{"nor is a lane that waits", asking, delegated("d0c", inState(lane.Waiting)), Table{}, ""},
		{"nor one that is parked", asking, delegated("d0c", inState(lane.Parked)), Table{}, ""},
		{"nor a worker's own lease", asking, delegated("d0c", func(r *Record) { r.Delegate = false }), Table{}, ""},
		{"nor another lane", asking, delegated("d0c", onLane("code", lane.Cluster, "src/**")), Table{}, ""},
		{"what goes back is not had", having(inDelegationState(Returning)), r, Table{}, ""},
		{"nor what is gone", having(inDelegationState(Gone)), r, Table{}, ""},
	} {
		n, writes, err := tt.d.Hold(tt.r, tt.local, Stamp{Now: noon.Add(time.Hour)}, clockAt(2*time.Hour))
		if (err == nil) != (tt.writes != "") || ops(writes) != tt.writes || readBack(writes) != nil {
			t.Errorf("%s: %v %v", tt.claim, ops(writes), err)
			continue
		}
		if err == nil && (n.State != Live || n.Seq != 6 || n.Gen != 3 || n.TTL != 900 || n.Clock != clockAt(2*time.Hour) || !n.RenewedAt.Equal(noon.Add(time.Hour))) {
			t.Errorf("%s: %+v", tt.claim, n)
		}
	}
}

func TestALaneGoesBackWhenNobodyWorksOnIt(t *testing.T) {
	mine := heldBy("me", "n0", granted("d0c"))
	cut := tableWith(mine)
	cut.Order.Lanes["docs"] = Grant{Gen: 4, Nonce: "cut off"}
	unread := Table{Unread: map[string]error{"docs": ErrRecord}}
	for _, tt := range []struct {
		claim string
		d     Delegation
		local Table
		ok    bool
		frees bool
	}{
		{"nobody ever did", having(), Table{}, true, false},
		{"the lane is free", having(), tableWith(heldBy("me", "n0", granted("d0c"), inState(lane.Free))), true, false},
		{"what is there has lapsed", having(), watching(tableWith(mine), whole, "docs"), true, true},
		{"what is there is of an older delegation", having(), tableWith(heldBy("me", "n0", granted("0ld"))), true, true},
		{"it is parked, and goes back to be kept", having(), tableWith(heldBy("me", "n0", granted("d0c"), inState(lane.Parked))), true, false},
		{"not while somebody works on it", having(), tableWith(mine), false, false},
		{"not while it may lapse any moment", having(), watching(tableWith(mine), whole-1, "docs"), false, false},
		{"not while it cannot be read", having(), unread, false, false},
		{"not while an admission is half done", having(), cut, false, false},
		{"not while it is asked for", having(inDelegationState(Asking)), Table{}, false, false},
		{"not when it goes back already", having(inDelegationState(Returning)), Table{}, false, false},
		{"not when it is gone", having(inDelegationState(Gone)), Table{}, false, false},
	} {
		n, writes, ok := tt.d.Return(tt.local, Stamp{Now: noon.Add(time.Minute)}, Lapsing{})
		all := " " + ops(writes) + " "
		if ok != tt.ok || strings.Contains(all, " SCAVENGE ") != tt.frees || strings.Contains(all, " RETURNING ") != ok || readBack(writes) != nil {
			t.Errorf("%s: %v %v", tt.claim, ok, all)
		}
		if ok && (n.State != Returning || n.Nonce != "d0c" || n.Seq != 6) || !ok && len(writes) > 0 {
			t.Errorf("%s: %+v %v", tt.claim, n, all)
		}
	}
}

func TestEndEndsWhatWasGranted(t *testing.T) {
	for claim, want := range map[string]struct {
		local Table
		ops   string
	}{
		"nothing was granted":          {Table{}, "GONE"},
		"what was granted is over":     {tableWith(heldBy("me", "n0", granted("d0c"))), "GONE VOID"},
		"also what was parked here":    {tableWith(heldBy("me", "n0", granted("d0c"), inState(lane.Parked))), "GONE VOID"},
		"a free lane stays as it is":   {tableWith(heldBy("me", "n0", inState(lane.Free))), "GONE"},
		"what cannot be read stays so": {Table{Unread: map[string]error{"docs": ErrRecord}}, "GONE"},
	} {
		n, writes := having().End("it went back", want.local, Stamp{Now: noon})
		if n.State != Gone || n.Seq != 6 || n.Reason != "it went back" || ops(writes) != want.ops || readBack(writes) != nil {
			t.Errorf("%s: %+v %v", claim, n, ops(writes))
		}
	}
}
