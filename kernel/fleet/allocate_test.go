package fleet

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func at(minutes int) *time.Time {
	t := noon.Add(time.Duration(minutes) * time.Minute)
	return &t
}

func worker(name string, tier, seats int) Account {
	return Account{Name: name, Tier: tier, SessionCap: seats, Kind: KindWorker}
}

func seatNames(granted []Seat) string {
	var names []string
	for _, s := range granted {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

// Every combination of what can stand against an account, and the first of them in
// the fixed order is its reason.
func TestAnAccountGivesNoSeatForTheFirstReasonThatHolds(t *testing.T) {
	seen := map[DropReason]bool{}
	for bits := range 1 << 8 {
		is := func(n int) bool { return bits>>n&1 == 1 }
		acc := worker("alpha", 1, 1)
		ev := AllocateEvidence{Now: noon, Kind: Engineering, Requested: 1, Probes: map[string]Probe{"alpha": {State: ProbeAvailable}}}
		acc.Probed = true
		var want DropReason
		if is(0) {
			ev.Probes["alpha"], want = Probe{State: ProbeUnreadable, Reason: "it ran too long"}, DropUnreadable
		}
		if is(1) {
			ev.Probes["alpha"], want = Probe{State: ProbeUnavailable, Until: at(5)}, DropUnavailable
		}
		if is(2) {
			ev.Caps, want = []Cap{{Account: "ALPHA", Until: at(9)}}, DropCapped
		}
		if is(3) {
			ev.Taken, want = []TakenSeat{{Seat: "Alpha/0"}}, DropFull
		}
		if is(4) {
			ev.Unread, want = "the ledger of a node cannot be read", DropUnread
		}
		if is(5) {
			acc.Tier, want = 2, DropWrongTier
		}
		if is(6) {
			acc.Kind, want = KindExcluded, DropExcluded
		}
		if is(7) {
			acc.Kind, want = KindNonAccount, DropNonAccount
		}
		ev.Accounts = []Account{acc}
		a := Allocate(ev)
		switch {
		case want == "" && (seatNames(a.Granted) != "alpha/0" || len(a.Dropped) > 0 || a.Shortfall != 0 || a.Routable != 1):
			t.Errorf("nothing against it: %+v", a)
		case want != "" && (len(a.Granted) > 0 || a.Shortfall != 1 || a.Routable != 0 || len(a.Dropped) != 1 || a.Dropped[0].Why != want || a.Dropped[0].Detail == "" && want != DropUnavailable):
			t.Errorf("combination %08b: %+v, want %s", bits, a, want)
		}
		seen[want] = true
	}
	if len(seen) != 9 {
		t.Errorf("only %v were answered", seen)
	}
}

func TestWhatIsNotKnownOfAnAccountIsNotAvailable(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*AllocateEvidence)
		want   DropReason
	}{
		"a probe that nobody asked": {func(ev *AllocateEvidence) { ev.Accounts[0].Probed = true }, DropUnreadable},
		"a probe with another answer": {func(ev *AllocateEvidence) {
			ev.Accounts[0].Probed = true
			ev.Probes = map[string]Probe{"a": {State: "YES"}}
		}, DropUnreadable},
		"a cap without an end":              {func(ev *AllocateEvidence) { ev.Caps = []Cap{{Account: "a"}} }, DropCapped},
		"a cap without an end, and another": {func(ev *AllocateEvidence) { ev.Caps = []Cap{{Account: "a"}, {Account: "a", Until: at(-1)}} }, DropCapped},
		"a kind of account":                 {func(ev *AllocateEvidence) { ev.Accounts[0].Kind = "" }, DropExcluded},
		"a kind of work":                    {func(ev *AllocateEvidence) { ev.Kind = "" }, DropWrongTier},
		"seats without a number":            {func(ev *AllocateEvidence) { ev.Accounts[0].SessionCap = 0 }, DropFull},
		"a name with a gap":                 {func(ev *AllocateEvidence) { ev.Accounts[0].Name = "a b" }, DropNameless},
		"a name that cannot be seen":        {func(ev *AllocateEvidence) { ev.Accounts[0].Name = "a\u200b" }, DropNameless},
	} {
		ev := AllocateEvidence{Now: noon, Accounts: []Account{worker("a", 1, 2)}, Kind: Engineering, Requested: 1}
		c.change(&ev)
		if a := Allocate(ev); len(a.Granted) > 0 || a.Dropped[0].Why != c.want {
			t.Errorf("%s: %+v, want %s", name, a, c.want)
		}
	}
}

func TestACapIsOverAtItsTimeAndTheLongestCounts(t *testing.T) {
	ev := AllocateEvidence{Now: noon, Accounts: []Account{worker("a", 1, 1)}, Kind: Engineering, Requested: 1}
	for _, c := range []struct {
		caps []Cap
		want *time.Time
	}{
		{nil, nil}, {[]Cap{{Account: "a", Until: at(0)}}, nil}, {[]Cap{{Account: "b", Until: at(5)}}, nil},
		{[]Cap{{Account: "a", Until: at(1)}, {Account: "a", Until: at(3)}, {Account: "a", Until: at(2)}}, at(3)},
	} {
		ev.Caps = c.caps
		a := Allocate(ev)
		if c.want == nil && len(a.Granted) != 1 || c.want != nil && (len(a.Granted) != 0 || !a.Dropped[0].Until.Equal(*c.want)) {
			t.Errorf("%+v: %+v", c.caps, a)
		}
	}
}

func TestWorkRunsOnTheTiersOfItsKind(t *testing.T) {
	accounts := []Account{worker("one", 1, 1), worker("two", 2, 1), worker("three", 3, 1)}
	for _, c := range []struct {
		kind WorkKind
		down bool
		want string
	}{
		{Engineering, false, "one/0"}, {Engineering, true, "one/0 two/0"},
		{Gardening, false, "two/0 one/0"}, {Gardening, true, "two/0 one/0"}, {"chores", true, ""},
	} {
		a := Allocate(AllocateEvidence{Now: noon, Accounts: accounts, Kind: c.kind, Downshift: c.down, Requested: 3})
		if got := seatNames(a.Granted); got != c.want || a.Shortfall != 3-len(a.Granted) {
			t.Errorf("%s, down %v: %q, want %q", c.kind, c.down, got, c.want)
		}
	}
}

func TestANamedAccountGivesSeatsWhateverItsTier(t *testing.T) {
	ev := AllocateEvidence{Now: noon, Accounts: []Account{worker("one", 1, 1), worker("three", 3, 2)}, Only: "three", Requested: 3}
	if a := Allocate(ev); seatNames(a.Granted) != "three/0 three/1" || len(a.Dropped) > 0 || a.Total != 2 {
		t.Errorf("%+v", a)
	}
	ev.Kind = Engineering
	if a := Allocate(ev); len(a.Granted) > 0 || a.Dropped[0].Why != DropWrongTier {
		t.Errorf("for a kind of work: %+v", a)
	}
}

func TestOnlyProbesThatDecideAreAskedFor(t *testing.T) {
	full, capped, low, open := worker("full", 1, 1), worker("capped", 1, 1), worker("low", 2, 1), worker("open", 1, 1)
	ev := AllocateEvidence{Now: noon, Kind: Engineering, Taken: []TakenSeat{{Seat: "full/0"}}, Caps: []Cap{{Account: "capped", Until: at(1)}}}
	for _, a := range []Account{full, capped, low, open} {
		a.Probed = true
		ev.Accounts = append(ev.Accounts, a)
	}
	ev.Accounts = append(ev.Accounts, worker("without", 1, 1))
	ev.Probes = map[string]Probe{"open": {State: ProbeAvailable}}
	if got := ev.Undecided(); !slices.Equal(got, []string{"open"}) {
		t.Errorf("%v", got)
	}
}

func TestSeatsBelongToTheAccountOfTheirName(t *testing.T) {
	accounts := []Account{worker("a", 1, 2), worker("a/1", 1, 2), worker("Ünion", 1, 1)}
	for seat, want := range map[string]string{
		"a/0": "a", "A/1": "a", "a/7": "a", "a/1/0": "a/1", "u\u0308nion/0": "Ünion",
		"a": "", "a/": "", "a/00": "", "a/+1": "", "a/-1": "", "a/1x": "", "/0": "", "b/0": "", "a/99999999999999999999": "", "a/٣": "",
	} {
		i, _, ok := SeatOf(accounts, seat)
		if got := map[bool]string{true: accounts[i].Name}[ok]; got != want {
			t.Errorf("seat %q is of account %q, want %q", seat, got, want)
		}
	}
	if i, k, ok := SeatOf(accounts, SeatName("a/1", 1)); !ok || i != 1 || k != 1 {
		t.Errorf("account %d, seat %d, %v", i, k, ok)
	}
	twins := Allocate(AllocateEvidence{Now: noon, Accounts: []Account{worker("a", 1, 1), worker("A", 1, 5)}, Kind: Engineering, Requested: 4})
	if len(twins.Granted) != 1 || twins.Dropped[0].Why != DropNameless {
		t.Errorf("two accounts with the same seats: %+v", twins)
	}
}

// The grant is what a plain search from nothing finds for every seat anew.
func TestAllocateAgainstASearch(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for round := range 4000 {
		ev := AllocateEvidence{Now: noon, Kind: []WorkKind{Engineering, Gardening}[r.IntN(2)], Downshift: r.IntN(3) == 0, Requested: r.IntN(9), Probes: map[string]Probe{}}
		for i := range 1 + r.IntN(4) {
			a := worker(string(rune('a'+i)), 1+r.IntN(3), r.IntN(4))
			a.Kind = []string{KindWorker, KindWorker, KindWorker, KindWorker, KindExcluded, KindNonAccount}[r.IntN(6)]
			if a.Probed = r.IntN(3) == 0; a.Probed {
				ev.Probes[a.Name] = Probe{State: []ProbeState{ProbeAvailable, ProbeAvailable, ProbeUnavailable, ProbeUnreadable, ""}[r.IntN(5)]}
			}
			if r.IntN(4) == 0 {
				ev.Caps = append(ev.Caps, Cap{Account: a.Name, Until: at(r.IntN(3) - 1)})
			}
			for range r.IntN(4) {
				ev.Taken = append(ev.Taken, TakenSeat{Seat: SeatName(a.Name, r.IntN(5))})
			}
			ev.Accounts = append(ev.Accounts, a)
		}
		if got, want := seatNames(Allocate(ev).Granted), seatNames(searched(ev)); got != want {
			t.Fatalf("round %d: %q, want %q of %+v", round, got, want, ev)
		}
	}
}

func searched(ev AllocateEvidence) (granted []Seat) {
	has := func(seat string) bool {
		return slices.ContainsFunc(ev.Taken, func(t TakenSeat) bool { return t.Seat == seat }) || slices.ContainsFunc(granted, func(s Seat) bool { return s.Name == seat })
	}
	for len(granted) < ev.Requested {
		best, least := Seat{}, 1000
		for i := len(ev.Accounts) - 1; i >= 0; i-- {
			a := ev.Accounts[i]
			fits := a.Tier == 1 || a.Tier == 2 && (ev.Kind == Gardening || ev.Downshift)
			capped := slices.ContainsFunc(ev.Caps, func(c Cap) bool { return c.Account == a.Name && c.Until.After(noon) })
			if a.Kind != KindWorker || !fits || capped || a.Probed && ev.Probes[a.Name].State != ProbeAvailable {
				continue
			}
			live, first := 0, -1
			for k := a.SessionCap - 1; k >= 0; k-- {
				if has(SeatName(a.Name, k)) {
					live++
				} else {
					first = k
				}
			}
			if (a.Tier == 2) != (ev.Kind == Gardening) {
				live += 100 // the other tier comes after
			}
			if first >= 0 && live <= least {
				best, least = Seat{Account: a.Name, Name: SeatName(a.Name, first)}, live
			}
		}
		if best.Name == "" {
			break
		}
		granted = append(granted, best)
	}
	return granted
}

func TestNoMoreIsGrantedThanAFleetCanHave(t *testing.T) {
	a := Allocate(AllocateEvidence{Now: noon, Accounts: []Account{worker("a", 1, 1<<31-1)}, Kind: Engineering, Requested: 1<<31 - 1})
	if len(a.Granted) != maxWorkers || a.Shortfall != 1<<31-1-maxWorkers {
		t.Errorf("%d granted, %d short", len(a.Granted), a.Shortfall)
	}
	if b := Allocate(AllocateEvidence{Now: noon, Accounts: []Account{worker("a", 1, 1)}, Kind: Engineering, Requested: -5}); len(b.Granted) != 0 || b.Shortfall != 0 {
		t.Errorf("fewer than none: %+v", b)
	}
}

func TestPreflightOfAnAllocation(t *testing.T) {
	ev := AllocateEvidence{
		Now: noon, Kind: Engineering, Accounts: []Account{worker("late", 1, 1), worker("full", 1, 2), worker("soon", 1, 1), worker("low", 2, 4)},
		Caps:  []Cap{{Account: "late", Until: at(60)}, {Account: "soon", Until: at(5)}},
		Taken: []TakenSeat{{Seat: "full/0"}, {Seat: "full/1"}},
	}
	judged := func() PreflightVerdict {
		seats, accounts := Allocate(ev).Preflight()
		return Preflight(PreflightEvidence{MaxWorkers: 8, Host: roomy(), Seats: seats, Accounts: accounts})
	}
	v := judged()
	if v.Outcome != RefuseNoAccount || !strings.Contains(v.Reason, "now: soon: it is capped until 2026-01-02T12:05:00Z; late") {
		t.Errorf("%s: %s", v.Outcome, v.Reason)
	}
	ev.Taken = append(ev.Taken, TakenSeat{Seat: "late/0"}, TakenSeat{Seat: "soon/0"})
	if v = judged(); v.Outcome != RefuseNoSeat {
		t.Errorf("every seat is taken: %s: %s", v.Outcome, v.Reason)
	}
	ev.Taken, ev.Caps = ev.Taken[:3], nil
	if v = judged(); v.Outcome != SpawnOK {
		t.Errorf("one is free: %s: %s", v.Outcome, v.Reason)
	}
	ev.Accounts = []Account{worker("vast", 1, 1<<31-1)}
	if v = judged(); v.Outcome != SpawnOK {
		t.Errorf("more seats than can be counted: %s: %s", v.Outcome, v.Reason)
	}
	ev.Accounts = nil
	if v = judged(); v.Outcome != RefuseNoAccount {
		t.Errorf("no account: %s: %s", v.Outcome, v.Reason)
	}
}
