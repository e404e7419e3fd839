package loop

import "github.com/git-dos/git-dos/kernel/verdict"

// backoffs are the seconds to wait after an overload, by how many there were
// in a row. The last stands for all further ones.
var backoffs = [...]int64{60, 270, 1200}

// overloaded tries the same iteration again. It is no failure of the work, so
// no other counter moves and no iteration is used up.
func (t *turn) overloaded() Verdict {
	if bump(&t.Overloaded, t.MaxOverloaded) {
		return stop(ConsecutiveOverloaded, "the service was overloaded %d times in a row", t.Overloaded)
	}
	wait := backoffs[min(t.Overloaded, int64(len(backoffs)))-1]
	v := Verdict{Outcome: Retry, BackoffSeconds: wait}
	v.Reason = "the service was overloaded: " + verdict.Count(int(t.Overloaded), "time") + " in a row"
	return v
}

// unclear waits for the child of a parked parent as long as it gets on and
// waiting is allowed. What is waited for longer than that, and what has no such
// child, counts. The wait does not begin anew before something clear happened.
func (t *turn) unclear() Verdict {
	if t.Descendant == ChildAdvancing {
		if !bump(&t.AdoptWait, t.MaxAdoptWait) {
			t.Unclear = 0
			return next(Dispatch, "it ended unclear, and its child gets on: wait for that, %d of %d", t.AdoptWait, t.MaxAdoptWait-1)
		}
		t.AdoptWait = t.MaxAdoptWait
	} else {
		t.AdoptWait = 0
	}
	if bump(&t.Unclear, t.MaxUnclear) {
		return stop(ConsecutiveUnclear, "iterations that ended unclear, in a row: %d", t.Unclear)
	}
	return next(Dispatch, "it ended unclear, %d of %d in a row", t.Unclear, t.MaxUnclear)
}

// shipped believes what was measured. What was to be measured and was not
// ends the loop, and what was measured to be nothing counts.
func (t *turn) shipped() Verdict {
	t.StaleStamp, t.UnproductiveReplanDrain, t.UnproductiveReplan = 0, 0, 0
	t.GateWasDrain, t.ReplanDrained = false, false
	switch {
	case t.it.Measured && t.it.Judge == "":
		return stop(UnmeasuredShipped, "it says that it shipped, and that was to be measured and was not")
	case !t.it.dirtyZero():
		t.DirtyZero = 0
		return next(Dispatch, "it shipped")
	case bump(&t.DirtyZero, t.MaxDirtyZero):
		return stop(ConsecutiveDirtyZero, "iterations that say they shipped and did not, in a row: %d", t.DirtyZero)
	}
	return next(Dispatch, "it says that it shipped and did not, %d of %d in a row", t.DirtyZero, t.MaxDirtyZero)
}

// replanned arms the stop on a second drain only where the replan answered a
// first one.
func (t *turn) replanned() Verdict {
	answered := t.GateWasDrain
	t.GateWasDrain = false
	if t.it.Productivity != Unproductive {
		t.UnproductiveReplan, t.UnproductiveReplanDrain = 0, 0
		t.ReplanDrained = answered
		return next(Dispatch, "the replan found something")
	}
	t.ReplanDrained = false
	if answered {
		bump(&t.UnproductiveReplanDrain, t.MaxUnproductiveReplanDrains)
	}
	switch stalled := bump(&t.UnproductiveReplan, t.MaxUnproductiveReplan); {
	case stalled && t.UnproductiveReplanDrain >= t.MaxUnproductiveReplanDrains:
		return stop(BenignDrain, "replans that answered a drain and found nothing: %d", t.UnproductiveReplanDrain)
	case stalled:
		return stop(ReplanStalled, "replans that found nothing, in a row: %d", t.UnproductiveReplan)
	}
	return next(Dispatch, "the replan found nothing, %d of %d in a row", t.UnproductiveReplan, t.MaxUnproductiveReplan)
}
