package oldledger

import (
	"encoding/json"
	"strings"
	"time"
)

// A Lease is one that had not ended by the old journal.
type Lease struct {
	Lane        string   `json:"lane"`
	LoopTS      string   `json:"loop_ts"`
	Holder      string   `json:"holder"`
	RunID       string   `json:"run_id"`
	HostID      string   `json:"host_id"`
	PID         int64    `json:"pid,omitempty"`
	Generation  int64    `json:"generation"`
	AcquiredAt  string   `json:"acquired_at"`
	HeartbeatAt string   `json:"heartbeat_at"`
	Tree        []string `json:"tree"`
}

// Leases are those that had not ended, without those behind which nobody stands
// any more. host is what the old tool calls this machine; alive says whether a
// process of it runs, nil where that cannot be told.
func (b *Book) Leases(now time.Time, host string, alive func(pid int64) *bool) []Lease {
	gens := b.fold.Generations()
	live := []Lease{}
	for i, l := range b.fold.Live() {
		out := Lease{
			Lane: word(l["lane"]), LoopTS: word(l["loop_ts"]), Holder: word(l["holder"]), RunID: word(l["run_id"]), HostID: word(l["host_id"]),
			Generation: gens[i].Generation, AcquiredAt: word(l["acquired_at"]), HeartbeatAt: word(l["heartbeat_at"]), Tree: []string{},
		}
		_ = json.Unmarshal(l["pid"], &out.PID) // it is for people
		_ = json.Unmarshal(l["tree"], &out.Tree)
		var runs *bool
		if out.PID > 0 {
			runs = alive(out.PID)
		}
		if !l.Dead(now, host, runs) {
			live = append(live, out)
		}
	}
	return live
}

// word is a text, "" for what is none.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return strings.TrimSpace(s)
}
