package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// A Node is the newest record of a node.
type Node struct {
	Node    string
	At      time.Time // when it was written, by the node's clock
	Beats   map[string]Beat
	Ends    map[string]time.Time // when what beat under a name was last stopped
	Record  Object               // all of it
	Tip     refstore.OID
	Remote  string // whose mirror it was read from, "" for this repository's own ref
	Payload []byte
}

// Nodes reads the records of nodes, by name: of what is here and what the
// remotes were last seen to have, each node's newer one. Nothing is fetched.
// The error is an *UnreadError for nodes whose record cannot be read; the
// others are in the answer. Any other error means that nothing is known.
func Nodes(ctx context.Context, repo *refstore.Repo, nodes []string, remotes []*refstore.Remote) ([]Node, time.Time, error) {
	all, asOf, err := sources(ctx, repo, nodeKind, nodes, remotes)
	if err != nil {
		return nil, asOf, err
	}
	c := &commits{repo: repo}
	defer c.close()
	var out []Node
	var unread []*NodeError
	for _, src := range all {
		n, err := readNode(ctx, repo, src)
		if err == nil {
			out = append(out, n)
			continue
		}
		if ctx.Err() != nil {
			return nil, asOf, context.Cause(ctx)
		}
		unread = append(unread, c.nodeError(ctx, src, err))
	}
	if unread != nil {
		return out, asOf, &UnreadError{unread}
	}
	return out, asOf, nil
}

func readNode(ctx context.Context, repo *refstore.Repo, src source) (Node, error) {
	tip, err := src.newer(ctx, repo)
	if err != nil {
		return Node{}, err
	}
	n := Node{Node: src.node, At: tip.Entry.At, Tip: tip.ID, Remote: tip.remote, Payload: tip.Entry.Payload}
	if n.Record, err = recordOf(tip.Tip, src.node); err == nil {
		n.Beats, err = beatsOf(n.Record)
	}
	if err == nil {
		n.Ends, err = endsOf(n.Record)
	}
	if err != nil {
		return n, &chainError{id: tip.ID, err: err}
	}
	return n, nil
}

func beatsOf(record Object) (map[string]Beat, error) {
	in, err := objectIn(record, "beats")
	if err != nil {
		return nil, err
	}
	if len(in.fields) > maxBeats {
		return nil, fmt.Errorf("%w: %d beats, at most %d", ErrRecord, len(in.fields), maxBeats)
	}
	all := map[string]Beat{}
	for _, f := range in.fields {
		b, err := parseBeat(f.value)
		if err != nil || !ValidBeat(f.key) {
			return nil, fmt.Errorf("%w: beat %.40q: %w", ErrRecord, f.key, errors.Join(err))
		}
		all[f.key] = b
	}
	return all, nil
}

// maxOlder is how many records are looked through for an older beat.
const maxOlder = 10000

// BeatBefore is the newest beat of a name that the node recorded before the
// one of a record and that is stamped no later than latest; nil when there is
// none among its last records.
func BeatBefore(ctx context.Context, repo *refstore.Repo, n Node, name string, latest time.Time) (*Beat, error) {
	var best *Beat
	var bad error
	seen := 0
	err := repo.Chain(ctx, refstore.Ref(nodeKind, n.Node), n.Tip, func(t refstore.Tip) bool {
		var record Object
		if record, bad = recordOf(t, n.Node); bad != nil {
			return false
		}
		var beats Object
		if beats, bad = objectIn(record, "beats"); bad != nil {
			return false
		}
		raw, ok := beats.Get(name)
		if !ok {
			return false // it had never beaten by then
		}
		var b Beat
		if b, bad = parseBeat(raw); bad == nil && !b.At.After(latest) {
			best = &b
		}
		seen++
		return bad == nil && best == nil && seen < maxOlder
	})
	return best, errors.Join(bad, err)
}
