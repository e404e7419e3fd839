package oldjournal

import (
	"encoding/json"
	"time"
)

// How long the older tool lets a lease be silent.
const (
	deadGrace  = 5 * time.Minute
	defaultTTL = 50 * time.Minute
	maxAhead   = 30 * time.Second // a stamp further in the future is no stamp
)

// stamps are the two spellings of a time.
var stamps = []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04Z"}

// parseStamp reads a time; ok is false for what is none.
func parseStamp(raw json.RawMessage) (t time.Time, ok bool) {
	for _, layout := range stamps {
		if t, err := time.Parse(layout, text(raw)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// age is how long ago the lease was last heard of. A stamp that does not parse
// or lies in the future gives way to the one before it; without any, nothing is
// known.
func (l Lease) age(now time.Time) (age time.Duration, ok bool) {
	for _, field := range []string{"heartbeat_at", "acquired_at"} {
		if t, ok := parseStamp(l[field]); ok && t.Sub(now) <= maxAhead {
			return max(0, now.Sub(t)), true
		}
	}
	return 0, false
}

// ttl is how long the lease lives without a beat. What is no positive number,
// or overflows, is the default.
func (l Lease) ttl() time.Duration {
	const most = 100 * 365 * 24 * 60
	var minutes float64
	if json.Unmarshal(l["ttl_minutes"], &minutes) != nil || !(minutes > 0) || minutes > most {
		return defaultTTL
	}
	return time.Duration(minutes * float64(time.Minute))
}

// Dead reports whether nobody stands behind a lease any more. alive is what the
// system of this host says about the lease's process, nil when it could not
// say; it is looked at only where the process may be one of this host. A lease
// of which nothing can be said is not dead.
func (l Lease) Dead(now time.Time, host string, alive *bool) bool {
	age, ok := l.age(now)
	if !ok || age <= deadGrace {
		return false
	}
	if pid, ok := number(l["pid"]); ok && pid > 0 && alive != nil && !*alive {
		if on := text(l["host_id"]); on == "" || host == "" || on == host {
			return true
		}
	}
	return age > l.ttl()+deadGrace
}

// The words for a lease's health.
const (
	HealthDead    = "DEAD"             // silent for longer than it may be
	HealthLive    = "LIVE"             // heard of
	HealthStalled = "STALLED"          // silent, and nothing moves
	HealthWorking = "ORPHANED_WORKING" // silent, and something may move
	HealthUnknown = "UNKNOWN"          // it has no stamp that counts
)

// quiet is the activity of a lane on which nothing moves.
const quiet = "QUIET"

// Health says how a lease stands: activity is what its lane's files do.
func (l Lease) Health(now time.Time, activity string, ttl, stall time.Duration) string {
	age, ok := l.age(now)
	switch {
	case !ok:
		return HealthUnknown
	case age > ttl:
		return HealthDead
	case age <= stall:
		return HealthLive
	case activity == quiet:
		return HealthStalled
	}
	return HealthWorking
}
