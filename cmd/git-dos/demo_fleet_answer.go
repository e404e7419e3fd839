package main

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A fleetShow answers demo --fleet: what was announced of each lane and how it ended.
type fleetShow struct {
	Lanes      []fleetLane `json:"lanes"`
	Supervisor int         `json:"supervisor"` // the exit status of git dos supervise after an interrupt
	Held       []string    `json:"held"`       // lanes that were still held
	Left       int         `json:"left"`       // processes of the fleet that were still there
	Missed     []string    `json:"missed,omitempty"`
	Folder     string      `json:"folder,omitempty"`
}

// A fleetLane is a lane of the fleet. Announced and Ended are what git dos verify says
// of its unit in a new clone, the others what its EXIT rows say of its runs.
type fleetLane struct {
	Lane          string `json:"lane"`
	Unit          string `json:"unit"`
	Announced     string `json:"announced"`
	Ended         string `json:"ended"`
	ExitAnnounced string `json:"exit_announced"`
	Exit          string `json:"exit"`
}

// tell notes all that is not as announced.
func (s *fleetShow) tell() {
	for _, l := range s.Lanes {
		if l.Ended != l.Announced {
			s.miss("%s: unit %s is %s, announced %s", l.Lane, l.Unit, l.Ended, l.Announced)
		}
		if l.Exit != l.ExitAnnounced {
			s.miss("%s: its EXIT row is %s, announced %s", l.Lane, l.Exit, l.ExitAnnounced)
		}
	}
	if s.Supervisor != verdict.Interrupted {
		s.miss("the supervisor ended with %d, announced %d", s.Supervisor, verdict.Interrupted)
	}
	if len(s.Held) > 0 {
		s.miss("still held: %s", strings.Join(s.Held, ", "))
	}
	if s.Left > 0 {
		s.miss("processes of the fleet still there: %d", s.Left)
	}
}

func (s *fleetShow) miss(format string, args ...any) {
	s.Missed = append(s.Missed, fmt.Sprintf(format, args...))
}

// ExitCode is no verdict where nothing was shown.
func (s fleetShow) ExitCode() int {
	switch {
	case len(s.Missed) > 0:
		return verdict.No
	case len(s.Lanes) > 0:
		return verdict.Yes
	}
	return verdict.NoVerdict
}

func (s fleetShow) String() string {
	var b strings.Builder
	const row = "%-12s  %-11s  %-11s  %-16s  %s\n"
	fmt.Fprintf(&b, row, "lane", "announced", "ended", "EXIT announced", "EXIT")
	for _, l := range s.Lanes {
		fmt.Fprintf(&b, row, l.Lane, l.Announced, l.Ended, l.ExitAnnounced, printable(l.Exit, false))
	}
	fmt.Fprintf(&b, "lanes still held: %d, processes left: %d\n", len(s.Held), s.Left)
	for _, m := range s.Missed {
		b.WriteString("not as announced: " + printable(m, false) + "\n")
	}
	return b.String()
}
