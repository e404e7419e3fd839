package oldjournal

import "time"

// Life is what a journal tells of one lease since its run began.
type Life struct {
	Events    int            // leases changed hands, besides the first acquire
	BeatAge   *time.Duration // since it was last heard of, nil when it never was
	Corrupt   bool           // rows were passed over that nobody can read
	firstSeen bool
}

// sameSecond is what clocks of one machine may differ by in rows that are
// stamped by the second.
const sameSecond = time.Second

// LifeOf folds the rows of one lease. A run's own first acquire is no event, a
// lease that somebody else ended is no progress of its holder, and a beat may
// be older than the run.
func LifeOf(entries []Entry, loopTS, lane string, started, now time.Time) Life {
	var life Life
	var newest time.Time
	want, since, until := key{loopTS, lane}, started.Truncate(time.Second), now.Add(sameSecond)
	for _, e := range entries {
		op := e.op()
		life.Corrupt = life.Corrupt || op == opCorrupt
		if want.blank() || keyOf(e) != want {
			continue
		}
		birth := op == opAcquire && !life.firstSeen
		life.firstSeen = life.firstSeen || birth
		at, ok := parseStamp(e["ts"])
		if !ok {
			at, ok = parseStamp(e["heartbeat_at"])
		}
		if !ok || at.After(until) {
			continue
		}
		if (op == opAcquire && !birth || op == opRelease) && at.After(since) {
			life.Events++
		}
		if (op == opAcquire || op == opHeartbeat) && (life.BeatAge == nil || at.After(newest)) {
			newest = at
			age := max(0, now.Sub(at))
			life.BeatAge = &age
		}
	}
	return life
}

// The words for how a run moves.
const (
	Advancing = "ADVANCING"
	Spinning  = "SPINNING"
	Stalled   = "STALLED"
)

// Moves says how the run behind a lease moves, by the older tool's ladder:
// commits and events are progress, a beat without any is spinning once the run
// is past its grace, and silence is a stall. alive is what the system says of
// its process, nil when it could not say; only a process that is known to be
// gone counts.
func (l Life) Moves(commits int, alive *bool, runAge, grace, spin time.Duration) string {
	switch {
	case commits > 0 || l.Events > 0:
		return Advancing
	case l.BeatAge == nil || *l.BeatAge > spin || alive != nil && !*alive:
		return Stalled
	case runAge < grace:
		return Advancing
	}
	return Spinning
}
