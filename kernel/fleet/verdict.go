package fleet

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of the plan.
type Outcome string

const (
	AtTarget          Outcome = "AT_TARGET"          // as many workers live as can and should
	Filling           Outcome = "FILLING"            // too few live; Spawn or Blockers says what comes next
	TargetUnreachable Outcome = "TARGET_UNREACHABLE" // the lanes cannot hold that many at once
	OverTarget        Outcome = "OVER_TARGET"        // too many live; nobody is stopped
)

// Disposition is what is to be done about a lane. One without a row is to be
// held, which is to say left alone.
type Disposition string

const (
	Spawn       Disposition = "SPAWN"
	Reap        Disposition = "REAP"
	Flag        Disposition = "FLAG"
	ProposeHalt Disposition = "PROPOSE_HALT"
)

// A Row is one thing to do. The lease it was decided on is on the rows that
// are about one. AfterReap, on a spawn, names the lanes that must have been
// scavenged before the worker is started: as long as one of them is not,
// nothing is to be started.
type Row struct {
	Lane        string      `json:"lane"`
	Disposition Disposition `json:"disposition"`
	Reason      string      `json:"reason"`
	Handle      bool        `json:"handle,omitempty"` // the worker is to pick a lane itself
	AfterReap   []string    `json:"after_reap,omitempty"`
	*Lease
}

// A Blocker says why nobody is started on a lane, and which lane stands
// against it: that one itself, or another.
type Blocker struct {
	Lane   string `json:"lane"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// A PlanVerdict answers "how many workers live, and what is to be done about
// it?". Blockers is filled when fewer workers are started than the target lacks
// and the lanes could hold.
type PlanVerdict struct {
	Outcome      Outcome   `json:"verdict"`
	Reason       string    `json:"reason"`
	Alive        int       `json:"alive"`
	Admissible   int       `json:"admissible"`
	Target       int       `json:"target"`
	Spawn        []Row     `json:"spawn"`
	Reap         []Row     `json:"reap"`
	Flag         []Row     `json:"flag"`
	ProposedHalt []Row     `json:"proposed_halt"`
	Blockers     []Blocker `json:"blockers"`
	Evidence     Evidence  `json:"evidence"`
}

var _ verdict.Verdict = PlanVerdict{}

// ExitCode implements [verdict.Verdict].
func (v PlanVerdict) ExitCode() int {
	switch v.Outcome {
	case AtTarget:
		return verdict.Yes
	case Filling:
		return verdict.FirstOwned
	case TargetUnreachable:
		return verdict.FirstOwned + 1
	case OverTarget:
		return verdict.FirstOwned + 2
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v PlanVerdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

func (v PlanVerdict) String() string {
	if v.Outcome == "" {
		return "no verdict: " + v.Err().Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", v.Outcome, v.Reason)
	for _, rows := range [][]Row{v.Reap, v.Spawn, v.Flag, v.ProposedHalt} {
		for _, r := range rows {
			fmt.Fprintf(&b, "\n%s %s: %s", r.Disposition, verdict.Show(r.Lane), r.Reason)
		}
	}
	for _, blocker := range v.Blockers {
		fmt.Fprintf(&b, "\nblocked %s: %s", verdict.Show(blocker.Lane), blocker.Reason)
	}
	return b.String()
}

// noPlan is the zero outcome with its cause.
func noPlan(ev Evidence, err error) PlanVerdict {
	v := empty(ev)
	v.Reason = err.Error()
	return v
}

func empty(ev Evidence) PlanVerdict {
	return PlanVerdict{
		Target:       ev.Target,
		Spawn:        []Row{},
		Reap:         []Row{},
		Flag:         []Row{},
		ProposedHalt: []Row{},
		Blockers:     []Blocker{},
		Evidence:     ev.copied(),
	}
}
