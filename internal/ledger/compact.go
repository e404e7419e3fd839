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

// A Fold makes a checkpoint of what it is given: the last CHECKPOINT, if there
// is one, then every row above it, the oldest first. What it returns is one
// JSON object, and parts that are kept beside it; v, op, at and seq are set by
// the ledger. It may run several times and has no effects of its own.
type Fold func(rows iter.Seq[Entry]) ([]byte, []refstore.Part, error)

// A Due says whether a checkpoint is due, and why.
type Due struct {
	Rows   uint64    // above the last checkpoint
	Since  time.Time // of the oldest of them, zero when there is none
	Reason string    // "entries" or "age", "" when none is due
}

// DueFor looks at what stands above the last checkpoint of a node's ledger here.
// A limit of -1 is none.
func DueFor(ctx context.Context, repo *refstore.Repo, node string, keep policy.Retention, now time.Time) (Due, error) {
	d := Due{}
	err := present(ctx, repo, node, func(e Entry) bool {
		if e.Op != refstore.OpCheckpoint {
			d.Rows, d.Since = d.Rows+1, e.At
		}
		return true
	})
	if err != nil || d.Rows == 0 {
		return d, err
	}
	d.Reason = dueReason(d.Rows, now.Sub(d.Since), keep)
	return d, nil
}

func dueReason(rows uint64, age time.Duration, keep policy.Retention) string {
	switch {
	case keep.JournalMaxEntries >= 0 && rows >= uint64(max(keep.JournalMaxEntries, 1)):
		return "entries"
	case keep.JournalMaxAgeDays >= 0 && age >= time.Duration(keep.JournalMaxAgeDays)*24*time.Hour:
		return "age"
	}
	return ""
}

// present visits, the newest first, what stands above the last checkpoint of a
// node's ledger in this repository, and that.
func present(ctx context.Context, repo *refstore.Repo, node string, visit func(Entry) bool) error {
	_, err := Read(ctx, repo, Query{Nodes: []string{node}}, visit)
	return err
}

// Compact adds a CHECKPOINT to the ledger of a node in this repository, with
// what fold makes of it as its payload. Rows that others add meanwhile are
// folded too, or stand above it. Nothing is written, and the id is "", when
// there is no row above the last one.
func Compact(ctx context.Context, repo *refstore.Repo, node string, now time.Time, fold Fold) (refstore.OID, error) {
	target, err := refOf(journalKind, node)
	if err != nil {
		return "", err
	}
	c := &commits{repo: repo}
	defer c.close()
	var foldErr error
	u, err := repo.Compact(ctx, repo.Local(), target, now.UTC().Truncate(time.Second), func(tip refstore.Tip) refstore.Folded {
		var f refstore.Folded
		f, foldErr = c.folded(ctx, tip, now, fold)
		return f // no payload is no entry: the update ends with an error
	})
	if foldErr != nil {
		err = foldErr
	}
	if err != nil {
		return "", fmt.Errorf("compact %s: %w", target, err)
	}
	if len(u.Wrote) == 0 {
		return "", nil
	}
	return u.Wrote[0].New, nil
}

// folded makes a checkpoint on top of tip.
func (c *commits) folded(ctx context.Context, tip refstore.Tip, now time.Time, fold Fold) (f refstore.Folded, err error) {
	top, err := entryOf(tip)
	if err != nil {
		return f, err
	}
	var read error
	payload, parts, err := fold(func(yield func(Entry) bool) {
		read = reversed(ctx, func(visit func(Entry) bool) error { return c.since(ctx, tip, visit) }, yield)
	})
	if err = errors.Join(read, err); err != nil {
		return f, err
	}
	o, err := ParseObject(payload)
	if err != nil {
		return f, fmt.Errorf("folded: %w", err)
	}
	at, err := encode(now.UTC().Truncate(time.Second))
	if err != nil {
		return f, err
	}
	version := uint64(Version)
	if len(parts) > 0 {
		version = journal.SplitVersion
	}
	o.setFirst("v", version)
	o.Set("op", []byte(`"`+refstore.OpCheckpoint+`"`))
	o.Set("at", at)
	o.Set("seq", fmt.Append(nil, top.Seq))
	payload, err = o.Encode()
	return refstore.Folded{Gen: tip.Entry.Gen, Payload: payload, Parts: parts}, err
}
