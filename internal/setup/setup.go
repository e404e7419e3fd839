// Package setup prepares a repository for git-dos, takes the preparation back,
// and looks at what could keep git-dos from working there.
//
// [Init] does one small thing after the other and may be ended at any point:
// it finds what is there already, so a second run does the rest or nothing. It
// never overwrites a file of the user's. [Undo] removes what Init wrote as
// long as it is still what Init wrote. [Examine] only looks.
package setup

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// Options are what Init and Undo are asked for.
type Options struct {
	Repo   *refstore.Repo
	Now    func() time.Time
	Remote string // the remote to make the fleet's, "" for none
	Prefix string // the fleet's ref prefix there, "" for the default
	DryRun bool   // look and report, write nothing
}

// A State is how one step ended.
type State string

// The states of a step.
const (
	Done    State = "done"    // this run did it
	Already State = "already" // it was done before, or there was nothing to do
	Would   State = "would"   // it was not done because only a dry run was asked for
	Undone  State = "undone"  // this run took it back
	Left    State = "left"    // it was left alone, and Detail says why
)

// A Step is one small thing that was looked at.
type Step struct {
	Step   string `json:"step"`
	Target string `json:"target"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
}

// A Report answers init.
type Report struct {
	Outcome string   `json:"outcome"` // initialised, already, would or undone
	Remote  string   `json:"remote,omitempty"`
	Fleet   string   `json:"fleet,omitempty"`
	Joined  bool     `json:"joined,omitempty"` // the remote was a fleet's before this run
	Steps   []Step   `json:"steps"`
	Next    []string `json:"next"`           // commands to run now, in order
	Note    string   `json:"note,omitempty"` // what somebody may not expect

	// OtherClones are the commands that every other clone of the fleet runs
	// once Next has been done here.
	OtherClones []string `json:"other_clones,omitempty"`
}

func (r *Report) add(s Step) { r.Steps = append(r.Steps, s) }

// changed reports whether some step ended in one of the states.
func (r Report) changed(states ...State) bool {
	for _, s := range r.Steps {
		for _, state := range states {
			if s.State == state {
				return true
			}
		}
	}
	return false
}

// ExitCode implements verdict.Verdict.
func (r Report) ExitCode() int {
	if r.Outcome == "" {
		return verdict.NoVerdict
	}
	return verdict.Yes
}

var headlines = map[string]string{
	"initialised": "initialised",
	"already":     "nothing to do: everything was as it should be, nothing was changed",
	"would":       "dry run: nothing was changed",
	"undone":      "undone",
}

func (r Report) String() string {
	var b strings.Builder
	width := 0
	for _, s := range r.Steps {
		width = max(width, len(s.Target))
	}
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "%-7s  %-*s  %s\n", s.State, width, s.Target, s.Detail)
	}
	head := headlines[r.Outcome]
	switch {
	case r.Outcome != "initialised" || r.Fleet == "":
	case r.Joined:
		head += "; joined fleet " + r.Fleet + " on " + r.Remote
	default:
		head += "; fleet " + r.Fleet + " on " + r.Remote
	}
	b.WriteString(head + "\n")
	if r.Note != "" {
		b.WriteString(r.Note + "\n")
	}
	commands(&b, "next:", r.Next)
	commands(&b, "then, in every other clone:", r.OtherClones)
	return strings.TrimSuffix(b.String(), "\n")
}

func commands(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(title + "\n")
	for _, line := range lines {
		b.WriteString("  " + line + "\n")
	}
}

// A Problem is a request that cannot be carried out, with what to do about it.
type Problem struct {
	Err  error
	Hint string
}

func (p *Problem) Error() string { return p.Err.Error() }
func (p *Problem) Unwrap() error { return p.Err }

func problemf(hint, format string, args ...any) error {
	return &Problem{Err: fmt.Errorf(format, args...), Hint: hint}
}
