package admit

import (
	"bytes"
	"context"
	"fmt"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// tries are the decisions of one update that were sent. A transaction that
// seemed lost can land late and win, after a later one was decided otherwise;
// the verdict is then that of the one that won.
type tries[V any] struct{ sent []try[V] }

type try[V any] struct {
	verdict V
	first   lease.Write // what the first ref that moved then shows
}

// note keeps a decision that is about to be sent.
func (t *tries[V]) note(v V, decided []lease.Write) {
	if len(decided) == 0 {
		return
	}
	first := decided[0]
	for _, w := range decided {
		if w.Chain == first.Chain {
			first = w // entries for one ref stand on each other
		}
	}
	t.sent = append(t.sent, try[V]{v, first})
}

// verdict returns what the update u ended with; last is its last decision.
func (t *tries[V]) verdict(ctx context.Context, repo *refstore.Repo, u refstore.Update, last V) (V, error) {
	v, _, err := t.winner(ctx, repo, u, last)
	return v, err
}

// winner is verdict, and reports whether an earlier transaction than the last
// one won, so that later ones may still be on their way.
func (t *tries[V]) winner(ctx context.Context, repo *refstore.Repo, u refstore.Update, last V) (v V, late bool, err error) {
	if len(u.Wrote) == 0 || len(t.sent) < 2 {
		return last, false, nil
	}
	won := u.Wrote[0]
	var entry refstore.Entry
	err = repo.Chain(context.WithoutCancel(ctx), won.Ref, won.New, func(tip refstore.Tip) bool {
		entry = tip.Entry
		return false
	})
	for i, sent := range t.sent {
		if err == nil && sent.first.Op == entry.Op && bytes.Equal(sent.first.Payload, entry.Payload) {
			return sent.verdict, i < len(t.sent)-1, nil
		}
	}
	return v, false, &StoreError{Err: fmt.Errorf("%s has an entry %s that was sent, and what it says cannot be told: %w", won.Ref, won.New.Short(), err)}
}
