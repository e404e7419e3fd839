package fleet

import (
	"fmt"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Bounds of what reclaim takes for left behind.
const (
	MarkerAge = 12 * time.Hour     // a marker is kept at least so long
	FileAge   = 7 * 24 * time.Hour // and an own ignored file

	silentLog = 512 // bytes after its header that a log has at most whose worker said nothing
)

// A Standing is what is known of the lease that a worker was started under.
type Standing string

const (
	LeaseStands  Standing = "STANDS" // also one that waits, or is parked
	LeaseLapsed  Standing = "LAPSED"
	LeaseEnded   Standing = "ENDED"
	LeaseUnknown Standing = "UNKNOWN" // what would tell cannot be read
)

// A Remedy is what is to be done about something that may be left over.
type Remedy string

const (
	RemedyLeave Remedy = "LEAVE" // it is in order, or nothing that reclaim may touch
	RemedyLook  Remedy = "LOOK"  // somebody should look at it; reclaim does not touch it
	RemedyPrune Remedy = "PRUNE" // a file that can go
	RemedyEnd   Remedy = "END"   // a process that an operator may have ended
)

// A Trace is a marker of a spawn with what is known of it.
type Trace struct {
	RunID     string        `json:"run_id"`
	Lane      string        `json:"lane"`
	Node      string        `json:"node"`
	Own       bool          `json:"own"`   // of this node
	Ended     bool          `json:"ended"` // its processes have, provably
	Processes int           `json:"processes"`
	Lease     Standing      `json:"lease"`
	Age       time.Duration `json:"-"`
}

// A TraceRow is a trace judged.
type TraceRow struct {
	Trace
	AgeS    int64  `json:"age_s"`
	Remedy  Remedy `json:"remedy"`
	Reason  string `json:"reason"`
	Removed bool   `json:"removed,omitempty"`
	Failed  string `json:"failed,omitempty"` // why it could not be removed
}

// Judge says whether a marker can go: it must be over and old, and its lease must
// have lapsed or ended.
func (t Trace) Judge() TraceRow {
	r := TraceRow{Trace: t, AgeS: int64(t.Age / time.Second), Remedy: RemedyLeave}
	old := t.Age >= MarkerAge
	switch {
	case !t.Own:
		r.Reason = "it is another node's"
	case t.Ended && t.Processes > 0:
		r.Remedy, r.Reason = RemedyLook, fmt.Sprintf("its worker has ended, and %s of it run on", processes(t.Processes))
	case !t.Ended && old:
		r.Remedy, r.Reason = RemedyLook, fmt.Sprintf("overdue: it was started %s ago and has not ended", t.Age.Round(time.Minute))
	case !t.Ended:
		r.Reason = "it has not ended"
	case !old:
		r.Reason = fmt.Sprintf("it has ended, and is kept for %s", MarkerAge)
	case t.Lease == LeaseStands:
		r.Reason = "it has ended, and its lease stands"
	case t.Lease == LeaseLapsed, t.Lease == LeaseEnded:
		r.Remedy, r.Reason = RemedyPrune, "it has ended, and so has its lease"
	default:
		r.Remedy, r.Reason = RemedyLook, "whether its lease has ended cannot be told"
	}
	return r
}

func (r TraceRow) String() string {
	return fmt.Sprintf("%s marker of run %s on lane %s: %s%s", r.Remedy, verdict.Show(r.RunID), verdict.Show(r.Lane), r.Reason, removal(r.Removed, r.Failed))
}

// A Stray is an own ignored file with what is known of it.
type Stray struct {
	Path  string        `json:"path"`
	Bytes int64         `json:"bytes"`
	Named bool          `json:"named"` // by a marker, whose log it is
	Age   time.Duration `json:"-"`
}

// A StrayRow is a file judged.
type StrayRow struct {
	Stray
	AgeS    int64  `json:"age_s"`
	Remedy  Remedy `json:"remedy"`
	Removed bool   `json:"removed,omitempty"`
	Failed  string `json:"failed,omitempty"`
}

// Judge says whether a file can go.
func (s Stray) Judge() StrayRow {
	r := StrayRow{Stray: s, AgeS: int64(s.Age / time.Second), Remedy: RemedyLeave}
	if !s.Named && s.Age >= FileAge {
		r.Remedy = RemedyPrune
	}
	return r
}

func (r StrayRow) String() string {
	return fmt.Sprintf("%s %s: %d bytes, %d days old%s", r.Remedy, verdict.Show(r.Path), r.Bytes, r.AgeS/86400, removal(r.Removed, r.Failed))
}

func removal(removed bool, failed string) string {
	switch {
	case removed:
		return "; removed"
	case failed != "":
		return "; not removed: " + failed
	}
	return ""
}

func processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}
