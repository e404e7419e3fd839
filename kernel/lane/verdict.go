package lane

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

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

	UnknownLane       = "UNKNOWN_LANE"
	UnknownTree       = "UNKNOWN_TREE"
	TreeOutsideLane   = "TREE_OUTSIDE_LANE"
	SameLaneHeld      = "SAME_LANE_HELD"
	ExclusiveLive     = "EXCLUSIVE_LIVE"
	ExclusiveNotAlone = "EXCLUSIVE_NOT_ALONE"
	Collision         = "COLLISION"
	SelfModify        = "SELF_MODIFY"
)

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
	switch {
	case v.Outcome != "":
		return nil
	case v.Reason == "":
		return errors.New("nothing was decided")
	}
	return errors.New(v.Reason)
}

func (v Verdict) String() string {
	switch v.Outcome {
	case Acquire:
		return "acquire " + show(v.Lane) + " (" + v.LaneKind + "): " + showAll(v.Tree)
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
	}
}

func refuse(class, reason string) Verdict {
	return Verdict{Outcome: Refuse, Tree: []string{}, ReasonClass: class, Reason: reason}
}

func conflict(class string, h held, reason string) Verdict {
	v := refuse(class, reason)
	v.Holder, v.ConflictLane = h.Holder, h.name
	return v
}

// malformed is the zero outcome with its cause.
func malformed(err error) Verdict {
	return Verdict{Tree: []string{}, Reason: err.Error()}
}

// show makes text from the store fit for a terminal: quoted if it holds
// anything unprintable, and cut short.
func show(s string) string {
	s = clip(s)
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.ContainsRune(s, unicode.ReplacementChar) {
		return strconv.QuoteToASCII(s)
	}
	return s
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
		b.WriteString(show(e))
	}
	return b.String()
}
