package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/screen"
	"github.com/git-dos/git-dos/kernel/beat"
	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A topAnswer answers top.
type topAnswer struct {
	At        time.Time         `json:"at"`
	Lanes     []topLane         `json:"lanes"`
	Chips     map[string]int    `json:"chips"` // lanes by their word
	Pulse     string            `json:"pulse"` // of the worst beat, "" when none is declared
	Beats     []beat.Member     `json:"beats"`
	Open      int               `json:"open_decisions"`
	Decisions []decisions.Entry `json:"decisions"`
	Windows   []topWindow       `json:"windows"`
	Nodes     []string          `json:"nodes"` // that have a ledger or a record
	Unread    []string          `json:"unread"`
	NotRead   []panelUnread     `json:"not_read,omitempty"`
	panelSeen
}

// A topLane is how one lane stands.
type topLane struct {
	Lane      string     `json:"lane"`
	Chip      string     `json:"chip"`
	Reason    string     `json:"reason"`
	Display   string     `json:"display,omitempty"` // of the lease, as in lease show
	Gen       uint64     `json:"gen,omitempty"`
	Node      string     `json:"node,omitempty"`
	Owner     string     `json:"owner,omitempty"`
	RunID     string     `json:"run_id,omitempty"`
	Unit      string     `json:"unit,omitempty"`
	Seat      string     `json:"seat,omitempty"`
	Since     *time.Time `json:"since,omitempty"`
	Deadline  *time.Time `json:"deadline,omitempty"`
	BeatAgeMS *int64     `json:"last_heartbeat_age_ms,omitempty"`
}

// A topWindow is what happened in the last hours.
type topWindow struct {
	Hours       int    `json:"hours"`
	Launches    uint64 `json:"launches"` // SPAWN and LAUNCH rows
	Ends        uint64 `json:"ends"`     // EXIT rows
	Witnessed   uint64 `json:"witnessed"`
	Refusals    uint64 `json:"refusals"`
	Attempts    uint64 `json:"attempts"`
	ShipCommits *int   `json:"ship_commits"` // on the trunk; null when history cannot be read
}

func (topAnswer) ExitCode() int { return verdict.Yes }

func (a topAnswer) String() string {
	var all []string
	for _, l := range a.lines() {
		all = append(all, l.text)
	}
	return strings.Join(all, "\n")
}

// maxTopDecisions bounds the entries on the screen.
const maxTopDecisions = 10

func (a topAnswer) lines() []topLine {
	all := []topLine{topHead("top  %s%s", a.At.Format(time.RFC3339), strings.ReplaceAll(a.line(), "\n", "  "))}
	all = append(all, topHead("%s", "LANES  "+a.chips()))
	for _, l := range a.Lanes {
		all = append(all, topLine{"  " + l.String(), topTone(l.Chip), l.keys()})
	}
	all = append(all, topHead("BEATS  %s", firstOf(a.Pulse, "none is declared")))
	for _, m := range a.Beats {
		all = append(all, topLine{text: fmt.Sprintf("  %-16s %-8s %s", m.Name, m.Outcome, m.Reason), tone: topTone(string(m.Outcome))})
	}
	all = append(all, topHead("DECISIONS  %s", a.pending()))
	for i, e := range a.Decisions[:min(len(a.Decisions), maxTopDecisions)] {
		all = append(all, topLine{text: fmt.Sprintf("  %-3d %s", i+1, e), tone: screen.Warn})
	}
	if n := len(a.Decisions) - maxTopDecisions; n > 0 {
		all = append(all, topLine{text: fmt.Sprintf("  %d more: git dos decisions", n), tone: screen.Dim})
	}
	all = append(all, topHead("THROUGHPUT  %8s %8s %9s %8s %8s %12s", "launches", "ends", "witnessed", "refusals", "attempts", "ship commits"))
	for _, w := range a.Windows {
		ships := "?"
		if w.ShipCommits != nil {
			ships = fmt.Sprint(*w.ShipCommits)
		}
		all = append(all, topLine{text: fmt.Sprintf("  %3d h     %8d %8d %9d %8d %8d %12s", w.Hours, w.Launches, w.Ends, w.Witnessed, w.Refusals, w.Attempts, ships), tone: screen.Plain})
	}
	for _, u := range a.Unread {
		all = append(all, topLine{text: "not read: " + u, tone: screen.Bad})
	}
	return all
}

// chips counts the lanes by their words, the most urgent first.
func (a topAnswer) chips() string {
	var words []string
	for _, chip := range topChips {
		if n := a.Chips[chip]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d", chip, n))
		}
	}
	return firstOf(strings.Join(words, "  "), "none")
}

func (a topAnswer) pending() string {
	switch {
	case len(a.Decisions) == 0 && len(a.Unread) > 0:
		return "cannot be told: not everything could be read"
	case len(a.Decisions) == 0:
		return "none"
	}
	return fmt.Sprintf("%d for a human, %d open in all", len(a.Decisions), a.Open)
}

func (l topLane) String() string {
	who := ""
	if l.Owner != "" || l.Node != "" {
		who = topHolder(l)
	}
	words := []string{fmt.Sprintf("%-16s %-10s", verdict.Show(l.Lane), l.Chip)}
	if l.Gen > 0 && l.Since != nil {
		words = append(words, fmt.Sprintf("g%-4d", l.Gen))
	}
	for _, w := range []string{who, l.RunID, l.Unit, l.Seat, l.Reason} {
		if w != "" {
			words = append(words, verdict.Show(w))
		}
	}
	return strings.TrimRight(strings.Join(words, "  "), " ")
}
