package setup

import (
	"context"
	"errors"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/refstore"
)

// ledgers reports nodes of which there is one ledger, or record, here and another
// on the fleet's remote, as that was last seen.
func (x *examiner) ledgers(ctx context.Context, a *refstore.Remote) {
	const id = "LEDGER_ASIDE"
	aside, err := ledger.Asides(ctx, x.repo, nil, []*refstore.Remote{a})
	var forked *ledger.UnreadError
	if err != nil && !errors.As(err, &forked) {
		x.unknown(id, err)
		return
	}
	if forked != nil {
		for _, e := range forked.Nodes {
			x.add(Check{ID: "TWO_LEDGERS", Severity: Error, Target: e.Ref, Detail: e.Err.Error(), Remedy: "git config --unset dos.node, or another GIT_DOS_NODE, and then git dos sync"})
		}
	}
	for _, s := range aside {
		x.add(Check{ID: id, Severity: Warn, Target: s.Ref, Detail: s.String(), Remedy: s.Keep() + " keeps it out of the way; " + s.Drop() + " gives it up"})
	}
}
