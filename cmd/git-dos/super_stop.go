package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/beat"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Verbs and words of the rows by which ticks and operators tell each other.
const (
	superWordVerb = "super stop" // an operator's word, or a signal that stays
	superTickVerb = "super tick"
	superLifted   = "RESUMED"
	superRefused  = "REFUSED"
)

// A superWordAnswer answers super stop and super resume.
type superWordAnswer struct {
	Outcome   string       `json:"outcome"`
	Signal    super.Signal `json:"signal,omitempty"` // that stands, or stood
	Operator  string       `json:"operator"`
	Reason    string       `json:"reason"`
	Recorded  bool         `json:"recorded"`
	Published bool         `json:"published"` // in a fleet: the others can read it
	Next      string       `json:"next,omitempty"`
}

func (a superWordAnswer) ExitCode() int {
	if a.Outcome == superRefused {
		return verdict.FirstOwned
	}
	return verdict.Yes
}

func (a superWordAnswer) String() string {
	text := a.Outcome + ": " + a.Reason
	if a.Next != "" {
		text += "\n  next      " + a.Next
	}
	return text
}

// superOperator is who speaks.
func superOperator(c *cli.Context, d *admit.Desk) (string, error) {
	name := c.String("operator")
	if c.IsSet("operator") && strings.TrimSpace(name) == "" {
		return "", usagef("--operator is empty").hint("name who says so, or leave the flag out")
	}
	if err := lease.CheckWord("operator", name); err != nil {
		return "", usagef("%w", err)
	}
	if name != "" {
		return name, nil
	}
	return ownerName(c, d)
}

func superStop(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	reason, err := superReason(c, true)
	if err != nil {
		return err
	}
	return superSay(c, func(l *superLook, who string) (superWordAnswer, *journal.Row) {
		a := superWordAnswer{Outcome: "STOPPED", Signal: super.OperatorStop, Operator: who, Reason: "no tick launches anything until git dos super resume: " + reason}
		return a, superWordRow(super.OperatorStop, who, reason)
	})
}

func superResume(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	reason, err := superReason(c, false)
	if err != nil {
		return err
	}
	for _, name := range runVariables {
		if run := os.Getenv(name); run != "" {
			return answer(c, superWordAnswer{Outcome: superRefused, Reason: fmt.Sprintf("run %s asks, and going on is for a person to decide", verdict.Show(run))})
		}
	}
	return superSay(c, func(l *superLook, who string) (superWordAnswer, *journal.Row) {
		w := l.word()
		if hidden := l.doubted(); w == nil && hidden != "" {
			a := superWordAnswer{Outcome: superLifted, Operator: who, Reason: "what may stand and cannot be read is lifted: " + verdict.Show(hidden), Next: "git dos super tick"}
			return a, superWordRow(superLifted, who, reason)
		}
		if w == nil {
			return superWordAnswer{Outcome: superLifted, Operator: who, Reason: "nothing stood, and nothing was written"}, nil
		}
		a := superWordAnswer{Outcome: superLifted, Signal: w.Signal, Operator: who, Reason: fmt.Sprintf("%s is lifted", w.Signal), Next: "git dos super tick"}
		return a, superWordRow(superLifted, who, reason)
	})
}

func superReason(c *cli.Context, needed bool) (string, error) {
	reason := strings.TrimSpace(c.String("reason"))
	const most = 1000
	switch {
	case reason == "" && (needed || c.IsSet("reason")):
		return "", usagef("--reason is missing or empty").hint("say why in a few words: whoever finds it stopped will ask")
	case len(reason) > most:
		return "", usagef("--reason has %d bytes, at most %d", len(reason), most)
	}
	return reason, nil
}

// superSay decides on what stands and records the word, one at a time in this
// repository.
func superSay(c *cli.Context, decide func(l *superLook, who string) (superWordAnswer, *journal.Row)) error {
	var a superWordAnswer
	err := lifeWrite(c, true, func(b *life.Book) error {
		l, err := superOf(c, b)
		if err != nil {
			return err
		}
		if err := journalUnread(loopLedgers(b)); err != nil {
			return err
		}
		who, err := superOperator(c, b.Desk)
		if err != nil {
			return err
		}
		var row *journal.Row
		if a, row = decide(l, who); row == nil {
			return nil
		}
		if _, err := b.Record(c.Context, *row); err != nil {
			return lifeError(err)
		}
		if row.Verdict == string(super.OperatorStop) {
			superEnd(c, b.Desk)
		}
		a.Recorded, a.Published = true, superPublish(c, b.Desk)
		return nil
	})
	if err != nil {
		return err
	}
	return answer(c, a)
}

// superEnd records that no tick is to be expected, so that pulse does not miss one.
func superEnd(c *cli.Context, d *admit.Desk) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context), panelTime)
	defer cancel()
	if err := ledger.RecordEnd(ctx, d.Repo, d.Node, beat.Dispatcher, now(c)); err != nil {
		warn(c, "git dos pulse will miss a tick: %v", panelError(err))
	}
}

// superPublish hands what this node has written to the others.
func superPublish(c *cli.Context, d *admit.Desk) bool {
	if d.Remote() == "" {
		return false
	}
	report, err := d.Sync(c.Context, admit.SyncRequest{})
	if err != nil || report.Outcome != admit.InSync {
		warn(c, "not published yet: git dos sync hands it to the others")
		return false
	}
	return true
}

func superWordRow(signal super.Signal, who, reason string) *journal.Row {
	return &journal.Row{Op: journal.OpVerdict, Verb: superWordVerb, Verdict: string(signal), Subject: super.Lane, Operator: who, Reason: reason, Detail: reason}
}

// word is what stands: the newest word of all nodes, unless it was lifted. Of two of
// one second that which stops counts. A word that is not known stops like an operator's.
func (l *superLook) word() *super.Word {
	last := l.lastWord()
	if last == nil || last.Verdict == superLifted {
		return nil
	}
	if !super.Signal(last.Verdict).Stays() {
		why := fmt.Sprintf("%s, a word that this version does not know: %s", verdict.Show(last.Verdict), last.Reason)
		return &super.Word{Signal: super.OperatorStop, By: last.Operator, At: last.At, Reason: why}
	}
	return &super.Word{Signal: super.Signal(last.Verdict), By: last.Operator, At: last.At, Reason: last.Reason}
}

// resumed is when the newest word was lifted, zero where none was: what is from before
// then has been looked at.
func (l *superLook) resumed() time.Time {
	if last := l.lastWord(); last != nil && last.Verdict == superLifted {
		return last.At
	}
	return time.Time{}
}

// doubted says which entry of a ledger, newer than every word that is known, may be a
// word that nobody can read, "" for none.
func (l *superLook) doubted() string {
	var last time.Time
	if w := l.lastWord(); w != nil {
		last = w.At
	}
	for _, h := range l.book.Hidden() {
		if h.Verdict(last) {
			return life.RowsError(h).Error()
		}
	}
	return ""
}

func (l *superLook) lastWord() *journal.Row {
	var last *journal.Row
	for i, r := range l.rows {
		if r.Verb != superWordVerb {
			continue
		}
		newer := last == nil || r.At.After(last.At) || r.From == last.From && r.Seq > last.Seq
		if newer || r.At.Equal(last.At) && r.From != last.From && r.Verdict != superLifted {
			last = &l.rows[i]
		}
	}
	return last
}
