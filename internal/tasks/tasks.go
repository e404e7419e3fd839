// Package tasks keeps the work queue on refs/dos/queue/tasks, where the lanes
// are decided: in this repository, or on the remote of its fleet.
//
// The ref is a chain of entries as package kernel/queue folds them. A change is
// decided on exactly the fold whose tip the new entry stands on, and decided
// again when somebody else was first, so that no change is lost. A CHECKPOINT
// now and then holds the fold of all entries below it, and readers of the
// present go no further down.
//
// A queue that cannot be read in full is an error, and never an empty one.
package tasks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/refstore"
)

// Ref holds the queue.
const Ref = "refs/dos/queue/tasks"

// Kind is the kind of refs that Ref is one of.
const Kind = "queue"

// A Book is the queue as it was read.
type Book struct {
	Desk *admit.Desk
	Fold *queue.Fold
	AsOf time.Time

	// Behind says that this repository has a queue of its own, from before it
	// belonged to the fleet, which nobody sees any more.
	Behind bool
}

// Read reads the queue, as [admit.Desk.See] reads refs.
func Read(ctx context.Context, d *admit.Desk, cached bool) (*Book, error) {
	s, err := d.See(ctx, []string{Kind}, cached)
	if err != nil {
		return nil, err
	}
	b := &Book{Desk: d, AsOf: s.AsOf.UTC().Truncate(time.Second)}
	r := newReader(d.Repo)
	defer r.close()
	if b.Fold, err = r.at(ctx, s.Tip(Ref)); err != nil {
		return nil, unreadable(err)
	}
	if d.Remote() != "" {
		here, err := d.Repo.RefID(ctx, Ref)
		if err != nil {
			return nil, unreadable(err)
		}
		b.Behind = here != ""
	}
	return b, nil
}

// Edit changes the queue. decide finds the answer and the entries to write for
// a fold; it may run several times, and has no effects of its own. What Edit
// returns is the answer that goes with what was written.
func Edit[V any](ctx context.Context, d *admit.Desk, decide func(*queue.Fold) (V, []queue.Entry, error)) (V, error) {
	r := newReader(d.Repo)
	defer r.close()
	var sent []V // the answers of decisions that something was written for, in turn
	var last V
	var due bool
	u, err := d.Edit(ctx, []string{Kind}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		f, err := r.at(ctx, s.Tip(Ref))
		if err != nil {
			return nil, unreadable(err)
		}
		v, entries, err := decide(f)
		if last = v; err != nil || len(entries) == 0 {
			return nil, err
		}
		writes, size, err := written(d, entries)
		if err != nil {
			return nil, err
		}
		due = r.above.due(len(writes), size)
		sent = append(sent, v)
		return writes, nil
	})
	if err != nil {
		var none V
		return none, err
	}
	if len(u.Wrote) == 0 {
		return last, nil
	}
	if due {
		_ = compact(ctx, d) // the entries are in either way, and the next who is due makes up for it
	}
	return sent[min(u.Try, len(sent)-1)], nil
}

// written are entries as they go on the ref, by this node.
func written(d *admit.Desk, entries []queue.Entry) (writes []refstore.Write, size int, err error) {
	for _, e := range entries {
		e.Node = d.Node
		payload, err := e.Encode()
		if err != nil {
			return nil, 0, err
		}
		size += len(payload)
		writes = append(writes, refstore.Write{Ref: Ref, Entry: refstore.Entry{Op: e.Op, Payload: payload, At: e.At.UTC().Truncate(time.Second)}})
	}
	return writes, size, nil
}

// compact adds a CHECKPOINT.
func compact(ctx context.Context, d *admit.Desk) error {
	r := newReader(d.Repo)
	defer r.close()
	return d.Compact(ctx, Ref, func(tip refstore.Tip) refstore.Folded {
		f, err := r.at(ctx, tip)
		if err != nil {
			return refstore.Folded{} // no payload is no entry
		}
		payload, err := f.Checkpoint(d.Now()).Encode()
		if err != nil {
			return refstore.Folded{}
		}
		return refstore.Folded{Gen: tip.Entry.Gen, Payload: payload}
	})
}

// unreadable is the error of a queue that cannot be read.
func unreadable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	hint := "git dos doctor says what stands on " + Ref
	if errors.Is(err, queue.ErrVersion) || errors.Is(err, refstore.ErrFormat) {
		hint = "a newer git-dos wrote it: git dos version shows this one's"
	}
	return &admit.StoreError{Err: fmt.Errorf("%s: %w", Ref, err), Hint: hint}
}

// above is what stands above the last CHECKPOINT, and how large that is.
type above struct{ entries, bytes, base int }

// When a CHECKPOINT is due: it costs as much as it holds, so that it waits for
// as much to stand above the last one, and for so many entries whatever their
// size.
const (
	fewest = 64
	most   = 1000
)

// due reports whether more entries make a CHECKPOINT due, which those before
// them did not: of many writers one makes it.
func (a above) due(entries, bytes int) bool {
	is := func(a above) bool { return a.entries >= fewest && a.bytes >= a.base/2 }
	b := above{a.entries + entries, a.bytes + bytes, a.base}
	return !is(a) && is(b) || a.entries/most < b.entries/most
}

// A reader folds the queue up to a tip, and goes on from there for the next.
type reader struct {
	entries *refstore.Entries
	tip     refstore.OID
	fold    *queue.Fold
	above   above
}

func newReader(repo *refstore.Repo) *reader {
	return &reader{entries: repo.Entries(), fold: &queue.Fold{}}
}

func (r *reader) close() { r.entries.Close() }

// at is the queue as a tip has it.
func (r *reader) at(ctx context.Context, tip refstore.Tip) (*queue.Fold, error) {
	if tip.Err != nil {
		return nil, tip.Err
	}
	var list []queue.Entry // the newest first
	next := above{}
	whole, folded := true, false // down to a checkpoint, or to the first entry
	for id := tip.ID; id != ""; {
		if id == r.tip {
			whole = false
			break
		}
		t, err := r.entries.Entry(ctx, Ref, id)
		if err != nil {
			return nil, err
		}
		e, err := queue.Decode(t.Entry.Op, t.Entry.Payload)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", id, err)
		}
		list = append(list, e)
		if e.Op == queue.OpAll && !folded {
			next.base, folded = len(t.Entry.Payload), true
		}
		if e.Op == queue.OpAll && len(e.Tasks) > 0 {
			break
		}
		if !folded { // a checkpoint of no tasks stands above none: no task leaves the queue
			next.entries, next.bytes = next.entries+1, next.bytes+len(t.Entry.Payload)
		}
		id = t.Parent
	}
	f := &queue.Fold{}
	if !whole {
		f = r.fold.Clone()
	}
	if !whole && !folded {
		next = above{r.above.entries + next.entries, r.above.bytes + next.bytes, r.above.base}
	}
	for _, e := range slices.Backward(list) {
		if err := f.Add(e); err != nil {
			return nil, err
		}
	}
	if err := f.Whole(); err != nil {
		return nil, err
	}
	r.tip, r.fold, r.above = tip.ID, f, next
	return f, nil
}
