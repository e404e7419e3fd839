package fleet

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// WorkerOutcome is the closed vocabulary of one worker's run.
type WorkerOutcome string

const (
	ClaimWitnessed   WorkerOutcome = "CLAIM_WITNESSED"   // what it did is on the trunk, and git bears it out
	ClaimUnwitnessed WorkerOutcome = "CLAIM_UNWITNESSED" // it committed, and git does not bear it out, or could not be asked
	ClaimNoCommit    WorkerOutcome = "CLAIM_NO_COMMIT"   // nothing of its was found
	LeaseLost        WorkerOutcome = "LEASE_LOST"        // it was stopped, since its lane went to somebody else
	SpawnFailed      WorkerOutcome = "SPAWN_FAILED"      // the command never ran
	TimedOut         WorkerOutcome = "TIMED_OUT"         // it was stopped, since its time was over
	NotAdmitted      WorkerOutcome = "REFUSED"           // no lane, no process
)

// An End is how the command ended, as a loop counts it.
type End string

const (
	EndClaim        End = "CLAIM"         // it ended by itself with status 0
	EndRateLimited  End = "RATE_LIMITED"  // by a status that worker.exit lists
	EndOverloaded   End = "OVERLOADED"    // by a status that worker.exit lists
	EndUnclear      End = "UNCLEAR"       // by another status, or by a signal
	EndLaunchFailed End = "LAUNCH_FAILED" // it never ran
)

// An Exit is how the command's process ended.
type Exit struct {
	Started  bool   `json:"started"`
	Status   int    `json:"status"`           // -1 where a signal ended it
	Signal   string `json:"signal,omitempty"` // its name
	Output   int64  `json:"output"`           // bytes that it printed
	TimedOut bool   `json:"timed_out,omitempty"`
	Lost     bool   `json:"lost,omitempty"`    // its lease, so that it was stopped
	Stopped  bool   `json:"stopped,omitempty"` // by an interrupt of whoever ran it
}

// An OwnCommit is a commit of the run since its start: one that names it, or one
// inside its lane's tree that names no other.
type OwnCommit struct {
	ID        string `json:"id"`
	OnTrunk   bool   `json:"on_trunk"`
	Witnessed bool   `json:"witnessed"` // its diff bears out what its subject claims
}

// GradeEvidence is everything Grade may know.
type GradeEvidence struct {
	Unit      string      `json:"unit,omitempty"`
	Shipped   string      `json:"shipped,omitempty"` // the unit: the commit on the trunk that ships it, or shows the task done; "" for none
	Exit      Exit        `json:"exit"`
	Commits   []OwnCommit `json:"commits"`
	Stranded  []string    `json:"stranded"`  // uncommitted paths of the lane's tree
	Survivors []Process   `json:"survivors"` // processes of the worker that outlived it

	// Elsewhere are commits since the run began that name no run and change nothing of
	// its lane. Whose they are cannot be told.
	Elsewhere []string `json:"elsewhere,omitempty"`

	// Dropped is a commit that the trunk had when the run began and has no more: it was
	// rewritten meanwhile, and what others had on it may be lost.
	Dropped string `json:"dropped,omitempty"`

	// AsOf is set where the trunk could not be looked at: when it was last seen. What
	// is remembered of it lies where the worker can write, and witnesses nothing.
	AsOf *time.Time `json:"as_of,omitempty"`

	RateLimited []int `json:"-"` // worker.exit
	Overloaded  []int `json:"-"`
}

// A Grade is what came of one worker, judged from git; its word counts for
// nothing. Outcome says how the run ended, Claim what is found of it whatever
// ended it.
type Grade struct {
	Outcome  WorkerOutcome `json:"outcome"`
	Claim    WorkerOutcome `json:"claim"`
	End      End           `json:"end"`
	Cause    string        `json:"cause,omitempty"` // why nothing was found
	Reason   string        `json:"reason"`
	Evidence GradeEvidence `json:"evidence"`
}

var _ verdict.Verdict = Grade{}

// Judge grades one worker's run.
func Judge(ev GradeEvidence) Grade {
	ev.Commits = append([]OwnCommit{}, ev.Commits...)
	ev.Stranded = append([]string{}, ev.Stranded...)
	ev.Survivors = append([]Process{}, ev.Survivors...)
	g := Grade{Evidence: ev, End: ev.end()}
	g.Claim, g.Reason = ev.claim()
	switch {
	case g.Claim != ClaimWitnessed:
	case ev.Dropped != "":
		g.Claim = ClaimUnwitnessed
		g.Reason = fmt.Sprintf("the trunk was rewritten meanwhile: it no longer has %s; %s", verdict.Short(ev.Dropped), g.Reason)
	case ev.AsOf != nil:
		g.Claim = ClaimUnwitnessed
		g.Reason = fmt.Sprintf("the trunk could not be looked at; as of %s: %s", ev.AsOf.UTC().Format(time.RFC3339), g.Reason)
	}
	if g.Claim == ClaimNoCommit {
		g.Cause = ev.cause()
		g.Reason += ": " + g.Cause
	}
	g.Outcome = g.Claim
	switch {
	case !ev.Exit.Started:
		g.Outcome = SpawnFailed
	case ev.Exit.Lost:
		g.Outcome = LeaseLost
	case ev.Exit.TimedOut:
		g.Outcome = TimedOut
	}
	return g
}

func (ev GradeEvidence) end() End {
	e := ev.Exit
	switch {
	case !e.Started:
		return EndLaunchFailed
	case e.Lost || e.TimedOut || e.Stopped || e.Signal != "":
		return EndUnclear
	case slices.Contains(ev.RateLimited, e.Status):
		return EndRateLimited
	case slices.Contains(ev.Overloaded, e.Status):
		return EndOverloaded
	case e.Status == 0:
		return EndClaim
	}
	return EndUnclear
}

// claim is what git says. A unit is witnessed when it shipped by a commit of
// this run; without one, all that the run brought to the trunk must be, and there
// must be something.
func (ev GradeEvidence) claim() (WorkerOutcome, string) {
	landed, bad := 0, ""
	for _, c := range ev.Commits {
		if c.OnTrunk {
			landed++
			if !c.Witnessed && bad == "" {
				bad = c.ID
			}
		}
	}
	own := slices.ContainsFunc(ev.Commits, func(c OwnCommit) bool { return c.ID == ev.Shipped })
	switch {
	case len(ev.Commits) == 0:
		return ClaimNoCommit, "no commit of the run is found"
	case ev.Unit != "" && ev.Shipped != "" && own:
		return ClaimWitnessed, fmt.Sprintf("unit %s shipped by %s", verdict.Show(ev.Unit), verdict.Short(ev.Shipped))
	case ev.Unit != "" && ev.Shipped != "":
		return ClaimUnwitnessed, fmt.Sprintf("unit %s shipped by %s, which is not of this run", verdict.Show(ev.Unit), verdict.Short(ev.Shipped))
	case landed == 0:
		return ClaimUnwitnessed, fmt.Sprintf("%s, none of them on the trunk", verdict.Count(len(ev.Commits), "commit"))
	case ev.Unit != "":
		return ClaimUnwitnessed, fmt.Sprintf("%s on the trunk, and unit %s has not shipped", verdict.Count(landed, "commit"), verdict.Show(ev.Unit))
	case bad != "":
		return ClaimUnwitnessed, fmt.Sprintf("commit %s claims what its diff does not carry", verdict.Short(bad))
	}
	return ClaimWitnessed, fmt.Sprintf("%s on the trunk, each as it claims", verdict.Count(landed, "commit"))
}

// cause is why nothing was found, by what is known of the process.
func (ev GradeEvidence) cause() string {
	e := ev.Exit
	switch {
	case !e.Started:
		return "the command never ran"
	case e.Lost:
		return "its lease was lost"
	case e.TimedOut:
		return "its time was over"
	case e.Stopped:
		return "it was interrupted"
	case e.Signal != "":
		return "signal " + e.Signal + " ended it"
	case ev.end() == EndRateLimited:
		return "it was rate-limited"
	case ev.end() == EndOverloaded:
		return "what it needs was overloaded"
	case e.Status != 0:
		return fmt.Sprintf("it ended with status %d", e.Status)
	case ev.Unit != "" && ev.Shipped != "":
		return "its unit had shipped before"
	case len(ev.Stranded) > 0:
		return fmt.Sprintf("%s written and not committed", verdict.Count(len(ev.Stranded), "path"))
	case len(ev.Elsewhere) > 0:
		return fmt.Sprintf("it ended with status 0, and of what may be its nothing lies in its lane: %s, first %s",
			verdict.Count(len(ev.Elsewhere), "commit"), verdict.Short(ev.Elsewhere[0]))
	case e.Output == 0:
		return "it printed nothing and changed nothing of its lane"
	}
	return "it ended with status 0 and changed nothing of its lane"
}

// ExitCode implements [verdict.Verdict].
func (g Grade) ExitCode() int {
	switch g.Outcome {
	case ClaimWitnessed:
		return verdict.Yes
	case NotAdmitted:
		return verdict.FirstOwned
	case LeaseLost:
		return verdict.FirstOwned + 1
	case ClaimUnwitnessed:
		return verdict.FirstOwned + 2
	case ClaimNoCommit:
		return verdict.FirstOwned + 3
	case SpawnFailed:
		return verdict.FirstOwned + 4
	case TimedOut:
		return verdict.FirstOwned + 5
	}
	return verdict.NoVerdict
}

func (g Grade) String() string {
	if g.Outcome == "" {
		return "no verdict"
	}
	s := fmt.Sprintf("%s: %s", g.Outcome, g.Reason)
	for _, p := range g.Evidence.Stranded {
		s += "\nstranded  " + verdict.Show(p)
	}
	for _, p := range g.Evidence.Survivors {
		s += "\nsurvives  " + p.String()
	}
	return s
}
