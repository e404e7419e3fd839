package loop

import (
	"encoding/json"
	"maps"

	"github.com/git-dos/git-dos/kernel/strict"
)

// MaxJSON bounds each of the texts that Decode reads.
const MaxJSON = 64 << 10

// Decode reads the state of a loop and what its iteration came to from JSON.
// What the state does not state of the policy is as in by, counters that are
// not stated are zero, and iterations begin with 1. A field that nobody reads
// is an error, in whichever part; each error names the field.
func Decode(state, outcome []byte, by Policy) (Evidence, error) {
	var ev Evidence
	var err error
	if ev.State, err = decodeState(state, by); err != nil {
		return Evidence{}, err
	}
	if ev.Iteration, err = decodeIteration(outcome); err != nil {
		return Evidence{}, err
	}
	if err := ev.check(); err != nil {
		return Evidence{}, err
	}
	return ev, nil
}

func decodeState(data []byte, by Policy) (State, error) {
	s := State{Counters: Counters{Iteration: 1}, Policy: by}
	var pick, cooldown json.RawMessage
	fields := map[string]strict.Field{
		"last_replan_drained": {Into: &s.ReplanDrained},
		"last_gate_was_drain": {Into: &s.GateWasDrain},
		"gate_mode":           {Into: &s.GateMode, Word: true},
		"pickability":         {Into: &pick, Null: true},
		"cooldown":            {Into: &cooldown, Null: true},
	}
	for _, n := range append(s.Counters.numbers(), s.Policy.numbers()...) {
		fields[n.name] = strict.Field{Into: n.value}
	}
	maps.Copy(fields, s.Signals.words())
	if err := strict.Object("state", data, MaxJSON, fields); err != nil {
		return State{}, err
	}
	err := first(s.Signals.decodePick(pick), s.Signals.decodeCooldown(cooldown))
	return s, err
}

// words are the signals that are one word each.
func (s *Signals) words() map[string]strict.Field {
	return map[string]strict.Field{
		"completion":          {Into: &s.Completion, Null: true, Word: true},
		"convergence":         {Into: &s.Convergence, Null: true, Word: true},
		"liveness":            {Into: &s.Liveness, Null: true, Word: true},
		"ratchet":             {Into: &s.Ratchet, Null: true, Word: true},
		"descendant_progress": {Into: &s.Descendant, Null: true, Word: true},
	}
}

func (s *Signals) decodePick(data json.RawMessage) error {
	if data == nil {
		return nil
	}
	s.Pick = &Pick{}
	return strict.Object("pickability", data, MaxJSON, map[string]strict.Field{
		"held":   {Into: &s.Pick.Held, Required: true},
		"reason": {Into: &s.Pick.Hold, Null: true, Word: true},
	})
}

func (s *Signals) decodeCooldown(data json.RawMessage) error {
	if data == nil {
		return nil
	}
	s.Cooldown = &Cooldown{}
	return strict.Object("cooldown", data, MaxJSON, map[string]strict.Field{
		"state":   {Into: &s.Cooldown.State, Word: true, Required: true},
		"unit_id": {Into: &s.Cooldown.Unit, Null: true},
	})
}

func decodeIteration(data []byte) (Iteration, error) {
	var it Iteration
	err := strict.Object("outcome", data, MaxJSON, map[string]strict.Field{
		"kind":                 {Into: &it.Kind, Word: true, Required: true},
		"verdict":              {Into: &it.Gate, Null: true, Word: true},
		"replan_productivity":  {Into: &it.Productivity, Null: true, Word: true},
		"packet_judge":         {Into: &it.Judge, Null: true, Word: true},
		"ship_count":           {Into: &it.Ships, Null: true},
		"measurement_expected": {Into: &it.Measured},
		"blocked_cause":        {Into: &it.BlockedCause, Null: true},
	})
	return it, err
}
