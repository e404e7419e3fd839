package super

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Gating is the closed vocabulary of the gate.
type Gating string

const (
	HandLaunch       Gating = "HAND_LAUNCH"       // nobody dispatches: launch by hand
	AlreadyGardening Gating = "ALREADY_GARDENING" // a standing dispatcher does it
	CronDown         Gating = "CRON_DOWN"         // there is one, and it does not get on
	Unreadable       Gating = "UNREADABLE"        // what would tell cannot be read
)

// A Standing is how the lease on [Lane] stands.
type Standing string

const (
	NotTaken Standing = "NONE"   // never, or it was given back
	Live     Standing = "LIVE"   // held, and renewed in time
	Lapsed   Standing = "LAPSED" // taken and never given back
)

// A Pulse is how a dispatcher beats.
type Pulse string

const (
	Fresh   Pulse = "FRESH"
	Late    Pulse = "LATE"
	Missing Pulse = "MISSING"
)

// GateEvidence is everything Gate may know. The beat counts only beside a lease that
// is live, and what lives and is ready only beside a beat that is fresh; who gathers
// it may leave them out elsewhere.
type GateEvidence struct {
	Lease    Standing `json:"lease"`
	Holder   string   `json:"holder,omitempty"`
	BeatName string   `json:"beat_name,omitempty"` // under which that holder beats
	Beat     Pulse    `json:"beat,omitempty"`
	Alive    int      `json:"alive"`   // workers that live or are on their way
	Ready    int      `json:"ready"`   // units that could be dispatched now
	Shipped  int      `json:"shipped"` // by witness, of late
	Attended bool     `json:"attended"`
	Unread   []string `json:"unread"`
}

// A GateVerdict answers "does anybody dispatch already?".
type GateVerdict struct {
	Outcome    Gating       `json:"verdict"`
	Reason     string       `json:"reason"`
	Found      Gating       `json:"found"`      // without the operator's word
	Overridden bool         `json:"overridden"` // by that word, which is to be journaled
	Evidence   GateEvidence `json:"evidence"`
	Next       string       `json:"next,omitempty"`
}

var _ verdict.Verdict = GateVerdict{}

// Gate judges, first that applies:
//
//  1. something could not be read, or is no word that is known: UNREADABLE, whoever attends
//  2. nobody has the lane: HAND_LAUNCH
//  3. it was taken, has lapsed and was never given back: CRON_DOWN
//  4. its holder's beat is late or missing: CRON_DOWN
//  5. nothing lives while work is ready, and nothing shipped of late: CRON_DOWN
//  6. ALREADY_GARDENING
//
// Who attends in person launches all the same from 3 on, and that is an override.
func Gate(ev GateEvidence) GateVerdict {
	ev.Unread = append([]string{}, ev.Unread...)
	v := GateVerdict{Evidence: ev}
	v.Found, v.Reason, v.Next = ev.judge()
	v.Outcome = v.Found
	if ev.Attended && (v.Found == AlreadyGardening || v.Found == CronDown) {
		v.Outcome, v.Overridden, v.Next = HandLaunch, true, ""
		v.Reason = fmt.Sprintf("somebody attends, against %s: %s", v.Found, v.Reason)
	}
	return v
}

func (ev GateEvidence) judge() (found Gating, reason, next string) {
	who := ev.Holder
	if who == "" {
		who = "somebody"
	}
	who = verdict.Show(who)
	switch {
	case len(ev.Unread) > 0:
		return Unreadable, "who dispatches cannot be told: " + strings.Join(ev.Unread, "; "), "git dos doctor"
	case ev.Alive < 0 || ev.Ready < 0 || ev.Shipped < 0:
		return Unreadable, "who dispatches cannot be told: a count is negative", "git dos doctor"
	case ev.Lease == NotTaken:
		return HandLaunch, "nobody has lane " + Lane, "git dos preflight"
	case ev.Lease == Lapsed:
		return CronDown, fmt.Sprintf("%s took lane %s, and has neither renewed it nor given it back", who, Lane), takeAway
	case ev.Lease != Live:
		return Unreadable, fmt.Sprintf("who dispatches cannot be told: the lease on lane %s is %q", Lane, ev.Lease), "git dos doctor"
	case ev.Beat == Late || ev.Beat == Missing:
		return CronDown, fmt.Sprintf("%s has lane %s, and its beat %s is %s", who, Lane, ev.BeatName, ev.Beat), "git dos pulse"
	case ev.Beat != Fresh:
		return Unreadable, fmt.Sprintf("who dispatches cannot be told: the beat of %s is %q", who, ev.Beat), "git dos doctor"
	case ev.Alive == 0 && ev.Ready > 0 && ev.Shipped == 0:
		return CronDown, fmt.Sprintf("%s dispatches, with %s ready, and nothing lives or has shipped of late", who, verdict.Count(ev.Ready, "unit")), "git dos wave plan"
	}
	return AlreadyGardening, fmt.Sprintf("%s dispatches: %s alive", who, verdict.Count(ev.Alive, "worker")), "git dos super status"
}

const takeAway = "git dos lease scavenge --lane " + Lane + " --force --operator NAME"

// ExitCode implements [verdict.Verdict].
func (v GateVerdict) ExitCode() int {
	switch v.Outcome {
	case HandLaunch:
		return verdict.Yes
	case AlreadyGardening:
		return verdict.FirstOwned
	case CronDown:
		return verdict.FirstOwned + 1
	case Unreadable:
		return verdict.FirstOwned + 2
	}
	return verdict.NoVerdict
}

func (v GateVerdict) String() string {
	text := fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
	if v.Next != "" {
		text += "\n  next      " + v.Next
	}
	return text
}
