package gates

import (
	"context"
	"fmt"
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

// An aheadAudit is one that goes on while other gates judge.
type aheadAudit struct {
	ids   []string
	done  chan struct{}
	found []audit.Finding // without the paths
	err   error
}

// AuditAhead begins to audit the commits that Audit will be asked about. To
// compare the content of many commits takes as long as to read it for secrets, and
// neither waits for the other then. It ends with the context.
func (s *Site) AuditAhead(ctx context.Context, ids []string) {
	a := &aheadAudit{ids: ids, done: make(chan struct{})}
	s.ahead = a
	go func() {
		defer close(a.done)
		defer func() {
			if crash := recover(); crash != nil {
				a.err = fmt.Errorf("the audit crashed: %v", crash)
			}
		}()
		for f, err := range s.audit(ctx, ids) {
			if err != nil {
				a.err = err
				return
			}
			f.SourceFiles, f.TestFiles, f.CIFiles, f.DataFiles, f.DocFiles, f.OtherFiles = nil, nil, nil, nil, nil, nil
			a.found = append(a.found, f)
		}
	}()
}

// findings yields what the audit found once it is done.
func (a *aheadAudit) findings(ctx context.Context) iter.Seq2[audit.Finding, error] {
	return func(yield func(audit.Finding, error) bool) {
		select {
		case <-a.done:
		case <-ctx.Done():
			yield(audit.Finding{}, context.Cause(ctx))
			return
		}
		for _, f := range a.found {
			if !yield(f, nil) {
				return
			}
		}
		if a.err != nil {
			yield(audit.Finding{}, a.err)
		}
	}
}
