package pick

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// everything is a state in which every hold stands.
func everything() State {
	return State{true, true, true, true, true, "draft", true, true, true, 10}
}

// release takes a hold out of a state.
var release = map[Hold]func(*State){
	Shipped:     func(s *State) { s.Shipped = false },
	Unparseable: func(s *State) { s.Unparseable = false },
	InFlight:    func(s *State) { s.InFlight = false },
	SoftClaimed: func(s *State) { s.SoftClaimed = false },
	StaleClaim:  func(s *State) { s.StaleClaim = false },
	DraftClass:  func(s *State) { s.PlanClass = "active" },
	Gated:       func(s *State) { s.Gated = false },
	SoakOpen:    func(s *State) { s.SoakOpen = false },
	Dependency:  func(s *State) { s.Dependency = false },
	Cooling:     func(s *State) { s.CooldownUntilMS = 0 },
}

// With every hold taken out in turn, the next one decides.
func TestHoldsInTheirOrder(t *testing.T) {
	s := everything()
	for _, c := range []struct {
		hold      Hold
		exit      int
		invariant bool
		category  string
		next      string
	}{
		{Shipped, 25, false, "TRUE_DRAIN", "drop"},
		{Unparseable, 24, false, "UNCLASSIFIED", "inspect"},
		{InFlight, 20, false, "STALE_CLAIM", "wait"},
		{SoftClaimed, 21, false, "STALE_CLAIM", "wait"},
		{StaleClaim, 22, false, "STALE_CLAIM", "reclaim"},
		{DraftClass, 10, true, "OPERATOR_GATE", "promote"},
		{Gated, 11, true, "OPERATOR_GATE", "escalate"},
		{SoakOpen, 12, true, "OPERATOR_GATE", "wait"},
		{Dependency, 13, true, "OPERATOR_GATE", "ship"},
		{Cooling, 23, false, "STALE_CLAIM", "wait"},
	} {
		v := DecidePickable(PickableEvidence{Unit: "A/A1", State: s, NowMS: 9, Given: true})
		if v.Outcome != c.hold || !v.Held || *v.Hold != c.hold || v.ExitCode() != c.exit || v.Invariant != c.invariant || v.Category != c.category || !strings.HasPrefix(*v.Next, c.next) || v.Err() != nil {
			t.Errorf("want %+v, got %s, exit %d, %+v", c, v, v.ExitCode(), v)
		}
		release[c.hold](&s)
	}
	v := DecidePickable(PickableEvidence{Unit: "A/A1", State: s, NowMS: 9})
	if v.Outcome != Offerable || v.Held || v.Hold != nil || v.Next != nil || v.ExitCode() != verdict.Yes || v.Err() != nil {
		t.Errorf("nothing holds it: %+v, exit %d", v, v.ExitCode())
	}
}

func TestAHoldOnItsOwn(t *testing.T) {
	for hold := range release {
		s := everything()
		for other, out := range release {
			if other != hold {
				out(&s)
			}
		}
		if v := DecidePickable(PickableEvidence{Unit: "A/A1", State: s, NowMS: 9}); v.Outcome != hold {
			t.Errorf("%s alone: %s", hold, v)
		}
	}
}

func TestTheWallItselfIsOver(t *testing.T) {
	for _, c := range []struct {
		until, now int64
		held       bool
	}{{10, 9, true}, {10, 10, false}, {10, 11, false}, {0, -5, false}, {-1, -5, false}, {1, 0, true}} {
		v := DecidePickable(PickableEvidence{Unit: "u", State: State{CooldownUntilMS: c.until}, NowMS: c.now})
		if v.Held != c.held {
			t.Errorf("until %d at %d: %s", c.until, c.now, v)
		}
	}
}

func TestOnlyDraftIsADraft(t *testing.T) {
	for class, held := range map[string]bool{"DRAFT": true, " Draft\n": true, "draft": true, "DRAFTY": false, "": false, "ACTIVE": false, "D RAFT": false} {
		if v := DecidePickable(PickableEvidence{Unit: "u", State: State{PlanClass: class}}); v.Held != held {
			t.Errorf("%q: %s", class, v)
		}
	}
}

// What is not known is never offered, and hides no hold that is known.
func TestWhatIsNotKnownIsNeverOffered(t *testing.T) {
	unknown := []Finding{{InFlight, "lane api cannot be read"}}
	v := DecidePickable(PickableEvidence{Unit: "A/A1", Unknown: unknown})
	if v.Outcome != "" || v.Held || v.ExitCode() != verdict.NoVerdict || v.Err() == nil || !strings.Contains(v.String(), "IN_FLIGHT") || !strings.Contains(v.String(), "lane api cannot be read") {
		t.Errorf("%s, exit %d", v, v.ExitCode())
	}
	for hold := range release {
		s := everything()
		for other, out := range release {
			if other != hold {
				out(&s)
			}
		}
		if v := DecidePickable(PickableEvidence{Unit: "A/A1", State: s, Unknown: unknown}); v.Outcome != hold || len(v.Evidence.Unknown) != 1 {
			t.Errorf("%s beside something unknown: %+v", hold, v)
		}
	}
	if v := (PickableVerdict{}); v.ExitCode() != verdict.NoVerdict || v.Err() == nil {
		t.Errorf("the zero verdict: exit %d", v.ExitCode())
	}
}

func TestARemarkHoldsNothing(t *testing.T) {
	found := []Finding{{Offerable, "no plan lists it"}, {Offerable, ""}}
	v := DecidePickable(PickableEvidence{Unit: "A/A1", Found: found})
	if v.Outcome != Offerable || v.Held || v.Detail != "nothing holds it; no plan lists it" {
		t.Errorf("%+v", v)
	}
	if v := DecidePickable(PickableEvidence{Unit: "A/A1", State: State{InFlight: true}, Found: found}); v.Outcome != InFlight || v.Detail != "as refs and history say" {
		t.Errorf("%+v", v)
	}
}

func TestBadUnits(t *testing.T) {
	for _, unit := range []string{"", "  ", "\xff", strings.Repeat("u", maxWord+1)} {
		p := DecidePickable(PickableEvidence{Unit: unit})
		c := DecideCooldown(CooldownEvidence{Unit: unit, Policy: DefaultCooldown()})
		q := DecidePriority(CooldownEvidence{Unit: unit, Policy: DefaultCooldown()})
		for _, err := range []error{p.Err(), c.Err(), q.Err()} {
			if err == nil {
				t.Errorf("%.10q is judged: %s, %s, %s", unit, p, c, q)
			}
		}
		if p.ExitCode() != 2 || c.ExitCode() != 2 || q.ExitCode() != 2 {
			t.Errorf("%.10q: exit %d, %d, %d", unit, p.ExitCode(), c.ExitCode(), q.ExitCode())
		}
	}
}

func TestD11StatesThatCannotBeMeant(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{`{"shipped":"false"}`, "shipped"}, {`{"in_flight":0}`, "in_flight"}, {`{"stale_claim":[]}`, "stale_claim"}, {`{"unparseable":"no"}`, "unparseable"},
		{`{"soft_claimed_elsewhere":1}`, "soft_claimed_elsewhere"}, {`{"operator_gated":"true"}`, "operator_gated"}, {`{"soak_open":{}}`, "soak_open"},
		{`{"dependency_unmet":1.0}`, "dependency_unmet"},
		{`{"cooldown_until_ms":"5"}`, "cooldown_until_ms"}, {`{"cooldown_until_ms":1e999}`, "cooldown_until_ms"}, {`{"cooldown_until_ms":1.5}`, "cooldown_until_ms"},
		{`{"cooldown_until_ms":true}`, "cooldown_until_ms"}, {`{"cooldown_until_ms":99999999999999999999}`, "cooldown_until_ms"},
		{`{"cooldown_until_ms":NaN}`, "cooldown_until_ms has no JSON value"},
		{`{"dependancy_unmet":true}`, `"dependancy_unmet", which nothing reads`}, {`{"Shipped":true}`, `"Shipped", which nothing reads`}, {`{"":true}`, `"", which`},
		{`{"plan_class":1}`, "plan_class"}, {`{"plan_class":["DRAFT"]}`, "plan_class"},
		{`{"shipped":true,"shipped":false}`, "twice"},
		{`{"shipped":true}{}`, "more than one"}, {`[]`, "not a JSON object"}, {`null`, "not a JSON object"}, {`"x"`, "not a JSON object"}, {``, "empty"}, {`{`, "not JSON"}, {`{"shipped"}`, "shipped has no JSON value"},
		{"{\"plan_class\":\"\xff\"}", "UTF-8"}, {strings.Repeat(" ", MaxState) + "{}", "longer than"},
		{`{"plan_class":"` + strings.Repeat("x", maxWord+1) + `"}`, "plan_class"},
	} {
		if s, err := ParseState([]byte(c.text)); err == nil || s != (State{}) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.60s: %+v, %v; want an error that says %s", c.text, s, err, c.says)
		}
	}
	null := `{"shipped":null,"unparseable":null,"in_flight":null,"soft_claimed_elsewhere":null,"stale_claim":null,"operator_gated":null,"soak_open":null,"dependency_unmet":null,"plan_class":null,"cooldown_until_ms":null}`
	for _, text := range []string{`{}`, null} {
		if s, err := ParseState([]byte(text)); err != nil || s != (State{}) {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
}

func TestD11HeldWorkIsNoTrueDrain(t *testing.T) {
	for _, c := range []struct {
		state State
		want  string
	}{{State{CooldownUntilMS: 5}, "STALE_CLAIM"}, {State{Dependency: true}, "OPERATOR_GATE"}, {State{Shipped: true}, "TRUE_DRAIN"}, {State{}, ""}} {
		if v := DecidePickable(PickableEvidence{Unit: "u", State: c.state}); v.Category != c.want {
			t.Errorf("%+v: %q, want %q", c.state, v.Category, c.want)
		}
	}
}

// Every key that a verdict tells of is one that a state may say.
func TestAStateIsReadAsItIsTold(t *testing.T) {
	data, err := json.Marshal(everything())
	if err != nil {
		t.Fatal(err)
	}
	if s, err := ParseState(data); err != nil || s != everything() {
		t.Errorf("%s: %+v, %v", data, s, err)
	}
}

func TestThePickableVerdictAsJSON(t *testing.T) {
	v := DecidePickable(PickableEvidence{Unit: "A/A1", NowMS: 5, State: State{InFlight: true}, Found: []Finding{{InFlight, "lane api is held"}}})
	data, err := json.Marshal(v)
	want := `{"verdict":"IN_FLIGHT","held":true,"reason":"IN_FLIGHT","redispatch_invariant":false,"next_action":"wait for its worker","category":"STALE_CLAIM","detail":"lane api is held","unit":"A/A1",` +
		`"evidence":{"shipped":false,"unparseable":false,"in_flight":true,"soft_claimed_elsewhere":false,"stale_claim":false,"plan_class":"","operator_gated":false,"soak_open":false,"dependency_unmet":false,"cooldown_until_ms":0,"now_ms":5,"source":"refs","found":[{"hold":"IN_FLIGHT","detail":"lane api is held"}]}}`
	if err != nil || string(data) != want {
		t.Errorf("%s, %v; want %s", data, err, want)
	}
	if got, want := v.String(), "IN_FLIGHT A/A1: lane api is held\n  next: wait for its worker"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	data, _ = json.Marshal(DecidePickable(PickableEvidence{Unit: "A/A1", Given: true}))
	if !strings.Contains(string(data), `"held":false,"reason":null,"redispatch_invariant":false,"next_action":null`) || !strings.Contains(string(data), `"source":"state"`) {
		t.Error(string(data))
	}
}

func FuzzParseState(f *testing.F) {
	f.Add([]byte(`{"shipped":true,"plan_class":"draft","cooldown_until_ms":5}`))
	f.Add([]byte(`{"shipped":nul`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := ParseState(data); err == nil && DecidePickable(PickableEvidence{Unit: "u", State: s}).Err() != nil {
			t.Errorf("%q is read and cannot be judged", data)
		}
	})
}
