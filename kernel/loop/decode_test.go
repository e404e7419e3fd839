package loop

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	by := DefaultPolicy()
	by.MaxUnclear, by.GateMode = 7, Soft
	ev, err := Decode([]byte(`{"max_dirty_zero":5,"consecutive_unclear":2,"last_gate_was_drain":true,"completion":null,"cooldown":null,
		"pickability":{"held":true,"reason":"SOAK_OPEN"}}`), []byte(`{"kind":"GATE","verdict":"BLOCKED","blocked_cause":"","ship_count":null}`), by)
	if err != nil {
		t.Fatal(err)
	}
	s, it := ev.State, ev.Iteration
	by.MaxDirtyZero = 5
	if s.Policy != by || s.Counters != (Counters{Iteration: 1, Unclear: 2, GateWasDrain: true}) || s.Completion != "" || s.Cooldown != nil || *s.Pick != (Pick{true, SoakOpen}) {
		t.Errorf("%+v: what is not stated is the default", s)
	}
	if it.Kind != Gate || it.Gate != Blocked || *it.BlockedCause != "" || it.Ships != nil {
		t.Errorf("%+v", it)
	}
}

const live = `{"kind":"GATE","verdict":"LIVE"}`

func TestBadStatesNameTheField(t *testing.T) {
	for state, want := range map[string]string{
		``:                                  "state is not a JSON object",
		`[]`:                                "state is not a JSON object",
		`{"iteration":0}`:                   "iteration is less than 1: 0",
		`{"iteration":-1}`:                  "iteration is negative",
		`{"iteration":null}`:                "iteration is null",
		`{"iteration":1.5}`:                 "iteration is",
		`{"iteration":NaN}`:                 "iteration has no JSON value",
		`{"itertion":1}`:                    `"itertion", which nothing reads`,
		`{"consecutive_unclear":-1}`:        "consecutive_unclear is negative",
		`{"consecutive_adopt_wait":"1"}`:    "consecutive_adopt_wait is",
		`{"last_gate_was_drain":"false"}`:   "neither true nor false",
		`{"last_replan_drained":1}`:         "neither true nor false",
		`{"max_unclear":0}`:                 "max_unclear is less than 1: 0",
		`{"max_iterations":-1}`:             "max_iterations is less than 1",
		`{"max_adopt_wait":0}`:              "max_adopt_wait is less than 1",
		`{"gate_mode":"gentle"}`:            `gate_mode is "gentle"`,
		`{"gate_mode":"Hard"}`:              `gate_mode is "Hard"`,
		`{"gate_mode":""}`:                  "gate_mode is empty",
		`{"gate_mode":null}`:                "gate_mode is null",
		`{"completion":"DONE"}`:             `completion is "DONE"`,
		`{"completion":""}`:                 "completion is empty",
		`{"convergence":"starved"}`:         "convergence is",
		`{"liveness":"DEAD"}`:               "liveness is",
		`{"ratchet":"HOLD"}`:                "ratchet is",
		`{"descendant_progress":"Dead"}`:    "descendant_progress is",
		`{"pickability":true}`:              "pickability is not a JSON object",
		`{"pickability":{}}`:                "held is missing",
		`{"pickability":{"held":true}}`:     "reason of pickability is missing",
		`{"pickability":{"held":"true"}}`:   "held is",
		`{"cooldown":"CLEAR"}`:              "cooldown is not a JSON object",
		`{"cooldown":{}}`:                   "state is missing",
		`{"cooldown":{"state":"OVER"}}`:     "state of cooldown is",
		`{"cooldown":{"stat":"CLEAR"}}`:     `cooldown has a field "stat"`,
		"{\"completion\":\"\xff\"}":         "state is not UTF-8",
		`{"iteration":1,"iteration":2}`:     "iteration is stated twice",
		`{"next_state":{"iteration":1}}`:    `"next_state", which nothing reads`,
		strings.Repeat(" ", MaxJSON) + "{}": "state is longer than",

		`{"pickability":{"held":false,"reason":"SHIPPED"}}`: "the unit is not held",
		`{"pickability":{"held":true,"reason":"BUSY"}}`:     "reason of pickability is",
	} {
		if _, err := Decode([]byte(state), []byte(live), DefaultPolicy()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want an error that says %s", state, err, want)
		}
	}
}

func TestBadOutcomesNameTheField(t *testing.T) {
	for outcome, want := range map[string]string{
		``:                  "outcome is not a JSON object",
		`{}`:                "kind is missing",
		`{"kind":null}`:     "kind is null",
		`{"kind":""}`:       "kind is empty",
		`{"kind":"ship"}`:   `kind is "ship"`,
		`{"kind":"GATE"}`:   "verdict is missing",
		`{"king":"GATE"}`:   `"king", which nothing reads`,
		`{"kind":["GATE"]}`: "kind is",

		`{"kind":"GATE","verdict":"WEDGE"}`:                                     `verdict is "WEDGE"`,
		`{"kind":"GATE","verdict":"live"}`:                                      `verdict is "live"`,
		`{"kind":"SHIPPED","verdict":"LIVE"}`:                                   "verdict is of GATE alone",
		`{"kind":"UNCLEAR","replan_productivity":"PRODUCTIVE"}`:                 "replan_productivity is of REPLAN_DONE alone",
		`{"kind":"REPLAN_DONE","replan_productivity":"SOME"}`:                   "replan_productivity is",
		`{"kind":"SHIPPED","ship_count":2}`:                                     "go together",
		`{"kind":"SHIPPED","packet_judge":"STALLED"}`:                           "go together",
		`{"kind":"SHIPPED","packet_judge":"SHIPPED","ship_count":1}`:            "packet_judge is",
		`{"kind":"SHIPPED","packet_judge":"STALLED","ship_count":-1}`:           "ship_count is negative",
		`{"kind":"SHIPPED","packet_judge":"STALLED","ship_count":1.0}`:          "ship_count is",
		`{"kind":"RATE_LIMITED","packet_judge":"SHIPPED-DIRTY","ship_count":0}`: "of SHIPPED alone",
		`{"kind":"UNCLEAR","ship_count":1}`:                                     "of SHIPPED alone",
		`{"kind":"UNCLEAR","measurement_expected":true}`:                        "of SHIPPED alone",
		`{"kind":"SHIPPED","measurement_expected":"yes"}`:                       "measurement_expected is",
		`{"kind":"SHIPPED","measurement_expected":null}`:                        "measurement_expected is null",
		`{"kind":"GATE","verdict":"DRAIN","blocked_cause":"operator_decision"}`: "blocked_cause is of a GATE",
		`{"kind":"GATE","verdict":"BLOCKED","blocked_cause":7}`:                 "blocked_cause is",
		`{"kind":"GATE","verdict":"DRAIN"}{"kind":"GATE","verdict":"DRAIN"}`:    "more than one",
	} {
		if _, err := Decode([]byte(`{}`), []byte(outcome), DefaultPolicy()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want an error that says %s", outcome, err, want)
		}
	}
}

// Every number has a name in JSON, is read by that name, and is held to be a
// counter or a bound.
func TestEveryNumberIsReadByItsName(t *testing.T) {
	for least, part := range map[int64]any{0: Counters{}, 1: Policy{}} {
		for i := range reflect.TypeOf(part).NumField() {
			f := reflect.TypeOf(part).Field(i)
			if f.Type.Kind() != reflect.Int64 {
				continue
			}
			key := f.Tag.Get("json")
			read := func(n int64) (Evidence, error) {
				return Decode(fmt.Appendf(nil, `{%q:%d}`, key, n), []byte(live), DefaultPolicy())
			}
			ev, err := read(7)
			if err != nil || reflect.ValueOf(ev.State).FieldByName(f.Name).Int() != 7 {
				t.Errorf("%s: %+v, %v", key, ev.State, err)
			}
			if _, err := read(least - 1); err == nil || !strings.Contains(err.Error(), key+" is ") {
				t.Errorf("%s: %d is taken: %v", key, least-1, err)
			}
		}
	}
}

func TestABoundOfOneIsReachedAtOnce(t *testing.T) {
	for why, it := range map[StopReason]Iteration{
		ConsecutiveUnclear: {Kind: Unclear}, ConsecutiveOverloaded: {Kind: Overloaded}, ConsecutiveDirtyZero: measured(ShippedDirty, 0),
		StaleUnreconciled: gate(StaleStamp), ReplanStalled: replan(Unproductive), IterationCap: gate(Live),
	} {
		s := at()
		s.Policy = Policy{Hard, 1, 1, 1, 1, 1, 1, 1, 1}
		stops(t, why, s, it)
	}
}

// Evidence that was not decoded is held to the same, and the zero value of it
// is no state that a loop can be in.
func TestDecideChecks(t *testing.T) {
	for want, ev := range map[string]Evidence{
		"iteration is less than 1":   {},
		"max_iterations":             {State: State{Counters: Counters{Iteration: 1}}, Iteration: gate(Live)},
		"kind is missing":            {State: at()},
		"verdict is missing":         {State: at(), Iteration: gate("")},
		"gate_mode is empty":         {State: at(in("")), Iteration: gate(Live)},
		"state of cooldown is miss":  {State: at(func(s *State) { s.Cooldown = &Cooldown{} }), Iteration: gate(Live)},
		"consecutive_stale_stamp is": {State: at(func(s *State) { s.StaleStamp = -1 }), Iteration: gate(Live)},
	} {
		v := Decide(ev)
		if v.Outcome != "" || v.ExitCode() != 2 || v.Err() == nil || !strings.Contains(v.Err().Error(), want) {
			t.Errorf("%s: %s, exit %d", want, v, v.ExitCode())
		}
	}
}

// Whatever is given, there is an error or one whole decision.
func FuzzDecode(f *testing.F) {
	f.Add(`{"iteration":3,"pickability":{"held":true,"reason":"SOAK_OPEN"}}`, live)
	f.Add(`{"cooldown":{"state":"CLEAR","unit_id":"U"},"ratchet":"KEEP"}`, `{"kind":"SHIPPED","packet_judge":"STALLED","ship_count":0}`)
	f.Add(`{"max_overloaded":9223372036854775807,"consecutive_overloaded":9223372036854775807}`, `{"kind":"OVERLOADED"}`)
	f.Fuzz(func(t *testing.T, state, outcome string) {
		ev, err := Decode([]byte(state), []byte(outcome), DefaultPolicy())
		if err != nil {
			return
		}
		v := Decide(ev)
		if v.Err() != nil || v.ExitCode() == 2 || (v.Outcome == Stop) != (v.StopReason != "") {
			t.Errorf("%+v", v)
		}
	})
}
