package liveness

import "fmt"

const (
	// MaxAheadMS is how far ahead of now a stamp may lie before a clock must
	// be wrong. One that is less ahead is read as now.
	MaxAheadMS = 60_000

	// maxMS is the last millisecond that a run id can name.
	maxMS = 1<<45 - 1
)

// Evidence is everything Decide may know of a run. All times and ages are in
// milliseconds. Commits and events are those of this run alone, seen after a
// baseline: the head and the time of an earlier look at the run, or of its
// start. A pointer that is nil says that nobody knows.
type Evidence struct {
	StartedMS    int64  `json:"run_started_ms"`
	NowMS        int64  `json:"now_ms"`
	Commits      int64  `json:"commits_since_start"`
	Events       int64  `json:"journal_events_since"`
	BeatAgeMS    *int64 `json:"last_heartbeat_age_ms"` // of the newest beat that is not skewed; nil: none is known
	Tokens       int64  `json:"tokens_spent_since"`    // shown, and not judged
	ProcessAlive *bool  `json:"process_alive"`

	// ProgressAgeMS is the age of the newest of the commits and events. While
	// it is nil they all count, however old they may be.
	ProgressAgeMS *int64 `json:"last_progress_age_ms,omitempty"`

	// SkewedMS is the newest stamp of the run that lies too far ahead of now.
	// Nothing that bears such a stamp is among the evidence above.
	SkewedMS *int64 `json:"skewed_ms,omitempty"`

	// Workspace says whether the folder of the run is there.
	Workspace *bool `json:"workspace,omitempty"`

	Finished bool `json:"finished,omitempty"` // every step it declared is verified
	Holding  bool `json:"holding,omitempty"`  // it has a lease

	Policy Policy `json:"policy"`
}

// check reports the field for which the evidence cannot be judged.
func (ev Evidence) check() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"run_started_ms", ev.StartedMS},
		{"now_ms", ev.NowMS},
		{"commits_since_start", ev.Commits},
		{"journal_events_since", ev.Events},
		{"last_heartbeat_age_ms", known(ev.BeatAgeMS)},
		{"tokens_spent_since", ev.Tokens},
		{"last_progress_age_ms", known(ev.ProgressAgeMS)},
		{"grace_ms", ev.Policy.GraceMS},
		{"spin_ms", ev.Policy.SpinMS},
		{"progress_window_ms", ev.Policy.ProgressWindowMS},
	} {
		if f.value < 0 {
			return fmt.Errorf("%s is negative: %d", f.name, f.value)
		}
	}
	switch {
	case ev.NowMS > maxMS:
		return fmt.Errorf("now_ms is too large: %d", ev.NowMS)
	case ev.NowMS < ev.StartedMS:
		return fmt.Errorf("run_started_ms %d is after now_ms %d", ev.StartedMS, ev.NowMS)
	case ev.SkewedMS != nil && *ev.SkewedMS <= ev.NowMS:
		return fmt.Errorf("skewed_ms %d is not after now_ms %d", *ev.SkewedMS, ev.NowMS)
	}
	return nil
}

// known is a number that may not be known, for a check that only looks for
// those that are wrong.
func known(ms *int64) int64 {
	if ms == nil {
		return 0
	}
	return *ms
}

// copied shares no memory with the caller.
func (ev Evidence) copied() Evidence {
	ev.BeatAgeMS = clone(ev.BeatAgeMS)
	ev.ProgressAgeMS = clone(ev.ProgressAgeMS)
	ev.SkewedMS = clone(ev.SkewedMS)
	ev.ProcessAlive = clone(ev.ProcessAlive)
	ev.Workspace = clone(ev.Workspace)
	return ev
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Started is when a run began whose id was minted at that time. An id that is
// a little ahead of now begins now; one that is further ahead cannot be judged,
// since its run would be young for as long as its maker likes.
func Started(mintedMS, nowMS int64) (int64, error) {
	if mintedMS > nowMS && mintedMS-nowMS > MaxAheadMS {
		return 0, fmt.Errorf("run id was minted at %s, which is after now, %s", stamp(mintedMS), stamp(nowMS))
	}
	return min(mintedMS, nowMS), nil
}
