package loop

import (
	"strings"
	"sync"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// gated is what follows from a packet that was not dispatched.
func (t *turn) gated() Verdict {
	if t.it.Gate == Blocked {
		if r := t.it.remedy(); r != "" && r != byReplan {
			return stop(BlockedInvariant, "blocked by %s, which no replan ends: %s", verdict.Show(strings.TrimSpace(*t.it.BlockedCause)), r)
		}
	}
	if t.it.Gate == StaleStamp || t.it.Gate == Blocked {
		if bump(&t.StaleStamp, t.MaxStaleStamp) {
			return stop(StaleUnreconciled, "gates that were stale or blocked, in a row: %d", t.StaleStamp)
		}
	}
	switch t.it.Gate {
	case Live:
		t.StaleStamp, t.UnproductiveReplanDrain = 0, 0
		t.GateWasDrain, t.ReplanDrained = false, false
		return next(Dispatch, "there is something to dispatch")
	case Race:
		v := next(Dispatch, "another made the packet at the same time: once more")
		v.Surface = true
		return v
	case Drain:
		t.StaleStamp = 0
		return t.drained()
	}
	t.UnproductiveReplanDrain, t.GateWasDrain = 0, false
	return t.held()
}

// drained replans, unless that was tried and answered with the same.
func (t *turn) drained() Verdict {
	switch {
	case t.GateMode != Hard:
		return stop(DrainStop, "there is nothing left, and gate mode %s does not replan", t.GateMode)
	case t.UnproductiveReplanDrain >= t.MaxUnproductiveReplanDrains:
		return stop(BenignDrain, "there is nothing left, and replans that found nothing answered it %d times", t.UnproductiveReplanDrain)
	case t.ReplanDrained:
		return stop(DrainedTwice, "there is nothing left, and what the last replan found is done")
	}
	t.GateWasDrain = true
	return next(Replan, "there is nothing left")
}

// held is what follows from a packet whose picks are stale or blocked. It is
// no drain: there is work, and it cannot be had as it stands.
func (t *turn) held() Verdict {
	switch stale := t.it.Gate == StaleStamp; {
	case t.GateMode == Hard && stale:
		return next(Replan, "something shipped, and its plan does not say so")
	case t.GateMode == Hard:
		return next(Replan, "what there is cannot be had")
	case stale:
		v := next(Dispatch, "something shipped, and its plan does not say so")
		v.Reconcile = true
		return v
	}
	return stop(BlockedStop, "what there is cannot be had, and gate mode %s does not replan", t.GateMode)
}

// A remedy is who can end what blocks a packet.
type remedy string

const (
	byReplan   remedy = "a replan can"
	byUnstick  remedy = "somebody has to unstick it"
	byOperator remedy = "an operator decides"
	byWaiting  remedy = "it ends with time"
)

// remedies are the causes that are known.
var remedies = sync.OnceValue(func() map[string]remedy {
	return map[string]remedy{
		"lane_soak_gated":                    byWaiting,
		"operator_decision":                  byOperator,
		"lane_all_inflight_or_deferred":      byReplan,
		"child_parked_pre_step9_no_envelope": byReplan,
		"data_gated_closeout":                byReplan,
		"uncategorized_nonship":              byReplan,
		"stale_claim_false_block":            byUnstick,
		"ship_oracle_false_positive":         byUnstick,
		"lying_verdict_token":                byUnstick,
		"preflight_scratch_race":             byUnstick,
		"wait_marker_runaway":                byUnstick,
		"child2_fanout_died_pre_ship":        byUnstick,
		"packet_incoherence":                 byUnstick,
		"encoding_mojibake":                  byUnstick,
		"gate_wedge_unspecified":             byUnstick,
		"body_empty_picks":                   byUnstick,
	}
})

// remedy is that of the cause, empty where it is not known.
func (it Iteration) remedy() remedy {
	if it.BlockedCause == nil {
		return ""
	}
	return remedies()[strings.TrimSpace(*it.BlockedCause)]
}
