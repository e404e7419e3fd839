package admit

import (
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// table reads every lane and the order out of a snapshot. One unreadable lane
// makes the whole table unreadable: an admission must know all of them.
func table(s refstore.Snapshot) (lease.Table, error) {
	t := lease.Table{Lanes: map[string]lease.Record{}}
	for _, tip := range s.List("lane") {
		r, err := record(tip)
		if err != nil {
			return t, err
		}
		t.Lanes[r.Lane] = r
	}
	var err error
	t.Order, err = orderOf(s)
	return t, err
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
	name, err := nameOf(tip)
	if err != nil {
		return lease.Record{}, fmt.Errorf("%w: %s: %w", refstore.ErrBroken, tip.Ref, err)
	}
	return lease.ParseRecord(name, tip.Entry.Gen, tip.Entry.Payload)
}

// current reads one lane; nil when it was never leased.
func current(s refstore.Snapshot, ref string) (*lease.Record, error) {
	tip := s.Tip(ref)
	if tip.ID == "" && tip.Err == nil {
		return nil, nil
	}
	r, err := record(tip)
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// writes turns a decision into moves of refs.
func (d *Desk) writes(decided []lease.Write) ([]refstore.Write, error) {
	var out []refstore.Write
	for _, w := range decided {
		target := orderRef
		if w.Lane != "" {
			var err error
			if target, err = ref(w.Lane); err != nil {
				return nil, err
			}
		}
		out = append(out, refstore.Write{Ref: target, Entry: refstore.Entry{Op: w.Op, Gen: w.Gen, Payload: w.Payload, At: d.Now()}})
	}
	return out, nil
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
