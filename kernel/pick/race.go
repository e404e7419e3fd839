package pick

import (
	"encoding/json"
	"time"
)

// raceSchema is what a race file says that it is.
const raceSchema = "next-up-race-v1"

// A Race is the file of a renderer that lost the lock of its packet to another.
type Race struct {
	BlockedByPID int64      `json:"blocked_by_pid,omitempty"`
	AttemptedAt  *time.Time `json:"attempted_at,omitempty"`
	LockPath     string     `json:"lock_path,omitempty"`
	Reason       string     `json:"reason,omitempty"`
}

// RaceName is the name of the race file of a tag. It stands beside the sidecar.
func RaceName(tag string) string { return ".race-" + tag + ".json" }

// ParseRace reads a race file. ok is false for what is none: then there is no
// race.
func ParseRace(data []byte) (r Race, ok bool) {
	var all map[string]json.RawMessage
	if checkText(data, MaxState) != nil || json.Unmarshal(data, &all) != nil || all == nil {
		return Race{}, false
	}
	f := fields{of: all}
	if f.text("schema") != raceSchema || f.err != nil {
		return Race{}, false
	}
	if at := stamp(all["attempted_at"]); !at.IsZero() {
		r.AttemptedAt = &at
	}
	r.BlockedByPID, _ = f.whole("blocked_by_pid")
	f.err = nil // what it says beside that is for people
	r.LockPath, r.Reason = f.text("lock_path"), f.text("reason")
	return r, true
}

// Encode is the race as its file holds it.
func (r Race) Encode() ([]byte, error) {
	return encodeFile(struct {
		Schema string `json:"schema"`
		Race
	}{raceSchema, r})
}
