// Package life gathers what git and the ledgers tell of runs and nodes.
//
// A [Book] is one look at everything: the ledgers of all nodes, folded from
// their last checkpoints, their newest records, and the leases. From it a [Run]
// is made, and from that the evidence that the kernel's judges of runs ask for.
// Only refs and history are evidence. A node that cannot be read is named, and
// nothing is said of what only it could tell.
package life

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// A Book is what the ledgers and records of all nodes say, as of one look. Of the
// ledgers it reads what it is asked for.
type Book struct {
	Desk   *admit.Desk
	Nodes  []ledger.Node       // the newest record of each node, by name
	Unread []*ledger.NodeError // ledgers and records that cannot be read
	Aside  []ledger.Ledger     // those beside which rows of this repository do not count
	AsOf   time.Time

	states  map[string]*kept // by node
	cached  bool
	remotes []*refstore.Remote
	leases  *admit.Reading
	lapsed  map[string]string

	pasts    map[string]*past // by what they come after, and in which histories
	attempts *attempts        // nil until they are asked for
}

// Open reads the ledgers and records of all nodes: of the ledgers, what is asked
// for, and the rest when it is. In a fleet the mirror is brought up to date first
// where it is older than the fleet's interval, unless cached is set. The error
// says that nothing is known; nodes that cannot be read are in Unread, and
// everything else was read as if they were not there. Whoever names all that it
// goes on to ask for finds Unread complete.
func Open(ctx context.Context, d *admit.Desk, cached bool, asks ...Ask) (*Book, error) {
	b := &Book{Desk: d, cached: cached, states: map[string]*kept{}, pasts: map[string]*past{}}
	var err error
	if b.remotes, err = d.Mirrors(ctx, cached); err != nil {
		return nil, storeError(err)
	}
	if err := b.readLedgers(ctx, asks); err != nil {
		return nil, err
	}
	nodes, asOf, err := ledger.Nodes(ctx, d.Repo, nil, b.remotes)
	if err := b.unread(err); err != nil {
		return nil, err
	}
	b.Nodes = nodes
	if asOf.Before(b.AsOf) {
		b.AsOf = asOf
	}
	b.AsOf = b.AsOf.UTC().Truncate(time.Second)
	return b, nil
}

// unread takes note of the nodes that an error names; any other error means that
// nothing is known.
func (b *Book) unread(err error) error {
	var some *ledger.UnreadError
	if errors.As(err, &some) {
		b.Unread = append(b.Unread, some.Nodes...)
		return nil
	}
	return storeError(err)
}

// IsUnread reports whether the ledger of a node cannot be read.
func (b *Book) IsUnread(node string) bool {
	return slices.ContainsFunc(b.Unread, func(e *ledger.NodeError) bool {
		name, _ := refstore.SplitRef(e.Ref)
		return e.Node == node && name.Kind != "node"
	})
}

// UnreadNodes names the nodes of which something cannot be read, sorted.
func (b *Book) UnreadNodes() []string {
	var names []string
	for _, e := range b.Unread {
		names = append(names, e.Node)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Unreadable is the error of a question to which only nodes that cannot be read
// have the answer.
func Unreadable(nodes []*ledger.NodeError) error {
	var words []string
	for _, e := range nodes {
		words = append(words, e.Error())
	}
	return &admit.StoreError{
		Err:  fmt.Errorf("%s", strings.Join(words, "; ")),
		Hint: "git dos journal check names every ledger that cannot be read, and its last good entry",
	}
}

// Leases are the leases of all lanes. They are read once.
func (b *Book) Leases(ctx context.Context) (admit.Reading, error) {
	if b.leases == nil {
		r, err := b.Desk.Leases(ctx, b.cached)
		if err != nil {
			return admit.Reading{}, storeError(err)
		}
		b.leases = &r
	}
	return *b.leases, nil
}

// Lapsed says of the leases that have lapsed, by nonce, what proves it. They are
// looked at once.
func (b *Book) Lapsed(ctx context.Context) (map[string]string, error) {
	if b.lapsed == nil {
		over, err := b.Desk.Lapsed(ctx, b.cached)
		if err != nil {
			return nil, storeError(err)
		}
		b.lapsed = over
	}
	return b.lapsed, nil
}

// RunsOn are the runs that wrote rows under a lease on a lane that a node has on the
// remote, since it has it: of those rows the last run's is the newest.
func (b *Book) RunsOn(ctx context.Context, has lease.Record) ([]string, error) {
	v, err := b.Everything(ctx)
	if err != nil {
		return nil, err
	}
	at := map[string]time.Time{}
	for _, id := range v.Runs() {
		for _, row := range v.Story(id).Rows {
			if row.Lane == has.Lane && row.Nonce != "" && row.From == has.Holder.Node && !row.At.Before(has.AcquiredAt) && !row.At.Before(at[id]) {
				at[id] = row.At
			}
		}
	}
	return slices.SortedFunc(maps.Keys(at), func(a, b string) int {
		return cmp.Or(at[a].Compare(at[b]), cmp.Compare(a, b))
	}), nil
}

// storeError makes every failure to read one of the store.
func storeError(err error) error {
	var already *admit.StoreError
	switch {
	case err == nil, errors.As(err, &already), errors.Is(err, context.Canceled):
		return err
	}
	return &admit.StoreError{Err: err, Hint: "see git dos doctor"}
}
