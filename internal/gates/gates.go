// Package gates reads what some gates must know beside what is pushed: who holds
// which lanes and what the push touches of them, how commits audit, what has just
// come to the trunk, the files of a commit, and whether it builds.
//
// A [Site] is one repository, asked by one hook. It decides nothing. What cannot
// be read is an error, from which a gate makes a refusal; it never reads as
// nothing held, nothing touched or built before. But for the cache of builds that
// passed it writes nothing, and it builds in a checkout of its own.
package gates

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// A Site is a repository whose hook asks. It is not safe for concurrent use.
type Site struct {
	Repo  *refstore.Repo
	Gates policy.Gates     // as the trunk has them
	Trunk facts.Trunk      // where that was read
	Nonce string           // the identity that the environment gives, "" for none
	Now   func() time.Time // for leases past their deadlines
	// Desk opens the authority of the lanes. It is asked for once, by the first gate
	// that needs it, and where it fails only the gates that need it cannot judge.
	Desk func(ctx context.Context) (*admit.Desk, error)

	open   sync.Once
	desk   *admit.Desk
	failed error
	held   *heldLanes
	ahead  *aheadAudit
}

// All are the gates that a site has the evidence of, in the order of their
// tokens.
func (s *Site) All() []hooks.Gate {
	return []hooks.Gate{
		hooks.LeaseFenceGate(s), hooks.ScopeEscapeGate(s), hooks.ClaimUnwitnessedGate(s),
		hooks.WouldNotCompileGate(s), hooks.FreshDeletionGate(s), hooks.BrokenLinkGate(s),
	}
}

var (
	_ hooks.Fence     = (*Site)(nil)
	_ hooks.Leash     = (*Site)(nil)
	_ hooks.Auditor   = (*Site)(nil)
	_ hooks.Builder   = (*Site)(nil)
	_ hooks.Newcomers = (*Site)(nil)
	_ hooks.Library   = (*Site)(nil)
)

// at opens the desk.
func (s *Site) at(ctx context.Context) (*admit.Desk, error) {
	s.open.Do(func() { s.desk, s.failed = s.Desk(ctx) })
	return s.desk, hinted(s.failed)
}

// hinted adds to an error what to do about it, where it says.
func hinted(err error) error {
	var store *admit.StoreError
	var trunk *facts.TrunkError
	switch {
	case errors.As(err, &store) && store.Hint != "":
		return &hintError{err, store.Hint}
	case errors.As(err, &trunk) && trunk.Hint != "":
		return &hintError{err, trunk.Hint}
	}
	return err
}

type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() + "; " + e.hint }
func (e *hintError) Unwrap() error { return e.err }
