package journal

import (
	"maps"
	"slices"
	"time"
)

// A window is an hour of a ledger: how many rows of an op, and of an op with an
// outcome, were stamped in it.
type windows map[int64]map[string]uint64

// Bounds of the windows kept.
const (
	Window     = time.Hour
	maxWindows = 31 * 24
	maxCounts  = 64  // told apart in one window
	countOther = "*" // the others
)

// countedOps are those whose rate somebody asks for.
var countedOps = map[string]bool{OpSpawn: true, OpLaunch: true, OpExit: true, OpHarvest: true, OpRefuse: true, OpHalt: true, OpAttempt: true}

func (w windows) count(r Row) {
	if !countedOps[r.Op] {
		return
	}
	hour := r.At.Truncate(Window).Unix()
	if w[hour] == nil {
		w[hour] = map[string]uint64{}
	}
	w.bump(hour, r.Op)
	if r.Outcome != "" && len(r.Outcome) <= 64 {
		w.bump(hour, r.Op+"/"+r.Outcome)
	}
	if len(w) > maxWindows {
		delete(w, slices.Min(slices.Collect(maps.Keys(w))))
	}
}

func (w windows) bump(hour int64, name string) {
	counts := w[hour]
	if _, ok := counts[name]; !ok && len(counts) >= maxCounts {
		name = countOther
	}
	counts[name]++
}
