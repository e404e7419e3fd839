package admit

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// Heartbeat renews a lease of the caller's.
func (d *Desk) Heartbeat(ctx context.Context, name string, id lease.Identity) (lease.Verdict, error) {
	return d.keep(ctx, lease.KeepEvidence{Lane: name, Identity: id}, keepVerb{decide: lease.Heartbeat, order: true, renews: true})
}

// HeartbeatRung is Heartbeat of a reserved lane, which has the rung from now on.
func (d *Desk) HeartbeatRung(ctx context.Context, name string, id lease.Identity, rung string) (lease.Verdict, error) {
	if err := lease.CheckWord("rung", rung); err != nil {
		return lease.Verdict{}, err
	}
	return d.keep(ctx, lease.KeepEvidence{Lane: name, Identity: id, Rung: rung}, keepVerb{decide: lease.Heartbeat, order: true, renews: true})
}

// Release ends a lease of the caller's.
func (d *Desk) Release(ctx context.Context, name string, id lease.Identity) (lease.Verdict, error) {
	return d.keep(ctx, lease.KeepEvidence{Lane: name, Identity: id}, keepVerb{decide: lease.Release})
}

// Scavenge takes a lease away: anyone's in an operator's name, without one only
// a lease that has lapsed.
func (d *Desk) Scavenge(ctx context.Context, name, operator string) (lease.Verdict, error) {
	if err := lease.CheckWord("operator", operator); err != nil {
		return lease.Verdict{}, err
	}
	ev := lease.KeepEvidence{Lane: name, Operator: operator}
	if operator == "" {
		return d.keep(ctx, ev, keepVerb{decide: lease.Scavenge, order: true, afresh: true})
	}
	return d.keep(ctx, ev, keepVerb{decide: lease.Scavenge, repairs: true})
}

// ScavengeJudged is Scavenge of a lease that was judged: only that one is taken, as
// it was then, and only if it has lapsed.
func (d *Desk) ScavengeJudged(ctx context.Context, was lease.Record) (lease.Verdict, error) {
	return d.keep(ctx, lease.KeepEvidence{Lane: was.Lane, Judged: &was}, keepVerb{decide: lease.Scavenge, order: true, afresh: true})
}

// ParkJudged is Park of a lease that was judged, as it was then, for its holder.
func (d *Desk) ParkJudged(ctx context.Context, was lease.Record) (lease.Verdict, error) {
	ev := lease.KeepEvidence{Lane: was.Lane, Identity: lease.Identity{Nonce: was.Nonce}, Judged: &was}
	return d.keep(ctx, ev, keepVerb{decide: lease.Park, order: true, renews: true})
}

// Park keeps a lane for its holder without its lease running. The holder asks, or
// an operator.
func (d *Desk) Park(ctx context.Context, name, operator string, id lease.Identity) (lease.Verdict, error) {
	return d.keep(ctx, lease.KeepEvidence{Lane: name, Operator: operator, Identity: id}, keepVerb{decide: lease.Park, order: true, renews: true})
}

// Unpark lets the lease of a parked lane run again.
func (d *Desk) Unpark(ctx context.Context, name, operator string, id lease.Identity) (lease.Verdict, error) {
	return d.keep(ctx, lease.KeepEvidence{Lane: name, Operator: operator, Identity: id}, keepVerb{decide: lease.Unpark, order: true})
}

// A keepVerb is a decision about one existing lease. One that ends a lease does
// not need the order, so that an unreadable order keeps nobody from it, but
// without it no lane is said to be free.
type keepVerb struct {
	decide  func(lease.KeepEvidence) (lease.Verdict, []lease.Write)
	order   bool
	repairs bool // it may decide on a lane whose state was lost
	renews  bool // it lets the lease run on
	afresh  bool // it says something of how long the lease has stood, and of the mirror that means nothing
}

// keep carries out a decision about one existing lease: where this node granted it,
// else on the authority.
func (d *Desk) keep(ctx context.Context, ev lease.KeepEvidence, verb keepVerb) (lease.Verdict, error) {
	word, err := d.LaneWord(ev.Lane)
	if err != nil {
		return lease.Verdict{}, err
	}
	ev.Lane = word
	if d.remote != nil {
		has, ok, err := d.grantedHere(ctx, &ev)
		if err != nil {
			return lease.Verdict{}, d.storeError(err)
		}
		if ok {
			return d.keepHere(ctx, has, ev, verb)
		}
	}
	return d.keepThere(ctx, ev, verb)
}

// keepThere carries out a decision on the authority of this desk. Against a remote
// it first decides on the mirror: when that is what the remote holds, the push
// alone does it. Anything but a write is only said after a fresh read.
func (d *Desk) keepThere(ctx context.Context, ev lease.KeepEvidence, verb keepVerb) (lease.Verdict, error) {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	if d.remote != nil && !verb.afresh {
		v, err := d.keepOn(ctx, &mirrorFirst{Remote: d.remote}, ev, verb)
		if !errors.Is(err, errNotFresh) {
			return v, err
		}
	}
	var v lease.Verdict
	err := unlessLost(ctx, func() (err error) {
		v, err = d.keepOn(ctx, d.auth, ev, verb)
		return err
	})
	var unknown *UnknownLaneError
	if d.remote == nil || !errors.As(err, &unknown) {
		return v, err
	}
	if err := d.refetchRules(ctx); err != nil || !d.declared(unknown.Lane) {
		return lease.Verdict{}, errors.Join(err, unknown)
	}
	return d.keepOn(ctx, d.auth, ev, verb)
}

// LaneWord folds a word that names a lane. Whether it is an alias or the name of a
// lane that is held is told when the lanes are read.
func (d *Desk) LaneWord(word string) (string, error) {
	if lane.IsSlot(word) {
		return word, nil
	}
	return lane.Canonical(word)
}

// canonical resolves an alias and folds the name. A slot is named as it is: an
// operator may have to free one that does not say whose it was. And a lane that
// this worktree took before its name became an alias is still that lane.
func (d *Desk) canonical(name string) (string, error) {
	if lane.IsSlot(name) {
		return name, nil
	}
	folded, err := lane.Canonical(name)
	if err != nil {
		return "", err
	}
	target, err := facts.Taxonomy(d.Rules.Policy).Canonical(folded)
	if err != nil || target == folded {
		return target, err
	}
	if held, err := d.storedAs(folded); err == nil && held != nil {
		return folded, nil
	}
	return target, nil
}

var errNotFresh = errors.New("decided on a mirror")

func (d *Desk) keepOn(ctx context.Context, auth refstore.Authority, asked lease.KeepEvidence, verb keepVerb) (lease.Verdict, error) {
	from := d.Clock()
	asked.Stamp, asked.Lapsing = d.stamp("", ""), d.lapsing()
	var v lease.Verdict
	var tried tries[lease.Verdict]
	u, err := d.Repo.Update(ctx, auth, refQuery(d.kinds()), func(s refstore.Snapshot) ([]refstore.Write, error) {
		ev := asked
		m, cached := auth.(*mirrorFirst)
		cached = cached && !m.fresh
		if err := d.checkFleet(s); err != nil {
			return nil, orStale(cached, err)
		}
		unread, err := d.evidence(ctx, from, s, &ev, verb)
		if err != nil {
			return nil, orStale(cached, err)
		}
		if cached && ev.Torn() {
			return nil, errNotFresh
		}
		if ev.Lost() && !verb.repairs {
			return nil, &lease.TornError{Chains: []string{ev.Lane}}
		}
		var decided []lease.Write
		if v, decided = verb.decide(ev); len(decided) == 0 && cached {
			return nil, errNotFresh
		}
		if unread != nil && v.Outcome == lease.AlreadyFree {
			return nil, unread
		}
		if ev.Current == nil && !ev.Torn() && !d.declared(ev.Lane) {
			// Of a lane that is not declared a slot is left, and slots are used
			// again: such a lane is over and not unknown.
			held, err := d.everHeld(ctx, s, ev.Lane)
			if err == nil && !held {
				err = d.unknownLane(ev.Lane, s)
			}
			if err != nil {
				return nil, err
			}
		}
		tried.note(v, decided)
		return d.writes(decided)
	})
	if lostRace(err) {
		return contended(asked.Lane), nil
	}
	if errors.Is(err, errNotFresh) {
		return v, err
	}
	if err != nil {
		return lease.Verdict{}, d.storeError(d.unheard(err))
	}
	return d.stands(ctx, tried.verdict(u, v))
}

// evidence fills in how the lane stands. unread is why the order could not be
// read, where the verb does without it.
func (d *Desk) evidence(ctx context.Context, from lease.Instant, s refstore.Snapshot, ev *lease.KeepEvidence, verb keepVerb) (unread, err error) {
	t, unread := d.table(ctx, s)
	if verb.afresh {
		d.watch(from, s, &t)
	}
	if unread != nil && (verb.order || ctx.Err() != nil) {
		return nil, unread
	}
	at, err := d.placeOf(t, ev.Lane)
	ev.Lane, ev.Chain, ev.Current, ev.Order = at.lane, at.chain, at.current, t.Order
	ev.Lapse, ev.Gone = t.Lapse(at.chain, ev.Lapsing), gone(at.current)
	if noMount := addRide(t, at, ev); err == nil && verb.order {
		err = noMount
	}
	if ev.For != nil {
		ev.Beside = t.Beside(at.chain, algebra(d.Rules.Policy))
	}
	if d.hub != nil && err == nil {
		var has lease.Delegation
		of := ev.Lane
		if at.current != nil && at.current.Rides != nil {
			of = at.current.Rides.Lane
		}
		has, err = d.delegationIn(s, of)
		ev.Delegation = &has
	}
	return unread, err
}

// unheard words the end of a write after which the remote could not be asked
// whether it had arrived. The verbs of keep may be repeated.
func (d *Desk) unheard(err error) error {
	var o, why *refstore.OutcomeError
	if !errors.As(err, &o) || o.Outcome.Result != refstore.Unknown || !errors.As(o.Outcome.Err, &why) || why.Outcome.Result != refstore.Offline {
		return err
	}
	return &StoreError{
		Err:  fmt.Errorf("%s could not be reached; whether the write arrived is not known: %s", d.Remote(), why.Outcome.Words),
		Hint: "run the same verb again when " + d.Remote() + " is back: a second time changes nothing that the first has done",
	}
}

// orStale makes a failure that a mirror caused ask for a fresh read.
func orStale(cached bool, err error) error {
	if cached {
		return errNotFresh
	}
	return err
}

// mirrorFirst is a remote whose first read is answered by the mirror.
type mirrorFirst struct {
	*refstore.Remote
	asked, fresh bool
}

// Read implements refstore.Authority.
func (m *mirrorFirst) Read(ctx context.Context, q refstore.Query) (refstore.Snapshot, error) {
	if !m.asked {
		m.asked = true
		return m.Cached(ctx, q)
	}
	m.fresh = true
	return m.Remote.Read(ctx, q)
}
