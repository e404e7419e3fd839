package gitdos_test

import (
	"bytes"
	"encoding/json"

	"github.com/git-dos/git-dos/kernel/breaker"
	"github.com/git-dos/git-dos/kernel/improve"
	"github.com/git-dos/git-dos/kernel/loop"
)

// noVerdict is how the vectors write that the evidence cannot be judged.
var noVerdict = map[string]any{"error": "contract", "exit": 2}

func ratchet(in struct{ Evidence, Policy json.RawMessage }) any {
	ev := improve.Evidence{Policy: improve.DefaultPolicy()}
	if over(in.Evidence, &ev) != nil || over(in.Policy, &ev.Policy) != nil {
		return noVerdict
	}
	v := improve.Decide(ev)
	if v.Err() != nil {
		return noVerdict
	}
	return map[string]any{
		"verdict": v.Outcome, "revert_cause": v.Cause, "escalation": v.Escalation, "next_consecutive_reverts": v.Reverts,
		"delta": v.Evidence.Delta, "improved": v.Evidence.Improved, "exit": v.ExitCode(),
	}
}

func breaks(in struct {
	Op             string
	Counts, Policy json.RawMessage
}) any {
	ev := breaker.Evidence{Event: breaker.Event(in.Op), Policy: breaker.DefaultPolicy()}
	if in.Op == "classify" {
		ev.Event = breaker.Nothing
	}
	if over(in.Counts, &ev.Counts) != nil || over(in.Policy, &ev.Policy) != nil {
		return noVerdict
	}
	v := breaker.Decide(ev)
	if v.Err() != nil {
		return noVerdict
	}
	return map[string]any{"state": v.Outcome, "escalation": v.Escalation, "tripped_on": v.TrippedOn, "counts": v.Counts, "exit": v.ExitCode()}
}

// over reads what is stated over what is the default.
func over(data json.RawMessage, into any) error {
	if data == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func loopDecide(in struct{ State, Outcome json.RawMessage }) any {
	ev, err := loop.Decode(in.State, in.Outcome, loop.DefaultPolicy())
	if err != nil {
		return noVerdict
	}
	return loop.Decide(ev)
}

// loopRun gives each verdict's counters to the next decision.
func loopRun(in struct {
	State    json.RawMessage
	Outcomes []json.RawMessage
}) any {
	run := []loop.Verdict{}
	var state loop.State
	for i, outcome := range in.Outcomes {
		ev, err := loop.Decode(in.State, outcome, loop.DefaultPolicy())
		if err != nil {
			return noVerdict
		}
		if i > 0 {
			ev.State = state
		}
		v := loop.Decide(ev)
		run, state = append(run, v), ev.State.After(v)
	}
	return run
}
