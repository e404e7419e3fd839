package main

import (
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// once carries the lane from its packet to what shipped of it, and archives that. tag
// tells several from each other that have one run. What was done before an error is
// archived too.
func (s *dispatching) once(tag string) (dispatchAnswer, error) {
	a := dispatchAnswer{Lane: s.lease.Lane, RunID: s.run, Gen: s.lease.Gen, Ridden: s.ridden, Stranded: []dispatchStray{}}
	next, p, err := s.render()
	if err != nil {
		return a, err
	}
	a.Packet, a.Later, a.holds = next.Packet, next.Later, holdsOf(p)
	ev := supervise.DispatchEvidence{Gate: string(next.Outcome), GateWhy: next.Reason}
	if next.Outcome == pick.Live {
		err = s.launch(p, tag, &a, &ev)
	}
	a.DispatchVerdict = supervise.Dispatch(ev)
	a.Next = s.next(a, p)
	serr := s.settling(func() error { return s.archive(tag, &a) })
	return a, firstError(err, serr)
}

// next is what an operator does about a gate or a price that stopped it.
func (s *dispatching) next(a dispatchAnswer, p packet.Packet) string {
	switch {
	case a.Outcome == supervise.Unstamped:
		return "git dos replan --scope " + verdict.ShellWord(s.lease.Lane)
	case a.Outcome == supervise.HeldBack && a.Price != nil:
		return "state the tree of each task, or run it with --limit 1"
	case a.Outcome == supervise.HeldBack && len(p.Held) > 0:
		return "git dos pickable " + verdict.ShellWord(p.Held[0].Unit())
	case a.Outcome == supervise.QuietLeft:
		return "git dos verify " + verdict.ShellWord(a.Flags[0]) + " --explain"
	}
	return ""
}

// archive writes the record of a dispatch and its row.
func (s *dispatching) archive(tag string, a *dispatchAnswer) error {
	r := runRecord{Verb: "dispatch", RunID: s.run, Lane: s.lease.Lane, Gen: s.lease.Gen, Iterations: []runIteration{iterationOf(1, "dispatch", *a)}, StopReason: a.StopReason}
	var err error
	if a.Archive, err = s.keepRecord(tag, r); err != nil {
		return err
	}
	s.journal(journal.Row{Op: journal.OpVerdict, Verb: "dispatch", Verdict: string(a.Outcome), Subject: s.lease.Lane, Detail: verdict.Clip(a.Reason)})
	return nil
}
