package gates

import (
	"context"
	"iter"
	"slices"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// Audit compares what commits claim with what they change.
func (s *Site) Audit(ctx context.Context, ids []string) iter.Seq2[audit.Finding, error] {
	if s.ahead != nil && slices.Equal(ids, s.ahead.ids) {
		return s.ahead.findings(ctx)
	}
	return s.audit(ctx, ids)
}

func (s *Site) audit(ctx context.Context, ids []string) iter.Seq2[audit.Finding, error] {
	oids := make([]refstore.OID, len(ids))
	for i, id := range ids {
		oids[i] = refstore.OID(id)
	}
	if len(oids) == 0 {
		return func(func(audit.Finding, error) bool) {}
	}
	return facts.AuditCommits(ctx, s.Repo, false, ancestry.Read(ctx, s.Repo.Git.Offline(), oids))
}
