package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// Record is Append followed by a CHECKPOINT where the rows that were added make
// one due. The rows are in either way: a checkpoint that fails is made up for
// by the next.
func Record(ctx context.Context, repo *refstore.Repo, node string, keep policy.Retention, now time.Time, rows ...Row) (Appended, error) {
	done, err := Append(ctx, repo, node, rows...)
	if every := uint64(max(keep.JournalMaxEntries, 1)); keep.JournalMaxEntries >= 0 && done.Last/every > (max(done.First, 1)-1)/every {
		_, _ = Compact(ctx, repo, node, now, StateFold(ctx, repo, node, now))
	}
	return done, err
}

// StateFold folds the ledger of a node in this repository into what package
// journal writes down of it. A CHECKPOINT that carries no such state, as an
// older git-dos made them, is taken for the rows that are packed in it.
func StateFold(ctx context.Context, repo *refstore.Repo, node string, now time.Time) Fold {
	return func(rows iter.Seq[Entry]) ([]byte, []refstore.Part, error) {
		s := journal.New(node)
		for e := range rows {
			if e.Op != refstore.OpCheckpoint {
				s.Fold(e.Op, e.At, e.Payload)
			} else if err := foldCheckpoint(ctx, repo, e, s); err != nil {
				return nil, nil, err
			}
		}
		head, parts, err := s.Split(now)
		return head, partsOf(parts), err
	}
}

// foldCheckpoint takes up the checkpoint that a fold begins with, with all of its
// parts. Where one cannot be read, the rows below say what it said, and it is written
// again.
func foldCheckpoint(ctx context.Context, repo *refstore.Repo, e Entry, s *journal.State) error {
	if s.Seq() == 0 && stateless(e) {
		return foldBelow(ctx, repo, e, s)
	}
	s.Fold(e.Op, e.At, e.Payload)
	f := NewFiller(repo)
	defer f.Close()
	err := f.Fill(ctx, s, e.ID, journal.Everything)
	if bad := (*NodeError)(nil); !errors.As(err, &bad) {
		return err
	}
	*s = *journal.New(e.Node)
	if below := foldBelow(ctx, repo, e, s); below != nil {
		return errors.Join(err, below)
	}
	_, parts, err := s.Split(e.At)
	return errors.Join(err, repo.WriteParts(partsOf(parts)...))
}

// foldBelow folds every row below a checkpoint, from the first on.
func foldBelow(ctx context.Context, repo *refstore.Repo, checkpoint Entry, s *journal.State) error {
	tip := refstore.Tip{}
	c := &commits{repo: repo}
	defer c.close()
	target, err := refOf(journalKind, checkpoint.Node)
	if err == nil {
		tip, err = c.entry(ctx, target, checkpoint.ID)
	}
	if err != nil {
		return err
	}
	err = reversed(ctx, func(visit func(Entry) bool) error { return c.history(ctx, tip, visit) }, func(e Entry) bool {
		s.Fold(e.Op, e.At, e.Payload)
		return true
	})
	if err == nil && s.Seq() != checkpoint.Seq {
		err = fmt.Errorf("%w: %s at %s stands for %d rows, below it are %d", refstore.ErrBroken, target, checkpoint.ID, checkpoint.Seq, s.Seq())
	}
	return err
}
