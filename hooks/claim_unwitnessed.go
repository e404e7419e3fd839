package hooks

import (
	"context"
	"fmt"
	"iter"

	"github.com/git-dos/git-dos/kernel/audit"
)

// An Auditor compares what commits claim with what their diffs can carry.
type Auditor interface {
	// Audit yields a finding for each commit, in their order. An error is the last
	// thing yielded.
	Audit(ctx context.Context, ids []string) iter.Seq2[audit.Finding, error]
}

// ClaimUnwitnessedGate finds the new commits whose subjects claim what their
// diffs cannot carry, on whatever ref they are pushed.
func ClaimUnwitnessedGate(a Auditor) Gate {
	return Gate{ClaimUnwitnessed, func(ctx context.Context, _ Push, h History) (found []Finding, err error) {
		var ids []string
		for c, err := range h.Commits(ctx) {
			if err != nil {
				return nil, err
			}
			if c.ID != "" {
				ids = append(ids, c.ID)
			}
		}
		judged := 0
		for f, err := range a.Audit(ctx, ids) {
			if err != nil {
				return nil, err
			}
			judged++
			if f.Outcome == audit.Unwitnessed {
				found = append(found, Finding{Commit: f.Sha, Reason: fmt.Sprintf("%q: %s", f.Subject, f.Reason),
					Fix: "say what the commit does, or commit what it says: git commit --amend, or git rebase for an older one"})
			}
		}
		if judged != len(ids) {
			return nil, fmt.Errorf("%d of %d commits were compared with their claims", judged, len(ids))
		}
		return found, nil
	}}
}
