package admit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/refstore"
)

// OpenHub is Open for a caller that only looks, and may do so in the fleet's hub
// itself. A hub has no remote to name: what the fleet decides by are its own refs. It
// is taken for one only when they say that they are that fleet's, so that a copy which
// was made without them is no fleet in which nobody holds anything.
//
// A desk in the hub must not be written through: its node is none of the fleet's.
func OpenHub(ctx context.Context, repo *refstore.Repo, now func() time.Time) (*Desk, error) {
	return openHub(ctx, repo, now, Open)
}

// OpenHubToLook is OpenHub for a caller that asks for Leases and nothing else.
func OpenHubToLook(ctx context.Context, repo *refstore.Repo, now func() time.Time) (*Desk, error) {
	return openHub(ctx, repo, now, OpenToLook)
}

func openHub(ctx context.Context, repo *refstore.Repo, now func() time.Time, open func(context.Context, *refstore.Repo, func() time.Time) (*Desk, error)) (*Desk, error) {
	d, err := open(ctx, repo, now)
	if !errors.Is(err, facts.ErrNoFleetRemote) {
		return d, err
	}
	rules, ok, hubErr := facts.LoadHubRules(ctx, repo)
	switch {
	case hubErr != nil:
		return nil, hubErr
	case !ok:
		return nil, err
	}
	d = &Desk{Repo: repo, Now: now, Clock: hostClock, Rules: rules, auth: repo.Local()}
	s, hubErr := d.auth.Read(ctx, refQuery([]string{"meta"}))
	if hubErr != nil {
		return nil, d.storeError(hubErr)
	}
	m, hubErr := readMeta(s)
	switch {
	case hubErr != nil:
		return nil, d.storeError(hubErr)
	case m == nil, m.Fleet != rules.Policy.Fleet.ID:
		return nil, fmt.Errorf("%w; nor is this the hub: %s does not name the fleet of %s", facts.ErrNoFleetRemote, metaRef, rules.Source)
	}
	return d, nil
}

// InHub reports whether this desk looks at a fleet from its hub.
func (d *Desk) InHub() bool { return d.remote == nil && d.Rules.Policy.Fleet.ID != "" }
