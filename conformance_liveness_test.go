package gitdos_test

import (
	"encoding/json"
	"slices"

	"github.com/git-dos/git-dos/kernel/liveness"
)

func liveliness(in struct{ Evidence, Policy json.RawMessage }) any {
	ev, err := liveness.Decode(in.Evidence, in.Policy)
	if err != nil {
		return livenessContract
	}
	v := liveness.Decide(ev)
	return map[string]any{"verdict": v.Outcome, "exit": v.ExitCode()}
}

// livenessContract is how the vectors write that there is no verdict.
var livenessContract = map[string]any{"error": "contract", "exit": 2}

func journalFold(in struct {
	Entries []struct {
		Op, Lane, TS string
		LoopTS       string `json:"loop_ts"`
		HeartbeatAt  string `json:"heartbeat_at"`
	}
	LeaseKey  []string `json:"lease_key"`
	StartedMS int64    `json:"run_started_ms"`
	NowMS     int64    `json:"now_ms"`
}) any {
	var entries []liveness.Entry
	for _, e := range in.Entries {
		entries = append(entries, liveness.Entry{
			Op: e.Op, Key: liveness.Key{Loop: e.LoopTS, Lane: e.Lane}, AtMS: liveness.Stamp(e.TS, e.HeartbeatAt),
		})
	}
	var key *liveness.Key
	if len(in.LeaseKey) == 2 {
		key = &liveness.Key{Loop: in.LeaseKey[0], Lane: in.LeaseKey[1]}
	}
	return liveness.Fold(slices.Values(entries), key, in.StartedMS, in.NowMS)
}
