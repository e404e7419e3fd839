package admit

import (
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// tries are the decisions of one update that were sent. A transaction that
// seemed lost can land late and win, after a later one was decided otherwise;
// the verdict is then that of the one that won.
type tries[V any] struct{ sent []V }

// note keeps a decision that is about to be sent.
func (t *tries[V]) note(v V, decided []lease.Write) {
	if len(decided) > 0 {
		t.sent = append(t.sent, v)
	}
}

// verdict returns what the update u ended with; last is its last decision.
func (t *tries[V]) verdict(u refstore.Update, last V) V {
	v, _ := t.winner(u, last)
	return v
}

// winner is verdict, and reports whether an earlier transaction than the last
// one won, so that later ones may still be on their way.
func (t *tries[V]) winner(u refstore.Update, last V) (v V, late bool) {
	if len(u.Wrote) == 0 {
		return last, false
	}
	return t.sent[u.Try], u.Try < len(t.sent)-1
}
