package main

import (
	"fmt"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A dispatchAnswer answers dispatch.
type dispatchAnswer struct {
	supervise.DispatchVerdict
	Lane      string                      `json:"lane,omitempty"`
	RunID     string                      `json:"run_id,omitempty"`
	Gen       uint64                      `json:"gen,omitempty"`
	Ridden    bool                        `json:"ridden,omitempty"`
	Packet    string                      `json:"packet,omitempty"`
	Later     int                         `json:"later"` // units that could have been picked too
	Stranded  []dispatchStray             `json:"stranded"`
	Archive   *dispatchArchived           `json:"archive,omitempty"`
	Preflight *supervise.PreflightVerdict `json:"preflight,omitempty"` // where it refused
	Lease     *lease.Verdict              `json:"lease,omitempty"`     // where it refused
	Next      string                      `json:"next,omitempty"`

	holds dispatchHolds
}

// A dispatchStray is a path of the lane that a worker left uncommitted.
type dispatchStray struct {
	Path   string `json:"path"`
	State  string `json:"state"`
	Commit string `json:"commit,omitempty"` // that has it now
	Why    string `json:"why,omitempty"`    // it has none
}

// A dispatchArchived is where the record of the run is.
type dispatchArchived struct {
	Path   string          `json:"path"`
	Commit string          `json:"commit,omitempty"`
	Why    string          `json:"why,omitempty"`  // it is not committed
	Push   *dispatchPushed `json:"push,omitempty"` // of all that the dispatch committed, where there is a fleet
}

func (a *dispatchArchived) line() string {
	if a == nil {
		return ""
	}
	s := "\narchive   " + verdict.Show(a.Path)
	if a.Commit != "" {
		return s + " in " + verdict.Short(a.Commit) + a.Push.line()
	}
	return s + ", not committed: " + a.Why + a.Push.line()
}

func (a dispatchAnswer) String() string {
	s := a.DispatchVerdict.String()
	for _, p := range a.Stranded {
		s += "\nstranded  " + verdict.Show(p.Path)
		if p.Commit != "" {
			s += ", now in " + verdict.Short(p.Commit)
		} else {
			s += ": " + p.Why
		}
	}
	if a.Later > 0 {
		s += fmt.Sprintf("\nlater     %s", verdict.Count(a.Later, "more unit"))
	}
	s += a.Archive.line()
	if a.Next != "" {
		s += "\nnext      " + a.Next
	}
	return s
}

func refusedDispatch(name, step, reason, next string) *dispatchAnswer {
	a := &dispatchAnswer{Lane: name, Next: next, Stranded: []dispatchStray{}}
	a.DispatchVerdict = supervise.Dispatch(supervise.DispatchEvidence{Refused: step, Why: reason})
	return a
}
