package gates

import (
	"context"
	"fmt"
	"iter"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/audit"
)

// Known is what others read of the commits that are audited. The zero Known is
// nothing.
type Known struct {
	Commits iter.Seq2[hooks.Commit, error] // with what each changes
	// Read is closed once what the commits add was read, whole or not; nil where
	// nobody reads it. Then Solid tells which files are known to change in more than
	// white space.
	Read  <-chan struct{}
	Solid func(commit, path string) bool
}

// An aheadAudit is one that goes on while other gates judge.
type aheadAudit struct {
	ids   []string
	known Known
	done  chan struct{}
	found map[string]audit.Finding // without the paths
	err   error
}

// AuditAhead begins to audit the commits that Audit will be asked about. Lines are
// counted, at the price of a whole diff, only of commits whose outcome hangs on it:
// not on what is known, and not on what the lines that others read tell. Of the rest
// the finding has the outcome. It ends with the context.
func (s *Site) AuditAhead(ctx context.Context, ids []string, known Known) {
	a := &aheadAudit{ids: ids, known: known, done: make(chan struct{}), found: map[string]audit.Finding{}}
	s.ahead = a
	go func() {
		defer close(a.done)
		defer func() {
			if crash := recover(); crash != nil {
				a.err = fmt.Errorf("the audit crashed: %v", crash)
			}
		}()
		a.err = a.run(ctx, s)
	}()
}

func (a *aheadAudit) run(ctx context.Context, s *Site) error {
	waiting, err := a.presume()
	if err != nil {
		return err
	}
	if err := a.count(ctx, s, waiting); err != nil || len(waiting) == 0 {
		return err
	}
	select {
	case <-a.known.Read:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for id, c := range waiting {
		if audit.Settled(c, func(f audit.File) bool { return a.known.Solid(id, f.Path) }) {
			a.settle(c)
		}
	}
	return a.count(ctx, s, nil)
}

// presume settles what is settled by what is known. It returns the commits that
// what is read may settle.
func (a *aheadAudit) presume() (waiting map[string]audit.Change, err error) {
	if a.known.Commits == nil {
		return nil, nil
	}
	nothing, all := func(audit.File) bool { return false }, func(audit.File) bool { return true }
	waiting = map[string]audit.Change{}
	for commit, err := range a.known.Commits {
		if err != nil {
			return nil, err
		}
		c := changeOf(commit)
		switch {
		case commit.Merge(): // what it changes is another list here
			if c.Files = nil; audit.Silent(c.Subject) {
				a.settle(c)
			}
		case audit.Settled(c, nothing):
			a.settle(c)
		case a.known.Read != nil && audit.Settled(c, all):
			waiting[c.ID] = c
		}
	}
	return waiting, nil
}

func (a *aheadAudit) settle(c audit.Change) { a.found[c.ID] = withoutPaths(audit.Audit(c)) }

// changeOf is a commit as far as the audit is concerned, without any counts.
func changeOf(commit hooks.Commit) audit.Change {
	const gitlink = "160000"
	c := audit.Change{ID: commit.ID, Subject: commit.Subject, Files: make([]audit.File, len(commit.Changes))}
	for i, ch := range commit.Changes {
		c.Files[i] = audit.File{Path: ch.Path, Link: ch.Mode == gitlink || ch.Was == gitlink, ModeOnly: ch.Same}
	}
	return c
}

// count audits by their counts the commits that are neither settled nor waiting.
func (a *aheadAudit) count(ctx context.Context, s *Site, waiting map[string]audit.Change) error {
	var ids []string
	for _, id := range a.ids {
		_, settled := a.found[id]
		if _, waits := waiting[id]; !settled && !waits {
			ids = append(ids, id)
		}
	}
	for f, err := range s.audit(ctx, ids) {
		if err != nil {
			return err
		}
		a.found[f.Sha] = withoutPaths(f)
	}
	return nil
}

func withoutPaths(f audit.Finding) audit.Finding {
	f.SourceFiles, f.TestFiles, f.CIFiles, f.DataFiles, f.DocFiles, f.OtherFiles = nil, nil, nil, nil, nil, nil
	return f
}

// findings yields what the audit found once it is done, up to what it did not get
// to.
func (a *aheadAudit) findings(ctx context.Context) iter.Seq2[audit.Finding, error] {
	return func(yield func(audit.Finding, error) bool) {
		select {
		case <-a.done:
		case <-ctx.Done():
			yield(audit.Finding{}, context.Cause(ctx))
			return
		}
		for _, id := range a.ids {
			f, ok := a.found[id]
			if !ok {
				break
			}
			if !yield(f, nil) {
				return
			}
		}
		if a.err != nil {
			yield(audit.Finding{}, a.err)
		}
	}
}
