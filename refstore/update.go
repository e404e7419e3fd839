package refstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// A Write is one move that a decision asks for: an entry to append to a dos
// ref, or, when Target is set, a branch to move to an existing commit. Entries
// for the same ref, at most four, go on top of each other, in order, in one move.
type Write struct {
	Ref    string
	Entry  Entry
	Target OID

	files []treeFile // the segments and parts of a checkpoint
}

// A DecideFunc looks at what an authority holds and says what to write, or
// nothing. It may run several times, each time on a fresh snapshot, and has no
// effects of its own.
type DecideFunc func(Snapshot) ([]Write, error)

// An Update reports what an update did.
type Update struct {
	Wrote []Move   // the transaction that won, none when decide wanted none
	Try   int      // which it was of those that were sent, from 0: an earlier one may win late
	Seen  Snapshot // what the last decision was made on
}

// Limits of the retry loop. A writer that loses has let another one through,
// so only the deadline ends the loop.
const (
	localBase, localCap   = time.Millisecond, 64 * time.Millisecond
	remoteBase, remoteCap = 100 * time.Millisecond, 5 * time.Second
)

// Update reads q from the authority, asks decide what to write, and writes it
// in one transaction, starting over from the read whenever it did not win. It
// is the only retry loop: a decision is always made on the very tips that its
// entries extend. It ends with a win, with a decision to write nothing, with
// decide's error, with an *OutcomeError, or when ctx ends.
func (r *Repo) Update(ctx context.Context, a Authority, q Query, decide DecideFunc) (Update, error) {
	var sent [][]Move
	var last Outcome
	var met lockMet
	unexplained := 0
	for try := 0; ; try++ {
		if err := backoff(ctx, a, try); err != nil {
			last.Err = err
			return Update{}, &OutcomeError{a.Name(), last}
		}
		u, o, err := r.try(ctx, a, q, decide, &sent)
		if err != nil && ctx.Err() != nil && try > 0 {
			last.Err = err // why it had not won by then still matters
			return u, &OutcomeError{a.Name(), last}
		}
		if err != nil {
			return u, err
		}
		if o.Result == Unchanged {
			unexplained++
		} else {
			unexplained = 0
		}
		if o.Result == Locked {
			o.Age = max(o.Age, met.since(o.Path))
		}
		switch {
		case o.Result == Won:
			return u, nil
		case o.Result == Lost, o.Result == Unchanged && unexplained <= maxUnexplained, o.Result == Locked && o.Age < lockPatience:
			last = o // somebody else moved, or held a lock for a moment
		default:
			return u, &OutcomeError{a.Name(), o}
		}
	}
}

// maxUnexplained is how many writes in a row may fail with nothing moved and
// no reason seen, such as a connection that dropped, before the loop gives up.
const maxUnexplained = 3

// lockPatience is the age at which a lock file in the way counts as left
// behind. A living git holds one for milliseconds.
var lockPatience = 10 * time.Second

// lockMet is the lock file a loop keeps meeting. Where its age cannot be seen,
// as on a server, the time since it was first met stands for it.
type lockMet struct {
	path string
	at   time.Time
}

func (m *lockMet) since(path string) time.Duration {
	if m.path != path || m.at.IsZero() {
		*m = lockMet{path, time.Now()}
	}
	return time.Since(m.at)
}

func (r *Repo) try(ctx context.Context, a Authority, q Query, decide DecideFunc, sent *[][]Move) (u Update, o Outcome, err error) {
	unlock, err := a.Lock(ctx)
	if err != nil {
		return u, o, err
	}
	defer unlock()
	if u.Seen, err = a.Read(ctx, q); err != nil {
		return u, o, err
	}
	// A write that seemed not to have happened may have landed since.
	for i, moves := range *sent {
		if o := r.judge(ctx, moves, u.Seen); o.Result == Won {
			u.Wrote, u.Try = moves, i
			return u, o, nil
		}
	}
	writes, err := decide(u.Seen)
	if err != nil || len(writes) == 0 {
		return u, Outcome{Result: Won}, err
	}
	moves, err := r.prepare(ctx, writes, u.Seen)
	if err != nil {
		return u, o, err
	}
	if o = a.Txn(ctx, moves); o.Result == Won {
		u.Wrote, u.Try = moves, len(*sent)
	} else {
		*sent = append(*sent, moves)
	}
	return u, o, nil
}

// prepare writes the objects of a decision. Objects of a transaction that then
// loses are garbage for git to collect.
func (r *Repo) prepare(ctx context.Context, writes []Write, seen Snapshot) ([]Move, error) {
	var moves []Move
	stacked := map[string]int{}
	for _, w := range writes {
		tip := seen.Tip(w.Ref)
		if tip.Err != nil {
			return nil, fmt.Errorf("write %s: %w", w.Ref, tip.Err)
		}
		at := slices.IndexFunc(moves, func(m Move) bool { return m.Ref == w.Ref })
		if at < 0 {
			at = len(moves)
			moves = append(moves, Move{Ref: w.Ref, Expect: tip.ID, New: tip.ID})
		}
		m := &moves[at]
		if stacked[w.Ref]++; stacked[w.Ref] > maxStacked {
			return nil, fmt.Errorf("write %s: more than %d entries in one transaction", w.Ref, maxStacked)
		}
		if w.Target != "" {
			m.New = w.Target
			continue
		}
		var err error
		if m.New, err = r.writeEntry(ctx, w.Ref, m.New, w.Entry, w.files); err != nil {
			return nil, err
		}
	}
	return moves, nil
}

// backoff waits before every try but the first: full jitter, so that writers
// who collided once do not collide again in step.
func backoff(ctx context.Context, a Authority, try int) error {
	if try == 0 {
		return context.Cause(ctx)
	}
	base, limit := remoteBase, remoteCap
	if _, ok := a.(*Local); ok {
		base, limit = localBase, localCap
	}
	bound := min(base<<min(try-1, 16), limit)
	select {
	case <-time.After(rand.N(bound)):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
