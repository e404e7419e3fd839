package facts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// ScopeRules is the policy that a lane's tree is read from to judge work by,
// given the rules of LoadRules: the one committed on the trunk that ships are
// looked for on, so that no work can widen the lane it is judged against. The
// work tree's counts only where the trunk has none.
func ScopeRules(ctx context.Context, repo *refstore.Repo, loaded Rules) (Rules, error) {
	if loaded.Remote != "" {
		return loaded, nil
	}
	at, err := walkedRef(ctx, repo, "")
	if err != nil || at.id == "" {
		return loaded, err
	}
	p, source, err := policyIn(ctx, repo, at.id)
	if err == nil && source != "" {
		loaded.Policy, loaded.Source = p, source
	}
	return loaded, err
}

// A Span is a range of history whose changes are one piece of work.
type Span struct{ Base, Head refstore.OID }

// ErrNoCommonBase means that two commits share no history here, so that it
// cannot be said what one changed since the other.
var ErrNoCommonBase = errors.New("have no common ancestor here")

// ScopeSpan resolves two revisions.
func ScopeSpan(ctx context.Context, repo *refstore.Repo, base, head string) (s Span, err error) {
	if s.Base, err = ancestry.Resolve(ctx, repo.Git, base); err != nil {
		return s, err
	}
	s.Head, err = ancestry.Resolve(ctx, repo.Git, head)
	return s, err
}

// ScopeChanged lists the raw paths that the head of a span changed since it
// parted from the base, both sides of a rename included. What only the base's
// side changed is not the head's work. Where they parted more than once, a path
// that differs from any of those commits counts. links are the symbolic links
// that the head has among them.
func ScopeChanged(ctx context.Context, repo *refstore.Repo, s Span) (paths []string, links []scope.Link, err error) {
	run := repo.Git.Offline()
	all, err := changedSince(ctx, run, s)
	if err != nil {
		return nil, nil, err
	}
	return withLinks(ctx, run, all)
}

// ScopeDiffers is ScopeChanged of two commits as they are, whatever lies between
// them: every path that one has and the other has not so. The base may be a tree.
func ScopeDiffers(ctx context.Context, repo *refstore.Repo, s Span) (paths []string, links []scope.Link, err error) {
	run := repo.Git.Offline()
	all, err := diffTrees(ctx, run, string(s.Base), string(s.Head))
	if err != nil {
		return nil, nil, err
	}
	return withLinks(ctx, run, all)
}

// withLinks reads the symbolic links among changes in the order of paths.
func withLinks(ctx context.Context, run git.Runner, all []scopeChange) (paths []string, links []scope.Link, err error) {
	for _, c := range all {
		if n := len(paths); n > 0 && paths[n-1] == c.path {
			continue // it differs from several bases
		}
		paths = append(paths, c.path)
		if c.mode != "120000" {
			continue
		}
		text, err := run.Output(ctx, "cat-file", "blob", c.id)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ancestry.ErrMissing, err)
		}
		links = append(links, scope.Link{Path: c.path, Leads: []string{scope.LinkTarget(c.path, string(text))}})
	}
	return paths, links, nil
}

// A scopeChange is a path with what the head has there.
type scopeChange struct{ path, mode, id string }

// changedSince is in the order of paths.
func changedSince(ctx context.Context, run git.Runner, s Span) ([]scopeChange, error) {
	out, err := run.Output(ctx, "merge-base", "--all", string(s.Base), string(s.Head))
	if git.Code(err) == 1 {
		return nil, fmt.Errorf("%.12s and %.12s %w", s.Base, s.Head, ErrNoCommonBase)
	}
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "the common base", err)
	}
	var all []scopeChange
	for base := range strings.Lines(string(out)) {
		more, err := diffTrees(ctx, run, strings.TrimSuffix(base, "\n"), string(s.Head))
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	slices.SortFunc(all, func(a, b scopeChange) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

func diffTrees(ctx context.Context, run git.Runner, old, tip string) ([]scopeChange, error) {
	out, err := run.Output(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-relative", "--ignore-submodules=none",
		"--raw", "--no-abbrev", "--end-of-options", old, tip)
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "the changes", err)
	}
	var all []scopeChange
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		about := strings.Fields(fields[i])
		if len(about) != 5 || fields[i+1] == "" {
			return nil, fmt.Errorf("git diff-tree printed %q", fields[i])
		}
		all = append(all, scopeChange{path: fields[i+1], mode: about[1], id: about[3]})
	}
	return all, nil
}
