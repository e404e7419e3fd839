package worktree

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore/git"
)

// An entry is one path of git status.
type entry struct {
	path      string
	x, y      byte // the index against HEAD, the file against the index
	sub       string
	dir       bool // an untracked directory that git does not look into
	untracked bool
	unmerged  bool
}

// staged reports whether the index differs from HEAD.
func (e entry) staged() bool { return !e.untracked && e.x != '.' }

// intended reports whether the index only knows that the file is to be added.
func (e entry) intended() bool { return e.x == '.' && e.y == 'A' }

// commits reports whether a commit of the path would hold a change: what is
// dirty inside a submodule is not its superproject's to commit.
func (e entry) commits() bool {
	inside := strings.HasPrefix(e.sub, "S") && !strings.HasPrefix(e.sub, "SC")
	return e.staged() || e.untracked || !inside
}

// status asks git for everything that is not as in HEAD, ignored files left
// out. words is what git complained of on the way.
func (t *Tree) status(ctx context.Context) (all []entry, words string, err error) {
	return statusOf(ctx, t.reading())
}

func statusOf(ctx context.Context, run git.Runner) (all []entry, words string, err error) {
	out, words, err := run.Run(ctx, git.Call{Args: []string{
		"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none",
	}})
	if err != nil {
		return nil, words, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	records := strings.Split(string(out), "\x00")
	for i := 0; i < len(records); i++ {
		r := records[i]
		if r == "" || r[0] == '#' || r[0] == '!' {
			continue
		}
		e, ok := parseEntry(r)
		if !ok {
			return nil, words, fmt.Errorf("%w: git status printed %q", ErrUnreadable, r)
		}
		all = append(all, e)
		if r[0] == '2' {
			i++ // the other side of a rename, which was not asked for
		}
	}
	return all, strings.TrimSpace(words), nil
}

// parseEntry reads one record. The path comes last and may hold spaces.
func parseEntry(r string) (e entry, ok bool) {
	fields := map[byte]int{'1': 9, '2': 10, 'u': 11, '?': 2}[r[0]]
	part := strings.SplitN(r, " ", max(fields, 1))
	if fields == 0 || len(part) != fields || part[fields-1] == "" {
		return entry{}, false
	}
	e.path = part[fields-1]
	if r[0] == '?' {
		e.untracked = true
		e.path, e.dir = strings.CutSuffix(e.path, "/")
		return e, true
	}
	if len(part[1]) != 2 {
		return entry{}, false
	}
	e.x, e.y, e.sub, e.unmerged = part[1][0], part[1][1], part[2], r[0] == 'u'
	return e, true
}

// Uncommitted lists every path whose content no commit has, submodules that hold
// such paths included. What git cannot see makes the answer ErrUnreadable where
// in says that the path matters, or with dir set something below it.
func (t *Tree) Uncommitted(ctx context.Context, in func(path string, dir bool) bool) ([]scope.Uncommitted, error) {
	var dirty []string // submodules with work in them
	explored := make(chan error, 1)
	go func() (err error) {
		defer func() { explored <- err }()
		dirty, err = module{run: t.reading(), top: t.top}.explore(ctx, in)
		return err
	}()
	all, words, err := t.status(ctx)
	if err == nil && words != "" {
		err = fmt.Errorf("%w: git status: %s", ErrUnreadable, words)
	}
	if other := <-explored; err == nil {
		err = other
	}
	if err != nil {
		return nil, err
	}
	var out []scope.Uncommitted
	seen := map[string]bool{}
	for _, e := range all {
		seen[e.path] = true
		out = append(out, scope.Uncommitted{Path: e.path, State: e.state(), Dir: e.dir || strings.HasPrefix(e.sub, "S")})
	}
	for _, p := range dirty {
		if !seen[p] {
			out = append(out, scope.Uncommitted{Path: p, State: scope.InFile, Dir: true})
		}
	}
	return out, nil
}

func (e entry) state() scope.State {
	switch {
	case e.unmerged:
		return scope.Unmerged
	case e.untracked:
		return scope.Untracked
	case e.x == 'D', e.x == '.' && e.y == 'D':
		return scope.Deleted
	case e.x == '.':
		return scope.InFile
	case e.y == '.':
		return scope.InIndex
	}
	return scope.InBoth
}

// Staged lists the raw paths in which the index differs from HEAD, both sides
// of a rename included.
func (t *Tree) Staged(ctx context.Context) ([]string, error) {
	head, err := t.head(ctx)
	if err != nil {
		return nil, err
	}
	if head == "" {
		head = t.repo.Format.EmptyTree()
	}
	out, err := t.reading().Output(ctx, "diff-index", "--cached", "-z", "--no-renames", "--no-ext-diff", "--no-relative",
		"--ignore-submodules=none", "--name-only", string(head), "--")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	var paths []string
	seen := map[string]bool{}
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p != "" && !seen[p] {
			seen[p] = true // an unmerged path is listed more than once
			paths = append(paths, p)
		}
	}
	return paths, nil
}
