// Package admit carries lease decisions out: it reads what an authority holds,
// has package lease decide, and writes the result in one transaction.
//
// A [Desk] is one repository's access to the authority of its lanes: the
// repository itself, or the remote of its fleet. What goes wrong is one of
// three things. The request or the configuration is bad (plain errors), the
// store cannot be read or reached (a [StoreError]), or somebody stands in the
// way, which is a verdict and no error.
package admit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// How long an operation may take against other writers before it answers
// "contended".
const (
	localTime  = 10 * time.Second
	remoteTime = 60 * time.Second
	shipTime   = 10 * time.Minute // commits ride along, however many

	// cleanupTime bounds what is done after an operation has failed or was
	// interrupted, so as to leave nothing behind.
	cleanupTime = 20 * time.Second
)

// A Desk admits workers to the lanes of one repository. It is not safe for
// concurrent use.
type Desk struct {
	Repo  *refstore.Repo
	Rules facts.Rules // the policy admissions are decided under
	Node  string      // this node's id, "" until a verb that writes needs one
	Now   func() time.Time
	Clock func() lease.Instant // runs on while the machine is suspended

	// Unwatched is why it could not be noted which leases stand since when, nil
	// when it could: then none of them is ever seen to lapse.
	Unwatched error

	auth   refstore.Authority
	remote *refstore.Remote // nil when the repository is its own authority
	hub    *Desk            // at a node's own desk: that of its fleet
}

// A StoreError means that the authority's state could not be read or reached.
// Nothing follows from it: neither that a lane is free nor that it is held.
type StoreError struct {
	Err  error
	Hint string // what to run next, "" when there is nothing
}

func (e *StoreError) Error() string { return e.Err.Error() }
func (e *StoreError) Unwrap() error { return e.Err }

// Open finds the authority of a repository: the fleet's remote when dos.toml
// names a fleet or git config names dos.remote, else the repository itself.
func Open(ctx context.Context, repo *refstore.Repo, now func() time.Time) (*Desk, error) {
	return openWith(ctx, repo, now, facts.LoadRules)
}

// OpenToLook is Open for a caller that asks for Leases and nothing else.
func OpenToLook(ctx context.Context, repo *refstore.Repo, now func() time.Time) (*Desk, error) {
	return openWith(ctx, repo, now, facts.LoadOwnRules)
}

func openWith(ctx context.Context, repo *refstore.Repo, now func() time.Time, load func(context.Context, *refstore.Repo) (facts.Rules, error)) (*Desk, error) {
	d := &Desk{Repo: repo, Now: now, Clock: hostClock}
	rules, err := load(ctx, repo)
	if err != nil {
		return nil, err
	}
	d.Rules = rules
	if rules.Remote == "" {
		d.auth = repo.Local()
		return d, nil
	}
	if d.remote, err = repo.Remote(rules.Remote, rules.Policy.Fleet.Prefix); err != nil {
		return nil, err
	}
	d.auth = d.remote
	return d, nil
}

// Scope says where the lanes of this desk are decided.
func (d *Desk) Scope() string {
	if d.remote != nil {
		return lease.Fleet
	}
	return lease.Local
}

// Remote is the name of the fleet's remote, "" without one.
func (d *Desk) Remote() string { return d.Rules.Remote }

func (d *Desk) limit() time.Duration {
	if d.remote != nil {
		return remoteTime
	}
	return localTime
}

// errTimeUp is the cause of a context that ended because an operation took too
// long, as opposed to one that a signal ended.
var errTimeUp = errors.New("time ran out")

// othersFirst is the reason of a verdict that time ran out over lost races.
const othersFirst = "other writers kept getting in first"

func (d *Desk) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d.limit(), errTimeUp)
}

// detached is a context for cleaning up after one that has ended.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
}

func (d *Desk) stamp(owner, worker string) lease.Stamp {
	return lease.Stamp{
		Binding: d.delegationBinding(),
		Now:     d.Now(), Nonce: NewNonce(), Policy: d.Rules.Trunk.Commit(),
		Holder: lease.Holder{Node: d.Node, Owner: owner, Worker: worker},
	}
}

// stampOf is the stamp of the lease that a request asks for.
func (d *Desk) stampOf(req Request) lease.Stamp {
	s := d.stamp(req.Owner, req.Worker)
	if req.Nonce != "" {
		s.Nonce = req.Nonce
	}
	return s
}

// NewNonce returns 64 random bits in hex.
func NewNonce() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(b[:])
}

// storeError classifies what refstore returned. Outcomes of lost races are
// left to the caller.
func (d *Desk) storeError(err error) error {
	var lost *refstore.LostStateError
	var o *refstore.OutcomeError
	var g *git.Error
	var path *fs.PathError
	var already *StoreError
	var unread *lease.UnreadError
	switch {
	case err == nil, errors.As(err, &already):
		return err
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &lost):
		return &StoreError{Err: err, Hint: fmt.Sprintf("do not work on the lanes of %s; git dos sync shows what is gone, git dos sync --republish gives back what this clone last saw", lost.Remote)}
	case errors.As(err, &o) && o.Outcome.Result == refstore.Offline:
		return &StoreError{Err: err, Hint: "check the network and git fetch " + d.Rules.Remote + "; what you hold stays yours until its deadline"}
	case errors.As(err, &o) && o.Outcome.Result == refstore.Locked:
		return &StoreError{Err: err, Hint: "see git dos doctor"}
	case errors.As(err, &o):
		return &StoreError{Err: err, Hint: "see git dos doctor; git dos lease show tells what the lane holds"}
	case errors.As(err, &unread), errors.Is(err, refstore.ErrBroken), errors.Is(err, refstore.ErrFormat), errors.Is(err, lease.ErrRecord):
		return &StoreError{Err: err, Hint: "see git dos doctor; a newer git-dos may have written it"}
	case errors.Is(err, errTimeUp):
		return &StoreError{Err: err, Hint: "another git-dos or a slow remote was in the way; try again"}
	case errors.As(err, &g), errors.As(err, &path):
		return &StoreError{Err: err, Hint: "see git dos doctor"}
	}
	return err
}

// algebra is how trees are compared under these rules.
func algebra(p policy.Policy) lane.Algebra { return lane.Algebra(p.Overlap.Policy) }

const orderRef = "refs/dos/order/grants"

// laneKinds is what an admission reads.
var laneKinds = []string{"meta", "lane", "order"}

// LaneKinds names the refs that reading leases takes, for a caller that lists
// them ahead.
func LaneKinds() []string { return slices.Clone(ownKinds) }

// LeaseKinds names the refs that a verb about a lease looks at before it writes, where
// the lanes are a fleet's.
func LeaseKinds() []string { return append(slices.Clone(ownKinds), "node") }
