package halt

import (
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Decide says whether the wish is recorded, and what is to be written for it. In order:
//
//  1. nothing says what is to be stopped, or a run is to be gone on with that is not
//     named, cannot be read or declared nothing: no verdict
//  2. the lane is not the run's, or it is to be parked and another node grants it:
//     NOT_RECORDED
//  3. the run is to be gone on with, and its lane was not parked yet: no verdict but
//     to Park it and ask again
//  4. the lane cannot be parked: NOT_RECORDED
//  5. RECORDED
func Decide(ev Evidence) Verdict {
	if v := ev.malformed(); v.why != nil {
		return v
	}
	if v := ev.elsewhere(); v.Outcome != "" {
		return v
	}
	v := Verdict{Outcome: Recorded, Reason: ev.Reason, Row: !ev.Known}
	if !ev.Resumable {
		v.Already = ev.Known
		return v
	}
	switch p := ev.Parking; {
	case p == nil:
		return Verdict{Park: true, why: errors.New("the lane is to be parked first")}
	case p.Refused != "":
		return Verdict{Outcome: NotRecorded, Reason: "its lane cannot be parked: " + p.Refused, Next: p.Next}
	default:
		v.Parked = p.Done
	}
	v.Suspended, v.Next = true, "git dos resume --run-id "+verdict.ShellWord(ev.RunID)
	v.ResumeSha, v.Suspend = ev.Point.settle()
	v.Already = !v.Row && !v.Suspend
	return v
}

// malformed is the verdict on a wish that cannot be meant.
func (ev Evidence) malformed() Verdict {
	refused := ev.Lease.Standing != Unheld
	switch {
	case ev.RunID == "" && ev.Handle == "" && !refused:
		return Verdict{why: errors.New("nothing says what is to be stopped"), Next: "name --run-id, --lane or --handle, or set GIT_DOS_RUN_ID"}
	case !ev.Resumable:
		return Verdict{}
	case ev.RunID == "":
		return Verdict{why: errors.New("--resumable needs a run, and none is named"), Next: "name --run-id, or set GIT_DOS_RUN_ID"}
	case ev.Intent == Unreadable:
		return Verdict{why: fmt.Errorf("--resumable: the ledger of run %s cannot be read in full or contradicts itself, so that nothing could go on from it", ev.RunID)}
	case ev.Intent != Declared:
		return Verdict{
			why:  fmt.Errorf("--resumable: run %s has no intent, so that nothing would say what is left of it", ev.RunID),
			Next: fmt.Sprintf("git dos intent --run-id %s --goal GOAL declares one", verdict.ShellWord(ev.RunID)),
		}
	}
	return Verdict{}
}

// elsewhere refuses a wish about a lane that is not the run's, or not here to be
// parked.
func (ev Evidence) elsewhere() Verdict {
	v, l := Verdict{Outcome: NotRecorded, Next: "git dos lease live"}, ev.Lease
	switch {
	case l.Standing == Free:
		v.Reason = "nobody holds lane " + l.Lane
	case l.Standing == Others:
		v.Reason = fmt.Sprintf("lane %s is held by %s in run %s", l.Lane, l.Holder, l.RunID)
	case l.Standing == Granted && ev.Resumable:
		v.Reason = fmt.Sprintf("node %s grants lane %s to its workers itself, and only there the run's lease can be parked", l.Node, l.Lane)
		v.Next = "run it on node " + l.Node + ", or leave --resumable out"
	default:
		return Verdict{}
	}
	return v
}

// settle is the commit to go on from, and whether it is to be recorded: one that
// is named takes the place of the one that counts, any other leaves it.
func (p Point) settle() (sha string, record bool) {
	if len(p.OnRecord) == 0 {
		return p.Sha, true
	}
	last := p.OnRecord[len(p.OnRecord)-1]
	if !p.Named {
		return last, false
	}
	return p.Sha, p.Sha != last
}
