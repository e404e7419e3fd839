package fleet

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Reclaiming is the closed vocabulary of reclaim.
type Reclaiming string

const (
	ReclaimNothing Reclaiming = "NOTHING"   // there is nothing left over
	ReclaimDone    Reclaiming = "RECLAIMED" // what could go went
	ReclaimFlagged Reclaiming = "FLAGGED"   // something is left for somebody to decide about
	ReclaimRefused Reclaiming = "REFUSED"   // that process is not to be ended so
)

// ReclaimEvidence is everything Reclaim may know. Traces and strays are of the
// first rung, remnants of the second and third.
type ReclaimEvidence struct {
	Traces   []Trace
	Strays   []Stray
	Remnants []Remnant
	Unread   []string // what could not be looked at
}

// A ReclaimVerdict answers "what is left over here, and what may be done about it?".
type ReclaimVerdict struct {
	Outcome   Reclaiming   `json:"outcome"`
	Reason    string       `json:"reason"`
	Live      bool         `json:"live"` // what can go was removed
	Markers   []TraceRow   `json:"markers"`
	Files     []StrayRow   `json:"files"` // that can go
	Processes []RemnantRow `json:"processes"`
	Unread    []string     `json:"unread"`
	Ended     *Ending      `json:"ended,omitempty"`
	Next      string       `json:"next,omitempty"`
}

// An Ending is how a process was ended.
type Ending struct {
	PID    int64  `json:"pid"`
	RunID  string `json:"run_id"`
	Signal string `json:"signal"` // the last one that was sent, "" where it had ended before
	Group  bool   `json:"group"`  // to its whole process group
	Pinned bool   `json:"pinned"` // by a descriptor that no other process can take the place of
	Gone   bool   `json:"gone"`
}

var _ verdict.Verdict = ReclaimVerdict{}

// Reclaim judges everything by itself. Nothing is done by it.
func Reclaim(ev ReclaimEvidence) ReclaimVerdict {
	v := ReclaimVerdict{
		Markers: []TraceRow{}, Files: []StrayRow{}, Processes: []RemnantRow{}, Unread: append([]string{}, ev.Unread...),
	}
	for _, t := range ev.Traces {
		v.Markers = append(v.Markers, t.Judge())
	}
	for _, s := range ev.Strays {
		if row := s.Judge(); row.Remedy == RemedyPrune {
			v.Files = append(v.Files, row)
		}
	}
	for _, m := range ev.Remnants {
		v.Processes = append(v.Processes, m.Judge())
	}
	return v.Concluded(false)
}

// Prunes counts the markers that can go.
func (v ReclaimVerdict) Prunes() (n int) {
	for _, r := range v.Markers {
		if r.Remedy == RemedyPrune {
			n++
		}
	}
	return n
}

// Concluded is the verdict with its outcome, after what can go was removed where
// live is set.
func (v ReclaimVerdict) Concluded(live bool) ReclaimVerdict {
	v.Live = live
	var removed, can, look, end int
	count := func(r Remedy, gone bool) {
		switch {
		case gone:
			removed++
		case r == RemedyPrune:
			can++
		case r == RemedyLook:
			look++
		case r == RemedyEnd:
			end++
		}
	}
	for _, r := range v.Markers {
		count(r.Remedy, r.Removed)
	}
	for _, r := range v.Files {
		count(r.Remedy, r.Removed)
	}
	for _, r := range v.Processes {
		count(r.Remedy, false)
	}
	var words []string
	say := func(n int, counted, rest string) {
		if n > 0 {
			words = append(words, counted+rest)
		}
	}
	say(removed, verdict.Count(removed, "file"), " removed")
	say(can, verdict.Count(can, "file"), " can go")
	say(end, processes(end), " may be ended")
	say(look, verdict.Count(look, "thing"), " to look at")
	say(len(v.Unread), verdict.Count(len(v.Unread), "thing"), " not to be read")
	v.Reason = strings.Join(words, ", ")
	switch {
	case can+end+look+len(v.Unread) > 0:
		v.Outcome = ReclaimFlagged
	case removed > 0:
		v.Outcome = ReclaimDone
	default:
		v.Outcome, v.Reason = ReclaimNothing, "nothing is left over"
	}
	v.Next = ""
	switch {
	case can > 0 && !live:
		v.Next = "git dos reclaim --live"
	case look > 0 && len(v.Processes) == 0:
		v.Next = "git dos reclaim --evidence"
	}
	return v
}

// Enact says whether the process of that number may be ended now, and returns it.
// driver is the run that asks, "" for a person.
func (v ReclaimVerdict) Enact(pid int64, driver string) (RemnantRow, ReclaimVerdict) {
	var row RemnantRow
	found := false
	for _, r := range v.Processes {
		if r.PID == pid {
			row, found = r, true
		}
	}
	v.Processes = []RemnantRow{}
	if found {
		v.Processes = append(v.Processes, row)
	}
	v.Outcome, v.Next = ReclaimRefused, "git dos reclaim --evidence"
	switch {
	case driver != "":
		v.Reason, v.Next = fmt.Sprintf("run %s asks, and ending a process is for a person to decide", verdict.Show(driver)), ""
	case !found && len(v.Unread) > 0:
		v.Reason = fmt.Sprintf("whether process %d is ours cannot be told: %s", pid, v.Unread[0])
	case !found:
		v.Reason = fmt.Sprintf("process %d is none that this node's workers started", pid)
	case row.Remedy != RemedyEnd:
		v.Reason = fmt.Sprintf("process %d is left alone: %s", pid, row.Why)
	default:
		v.Outcome, v.Reason, v.Next = ReclaimDone, row.Why, ""
		v.Processes[0].Next = ""
	}
	return row, v
}

// ByEnding is the verdict after a process was ended, or was not.
func (v ReclaimVerdict) ByEnding(e Ending) ReclaimVerdict {
	v.Ended, v.Next = &e, "git dos preflight"
	switch {
	case !e.Gone:
		v.Outcome = ReclaimFlagged
		v.Reason = fmt.Sprintf("process %d was sent %s, and is there still", e.PID, e.Signal)
		v.Next = "git dos reclaim --evidence"
	case e.Signal == "":
		v.Outcome, v.Reason = ReclaimDone, fmt.Sprintf("process %d had ended by itself", e.PID)
	default:
		v.Outcome, v.Reason = ReclaimDone, fmt.Sprintf("process %d ended by %s: %s", e.PID, e.Signal, v.Reason)
	}
	if !e.Pinned && e.Signal != "" {
		v.Reason += "; this system has no way to hold on to a process, so it was looked at right before each signal"
	}
	return v
}

// ExitCode implements [verdict.Verdict].
func (v ReclaimVerdict) ExitCode() int {
	switch v.Outcome {
	case ReclaimNothing, ReclaimDone:
		return verdict.Yes
	case ReclaimFlagged, ReclaimRefused:
		return verdict.FirstOwned
	}
	return verdict.NoVerdict
}

func (v ReclaimVerdict) String() string {
	if v.Outcome == "" {
		return "no verdict"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", v.Outcome, v.Reason)
	for _, r := range v.Markers {
		if r.Remedy != RemedyLeave {
			b.WriteString("\n" + r.String())
		}
	}
	for _, r := range v.Files {
		b.WriteString("\n" + r.String())
	}
	for _, r := range v.Processes {
		b.WriteString("\n" + r.String())
	}
	for _, u := range v.Unread {
		b.WriteString("\nunread " + verdict.Show(u))
	}
	if v.Next != "" {
		b.WriteString("\nnext      " + v.Next)
	}
	return b.String()
}
