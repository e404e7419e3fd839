package main

import (
	"context"
	"os"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/gates"
)

// hookSite makes the evidence of the gates that ask for more than the push: of
// leases, of builds, of the trunk and of files. All of them ask one site.
func (a *hookAsk) hookSite() *gates.Site {
	if a.site == nil {
		clock := func() time.Time { return now(a.c) }
		a.site = &gates.Site{
			Repo: a.repo, Gates: a.rules.Policy.Gates, Trunk: a.rules.Trunk, Nonce: os.Getenv("GIT_DOS_NONCE"), Now: clock,
			Desk: func(ctx context.Context) (*admit.Desk, error) {
				d, err := admit.Open(ctx, a.repo, clock)
				if err == nil {
					d.Clock = instant(d.Clock)
				}
				return d, err
			},
		}
	}
	return a.site
}

// hookClaims makes the gate of claims, and has the audit begin. Where the lines that
// are added are scanned for leaks, which was begun before, it learns from that.
func (a *hookAsk) hookClaims() (hooks.Gate, error) {
	s := a.hookSite()
	if a.brought != nil {
		var ids []string
		for _, id := range a.brought.IDs() {
			ids = append(ids, string(id))
		}
		known := gates.Known{Commits: a.brought.Commits(a.c.Context), Solid: a.brought.Solid}
		if a.leakGates != nil {
			known.Read = a.scanned
		}
		s.AuditAhead(a.c.Context, ids, known)
	}
	return hooks.ClaimUnwitnessedGate(s), nil
}
