package admit

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// nodeWants is the part of a node's record, refs/dos/node/<node>, that says what it
// wants. The rest of the record is others', and is kept as it is.
type nodeWants struct {
	Wants []lease.Want `json:"wants"`
	At    time.Time    `json:"wanted_at"`
}

// maxNodeRecord bounds what is read of another node's record.
const maxNodeRecord = 1 << 20

// want publishes that this node was refused lanes which other nodes have for their
// workers, so that they give them back when nobody works on them. It is a request:
// when it cannot be made, the lane is free when its node is done with it.
func (d *Desk) want(ctx context.Context, wants []lease.Want) {
	if d.remote == nil || d.Node == "" || len(wants) == 0 {
		return
	}
	if err := d.writeWants(ctx, wants); err != nil {
		return
	}
	q := refQuery([]string{"node"})
	if s, err := d.remote.Cached(ctx, q); err == nil {
		_ = d.publish(ctx, s, SyncRequest{}, &SyncReport{}) // else the next sync does
	}
}

// opWant is the op of an entry that says what its node wants.
const opWant = "WANT"

// writeWants puts what this node wants into its record, in place of what it wanted
// before.
func (d *Desk) writeWants(ctx context.Context, wants []lease.Want) error {
	_, err := ledger.EditNode(ctx, d.Repo, d.Node, opWant, d.Now(), func(record *ledger.Object) error {
		return setWants(record, wants, d.Now())
	})
	return err
}

// setWants changes a node's record, unless it says that already.
func setWants(record *ledger.Object, wants []lease.Want, now time.Time) error {
	if raw, ok := record.Get("wants"); ok {
		var had []lease.Want
		if err := json.Unmarshal(raw, &had); err != nil {
			return err
		}
		if slices.Equal(had, wants) {
			return nil
		}
	} else if len(wants) == 0 {
		return nil
	}
	list, err := json.Marshal(wants)
	if err != nil {
		return err
	}
	at, err := json.Marshal(now.UTC().Truncate(time.Second))
	record.Set("wants", list)
	record.Set("wanted_at", at)
	return err
}

func wantsOf(payload []byte) ([]lease.Want, error) {
	if len(payload) == 0 || len(payload) > maxNodeRecord {
		return nil, nil
	}
	var w nodeWants
	err := json.Unmarshal(payload, &w)
	return w.Wants, err
}

// dropWants forgets what this node was refused so long ago that nobody waits for it
// any more.
func (d *Desk) dropWants(ctx context.Context) error {
	if d.Node == "" {
		return nil
	}
	s, err := d.Repo.Local().Read(ctx, refQuery([]string{"node"}))
	if err != nil {
		return err
	}
	tip := s.Tip(refstore.Ref("node", d.Node))
	var had nodeWants
	if tip.ID == "" || tip.Err != nil || json.Unmarshal(tip.Entry.Payload, &had) != nil {
		return nil
	}
	if len(had.Wants) == 0 || d.Now().Sub(had.At) < d.Rules.Policy.Lease.TTL {
		return nil
	}
	return d.writeWants(ctx, []lease.Want{})
}

// wanting lists the other nodes that want what this node has of a lane, by their
// records on the remote: what they wanted of it before is over. One that cannot be read asks for nothing.
func (d *Desk) wanting(s refstore.Snapshot, has lease.Delegation) []string {
	var nodes []string
	for _, tip := range s.List("node") {
		at, ok := refstore.SplitRef(tip.Ref)
		if !ok || tip.Err != nil || at.Leaf == d.Node {
			continue
		}
		wants, err := wantsOf(tip.Entry.Payload)
		if err == nil && slices.ContainsFunc(wants, func(w lease.Want) bool { return w.Lane == has.Lane && w.Node == d.Node && w.Gen == has.Gen }) {
			nodes = append(nodes, at.Leaf)
		}
	}
	return nodes
}
