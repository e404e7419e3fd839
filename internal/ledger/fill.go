package ledger

import (
	"context"
	"errors"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// A Filler reads the parts of checkpoints that states lack, through one git that
// is started when it is first needed. It is to be closed.
type Filler struct{ c commits }

// NewFiller is a Filler of a repository.
func NewFiller(repo *refstore.Repo) *Filler { return &Filler{commits{repo: repo}} }

// Close ends the git child, if there is one.
func (f *Filler) Close() { f.c.close() }

// Fill has a state take up what it lacks for the questions from the checkpoint
// that it began with. A part that cannot be read makes a *[NodeError] with the
// last good entry, without the rows above: the node is not known then.
func (f *Filler) Fill(ctx context.Context, s *journal.State, checkpoint refstore.OID, needs ...journal.Need) error {
	target, err := refOf(journalKind, s.Node())
	if err != nil {
		return err
	}
	if err = f.c.fill(ctx, s, target, checkpoint, needs...); err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	src := source{s.Node(), []place{{Tip: refstore.Tip{Ref: target, ID: checkpoint}}}}
	bad := f.c.nodeError(ctx, src, &chainError{id: checkpoint, err: err})
	bad.Part = true
	return bad
}

func (c *commits) fill(ctx context.Context, s *journal.State, ref string, checkpoint refstore.OID, needs ...journal.Need) error {
	names := s.Lacks(needs...)
	if len(names) == 0 {
		return nil
	}
	read, err := c.open().Parts(ctx, ref, checkpoint, names...)
	if err != nil {
		return err
	}
	parts := make([]journal.Part, 0, len(read))
	for _, p := range read {
		parts = append(parts, journal.Part(p))
	}
	return s.Fill(parts...)
}

// whole fails for a checkpoint whose state has parts that cannot be read.
func (c *commits) whole(ctx context.Context, ref string, e Entry) error {
	s, err := journal.Restore(e.Node, e.Payload)
	if err != nil {
		return nil // it has none
	}
	return c.fill(ctx, s, ref, e.ID, journal.Everything)
}

// partsOf are the parts of a state as they are written.
func partsOf(s []journal.Part) (all []refstore.Part) {
	for _, p := range s {
		all = append(all, refstore.Part(p))
	}
	return all
}

// stateless reports whether a checkpoint carries no state.
func stateless(e Entry) bool {
	_, err := journal.Restore(e.Node, e.Payload)
	return errors.Is(err, journal.ErrNoState)
}
