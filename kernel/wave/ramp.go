package wave

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Rung says how large a wave may be.
type Rung string

const (
	Canary Rung = "CANARY" // one worker
	Step   Rung = "STEP"   // two or three
	Full   Rung = "FULL"   // as many as there is room for
)

// known is the rung, and the first for any other word: what is not known was not
// earned.
func (r Rung) known() Rung {
	if r == Step || r == Full {
		return r
	}
	return Canary
}

func (r Rung) next() Rung {
	if r.known() == Canary {
		return Step
	}
	return Full
}

func (r Rung) back() Rung {
	if r.known() == Full {
		return Step
	}
	return Canary
}

// maxDrops in a row end the ramp.
const maxDrops = 2

// A State is where the ramp stands. Its zero value is a ramp that has not begun.
type State struct {
	Rung    Rung   `json:"rung"`
	Drops   int    `json:"drops"`   // in a row
	Stopped bool   `json:"stopped"` // until an operator begins anew
	WaveID  string `json:"wave_id,omitempty"`
}

// Most is how many workers a wave may have: none once the ramp has stopped. step is
// the number for the second rung, and room the one for the last.
func (s State) Most(step, room int) int {
	switch {
	case s.Stopped || room < 1:
		return 0
	case s.Rung.known() == Step:
		return min(room, max(2, min(step, 3)))
	case s.Rung.known() == Full:
		return room
	}
	return 1
}

// A Proof is what is known of the first commit of a worker.
type Proof string

const (
	NoCommit Proof = ""          // none yet
	Borne    Proof = "WITNESSED" // its diff bears out what it claims
	NotBorne Proof = "UNWITNESSED"
	NotKnown Proof = "UNKNOWN" // git could not be asked
)

// A Worker is one of a wave, as it is found.
type Worker struct {
	Leased    bool  `json:"leased"` // it holds its lease, or held it to its end
	Over      bool  `json:"over"`   // it has ended
	First     Proof `json:"first_commit"`
	Stub      bool  `json:"stub"`      // it ended with a log of next to nothing
	Throttled bool  `json:"throttled"` // its account was used up, or what it needs overloaded
	Broken    bool  `json:"broken"`    // its first claim did not hold: it was made, and is not VERIFIED
}

// RungEvidence is what became of the last wave.
type RungEvidence struct {
	WaveID    string   `json:"wave_id"`
	Workers   []Worker `json:"workers"`
	Refused   string   `json:"refused,omitempty"`   // why it was launched in part
	Reclaimed bool     `json:"reclaimed,omitempty"` // something was reclaimed since
}

// A Move is what became of the rung.
type Move string

const (
	Stay     Move = "STAY"
	Promote  Move = "PROMOTE"
	DropBack Move = "DROP_BACK"
	Restart  Move = "RESTART" // from the first rung
	Stop     Move = "STOP"
)

// A Climb is one move of the ramp, and where it stands after that.
type Climb struct {
	Move   Move   `json:"move"`
	Reason string `json:"reason"`
	After  State  `json:"after"`
}

// Ramp moves the ramp by what became of the last wave. First that applies:
//
//  1. the ramp has stopped: it stays so, whatever the evidence
//  2. something was reclaimed since: RESTART at the first rung
//  3. the wave was judged before, or there was none: STAY
//  4. a worker ended with a stub log, was throttled, had its first claim not hold
//     or its first commit claim what its diff does not carry, or the wave was
//     refused in its midst: DROP_BACK one rung; the second in a row is STOP
//  5. every worker has its lease, or had it to its end, and its first commit is
//     borne out: PROMOTE
//  6. STAY: it is not decided yet
//
// A wave moves the ramp once: what it proved is not proven again by looking at it
// twice. Time is no evidence.
func Ramp(s State, ev RungEvidence) Climb {
	s.Rung = s.Rung.known()
	switch {
	case s.Stopped:
		return Climb{Stop, "the ramp has stopped: an operator begins anew", s}
	case ev.Reclaimed:
		return Climb{Restart, "something was reclaimed: freed room is tried with one worker", State{Rung: Canary, WaveID: ev.WaveID}}
	case len(ev.Workers) == 0 && ev.Refused == "":
		return Climb{Stay, "none of its waves has been launched", s}
	case ev.WaveID != "" && ev.WaveID == s.WaveID:
		return Climb{Stay, "wave " + verdict.Show(ev.WaveID) + " has moved the ramp already", s}
	}
	if why := ev.bad(); why != "" {
		after := State{Rung: s.Rung.back(), Drops: s.Drops + 1, WaveID: ev.WaveID}
		if after.Drops >= maxDrops {
			after.Stopped = true
			return Climb{Stop, fmt.Sprintf("%s; that is the second time in a row", why), after}
		}
		return Climb{DropBack, why, after}
	}
	if why := ev.open(); why != "" {
		return Climb{Stay, why, s}
	}
	return Climb{Promote, fmt.Sprintf("%s with its lease, and a first commit that git bears out", verdict.Count(len(ev.Workers), "worker")), State{Rung: s.Rung.next(), WaveID: ev.WaveID}}
}

// bad is what speaks against the rung, "" for nothing.
func (ev RungEvidence) bad() string {
	for _, w := range ev.Workers {
		switch {
		case w.Throttled:
			return "a worker was throttled"
		case w.Stub:
			return "a worker ended and said next to nothing"
		case w.Broken:
			return "the first claim of a worker does not hold"
		case w.First == NotBorne:
			return "the first commit of a worker claims what its diff does not carry"
		}
	}
	if ev.Refused != "" {
		return "the wave was launched in part: " + ev.Refused
	}
	return ""
}

// open is what is not proven yet, "" for nothing.
func (ev RungEvidence) open() string {
	for _, w := range ev.Workers {
		switch {
		case !w.Leased:
			return "a worker holds no lease"
		case w.First == NotKnown:
			return "the first commit of a worker could not be judged"
		case w.First != Borne && w.Over:
			return "a worker ended without a commit that git bears out"
		case w.First != Borne:
			return "a worker has no commit yet that git bears out"
		}
	}
	return ""
}
