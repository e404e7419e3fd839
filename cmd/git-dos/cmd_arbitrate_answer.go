package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// An arbitration answers arbitrate.
type arbitration struct {
	lane.Verdict
	AsOf *time.Time `json:"as_of,omitempty"` // absent when the leases were given

	asked admit.ArbitrateRequest
	from  string // the fleet's remote, "" for the repository itself
}

// ExitCode gives a refusal the status of a no: nothing was tried.
func (a arbitration) ExitCode() int {
	switch a.Outcome {
	case lane.Acquire:
		return verdict.Yes
	case lane.Refuse:
		return verdict.No
	}
	return verdict.NoVerdict
}

func (a arbitration) String() string {
	text := a.Verdict.String()
	if a.AutoPicked {
		text += "\n  " + a.Reason
	}
	switch {
	case a.Outcome == lane.Acquire:
		text += fmt.Sprintf("\n  run on lane %s, and take it first: an answer holds nothing\n  next: %s", a.Lane, a.next())
	case len(a.FreeClusters) > 0:
		text += "\n  free by name: " + someOf(a.FreeClusters)
	}
	if a.AsOf == nil {
		return text
	}
	return text + seenAs(*a.AsOf, a.from)
}

// next is the command that takes the lane which was answered.
func (a arbitration) next() string {
	words := []string{"git dos lease acquire --lane", verdict.ShellWord(a.Lane)}
	if !a.AutoPicked {
		for _, glob := range a.asked.Tree {
			words = append(words, "--tree", verdict.ShellWord(glob))
		}
		if a.asked.Kind != "" {
			words = append(words, "--kind", verdict.ShellWord(a.asked.Kind))
		}
	}
	if a.asked.Force && a.ReasonClass == lane.Forced {
		words = append(words, "--force --operator NAME")
	}
	return strings.Join(words, " ")
}
