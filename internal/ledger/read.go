package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// A Query says which ledgers to read and how far.
type Query struct {
	Nodes   []string           // only these; all that are known when empty
	Remotes []*refstore.Remote // whose mirrors count besides what is here; nothing is fetched
	History bool               // every row from the first on, instead of the last CHECKPOINT and what is above it
	Oldest  bool               // the oldest first; else the newest
}

// A Report says what was read.
type Report struct {
	Nodes []Ledger // by node, each that was read in full or as far as visit wanted
	AsOf  time.Time
}

// A Ledger is where one node's stands.
type Ledger struct {
	Node   string
	Seq    uint64 // of its last row
	Tip    refstore.OID
	Remote string       // whose mirror it was read from, "" for this repository's own ref
	Aside  refstore.OID // where this repository's own ref stands that yields to it, see [Asides]
}

// ErrForked means that there are two ledgers of one node and neither continues
// the other: two clones write under one node id. Where this repository writes
// under another by now, the remote's counts, and [Asides] says so.
var ErrForked = errors.New("two ledgers of one node")

// A NodeError is why a node could not be read in full.
type NodeError struct {
	Node string
	Ref  string
	ID   refstore.OID // what cannot be read, "" when not even that is known
	Good *Good        // the newest entry below it that can, nil when none was found
	Rows uint64       // that can be read and stand above it
	Part bool         // it is a checkpoint of which a part cannot be read: Compact makes another from the rows below it
	Err  error
}

func (e *NodeError) Error() string {
	s := fmt.Sprintf("ledger of node %s: %v", e.Node, e.Err)
	if e.Good != nil {
		s += fmt.Sprintf("; the last entry that can be read is %s (seq %d)", e.Good.ID, e.Good.Seq)
	}
	return s
}

func (e *NodeError) Unwrap() error { return e.Err }

// An UnreadError lists the nodes that could not be read in full. All others
// were.
type UnreadError struct{ Nodes []*NodeError }

func (e *UnreadError) Error() string {
	var all []string
	for _, n := range e.Nodes {
		all = append(all, n.Error())
	}
	return strings.Join(all, "\n")
}

// Unwrap gives the errors of the nodes.
func (e *UnreadError) Unwrap() []error {
	var all []error
	for _, n := range e.Nodes {
		all = append(all, n)
	}
	return all
}

// Read visits the ledgers of nodes, one node after the other, by name, until
// visit returns false for that node. Of what is here and what the remotes were
// last seen to have, each node's newer ledger counts. A CHECKPOINT is visited
// where it ends the reading, not on the way through history.
//
// The error is an *UnreadError when nodes could not be read in full; then
// nothing of them counts that was visited, and all others were visited as if
// nothing had happened. A node that was asked for and is not known is not in
// the report. Any other error means that nothing is known.
func Read(ctx context.Context, repo *refstore.Repo, q Query, visit func(Entry) bool) (Report, error) {
	all, asOf, err := sources(ctx, repo, journalKind, q.Nodes, q.Remotes)
	if err != nil {
		return Report{}, err
	}
	r := Report{AsOf: asOf}
	c := &commits{repo: repo}
	defer c.close()
	var unread []*NodeError
	for _, src := range all {
		l, err := c.read(ctx, src, q, visit)
		if err == nil {
			r.Nodes = append(r.Nodes, l)
			continue
		}
		if ctx.Err() != nil {
			return Report{}, context.Cause(ctx)
		}
		unread = append(unread, c.nodeError(ctx, src, err))
	}
	if unread != nil {
		return r, &UnreadError{unread}
	}
	return r, nil
}

// A chainError is the failure to read one entry.
type chainError struct {
	id    refstore.OID
	above uint64 // place of the entry that stands on it, 0 when it is the newest
	rows  uint64 // above it
	err   error
}

func (e *chainError) Error() string { return e.err.Error() }
func (e *chainError) Unwrap() error { return e.err }

// read visits one node.
func (c *commits) read(ctx context.Context, src source, q Query, visit func(Entry) bool) (Ledger, error) {
	tip, err := src.newer(ctx, c.repo)
	if err != nil {
		return Ledger{}, err
	}
	top, err := glance(tip.Tip)
	if err != nil {
		return Ledger{}, &chainError{id: tip.ID, err: err}
	}
	walk := func(visit func(Entry) bool) error { return c.since(ctx, tip.Tip, visit) }
	if q.History {
		walk = func(visit func(Entry) bool) error { return c.history(ctx, tip.Tip, visit) }
	}
	switch {
	case q.Oldest && q.History:
		err = reversed(ctx, walk, visit)
	case q.Oldest:
		err = oldestFirst(ctx, walk, visit)
	default:
		err = walk(visit)
	}
	return Ledger{Node: src.node, Seq: top.Seq, Tip: tip.ID, Remote: tip.remote, Aside: tip.aside}, err
}

// heldBytes bounds the rows above a checkpoint that are kept in memory.
const heldBytes = 256 << 10

// oldestFirst is reversed for what stands above the last checkpoint, and that.
// Most often it is little, and no file is needed.
func oldestFirst(ctx context.Context, walk func(func(Entry) bool) error, visit func(Entry) bool) error {
	var held []Entry
	size, fits := 0, true
	err := walk(func(e Entry) bool {
		if e.Op != refstore.OpCheckpoint { // which is one, and the last
			size += len(e.Payload) + 200
		}
		if fits = size <= heldBytes; fits {
			held = append(held, e)
		}
		return fits
	})
	if !fits {
		return reversed(ctx, walk, visit)
	}
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(held) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !visit(e) {
			break
		}
	}
	return nil
}

// since visits what stands above the last checkpoint, and that, the newest
// first.
func (c *commits) since(ctx context.Context, tip refstore.Tip, visit func(Entry) bool) error {
	n := numbering{}
	for {
		e, err := n.next(tip)
		if err != nil {
			return n.broken(tip.ID, err)
		}
		if !visit(e) || e.Op == refstore.OpCheckpoint || tip.Parent == "" {
			return n.end(e, tip)
		}
		below := tip.Parent
		if tip, err = c.entry(ctx, tip.Ref, below); err != nil {
			return n.broken(below, err)
		}
	}
}

// history visits every row, the newest first.
func (c *commits) history(ctx context.Context, tip refstore.Tip, visit func(Entry) bool) error {
	n := numbering{}
	at, last, stopped := tip.ID, Entry{}, false
	var bad error
	err := c.repo.Chain(ctx, tip.Ref, tip.ID, func(t refstore.Tip) bool {
		at = t.ID
		if last, bad = n.next(t); bad != nil {
			return false
		}
		at = t.Parent
		stopped = !visit(last)
		return !stopped
	})
	if err = errors.Join(bad, err); err != nil {
		return n.broken(at, err)
	}
	if stopped {
		return nil
	}
	return n.end(last, refstore.Tip{Ref: tip.Ref, ID: last.ID})
}

// numbering checks that places follow each other down a chain, so that no row
// is missing in between.
type numbering struct {
	above Entry // the last one, which has the place of the row below it where it is a checkpoint
	begun bool
	rows  uint64
}

// A gapError is an entry whose place is not the one below that of the entry
// which stands on it. One of the two is wrong.
type gapError struct{ upper, lower Entry }

func (e *gapError) Error() string {
	return fmt.Sprintf("%v: %s at %s has seq %d, and %d below it", refstore.ErrBroken, refstore.Ref(journalKind, e.upper.Node), e.upper.ID, e.upper.Seq, e.lower.Seq)
}

func (e *gapError) Unwrap() error { return refstore.ErrBroken }

func (n *numbering) next(t refstore.Tip) (Entry, error) {
	e, err := glance(t)
	if err != nil {
		return e, err
	}
	want := n.above.Seq - 1
	if n.above.Op == refstore.OpCheckpoint {
		want = n.above.Seq
	}
	if n.begun && e.Seq != want {
		return e, &gapError{n.above, e}
	}
	n.above, n.begun = e, true
	if e.Op != refstore.OpCheckpoint {
		n.rows++
	}
	return e, nil
}

// broken is the failure to read the entry that is next.
func (n *numbering) broken(id refstore.OID, err error) error {
	return &chainError{id: id, above: n.above.Seq, rows: n.rows, err: err}
}

// end checks that a chain which goes no further down has its first row.
func (n *numbering) end(e Entry, t refstore.Tip) error {
	if t.Parent == "" && e.Op != refstore.OpCheckpoint && e.Seq > 1 {
		return &chainError{id: t.ID, above: e.Seq + 1, rows: n.rows - 1, err: fmt.Errorf("%w: %s at %s has seq %d and nothing below it", refstore.ErrBroken, t.Ref, t.ID, e.Seq)}
	}
	return nil
}

// names are the nodes of a set of sources.
func names(all map[string]source) []string { return slices.Sorted(maps.Keys(all)) }
