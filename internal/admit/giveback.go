package admit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// answered reports whether the authority itself has answered that the last
// transaction did not happen. Otherwise it may still be on its way there when
// its acquirer has given up.
func answered(err error) bool {
	var o *refstore.OutcomeError
	if !errors.As(err, &o) || errors.Is(err, context.Canceled) || errors.Is(err, errTimeUp) {
		return false
	}
	switch o.Outcome.Result {
	case refstore.Denied, refstore.HiddenNames, refstore.NoAtomic, refstore.Locked:
		return true
	}
	return false
}

// giveBack undoes what an acquisition that did not succeed may have landed. It
// says what is left when it cannot. A part that is still on its way may land after
// the first look at its lane; the second look begins with the order past it.
func (a *acquisition) giveBack(ctx context.Context, pending bool) error {
	ctx, cancel := detached(ctx)
	defer cancel()
	looks := 1
	if pending && !a.past {
		looks = 2
	}
	var err error
	for range looks {
		if err = a.giveBackOnce(ctx, pending); err != nil {
			break
		}
	}
	if err == nil {
		return nil
	}
	first := a.sent.Leases[0]
	return &StoreError{
		Err:  fmt.Errorf("%s may be held: %w", lanesOf(a.sent.Leases), err),
		Hint: fmt.Sprintf("git dos lease release --lane %s --nonce %s gives it back", first.Lane, first.Nonce),
	}
}

func (a *acquisition) giveBackOnce(ctx context.Context, pending bool) error {
	d := a.desk
	_, err := d.Repo.Update(ctx, d.auth, refstore.Query{Kinds: []string{"lane", "order"}}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		t, err := d.table(ctx, s)
		if err != nil {
			return nil, err
		}
		if err := a.sent.Unread(t); err != nil {
			return nil, err
		}
		return d.writes(lease.GiveBack(t, *a.sent, pending, a.stamp))
	})
	return err
}

// lanesOf names the lanes of leases, for an error.
func lanesOf(all []lease.Record) string {
	var names []string
	for _, r := range all {
		if !slices.Contains(names, r.Lane) {
			names = append(names, r.Lane)
		}
	}
	return lanesNamed(names)
}
