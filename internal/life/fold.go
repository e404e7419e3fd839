package life

import (
	"context"
	"errors"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// A kept is the state of a node, and the checkpoint that has the parts which the
// state lacks.
type kept struct {
	*journal.State
	checkpoint refstore.OID
}

// readLedgers folds the ledger of every node.
func (b *Book) readLedgers(ctx context.Context, asks []Ask) error {
	f := folding{ctx: ctx, nodes: map[string]*fold{}, filler: ledger.NewFiller(b.Desk.Repo)}
	defer f.filler.Close()
	report, err := ledger.Read(ctx, b.Desk.Repo, ledger.Query{Remotes: b.remotes, Oldest: true}, f.visit)
	if err := b.unread(err); err != nil {
		return err
	}
	b.AsOf = report.AsOf
	for _, l := range report.Nodes {
		if l.Aside != "" {
			b.Aside = append(b.Aside, l)
		}
	}
	if bare := f.bare(); len(bare) > 0 {
		for _, node := range bare {
			f.nodes[node] = &fold{state: journal.New(node)}
		}
		_, err := ledger.Read(ctx, b.Desk.Repo, ledger.Query{Nodes: bare, Remotes: b.remotes, Oldest: true, History: true}, f.visit)
		if err := b.unread(err); err != nil {
			return err
		}
	}
	for node, fold := range f.nodes {
		switch {
		case fold.failed != nil:
			if err := b.lost(fold.failed); err != nil {
				return err
			}
		case !b.IsUnread(node):
			b.states[node] = &kept{fold.wait(), fold.checkpoint}
		}
	}
	return b.read(ctx, f.filler, asks)
}

// A folding folds the entries of nodes.
type folding struct {
	ctx    context.Context
	nodes  map[string]*fold
	filler *ledger.Filler
}

// A fold is the state of a node. The checkpoint with which it begins is taken up
// while others are read. One that an older version made carries no state: then
// there is none, and every row of the node has to be read.
type fold struct {
	state      *journal.State
	checkpoint refstore.OID
	ready      chan struct{} // nil when no checkpoint is being taken up
	failed     error         // to read the parts that were needed at once
}

// maxAbove bounds the rows above a checkpoint that are kept for the sake of parts
// not yet read, in bytes. Where there are more all parts are read.
const maxAbove = 256 << 10

func (f *folding) visit(e ledger.Entry) bool {
	n := f.nodes[e.Node]
	if n == nil {
		n = &fold{state: journal.New(e.Node), checkpoint: e.ID}
		f.nodes[e.Node] = n
		if e.Op == refstore.OpCheckpoint {
			n.begin(e)
			return true
		}
	}
	s := n.wait()
	if s == nil {
		return false
	}
	if s.Later()+len(e.Payload) > maxAbove {
		if n.failed = f.filler.Fill(f.ctx, s, n.checkpoint, journal.Everything); n.failed != nil {
			return false
		}
	}
	s.Fold(e.Op, e.At, e.Payload)
	return true
}

func (f *fold) begin(e ledger.Entry) {
	f.ready = make(chan struct{})
	go func() {
		defer close(f.ready)
		s, err := journal.Restore(e.Node, e.Payload)
		switch {
		case errors.Is(err, journal.ErrNoState):
			f.state = nil
		case err != nil:
			f.state.Fold(e.Op, e.At, e.Payload) // which makes a doubt of it
		default:
			f.state = s
		}
	}()
}

// wait is the state once it can be used, nil when the checkpoint carries none.
func (f *fold) wait() *journal.State {
	if f.ready != nil {
		<-f.ready
	}
	return f.state
}

// bare are the nodes whose checkpoint carries no state.
func (f *folding) bare() (nodes []string) {
	for node, fold := range f.nodes {
		if fold.wait() == nil {
			nodes = append(nodes, node)
		}
	}
	return nodes
}
