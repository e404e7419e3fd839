package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// A shipAnswer is the verdict and, in a fleet, as of when it is known to hold.
type shipAnswer struct {
	ship.Verdict
	AsOf *time.Time `json:"as_of,omitempty"`
	Next string     `json:"next,omitempty"`

	// Candidates are the commits that were weighed, with --explain.
	Candidates []ship.Weighing `json:"candidates,omitempty"`

	from string // the fleet's remote, "" without one
}

func (a shipAnswer) String() string {
	var b strings.Builder
	b.WriteString(a.Verdict.String())
	if a.from != "" {
		when := "a time not on record"
		if a.AsOf != nil {
			when = a.AsOf.Format(time.RFC3339)
		}
		fmt.Fprintf(&b, "\nas of %s on %s", when, a.from)
	}
	if a.Next != "" {
		fmt.Fprintf(&b, "\n  next: %s", a.Next)
	}
	for _, w := range a.Candidates {
		fmt.Fprintf(&b, "\n%s\n    %s", w, w.Summary)
	}
	return b.String()
}

// A shipQuestion is one run of verify.
type shipQuestion struct {
	repo   *refstore.Repo
	req    facts.ShipRequest
	cached bool

	lent    *admit.Desk // where one is open already
	desk    *admit.Desk // nil until the ledger was asked for
	trunk   bool        // the answer depends on where the trunk is
	weighed []ship.Weighing
	missing bool // objects are
}

// fresh reports whether what is known here is younger than the fleet's
// interval. A time that has not come yet is no proof of that.
func (q *shipQuestion) fresh() bool {
	age := time.Since(q.desk.AsOf(q.trunk))
	return age >= 0 && age < q.desk.Rules.Policy.Fleet.Interval
}

// ask answers from what is here when nothing else is wanted, or when that is
// SHIPPED and was seen within the fleet's interval. Any other answer of a
// fleet's is given after one fresh look at the remote, so that it is neither a
// stale no nor a yes that was reverted since; without that look nothing can be
// said.
func (q *shipQuestion) ask(ctx context.Context) (shipAnswer, error) {
	v, err := q.decide(ctx)
	var store *admit.StoreError
	switch {
	case err != nil && !errors.As(err, &store):
		return shipAnswer{}, err
	case q.cached || q.desk == nil || q.desk.Remote() == "":
		return q.dated(v), err
	}
	q.trunk = q.req.Ref == "" || v.Ref == q.desk.Rules.Trunk.Ref
	if err == nil && v.Outcome == ship.Shipped && q.fresh() {
		return q.dated(v), nil
	}
	rerr := q.desk.Refresh(ctx, q.trunk)
	if admit.Unreachable(rerr) {
		return q.unseen(v, rerr), nil
	}
	if rerr != nil {
		return shipAnswer{}, rerr
	}
	v, err = q.decide(ctx)
	return q.dated(v), err
}

func (q *shipQuestion) decide(ctx context.Context) (ship.Verdict, error) {
	req := q.req
	req.Ledger = q.ledger
	evidence, err := facts.Ship(ctx, q.repo, req)
	if err != nil {
		return ship.Verdict{}, err
	}
	q.missing = evidence.History == ship.Missing
	if req.Explain {
		q.weighed = ship.Explain(evidence)
	}
	return ship.Decide(evidence), nil
}

// ledger reads the SHIP entries of the workspace's lane chains.
func (q *shipQuestion) ledger(ctx context.Context) ([]ship.LedgerEntry, error) {
	if q.desk == nil {
		q.desk = q.lent
	}
	if q.desk == nil {
		var err error
		if q.desk, err = admit.Open(ctx, q.repo, time.Now); err != nil {
			return nil, err
		}
	}
	return q.desk.Ships(ctx)
}

func (q *shipQuestion) dated(v ship.Verdict) shipAnswer {
	a := shipAnswer{Verdict: v, Candidates: q.weighed}
	if q.missing {
		a.Next = "git fsck --connectivity-only names what is missing; in a partial clone git fetch --refetch brings it"
	}
	if q.desk == nil {
		return a
	}
	a.from = q.desk.Remote()
	if at := q.desk.AsOf(q.trunk || q.req.Ref == ""); !at.IsZero() {
		a.AsOf = &at
	}
	return a
}

// unseen is the answer where the remote did not answer: what was found here
// stays in it, and decides nothing.
func (q *shipQuestion) unseen(v ship.Verdict, why error) shipAnswer {
	if v.Outcome == "" {
		v = ship.Verdict{Plan: q.req.Plan, Phase: q.req.Phase, Source: ship.SourceNowhere, Ref: firstOf(q.req.Ref, q.desk.Rules.Trunk.Ref)}
	}
	remote := q.desk.Remote()
	known := "not shipped as far as is known here"
	if v.Shipped {
		known = "shipped when the trunk was last seen"
		if !q.trunk {
			known = "shipped when the lanes were last seen"
		}
	}
	v.Outcome, v.Shipped, v.Source = ship.Indeterminate, false, ship.SourceNowhere
	v.Reason = fmt.Sprintf("%s, and %s could not be asked: %s", known, remote, strings.TrimPrefix(why.Error(), remote+": "))
	a := q.dated(v)
	a.Next = "see that git fetch " + remote + " works and ask again; --cached answers from what is here"
	return a
}
