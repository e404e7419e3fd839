package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/improve"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A looping is a loop on one lane.
type looping struct {
	*dispatching
	policy  loop.Policy
	improve improve.Policy
	carried loop.Carried
	was     int64 // the iteration that it goes on with, 0 for a new loop
	started bool  // a worker was, by this process
	locked  func()
}

// loopRows is the verb of the rows that hold the counters.
const loopRows = "dispatch-loop"

// begun is the verdict of the row that begins a loop.
const begun = "begin"

// take has the lane and the counters, those of the loop before where that did not
// stop. Nothing is held when it returns an answer or an error.
func (l *looping) take() (*dispatchLoopAnswer, error) {
	if err := deskError(l.desk.EnsureNode(l.c.Context)); err != nil {
		return nil, err
	}
	if len(l.lanes) == 1 {
		if err := l.takeUp(l.lanes[0]); err != nil {
			return nil, err
		}
	}
	refused, err := l.dispatching.take(loopRows)
	if refused != nil || err != nil {
		l.unlock()
		if refused == nil {
			return nil, err
		}
		return refusedLoop(*refused), err
	}
	if len(l.lanes) == 0 {
		if err := l.takeUp(l.lease.Lane); err != nil {
			l.unlock()
			return nil, l.leave(err)
		}
	}
	if l.was == 0 {
		l.carried = loop.Carried{Next: loop.Counters{Iteration: 1}, Mode: loop.Dispatch}
	}
	l.keepCounters(begun, "")
	return nil, nil
}

// takeUp finds the loop before on a lane, and makes sure that its process has ended:
// it had the lock.
func (l *looping) takeUp(name string) error {
	leaf, err := lane.Leaf(name)
	if err != nil {
		return usagef("%w", err)
	}
	unlock, held, err := l.desk.Repo.TryLock("dispatch-loop." + leaf + ".lock")
	if err != nil {
		return environmentf("%w", err).hint("see git dos doctor")
	}
	if held != nil {
		return nil // it lives, and has the lane
	}
	l.locked = unlock
	if l.c.Bool("fresh") {
		return nil
	}
	last, err := l.last(name)
	if err != nil || last == nil {
		return err
	}
	if l.carried, err = carriedIn(last.Detail); err != nil {
		return environmentf("the counters of run %.80s on lane %s cannot be read: %w", verdict.Show(last.RunID), name, err).hint("--fresh starts with new ones")
	}
	l.was = l.carried.Next.Iteration
	if l.run != "" { // its lane was picked: the run has begun
		return nil
	}
	h, err := l.desk.Recall(name)
	if err != nil {
		return environmentf("%w", err)
	}
	l.run, l.goesOn = last.RunID, true
	if h != nil && h.RunID == last.RunID {
		l.adopt = h.Nonce
	}
	return nil
}

func (l *looping) unlock() {
	if l.locked != nil {
		l.locked()
	}
}

// last is the newest row of this node's loops on a lane, nil where that one stopped
// or there is none.
func (l *looping) last(name string) (*journal.Row, error) {
	b, err := life.Open(l.c.Context, l.desk, true, life.AskAnswers())
	if err != nil {
		return nil, lifeError(err)
	}
	rows, _, _, err := b.Answers(l.c.Context)
	if err != nil {
		return nil, lifeError(err)
	}
	if b.IsUnread(l.desk.Node) {
		return nil, lifeError(life.Unreadable(b.Unread))
	}
	var last *journal.Row
	for i, r := range rows {
		if r.Verb == loopRows && r.Subject == name && r.From == l.desk.Node && (last == nil || r.Seq > last.Seq) {
			last = &rows[i]
		}
	}
	if last == nil || last.Verdict == string(loop.Stop) {
		return nil, nil
	}
	if last.RunID == "" || lifeWord("run", last.RunID, checkRun("run", last.RunID)) != nil {
		return nil, environmentf("the newest loop on lane %s has a run id that is none", name).hint("--fresh starts with new counters")
	}
	return last, nil
}

// carriedIn reads what the row of an iteration carries.
func carriedIn(text string) (c loop.Carried, err error) {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err = dec.Decode(&c); err != nil {
		return c, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return c, errors.New("something follows the object")
	}
	return c, c.Check()
}

// keepCounters puts what is carried into the ledger.
func (l *looping) keepCounters(action, why string) {
	data, err := json.Marshal(l.carried)
	if err != nil {
		warn(l.c, "the counters of run %s cannot be kept: %v", l.run, err)
		return
	}
	_ = l.settling(func() error {
		l.journal(journal.Row{Op: journal.OpVerdict, Verb: loopRows, Verdict: action, Subject: l.lease.Lane, Detail: string(data), ReasonClass: why})
		return nil
	})
}

// tag tells the records of an iteration from those of others.
func (l *looping) tag() string { return fmt.Sprintf("-%d", l.carried.Next.Iteration) }
