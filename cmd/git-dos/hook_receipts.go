package main

import (
	"context"
	"errors"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/pushed"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// hookReceipts are the receipts of ledgers, and the rows they are read from.
type hookReceipts struct {
	all  []pushed.Receipt
	rows []journal.Row
}

// visit takes up a row of a ledger.
func (r *hookReceipts) visit(e ledger.Entry) bool {
	if e.Op != journal.OpGate {
		return true
	}
	row, err := journal.Decode(e.Payload)
	if err != nil || row.Verdict != hookPassed {
		return true // no receipt
	}
	tip, ok := refstore.ParseOID(row.Sha)
	if !ok {
		return true
	}
	one := pushed.Receipt{Tip: tip}
	for _, word := range row.Base {
		id, ok := refstore.ParseOID(word)
		if !ok {
			return true
		}
		one.Base = append(one.Base, id)
	}
	row.From = e.Node
	r.all, r.rows = append(r.all, one), append(r.rows, row)
	return true
}

// drop takes out what a node's ledger had before it turned out to be broken.
func (r *hookReceipts) drop(node string) {
	kept := hookReceipts{}
	for i, row := range r.rows {
		if row.From != node {
			kept.all, kept.rows = append(kept.all, r.all[i]), append(kept.rows, row)
		}
	}
	*r = kept
}

// cover holds all receipts against a span.
func (r *hookReceipts) cover(ctx context.Context, s *pushed.Span) error {
	for _, one := range r.all {
		if s.Cover(one) {
			return nil
		}
	}
	return s.CoverOutside(ctx)
}

// recentTrunk is how many commits of the trunk a push is told about.
const recentTrunk = 50

// A hookPast is what went past the gates, by the ledgers as they are here: a push
// does not wait for those of others to be fetched. It is read beside all else.
type hookPast struct {
	done     chan struct{}
	commits  []hooks.Commit
	unread   []string
	receipts *hookReceipts
	err      error
}

// Ungated is the evidence of UNGATED.
func (p *hookPast) Ungated(context.Context) ([]hooks.Commit, []string, error) {
	<-p.done
	return p.commits, p.unread, p.err
}

// lookBack starts to read it.
func (a *hookAsk) lookBack() *hookPast {
	p := &hookPast{done: make(chan struct{}), receipts: &hookReceipts{}}
	go func() {
		defer close(p.done)
		p.commits, p.unread, p.err = a.ungated(a.c.Context, p.receipts)
	}()
	return p
}

func (a *hookAsk) ungated(ctx context.Context, r *hookReceipts) (commits []hooks.Commit, unread []string, err error) {
	trunk := a.rules.Trunk
	if trunk.ID == "" {
		return nil, nil, nil
	}
	q := ledger.Query{History: true}
	if a.rules.Remote != "" {
		remote, err := a.repo.Remote(a.rules.Remote, a.rules.Policy.Fleet.Prefix)
		if err != nil {
			return nil, nil, err
		}
		q.Remotes = []*refstore.Remote{remote}
	}
	_, err = ledger.Read(ctx, a.repo, q, r.visit)
	var broken *ledger.UnreadError
	if errors.As(err, &broken) {
		for _, n := range broken.Nodes {
			unread = append(unread, n.Error())
			r.drop(n.Node)
		}
		err = nil
	}
	if err != nil || len(r.all) == 0 {
		return nil, unread, err
	}
	s, err := pushed.ReadSpan(ctx, a.repo, trunk.ID, nil, recentTrunk)
	if err != nil {
		return nil, nil, err
	}
	if err := r.cover(ctx, s); err != nil {
		return nil, nil, err
	}
	s.Began(r.all)
	for c, err := range ancestry.Read(ctx, a.repo.Git, s.Left()) {
		if err != nil {
			return nil, nil, err
		}
		commits = append(commits, hooks.Commit{ID: string(c.ID), Subject: c.Subject()})
	}
	return commits, unread, nil
}
