// Package status puts what is known of a run on one page.
//
// Everything on it was judged before, from evidence that no worker writes:
// whether the run gets on, which of its declared steps are in history, where
// it may write, and whether it can be continued. There is no field for what a
// worker says of itself, so that none can be shown by mistake: a step that is
// merely claimed is not counted, and the tokens a worker says it spent are not
// repeated.
package status

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Schema is the version of the digest.
const Schema = 1

// The words of liveness that a digest can carry.
const (
	Advancing = "ADVANCING"
	Spinning  = "SPINNING"
	Stalled   = "STALLED"
)

const (
	exitSpinning = verdict.FirstOwned
	exitStalled  = verdict.FirstOwned + 1
)

// A Liveness is the verdict on whether the run gets on, with the evidence for
// it that others can see.
type Liveness struct {
	Verdict      string `json:"verdict"`
	Class        string `json:"reason_class,omitempty"`
	Reason       string `json:"reason"`
	StartedMS    int64  `json:"run_started_ms"`
	NowMS        int64  `json:"now_ms"`
	Commits      int64  `json:"commits_since_start"`
	Events       int64  `json:"journal_events_since"`
	BeatAgeMS    *int64 `json:"last_heartbeat_age_ms"` // null: no beat is known
	ProcessAlive *bool  `json:"process_alive"`         // null: nobody knows
}

// Progress tells the declared steps that history has the commits of from those
// that are left.
type Progress struct {
	Verified int      `json:"verified_count"`
	Declared int      `json:"declared_count"`
	Steps    []string `json:"verified_steps"` // sorted
	Left     []string `json:"left_steps"`     // in the order in which they were declared
}

// A Plan is the verdict on whether the run can be continued.
type Plan struct {
	Verdict         string   `json:"verdict"`
	Reason          string   `json:"reason"`
	RunID           string   `json:"run_id"`
	ResumeSha       string   `json:"resume_sha"`
	Residual        []string `json:"residual"`
	Verified        []string `json:"verified"`
	AlreadyProposed bool     `json:"already_proposed"`
	Command         string   `json:"proposed_command,omitempty"`
}

// Show says when the plan is on the page.
type Show string

const (
	WhenStopped Show = ""     // when the run is parked or has stalled
	Always      Show = "stop" // the asker says that it stopped
	Never       Show = "live" // the asker says that it lives
)

// Evidence is everything Decide may know. Declared and Verified are of the
// resume plan, which read history for this question.
type Evidence struct {
	RunID     string
	Liveness  Liveness
	Declared  []string
	Verified  []string
	Region    []string // the tree of the lease that bears the run id
	Suspended bool
	HasIntent bool
	Plan      *Plan // nil: none was made
	Show      Show
}

// Verdict answers "how is this run?". Its status is that of its liveness.
type Verdict struct {
	Schema   int      `json:"schema"`
	RunID    string   `json:"run_id"`
	Liveness string   `json:"liveness"`
	Detail   Liveness `json:"liveness_detail"`
	Progress Progress `json:"progress"`
	Region   []string `json:"region"`
	Resume   *Plan    `json:"resume"`

	why error
}

var _ verdict.Verdict = Verdict{}

// Decide makes the digest. There is none without a run id, nor without a word
// on its liveness, nor of a run that stopped and has an intent, but no plan.
func Decide(ev Evidence) Verdict {
	v := Verdict{
		Schema: Schema, RunID: ev.RunID, Liveness: ev.Liveness.Verdict, Detail: ev.Liveness,
		Progress: ev.progress(), Region: append([]string{}, ev.Region...),
	}
	switch {
	case ev.RunID == "":
		return Verdict{why: errors.New("run_id is empty")}
	case !slices.Contains([]string{Advancing, Spinning, Stalled}, v.Liveness):
		return Verdict{RunID: ev.RunID, why: fmt.Errorf("liveness is %.40q, want %s, %s or %s", v.Liveness, Advancing, Spinning, Stalled)}
	case !slices.Contains([]Show{WhenStopped, Always, Never}, ev.Show):
		return Verdict{RunID: ev.RunID, why: fmt.Errorf("show is %.40q", ev.Show)}
	case !ev.stopped() || !ev.HasIntent:
		return v
	case ev.Plan == nil:
		return Verdict{RunID: ev.RunID, why: errors.New("the run stopped, and nobody asked whether it can be continued")}
	}
	plan := *ev.Plan
	v.Resume = &plan
	return v
}

func (ev Evidence) stopped() bool {
	return ev.Show == Always || ev.Show == WhenStopped && (ev.Suspended || ev.Liveness.Verdict == Stalled)
}

// progress counts each declared step once, and nothing that is not declared.
func (ev Evidence) progress() Progress {
	p := Progress{Steps: []string{}, Left: []string{}}
	seen := map[string]bool{}
	for _, step := range ev.Declared {
		switch {
		case seen[step]:
		case slices.Contains(ev.Verified, step):
			p.Steps = append(p.Steps, step)
		default:
			p.Left = append(p.Left, step)
		}
		seen[step] = true
	}
	slices.Sort(p.Steps)
	p.Verified, p.Declared = len(p.Steps), len(seen)
	return p
}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Liveness {
	case Advancing:
		return verdict.Yes
	case Spinning:
		return exitSpinning
	case Stalled:
		return exitStalled
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v Verdict) Err() error {
	switch {
	case v.Liveness != "":
		return nil
	case v.why == nil:
		return errors.New("nothing was decided")
	}
	return v.why
}

// String is the digest, one fact a line.
func (v Verdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n", v.Liveness, verdict.Show(v.RunID), v.Detail.Reason)
	fmt.Fprintf(&b, "  progress: %d of %s in history", v.Progress.Verified, verdict.Count(v.Progress.Declared, "step"))
	b.WriteString(steps("done", v.Progress.Steps) + steps("left", v.Progress.Left))
	for _, glob := range v.Region {
		fmt.Fprintf(&b, "\n  region: %s", verdict.Show(glob))
	}
	if p := v.Resume; p != nil {
		fmt.Fprintf(&b, "\n  resume: %s: %s", p.Verdict, p.Reason)
		if p.Command != "" {
			fmt.Fprintf(&b, "\n  next: %s", p.Command)
		}
	}
	return b.String()
}

// steps is a line that names steps, "" for none. All of them are in the JSON.
func steps(what string, ids []string) string {
	const most = 12
	var words []string
	for _, id := range ids[:min(len(ids), most)] {
		words = append(words, verdict.Show(id))
	}
	switch more := len(ids) - most; {
	case len(ids) == 0:
		return ""
	case more > 0:
		return fmt.Sprintf("\n  %s: %s and %d more", what, strings.Join(words, ", "), more)
	}
	return "\n  " + what + ": " + strings.Join(words, ", ")
}
