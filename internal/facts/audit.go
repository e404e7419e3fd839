package facts

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// An AuditRequest names the commits whose claims are to be compared with their
// diffs.
type AuditRequest struct {
	Rev    string // a revision, or A..B for a range; "" is HEAD
	DocsOK bool   // a diff of documents may carry a code claim
}

// An AuditRangeError is a revision or a range that cannot be asked about.
type AuditRangeError struct {
	what string
	Hint string // what to write instead, "" when that is not known
}

func (e *AuditRangeError) Error() string { return e.what }

// Audit yields a finding for each commit, newest first: for the one that a
// revision names, tags peeled, or for all that B reaches and A does not. It
// yields as it reads, so that a long range takes no more memory than a short
// one, and never stops short of the whole without an error, which is the last
// thing it yields: ancestry.ErrMissing where an object, a parent or a part of
// the range is not here.
func Audit(ctx context.Context, repo *refstore.Repo, req AuditRequest) iter.Seq2[audit.Finding, error] {
	commits, err := auditCommits(ctx, repo, req.Rev)
	if err != nil {
		return func(yield func(audit.Finding, error) bool) { yield(audit.Finding{}, err) }
	}
	return AuditCommits(ctx, repo, req.DocsOK, commits)
}

// AuditCommits yields a finding for each of the commits, in their order. An
// error ends it; one of commits is passed on once those before it were judged.
func AuditCommits(ctx context.Context, repo *refstore.Repo, docsOK bool, commits iter.Seq2[ancestry.Commit, error]) iter.Seq2[audit.Finding, error] {
	return func(yield func(audit.Finding, error) bool) {
		for stat, err := range ancestry.Numstat(ctx, repo.Git, commits) {
			if err != nil {
				yield(audit.Finding{}, err)
				return
			}
			if !yield(audit.Audit(auditChange(stat, docsOK)), nil) {
				return
			}
		}
	}
}

// auditChange turns what git counted into what the audit reads.
func auditChange(stat ancestry.CommitStat, docsOK bool) audit.Change {
	const gitlink = "160000"
	c := audit.Change{ID: string(stat.ID), Subject: stat.Title, DocsOK: docsOK, Files: make([]audit.File, len(stat.Files))}
	for i, f := range stat.Files {
		c.Files[i] = audit.File{
			Path: f.Path, Added: f.Added, Deleted: f.Deleted, Binary: f.Binary,
			Link:           f.OldMode == gitlink || f.NewMode == gitlink,
			ModeOnly:       f.Same,
			WhitespaceOnly: !f.Same && !f.Binary && f.Added == 0 && f.Deleted == 0,
		}
	}
	return c
}

// auditCommits are the commits that a revision or a range names.
func auditCommits(ctx context.Context, repo *refstore.Repo, rev string) (iter.Seq2[ancestry.Commit, error], error) {
	from, to, ranged := strings.Cut(rev, "..")
	if strings.HasPrefix(to, ".") {
		to = strings.TrimLeft(to, ".")
		return nil, &AuditRangeError{fmt.Sprintf("%s is a symmetric difference, and a range is A..B", rev),
			fmt.Sprintf("%s..%s are the commits that %s reaches and %s does not", orHead(from), orHead(to), orHead(to), orHead(from))}
	}
	if strings.Contains(to, "..") {
		return nil, &AuditRangeError{fmt.Sprintf("%s has more than two ends", rev), "a range is A..B"}
	}
	if ranged && from == "" {
		return nil, &AuditRangeError{fmt.Sprintf("%q has no beginning, so it would have no commits", rev), "name the commit that the range begins after: A..B"}
	}
	first, err := auditCommit(ctx, repo, from)
	if err != nil {
		return nil, err
	}
	if !ranged {
		return ancestry.Read(ctx, repo.Git, []refstore.OID{first}), nil
	}
	tip, err := auditCommit(ctx, repo, to)
	if err != nil {
		return nil, err
	}
	return auditRange(ctx, repo, first, tip)
}

// orHead is an end of a range, HEAD where it is left out.
func orHead(rev string) string { return firstOf(rev, "HEAD") }

// auditCommit resolves one end. The revision is one commit: what git would take
// for an option, an exclusion or a set of commits is refused.
func auditCommit(ctx context.Context, repo *refstore.Repo, rev string) (refstore.OID, error) {
	rev = orHead(rev)
	if rev[0] == '-' || rev[0] == '^' {
		return "", &AuditRangeError{fmt.Sprintf("%q is not a revision", rev), "name a commit, or a range A..B"}
	}
	id, err := ancestry.Resolve(ctx, repo.Git, rev)
	if errors.Is(err, ancestry.ErrNoRevision) || errors.Is(err, ancestry.ErrUnborn) {
		return "", &AuditRangeError{what: err.Error()}
	}
	return id, err
}

// auditRange walks a range and refuses to call it whole where a shallow history
// ends inside it: what was cut off there belongs to the range.
func auditRange(ctx context.Context, repo *refstore.Repo, old, tip refstore.OID) (iter.Seq2[ancestry.Commit, error], error) {
	walk := ancestry.Range(repo.Git, old, tip).Commits(ctx)
	if !repo.Shallow {
		return walk, nil
	}
	cut, err := ancestry.ShallowEdge(ctx, repo.Git)
	if err != nil {
		return nil, err
	}
	return func(yield func(ancestry.Commit, error) bool) {
		for c, err := range walk {
			if err == nil && cut[c.ID] {
				err = fmt.Errorf("%w: history is cut at %s, inside the range", ancestry.ErrMissing, c.ID)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}, nil
}
