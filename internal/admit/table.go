package admit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// table reads every lane and the order out of a snapshot. A lane that cannot be
// read is kept apart: what it may hold at most is the order's to say. Without
// the order there is no table to decide an admission on; the error says so.
func (d *Desk) table(ctx context.Context, s refstore.Snapshot) (lease.Table, error) {
	t := lease.Table{Chains: map[string]lease.Record{}, Unread: map[string]error{}}
	var unordered error
	t.Order, unordered = orderOf(s)
	for _, tip := range s.List("lane") {
		chain, err := chainOf(tip)
		if err != nil {
			if kept, ok := keptBy(tip.Ref); ok {
				t.Unread[kept] = err
			}
			continue // it can be nobody's lane
		}
		var r lease.Record
		if unordered == nil {
			r, err = d.recordAt(ctx, tip, t.Order)
		} else {
			r, err = record(tip)
		}
		switch {
		case ctx.Err() != nil:
			return t, context.Cause(ctx)
		case err != nil:
			t.Unread[chain] = err
		default:
			t.Chains[chain] = r
		}
	}
	return t, unordered
}

// keptBy is the chain that a ref which is no chain keeps from being made, by
// lying below its name.
func keptBy(ref string) (chain string, ok bool) {
	leaf, _, below := strings.Cut(strings.TrimPrefix(ref, refstore.Ref("lane", "")), "/")
	chain, err := lane.Chain(leaf)
	return chain, below && err == nil
}

// orderOf reads the order of admissions; the zero Order before the first.
func orderOf(s refstore.Snapshot) (lease.Order, error) {
	tip := s.Tip(orderRef)
	if tip.Err != nil || tip.ID == "" {
		return lease.Order{}, tip.Err
	}
	return lease.ParseOrder(tip.Entry.Gen, tip.Entry.Payload)
}

func record(tip refstore.Tip) (lease.Record, error) {
	if tip.Err != nil {
		return lease.Record{}, tip.Err
	}
	chain, err := chainOf(tip)
	if err != nil {
		return lease.Record{}, err
	}
	return lease.ParseRecord(chain, tip.Entry.Gen, tip.Entry.Payload)
}

// writes turns a decision into moves of refs.
func (d *Desk) writes(decided []lease.Write) ([]refstore.Write, error) {
	var out []refstore.Write
	for _, w := range decided {
		target, err := refOf(w)
		if err != nil {
			return nil, err
		}
		out = append(out, refstore.Write{Ref: target, Entry: refstore.Entry{Op: w.Op, Gen: w.Gen, Payload: w.Payload, At: d.Now()}})
	}
	return out, nil
}

// refOf is the ref that an entry goes to.
func refOf(w lease.Write) (string, error) {
	switch {
	case w.Delegation:
		return delegationRef(w.Chain)
	case w.Chain == "":
		return orderRef, nil
	}
	return ref(w.Chain)
}

// Errors of a remote that is not this fleet's. Neither is ever repaired on the
// way: only init writes meta/format.
var (
	ErrNotInitialised = errors.New("not initialised for git-dos (NOT_INITIALISED)")
	ErrWrongFleet     = errors.New("belongs to another fleet (WRONG_FLEET)")
)

// checkFleet refuses refs of another layout, and compares the fleet id on the
// remote with the trunk's.
func (d *Desk) checkFleet(s refstore.Snapshot) error {
	m, err := readMeta(s)
	if err != nil || d.remote == nil {
		return err
	}
	want := d.Rules.Policy.Fleet.ID
	switch {
	case m == nil && d.remote.LastFetch().IsZero():
		return &StoreError{
			Err:  fmt.Errorf("remote %s was never read from here", d.Remote()),
			Hint: "run it without --cached",
		}
	case m == nil:
		return &StoreError{
			Err:  fmt.Errorf("remote %s is %w", d.Remote(), ErrNotInitialised),
			Hint: "run: git dos init --remote " + d.Remote(),
		}
	case m.Fleet != want:
		return &StoreError{
			Err:  fmt.Errorf("remote %s %w: it is %q, dos.toml says %q", d.Remote(), ErrWrongFleet, m.Fleet, want),
			Hint: "set git config dos.remote to this fleet's remote",
		}
	}
	return nil
}
