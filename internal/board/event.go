package board

import (
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
)

// The classes of events.
const (
	Ship        = "ship"
	Refusal     = "refusal"
	Unwitnessed = "not witnessed"
	Witnessed   = "witnessed"
	Question    = "question"
	Verdict     = "verdict"
	Launch      = "launch"
	Note        = "note"
)

// Classes are the classes, the one that matters most first: it is the one shown
// where there is room for one alone.
var Classes = []string{Ship, Refusal, Unwitnessed, Witnessed, Question, Verdict, Launch, Note}

// ClassOf is the class of an entry by its op and its verdict or outcome.
func ClassOf(op, word string) string {
	switch op {
	case lease.OpShip:
		return Ship
	case journal.OpRefuse, journal.OpEnforce:
		return Refusal
	case journal.OpExit:
		if word == "CLAIM_WITNESSED" {
			return Witnessed
		}
		return Unwitnessed
	case journal.OpAttempt:
		if word == "shipped" {
			return Witnessed
		}
		return Unwitnessed
	case journal.OpStepVerified:
		return Witnessed
	case journal.OpDecision, journal.OpHalt, journal.OpResumeProposed:
		return Question
	case journal.OpVerdict, journal.OpGate:
		return Verdict
	case journal.OpSpawn, journal.OpLaunch:
		return Launch
	}
	return Note
}

// mostWindows bounds the windows of a page.
const mostWindows = 168

// Windows are windows for a time: hours, or as many hours each as it takes for there
// not to be too many. The first begins with a whole hour.
func Windows(since, now time.Time) (all []Window, each time.Duration) {
	hours := now.Sub(since)/time.Hour + 2
	each = (hours + mostWindows - 1) / mostWindows * time.Hour
	for from := since.UTC().Truncate(time.Hour); !from.After(now); from = from.Add(each) {
		all = append(all, Window{From: from})
	}
	return all, each
}

// Tally counts an event in the window it belongs to.
func Tally(all []Window, each time.Duration, e Event) {
	if len(all) == 0 || e.At.Before(all[0].From) {
		return
	}
	i := int(e.At.Sub(all[0].From) / each)
	if i >= len(all) {
		return
	}
	w := &all[i]
	switch {
	case e.Op == lease.OpShip:
		w.Ships++
	case e.Op == journal.OpRefuse:
		w.Refusals++
	case e.Class == Launch:
		w.Launches++
	case e.Op == journal.OpExit:
		w.Claims++
		if e.Class == Witnessed {
			w.Witnessed++
		}
	}
}

// Sum adds the counts of windows to those of others for the same times.
func Sum(all, more []Window) {
	for i := range all {
		w, m := &all[i], more[i]
		w.Launches, w.Claims, w.Witnessed, w.Ships, w.Refusals = w.Launches+m.Launches, w.Claims+m.Claims, w.Witnessed+m.Witnessed, w.Ships+m.Ships, w.Refusals+m.Refusals
	}
}
