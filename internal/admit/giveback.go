package admit

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// confirm moves the lane of a lease that was won late, so that what was decided
// meanwhile and is still on its way is refused when it arrives.
func (a *acquisition) confirm(ctx context.Context, v lease.Verdict) (lease.Verdict, error) {
	beat, err := a.desk.Heartbeat(ctx, v.Lane, lease.Identity{Nonce: v.Lease.Nonce})
	if err != nil || beat.Outcome != lease.Renewed {
		return contended(v.Lane), err
	}
	v.Lease, v.Deadline = beat.Lease, beat.Deadline
	return v, nil
}

// settled reports whether the authority itself has answered that the last
// transaction did not happen. Otherwise it may still be on its way there when
// its acquirer has given up.
func settled(err error) bool {
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
// says what is left when it cannot.
func (a *acquisition) giveBack(ctx context.Context, pending bool) error {
	ctx, cancel := detached(ctx)
	defer cancel()
	d := a.desk
	var err error
	for again := true; again && err == nil; {
		_, err = d.Repo.Update(ctx, d.auth, refstore.Query{Kinds: []string{"lane", "order"}}, func(s refstore.Snapshot) ([]refstore.Write, error) {
			t, err := table(s)
			if err != nil {
				return nil, err
			}
			again = pending && !a.past && t.Overtaken(*a.sent)
			a.past = a.past || again
			return d.writes(lease.GiveBack(t, *a.sent, pending, a.stamp))
		})
	}
	if err == nil {
		return nil
	}
	return &StoreError{
		Err:  fmt.Errorf("lane %s may be held: %w", a.sent.Lease.Lane, err),
		Hint: fmt.Sprintf("git dos lease release --lane %s --nonce %s gives it back", a.sent.Lease.Lane, a.sent.Lease.Nonce),
	}
}
