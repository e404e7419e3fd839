package facts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// ScopeRules is the policy that a lane's tree is read from to judge work by:
// the one committed on the trunk, so that no work can widen the lane it is
// judged against. The work tree's counts only where the trunk has none.
func ScopeRules(ctx context.Context, repo *refstore.Repo) (Rules, error) {
	r, err := LoadRules(ctx, repo)
	if err != nil || r.Remote != "" || r.Trunk.ID == "" {
		return r, err
	}
	p, source, err := policyIn(ctx, repo, r.Trunk.ID)
	if err == nil && source != "" {
		r.Policy, r.Source = p, source
	}
	return r, err
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
// that differs from any of those commits counts.
func ScopeChanged(ctx context.Context, repo *refstore.Repo, s Span) ([]string, error) {
	run := here(repo.Git)
	out, err := run.Output(ctx, "merge-base", "--all", string(s.Base), string(s.Head))
	var g *git.Error
	if errors.As(err, &g) && g.Code == 1 {
		return nil, fmt.Errorf("%.12s and %.12s %w", s.Base, s.Head, ErrNoCommonBase)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ancestry.ErrMissing, err)
	}
	var paths []string
	for base := range strings.Lines(string(out)) {
		more, err := diffTrees(ctx, run, strings.TrimSuffix(base, "\n"), string(s.Head))
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

func diffTrees(ctx context.Context, run git.Runner, old, tip string) ([]string, error) {
	out, err := run.Output(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-relative", "--ignore-submodules=none",
		"--name-only", "--end-of-options", old, tip)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ancestry.ErrMissing, err)
	}
	var paths []string
	for p := range bytes.SplitSeq(out, []byte{0}) {
		if len(p) > 0 {
			paths = append(paths, string(p))
		}
	}
	return paths, nil
}

// here is a runner that answers from this repository and fetches nothing.
func here(run git.Runner) git.Runner {
	run.Env = append(slices.Clone(run.Env), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	return run
}
