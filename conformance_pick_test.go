package gitdos_test

import (
	"encoding/json"
	"errors"

	"github.com/git-dos/git-dos/kernel/pick"
)

// pickContract is how the vectors write that there is no verdict.
var pickContract = map[string]any{"error": "contract", "exit": 2}

// gateOf takes the files of a packet as they would be read; a null is one that
// is not there.
func gateOf(in struct {
	Dispositions json.RawMessage
	Tag          string
	Sidecar      *string `json:"sidecar_text"`
	Race         *string `json:"race_text"`
}) any {
	var ev pick.GateEvidence
	switch {
	case in.Dispositions != nil:
		ev.Dispositions, ev.Fault = pick.ParseDispositions(in.Dispositions)
	case in.Sidecar == nil:
		ev.Fault = errors.New("there is no sidecar")
	default:
		var s pick.Sidecar
		s, ev.Fault = pick.ParseSidecar([]byte(*in.Sidecar), in.Tag)
		ev.Dispositions, ev.GeneratedAt = s.Dispositions, s.GeneratedAt
	}
	if in.Race != nil {
		if r, ok := pick.ParseRace([]byte(*in.Race)); ok {
			ev.Race = &r
		}
	}
	v := pick.DecideGate(ev)
	if v.Err() != nil {
		return pickContract
	}
	return map[string]any{"verdict": v.Outcome, "exit": v.ExitCode(), "false_drain": v.FalseDrain, "evidence": v.Evidence}
}

func pickableOf(in struct {
	NowMS int64 `json:"now_ms"`
	State json.RawMessage
	Text  *string `json:"state_text"`
}) any {
	if in.Text != nil {
		in.State = json.RawMessage(*in.Text)
	}
	s, err := pick.ParseState(in.State)
	if err != nil {
		return pickContract
	}
	v := pick.DecidePickable(pick.PickableEvidence{Unit: "A/A1", State: s, NowMS: in.NowMS, Given: true})
	return map[string]any{"held": v.Held, "reason": v.Hold, "redispatch_invariant": v.Invariant, "exit": v.ExitCode()}
}

func cooldownOf(in struct {
	Unit     string `json:"unit_id"`
	NowMS    int64  `json:"now_ms"`
	Attempts json.RawMessage
	Text     *string `json:"attempts_text"`
	Policy   *pick.CooldownPolicy
}) any {
	ev := pick.CooldownEvidence{Unit: in.Unit, NowMS: in.NowMS, Policy: pick.DefaultCooldown()}
	if in.Policy != nil {
		ev.Policy = *in.Policy
	}
	if in.Text != nil {
		in.Attempts = json.RawMessage(*in.Text)
	}
	var err error
	if ev.Attempts, err = pick.ParseAttempts(in.Attempts, in.Unit); err != nil {
		return pickContract
	}
	v := pick.DecideCooldown(ev)
	if v.Err() != nil {
		return pickContract
	}
	return map[string]any{"state": v.Outcome, "count": v.Count, "until_ms": v.UntilMS, "last_ts": v.LastTS, "exit": v.ExitCode()}
}
