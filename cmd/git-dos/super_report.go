package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A superReportAnswer answers super report.
type superReportAnswer struct {
	super.Report
	Unread []string `json:"unread"` // rows of ticks that hold no numbers, and ledgers that could not be read
	lifeSeen
}

func (superReportAnswer) ExitCode() int { return verdict.Yes }

func superReport(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	var from time.Time
	if c.IsSet("since") {
		d, err := policy.ParseDuration(c.String("since"))
		if err != nil || d <= 0 {
			return usagef("--since %q is no duration above 0", c.String("since")).hint("write it like 12h or 2d")
		}
		from = now(c).Add(-d)
	}
	l, err := superRead(c)
	if err != nil {
		return err
	}
	return answer(c, l.report(from))
}

// superCounts are the numbers of a tick, as its row carries them.
type superCounts struct {
	Launches  int    `json:"launches"`
	Reclaimed int    `json:"reclaimed"`
	Rung      string `json:"rung,omitempty"`
}

// report puts the rows of ticks and the ends of workers together.
func (l *superLook) report(from time.Time) superReportAnswer {
	a := superReportAnswer{Unread: []string{}, lifeSeen: lifeSeenAs(l.book)}
	for _, e := range l.ledgersUnread() {
		a.Unread = append(a.Unread, e.Error())
	}
	var ticks []super.Tick
	for _, r := range l.rows {
		if r.Verb != superTickVerb {
			continue
		}
		var n superCounts
		if err := json.Unmarshal(r.Verdicts, &n); err != nil || n.Launches < 0 || n.Reclaimed < 0 {
			a.Unread = append(a.Unread, fmt.Sprintf("row %d of node %s", r.Seq, r.From))
			continue
		}
		t := super.Tick{At: r.At, Node: r.From, RunID: r.RunID, Outcome: r.Verdict, Rung: n.Rung, Launches: n.Launches, Reclaimed: n.Reclaimed, Reason: r.Reason}
		if s := super.Signal(r.Verdict); s.ExitCode() != verdict.NoVerdict {
			t.Signal = s
		}
		ticks = append(ticks, t)
	}
	var ends []super.Ending
	for _, r := range l.ends {
		ends = append(ends, super.Ending{At: r.At, Claimed: superClaimed(r), Shipped: r.Outcome == string(supervise.ClaimWitnessed)})
	}
	forgot := l.past
	if l.lost.After(forgot) {
		forgot = l.lost
	}
	a.Report = super.ReportOf(ticks, ends, from, forgot)
	return a
}

func (a superReportAnswer) String() string {
	var b strings.Builder
	word := "it goes on"
	if a.Signal != "" {
		word = "it ended by " + string(a.Signal)
	}
	fmt.Fprintf(&b, "REPORT: %s, %d launched, %d ended, %d claims, %d witnessed ships, %d reclaimed; %s",
		verdict.Count(len(a.Ticks), "tick"), a.Launches, a.Ended, a.Claims, a.Ships, a.Reclaimed, word)
	for _, t := range a.Ticks {
		fmt.Fprintf(&b, "\n  %s  %-16s launched %d, ended %d, claims %d, ships %d, reclaimed %d%s",
			t.At.UTC().Format(time.RFC3339), verdict.Show(t.Outcome), t.Launches, t.Ended, t.Claims, t.Ships, t.Reclaimed, superRung(t.Rung))
	}
	if s := a.Since; s != (super.TickTally{}) {
		fmt.Fprintf(&b, "\n  since then            ended %d, claims %d, ships %d", s.Ended, s.Claims, s.Ships)
	}
	if a.Forgot != nil {
		fmt.Fprintf(&b, "\n  up to %s not all is known any more", a.Forgot.Format(time.RFC3339))
	}
	for _, u := range a.Unread {
		b.WriteString("\n  not read: " + verdict.Show(u))
	}
	return b.String() + a.line()
}

func superRung(word string) string {
	if word == "" {
		return ""
	}
	return ", rung " + verdict.Show(word)
}
