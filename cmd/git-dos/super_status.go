package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A superStatusAnswer is the card.
type superStatusAnswer struct {
	super.Card
	Gate       super.GateVerdict          `json:"gate"`
	Dispatcher *superDispatcher           `json:"dispatcher"`
	Regime     super.Choice               `json:"regime"`
	Preflight  supervise.PreflightVerdict `json:"preflight"`
	Stop       super.Halt                 `json:"stop"` // as a tick would find it now
	Windows    []super.Window             `json:"windows"`
	Backlog    *superBacklog              `json:"backlog"` // null where it was not looked at
	Accounts   []accountRow               `json:"accounts"`
	Earliest   *time.Time                 `json:"earliest_reset,omitempty"` // of an account that is used up
	superResidue
	Unread []string `json:"unread"`
	Fast   bool     `json:"fast"`
	lifeSeen
}

// A superDispatcher is who has the dispatchers' lane.
type superDispatcher struct {
	Holder   string    `json:"holder"`
	Node     string    `json:"node"`
	RunID    string    `json:"run_id"`
	Since    time.Time `json:"since"`
	Deadline time.Time `json:"deadline"`
	CadenceS int64     `json:"cadence_s,omitempty"` // of a ticking one
	Rung     string    `json:"rung,omitempty"`
}

func (superStatusAnswer) ExitCode() int { return verdict.Yes }

func superStatus(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	l, err := superRead(c)
	if err != nil {
		return err
	}
	a, err := l.card()
	if err != nil {
		return err
	}
	return answer(c, a)
}

// card puts all of it together. What cannot be read is on it, and is its first word.
func (l *superLook) card() (a superStatusAnswer, err error) {
	c, b := l.c, l.book
	a = superStatusAnswer{Unread: []string{}, Fast: c.Bool("fast"), lifeSeen: lifeSeenAs(b), Dispatcher: l.dispatcher()}
	for _, e := range b.Unread {
		a.Unread = append(a.Unread, panelWords(e))
	}
	if hidden := l.doubted(); hidden != "" && l.word() == nil {
		a.Unread = append(a.Unread, "whether an operator has stopped the ticks: "+hidden)
	}
	l.lookAtAccounts(!a.Fast)
	a.Accounts, a.Earliest = l.accounts, super.Reset(l.at, l.accountCaps(""))
	if l.seats != "" {
		a.Unread = append(a.Unread, l.seats)
	}
	if a.superResidue, err = l.residue(); err != nil {
		return a, err
	}
	a.Unread = append(a.Unread, a.superResidue.unread...)
	var seats *accountSeats
	if len(l.accounts) > 0 && !a.Fast {
		seats = accountLook(c, b, accountAsk{kind: supervise.Engineering, told: l.told})
	}
	if a.Preflight, err = preflightOf(c, b, preflightSpawned{seats: seats}); err != nil {
		return a, err
	}
	var w superBacklog
	if !a.Fast {
		if w, err = l.backlog(); err != nil {
			if c.Context.Err() != nil {
				return a, err
			}
			a.Unread = append(a.Unread, panelWords(fmt.Errorf("what is to be done: %w", err)))
		} else {
			a.Backlog = &w
		}
	}
	a.Gate = l.judged(w, a.Fast)
	if a.Gate.Outcome == super.Unreadable {
		a.Unread = append(a.Unread, a.Gate.Reason)
	}
	a.Stop = super.Stop(l.stops(l.cadence(), w, a.Overdue, ""))
	a.Windows = super.Throughput(l.at, b.Desk.Rules.Policy.Super.TargetRate, l.tally)
	a.Regime = super.Choose(super.RegimeEvidence{
		Preflight: a.Preflight.Outcome, Residue: superWhats(a.Silent, a.Orphans, a.Overdue), Capped: a.Stop.Signal == super.WeeklyCapped,
		Live: a.Preflight.Live, Shipping: a.Windows[0].Ships > 0, Cold: l.cold(),
	})
	a.Card = super.CardEvidence{
		Unread: a.Unread, Gate: a.Gate, Preflight: a.Preflight, Halt: a.Stop, Silent: a.Silent, Orphans: a.Orphans, Overdue: a.Overdue,
	}.Judge()
	return a, nil
}

// judged is the gate's verdict by a backlog that was looked at. Without one nothing is
// said to be ready.
func (l *superLook) judged(w superBacklog, fast bool) super.GateVerdict {
	ev := l.gate
	if !fast {
		ev.Ready = w.Ready
	}
	return super.Gate(ev)
}

func superWhats(lists ...[]super.Sign) (all []string) {
	for _, list := range lists {
		for _, s := range list {
			all = append(all, s.What)
		}
	}
	return all
}

// cold is why one worker has to come first, beside what the windows say.
func (l *superLook) cold() []string {
	day := l.at.Truncate(time.Hour).Add(-24 * time.Hour)
	if l.tally(day, l.at.Add(time.Hour)).Launches == 0 {
		return []string{"it is the first wave of the day"}
	}
	return nil
}

func (l *superLook) dispatcher() *superDispatcher {
	if l.held == nil {
		return nil
	}
	r := l.held
	d := &superDispatcher{Holder: r.Holder.String(), Node: r.Holder.Node, RunID: r.RunID, Since: r.AcquiredAt.UTC(), Deadline: r.Deadline().UTC(), Rung: r.Rung}
	if superTicks(*r) {
		d.CadenceS = int64(l.cadence() / time.Second)
	}
	return d
}

func (a superStatusAnswer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", a.State, a.Reason)
	fmt.Fprintf(&b, "  gate      %s: %s\n", a.Gate.Outcome, a.Gate.Reason)
	if d := a.Dispatcher; d != nil {
		fmt.Fprintf(&b, "  holder    %s since %s, until %s%s\n", verdict.Show(d.Holder), d.Since.Format(time.RFC3339), d.Deadline.Format(time.RFC3339), superRung(d.Rung))
	}
	fmt.Fprintf(&b, "  workers   %d live of at most %d, by %s\n", a.Preflight.Live, a.Preflight.Cap, a.Preflight.Binding)
	fmt.Fprintf(&b, "  regime    %s: %s\n", a.Regime.Regime, a.Regime.Why)
	if a.Stop.Signal != "" {
		fmt.Fprintf(&b, "  stop      %s: %s\n", a.Stop.Signal, a.Stop.Reason)
	}
	if w := a.Backlog; w != nil {
		fmt.Fprintf(&b, "  backlog   %d open, %d ready%s\n", w.Open, w.Ready, superPartly(*w))
	}
	for _, w := range a.Windows {
		claims := "?"
		if w.Claims != nil {
			claims = fmt.Sprint(*w.Claims)
		}
		fmt.Fprintf(&b, "  %2d h      launched %d, claims %s, ships %d, %.1f an hour, %s\n", w.Hours, w.Launches, claims, w.Ships, w.ShipRate, w.Grade)
	}
	for _, x := range a.Accounts {
		fmt.Fprintf(&b, "  account   %s\n", superAccountLine(x))
	}
	for _, part := range []struct {
		name string
		all  []super.Sign
	}{{"silent", a.Silent}, {"orphan", a.Orphans}, {"overdue", a.Overdue}} {
		for _, s := range part.all {
			fmt.Fprintf(&b, "  %-9s %s\n", part.name, s.What)
		}
	}
	for _, u := range a.Unread {
		fmt.Fprintf(&b, "  not read  %s\n", verdict.Show(u))
	}
	if s := a.Blocker; s != nil {
		fmt.Fprintf(&b, "  blocker   %s\n  next      %s\n", s.What, s.Command)
	}
	return strings.TrimRight(b.String(), "\n") + a.line()
}

// superAccountLine is an account on one line, with the command that follows.
func superAccountLine(r accountRow) string {
	text := fmt.Sprintf("%s: tier %d, %s, %d of %s taken", verdict.Show(r.Name), r.Tier, r.Kind, len(r.Taken), verdict.Count(r.SessionCap, "seat"))
	if !r.Available {
		text += fmt.Sprintf(", %s: %s", r.Why, verdict.Show(r.Detail))
	}
	if r.Capped != nil && r.Next != "" {
		text += ": " + r.Next
	}
	return text
}

func superPartly(w superBacklog) string {
	if w.Complete {
		return ""
	}
	return ", and not all could be read: " + verdict.Show(w.Why)
}
