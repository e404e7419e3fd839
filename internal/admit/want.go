package admit

import (
	"context"
	"encoding/json"
	"slices"
	"time"

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

// writeWants puts what this node wants into its record, in place of what it wanted
// before.
func (d *Desk) writeWants(ctx context.Context, wants []lease.Want) error {
	target := refstore.Ref("node", d.Node)
	_, err := d.Repo.Update(ctx, d.Repo.Local(), refQuery([]string{"node"}), func(s refstore.Snapshot) ([]refstore.Write, error) {
		tip := s.Tip(target)
		if tip.Err != nil {
			return nil, tip.Err
		}
		payload, changed, err := withWants(tip.Entry.Payload, d.Node, wants, d.Now())
		if err != nil || !changed {
			return nil, err
		}
		return []refstore.Write{{Ref: target, Entry: refstore.Entry{Op: "WANT", Gen: tip.Entry.Gen + 1, Payload: payload, At: d.Now()}}}, nil
	})
	return err
}

// withWants is a node's record with other wants, and whether that changes it.
func withWants(payload []byte, node string, wants []lease.Want, now time.Time) ([]byte, bool, error) {
	fields := map[string]json.RawMessage{}
	if len(payload) > 0 {
		if err := json.Unmarshal(payload, &fields); err != nil {
			return nil, false, err
		}
	}
	had, err := wantsOf(payload)
	if err != nil || slices.Equal(had, wants) {
		return payload, false, err
	}
	for key, value := range map[string]any{"v": lease.Version, "node": node, "wants": wants, "wanted_at": now.UTC().Truncate(time.Second)} {
		if fields[key], err = json.Marshal(value); err != nil {
			return nil, false, err
		}
	}
	out, err := json.Marshal(fields)
	return out, true, err
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

// wanting lists the other nodes that want a lane of this node's, by their records
// on the remote. One that cannot be read asks for nothing.
func (d *Desk) wanting(s refstore.Snapshot, name string) []string {
	var nodes []string
	for _, tip := range s.List("node") {
		at, ok := refstore.SplitRef(tip.Ref)
		if !ok || tip.Err != nil || at.Leaf == d.Node {
			continue
		}
		wants, err := wantsOf(tip.Entry.Payload)
		if err == nil && slices.ContainsFunc(wants, func(w lease.Want) bool { return w.Lane == name && w.Node == d.Node }) {
			nodes = append(nodes, at.Leaf)
		}
	}
	return nodes
}
