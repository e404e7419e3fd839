package admit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// syncKinds is all that a fleet keeps on its remote.
var syncKinds = []string{"meta", "lane", "order", "node", "journal", "queue"}

// A SyncRequest asks for the mirror to be brought up to date and for what this
// node publishes to be sent.
type SyncRequest struct {
	Republish bool // give back what the remote has lost
	Force     bool // send now, and also what was refused before
	DryRun    bool // send nothing
}

// A SyncOutcome says how a sync ended.
type SyncOutcome string

// The outcomes of a sync.
const (
	Alone     SyncOutcome = "alone"      // there is no fleet to sync with
	InSync    SyncOutcome = "synced"     // the mirror is as the remote, and what was due was sent
	WouldSync SyncOutcome = "would"      // a dry run: nothing was sent
	PartSync  SyncOutcome = "partial"    // the mirror is as the remote, which did not take all that was sent
	LostSync  SyncOutcome = "lost_state" // the remote has lost state: LOST_STATE
)

// A SyncReport is what a sync saw and did.
type SyncReport struct {
	Outcome   SyncOutcome `json:"outcome"`
	Remote    string      `json:"remote,omitempty"`
	Fleet     string      `json:"fleet,omitempty"`
	Refs      int         `json:"refs"` // of the fleet, as the remote has them
	Published []Published `json:"published"`
	Returned  []string    `json:"returned,omitempty"` // lanes that this node gave back
	Lost      []LostRef   `json:"lost,omitempty"`
	Unread    []UnreadRef `json:"unread,omitempty"`
	AsOf      *time.Time  `json:"as_of,omitempty"`
	Next      string      `json:"next,omitempty"`
}

// A LostRef is one that the remote had and has no more, or not as it was.
type LostRef struct {
	Ref    string              `json:"ref"`
	Had    string              `json:"had"`
	Has    string              `json:"has,omitempty"` // what is there now
	State  refstore.GivenState `json:"state"`
	Reason string              `json:"reason,omitempty"`
}

// An UnreadRef is one that is there and cannot be read.
type UnreadRef struct {
	Ref    string `json:"ref"`
	Reason string `json:"reason"`
}

// Sync brings the mirror of the fleet's remote up to date, takes note of how
// long its leases have stood, and sends what this node publishes. What the
// remote has lost is given back only when that is asked for.
func (d *Desk) Sync(ctx context.Context, req SyncRequest) (SyncReport, error) {
	out := SyncReport{Outcome: Alone, Published: []Published{}}
	if d.remote == nil {
		return out, nil
	}
	out.Remote, out.Fleet = d.Remote(), d.Rules.Policy.Fleet.ID
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	q := refstore.Query{Kinds: syncKinds}
	began := d.Clock()
	s, err := d.remote.Read(ctx, q)
	var lost *refstore.LostStateError
	if errors.As(err, &lost) {
		var mended bool
		if mended, err = d.republish(ctx, q, req, &out); err != nil || !mended {
			return out, d.storeError(err)
		}
		began = d.Clock()
		s, err = d.remote.Read(ctx, q)
	}
	if err == nil {
		err = d.checkFleet(s)
	}
	if err != nil {
		return out, d.storeError(err)
	}
	for _, kind := range syncKinds {
		out.Refs += len(s.List(kind))
	}
	for _, tip := range s.Broken() {
		if !refstore.IsProbe(tip.Ref) {
			out.Unread = append(out.Unread, UnreadRef{Ref: tip.Ref, Reason: tip.Err.Error()})
		}
	}
	at := s.AsOf.UTC().Truncate(time.Second)
	out.AsOf = &at
	_, _ = d.watched(ctx, began, s) // what cannot be read now is watched from a later read on
	if !req.DryRun {
		if out.Returned, err = d.ReturnIdle(ctx); err != nil {
			return out, d.storeError(err)
		}
		if err = d.dropWants(ctx); err != nil {
			return out, d.storeError(err)
		}
	}
	return out, d.storeError(d.publish(ctx, s, req, &out))
}

// republish gives the remote back what it has lost, when that is asked for, and
// reports what was lost. mended says that nothing is lost any more.
func (d *Desk) republish(ctx context.Context, q refstore.Query, req SyncRequest, out *SyncReport) (mended bool, err error) {
	var all []refstore.GivenBack
	if !req.Republish || req.DryRun {
		all, err = d.remote.Republish(ctx, q, nil)
	} else {
		if err := d.acceptFormat(ctx, q); err != nil {
			return false, err
		}
		all, err = d.remote.Republish(ctx, q, sameFleet)
	}
	mended = err == nil
	var o *refstore.OutcomeError
	if errors.As(err, &o) && len(all) > 0 && o.Outcome.Result != refstore.Offline {
		err = nil // each ref says why it was not taken
	}
	out.Lost = []LostRef{}
	for _, g := range all {
		mended = mended && g.State == refstore.Gave
		out.Lost = append(out.Lost, LostRef{Ref: g.Ref, Had: string(g.Had), Has: string(g.Has), State: g.State, Reason: g.Words})
	}
	if !mended {
		out.Outcome, out.Next = LostSync, d.lostNext(all, req)
	}
	return mended, err
}

// sameFleet reports whether a remote may be given back what it lost: it must not
// have become another fleet's meanwhile.
func sameFleet(lost []refstore.GivenBack) bool {
	for _, g := range lost {
		if g.Ref == metaRef && g.State == refstore.Diverged {
			return false
		}
	}
	return true
}

// acceptFormat takes a meta/format that was made anew for this very fleet, as
// init makes one on a remote that lost its own, in the place of the old.
func (d *Desk) acceptFormat(ctx context.Context, q refstore.Query) error {
	all, err := d.remote.Republish(ctx, q, nil)
	if err != nil {
		return err
	}
	for _, g := range all {
		if g.Ref != metaRef || g.State != refstore.Diverged {
			continue
		}
		var m Meta
		err := d.Repo.Chain(ctx, metaRef, g.Has, func(t refstore.Tip) bool {
			err = json.Unmarshal(t.Entry.Payload, &m)
			return false
		})
		if err == nil && m.V == LayoutVersion && m.Fleet != "" && m.Fleet == d.Rules.Policy.Fleet.ID {
			return d.remote.Accept(ctx, g)
		}
	}
	return nil
}

// lostNext says what to do about lost state.
func (d *Desk) lostNext(all []refstore.GivenBack, req SyncRequest) string {
	var apart *refstore.GivenBack
	for i, g := range all {
		switch {
		case g.State == refstore.CanGive && sameFleet(all):
			return "work on none of its lanes; git dos sync --republish gives back what can be"
		case g.State == refstore.Refused:
			return "see git dos doctor --remote " + d.Remote()
		case g.State == refstore.Diverged && (apart == nil || g.Ref == metaRef):
			apart = &all[i]
		}
	}
	if apart == nil {
		return ""
	}
	if apart.Ref == metaRef {
		return fmt.Sprintf("it was set up anew: another remote may be this fleet's, or git dos init --remote %s tells whose it is now", d.Remote())
	}
	return fmt.Sprintf("an operator who has looked at both takes the remote's with: git update-ref %s %s %s", d.remote.MirrorRef(apart.Ref), apart.Has, apart.Had)
}
