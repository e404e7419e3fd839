package receive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// law judges the lanes, the order and the trunk together. Nothing is read where the
// push moves none of them.
func (j *judge) law(ctx context.Context, others []hooks.Update) error {
	trunk := slices.IndexFunc(others, func(u hooks.Update) bool { return u.Ref == j.rules.trunk })
	if trunk >= 0 {
		if err := j.ruled(ctx, others[trunk]); err != nil {
			return err
		}
	}
	fences := trunk >= 0 && !j.blind() && j.mode() != policy.GateOff
	if len(j.refused) > 0 || !fences && len(j.lanes) == 0 && len(j.order) == 0 {
		return nil
	}
	p, err := j.received(ctx)
	if err != nil || len(j.refused) > 0 {
		return err
	}
	if p.Reached, err = j.reached(ctx, p.Lanes, others); err != nil {
		return err
	}
	for _, b := range p.Judge() {
		j.refuse(j.finding(b))
	}
	if !fences {
		return nil
	}
	m, err := j.trunkMove(ctx, others[trunk])
	if err != nil {
		return err
	}
	for _, b := range p.Fence(m) {
		if f := j.finding(b); j.mode() == policy.GateWarn && b.Token == lease.LeaseFence {
			j.warned = append(j.warned, f)
		} else {
			j.refuse(f)
		}
	}
	return nil
}

// ruled refuses a trunk whose dos.toml cannot be read: no push after it could be
// judged.
func (j *judge) ruled(ctx context.Context, u hooks.Update) error {
	if u.Deletes() {
		return nil
	}
	_, data, err := j.repo.FileAt(ctx, u.New, "dos.toml")
	switch {
	case errors.Is(err, refstore.ErrNoFile):
		return nil
	case err != nil:
		return err
	}
	if _, err := policy.Parse(data); err != nil {
		j.refuse(Finding{Token: BadPolicy, Ref: u.Ref, Path: "dos.toml", Reason: err.Error(), Fix: "correct dos.toml: git dos lint names every error"})
	}
	return nil
}

func (j *judge) mode() policy.GateMode { return j.rules.policy.Gates.Mode(hooks.LeaseFence.Name()) }

// finding is a breach with the name of the ref it is about.
func (j *judge) finding(b lease.Breach) Finding {
	ref := "order/grants"
	if b.Chain != "" {
		ref = "lane/" + b.Chain
		if leaf, err := lane.ChainLeaf(b.Chain); err == nil {
			ref = "lane/" + leaf
		}
	}
	return Finding{Token: b.Token, Ref: j.rules.below() + "/" + ref, Path: b.Path, Reason: b.Reason, Fix: b.Fix}
}

// received reads what stands on the lanes and the order, and what the push puts
// there. A record of the push that cannot be read is a finding; one that stands
// there already is noted as such.
func (j *judge) received(ctx context.Context) (lease.Received, error) {
	p := lease.Received{Lanes: map[string][]lease.LaneEntry{}, Blind: j.blind()}
	before, err := j.repo.ReadBelow(ctx, j.rules.below(), "lane", "order")
	if err != nil {
		return p, err
	}
	if p.Before, err = tableOf(before); err != nil {
		return p, err
	}
	for _, ref := range slices.Sorted(maps.Keys(j.lanes)) {
		chain, err := chainOf(ref)
		if err != nil {
			j.refuse(Finding{Token: UnknownRef, Ref: ref, Reason: err.Error(), Fix: "move lanes with git dos lease, never by hand"})
			continue
		}
		for _, e := range j.lanes[ref] {
			r, err := lease.ParseRecord(chain, e.Entry.Gen, e.Entry.Payload)
			if err != nil {
				j.refuse(recordFinding(ref, err))
				break
			}
			if err := j.packs(ctx, ref, e); err != nil {
				j.refuse(*err)
				break
			}
			p.Lanes[chain] = append(p.Lanes[chain], lease.LaneEntry{Op: e.Entry.Op, Record: r})
		}
	}
	for _, e := range j.order {
		o, err := lease.ParseOrder(e.Entry.Gen, e.Entry.Payload)
		if err != nil {
			j.refuse(recordFinding(orderRef, err))
			break
		}
		if err := j.packs(ctx, orderRef, e); err != nil {
			j.refuse(*err)
			break
		}
		p.Order = append(p.Order, lease.OrderEntry{Op: e.Entry.Op, Order: o})
	}
	return p, nil
}

// tableOf is what stands on the lanes and the order. An order that cannot be read
// leaves nothing to judge by.
func tableOf(s refstore.Snapshot) (lease.Table, error) {
	t := lease.Table{Chains: map[string]lease.Record{}, Unread: map[string]error{}}
	switch tip := s.Tip(orderRef); {
	case tip.Err != nil:
		return t, tip.Err
	case tip.ID != "":
		var err error
		if t.Order, err = lease.ParseOrder(tip.Entry.Gen, tip.Entry.Payload); err != nil {
			return t, err
		}
	}
	for _, tip := range s.List("lane") {
		chain, err := chainOf(tip.Ref)
		if err != nil {
			continue // it can be nobody's lane
		}
		r, err := lease.Record{}, tip.Err
		if err == nil {
			r, err = lease.ParseRecord(chain, tip.Entry.Gen, tip.Entry.Payload)
		}
		if err == nil {
			err = t.Order.Vouch(r)
		}
		if err != nil {
			t.Unread[chain] = err
		} else {
			t.Chains[chain] = r
		}
	}
	return t, nil
}

func chainOf(ref string) (string, error) {
	name, ok := refstore.SplitRef(ref)
	if !ok {
		return "", fmt.Errorf("%.100q is no lane", ref)
	}
	return lane.Chain(name.Leaf)
}

// trunkMove reads which paths a move of the trunk changes.
func (j *judge) trunkMove(ctx context.Context, u hooks.Update) (lease.TrunkMove, error) {
	m := lease.TrunkMove{
		Ref: u.Ref, Old: u.Old, New: u.New,
		Algebra: lane.Algebra(j.rules.policy.Overlap.Policy), Soft: j.rules.policy.Overlap.RatioMax > 0,
	}
	side := func(id string) string {
		if id == "" {
			return string(j.repo.Format.EmptyTree())
		}
		return id
	}
	out, err := j.repo.Git.Output(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-relative", "--ignore-submodules=none", "--name-only", side(u.Old), side(u.New))
	if err != nil {
		return m, fmt.Errorf("which paths of %s change: %w", strings.TrimPrefix(u.Ref, "refs/heads/"), err)
	}
	for p := range bytes.SplitSeq(out, []byte{0}) {
		if len(p) > 0 {
			m.Paths = append(m.Paths, string(p))
		}
	}
	return m, nil
}
