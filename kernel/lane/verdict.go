package lane

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of this verdict.
type Outcome string

const (
	Acquire Outcome = "acquire"
	Refuse  Outcome = "refuse"
)

// Reason classes: the rung that decided.
const (
	ClusterAdmitted   = "CLUSTER_ADMITTED"
	KeywordAdmitted   = "KEYWORD_ADMITTED"
	ExclusiveAdmitted = "EXCLUSIVE_ADMITTED"
	ReservedAdmitted  = "RESERVED_ADMITTED"
	Forced            = "FORCED"
	AutoPick          = "AUTOPICK"
	AutoPickLadder    = "AUTOPICK_LADDER"

	UnknownLane       = "UNKNOWN_LANE"
	UnknownTree       = "UNKNOWN_TREE"
	TreeOutsideLane   = "TREE_OUTSIDE_LANE"
	SameLaneHeld      = "SAME_LANE_HELD"
	ExclusiveLive     = "EXCLUSIVE_LIVE"
	ExclusiveNotAlone = "EXCLUSIVE_NOT_ALONE"
	Collision         = "COLLISION"
	SelfModify        = "SELF_MODIFY"

	ClassBudgetExhausted  = "CLASS_BUDGET_EXHAUSTED"
	LadderEmptyOthersFree = "LADDER_EMPTY_OTHERS_FREE"
	AllHeld               = "ALL_HELD"
	LadderExhausted       = "LADDER_EXHAUSTED"
	AllZeroPicks          = "ALL_ZERO_PICKS"

	// Unreadable comes without an outcome: whether the request may become a
	// lease hangs on a record that cannot be read.
	Unreadable = "UNREADABLE"
)

// ErrUnreadable is wrapped by [Verdict.Err] of a verdict of class Unreadable.
var ErrUnreadable = errors.New("unreadable lease")

// A Verdict answers "may this request become a lease?". Lane, LaneKind and
// Tree are what the lease must record, and empty on a refusal, so that nobody
// runs on a lane that was not granted.
type Verdict struct {
	Outcome      Outcome  `json:"outcome"`
	Lane         string   `json:"lane"`
	LaneKind     string   `json:"lane_kind"`
	Tree         []string `json:"tree"`
	Exclusive    bool     `json:"exclusive"`
	ReasonClass  string   `json:"reason_class"`
	Reason       string   `json:"reason"`
	Holder       string   `json:"holder"`
	ConflictLane string   `json:"conflict_lane"`

	AutoPicked   bool     `json:"auto_picked"`   // not the lane that was asked for
	FreeClusters []string `json:"free_clusters"` // on a refusal: lanes whose name is free
	PickCount    *int     `json:"pick_count"`    // what the pick oracle of a ladder counted
	HintRefused  string   `json:"hint_refused"`  // why the lane that was asked for was passed over
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict] for the lease verbs. A verb that only
// asks, such as arbitrate, gives a refusal a status of its own.
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Acquire:
		return verdict.Yes
	case Refuse:
		return verdict.FirstOwned
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v Verdict) Err() error {
	err := verdict.Err(v.Outcome, v.Reason)
	if err != nil && v.ReasonClass == Unreadable {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return err
}

func (v Verdict) String() string {
	switch v.Outcome {
	case Acquire:
		return "acquire " + verdict.Show(v.Lane) + " (" + v.LaneKind + "): " + showAll(v.Tree)
	case Refuse:
		return "refuse (" + v.ReasonClass + "): " + v.Reason
	}
	return "no verdict: " + v.Err().Error()
}

func acquire(c Claim, class string) Verdict {
	return Verdict{
		Outcome:     Acquire,
		Lane:        c.Lane,
		LaneKind:    c.Kind,
		Tree:        c.Tree,
		Exclusive:   c.Exclusive,
		ReasonClass: class,
		Reason:      "no live lease stands against it",

		FreeClusters: []string{},
	}
}

func refuse(class, reason string) Verdict {
	return Verdict{Outcome: Refuse, Tree: []string{}, FreeClusters: []string{}, ReasonClass: class, Reason: reason}
}

func conflict(class string, h *held, reason string) Verdict {
	v := refuse(class, reason)
	v.Holder, v.ConflictLane = h.Holder, h.name
	return v
}

// undecided is the answer that hangs on a lease that cannot be read.
func undecided(by *held) Verdict {
	of := "of a lane whose name is not known"
	if by.name != "" {
		of = "on lane " + verdict.Show(by.name)
	}
	v := malformed(errors.New("the lease " + of + " may stand against it, and cannot be read: " + verdict.Show(by.Unreadable)))
	v.ReasonClass, v.ConflictLane, v.Holder = Unreadable, by.name, by.Holder
	return v
}

// malformed is the zero outcome with its cause.
func malformed(err error) Verdict {
	return Verdict{Tree: []string{}, FreeClusters: []string{}, Reason: err.Error()}
}

// showAll lists the first few entries.
func showAll(entries []string) string {
	const most = 4
	var b strings.Builder
	for i, e := range entries {
		if i == most {
			b.WriteString(" and " + strconv.Itoa(len(entries)-most) + " more")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(verdict.Show(e))
	}
	return b.String()
}
