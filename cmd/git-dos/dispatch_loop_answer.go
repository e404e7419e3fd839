package main

import (
	"fmt"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A dispatchLoopAnswer answers dispatch-loop.
type dispatchLoopAnswer struct {
	loop.Ended
	Lane       string                      `json:"lane,omitempty"`
	RunID      string                      `json:"run_id,omitempty"`
	Gen        uint64                      `json:"gen,omitempty"`
	Ridden     bool                        `json:"ridden,omitempty"`
	Continued  int64                       `json:"continued_at,omitempty"` // the iteration that it went on with
	Iterations []dispatchTurn              `json:"iterations"`             // of this process
	Next       loop.Counters               `json:"next_state"`
	Progress   loop.Progress               `json:"progress"`
	Flags      []string                    `json:"flags"`
	Shipped    []string                    `json:"shipped"`
	Stranded   []dispatchStray             `json:"stranded"`
	Archive    *dispatchArchived           `json:"archive,omitempty"`
	Preflight  *supervise.PreflightVerdict `json:"preflight,omitempty"` // where it refused
	Lease      *lease.Verdict              `json:"lease,omitempty"`     // where it refused
	Refused    string                      `json:"refused,omitempty"`   // by which step
	Do         string                      `json:"next,omitempty"`
}

// A dispatchTurn is one iteration.
type dispatchTurn struct {
	N       int64        `json:"n"`
	Mode    loop.Mode    `json:"mode"`
	Verdict string       `json:"verdict"` // of the dispatch or the look back
	Kind    loop.Kind    `json:"kind"`    // as the loop took it
	Units   []string     `json:"units"`
	Action  loop.Outcome `json:"action"`
	Backoff int64        `json:"backoff_seconds,omitempty"`
	Ratchet string       `json:"ratchet,omitempty"`
	Reason  string       `json:"reason"`
}

func (a dispatchLoopAnswer) String() string {
	s := a.Ended.String()
	if a.Continued > 0 {
		s += fmt.Sprintf("\n  it went on with iteration %d of run %s", a.Continued, a.RunID)
	}
	for _, t := range a.Iterations {
		s += fmt.Sprintf("\n  %d. %s  %s  %s", t.N, t.Mode, t.Verdict, t.Action)
		for _, u := range t.Units {
			s += "  " + verdict.Show(u)
		}
	}
	for _, u := range a.Flags {
		s += "\n  claimed and not shipped: " + verdict.Show(u)
	}
	for _, p := range a.Stranded {
		if p.Commit == "" {
			s += "\nstranded  " + verdict.Show(p.Path) + ": " + p.Why
		}
	}
	s += a.Archive.line()
	if a.Do != "" {
		s += "\nnext      " + a.Do
	}
	return s
}

// refusedLoop is a refusal of the lane as a loop answers it.
func refusedLoop(by dispatchAnswer) *dispatchLoopAnswer {
	return &dispatchLoopAnswer{
		Ended: loop.Ended{Outcome: loop.NoLane, Surface: true, Reason: by.Reason}, Lane: by.Lane, Refused: by.Refused, Preflight: by.Preflight, Lease: by.Lease, Do: by.Next,
		Iterations: []dispatchTurn{}, Flags: []string{}, Shipped: []string{}, Stranded: []dispatchStray{}, Next: loop.Counters{Iteration: 1},
	}
}
