// Package worktree reads what a worktree has that no commit has, and commits
// named paths of it.
//
// Reading never writes, not even the index. A commit is the user's git's own,
// hooks and all: this package prepares the index for it, looks at the result
// and, when there is no commit, puts the index back as it was. Nothing is
// decided by what git says in words.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// ErrBare means that the repository has no work tree where it was opened.
var ErrBare = errors.New("there is no work tree here")

// ErrUnreadable means that git could not look at all of the work tree, so that
// nothing follows from what it did see.
var ErrUnreadable = errors.New("the work tree cannot be read whole")

// A Tree is the work tree of a repository, with its index.
type Tree struct {
	repo   *refstore.Repo
	top    string // absolute, as git has it
	prefix string // from the top to where the repository was opened: "" or "dir/"
	index  string // absolute
}

// Open finds the work tree. It refuses a GIT_DIR from the environment that is
// another repository's: git would take the files of one for those of the other.
func Open(ctx context.Context, repo *refstore.Repo) (*Tree, error) {
	if repo.WorkTree == "" {
		return nil, ErrBare
	}
	if err := ownGitDir(ctx, repo); err != nil {
		return nil, err
	}
	t := &Tree{repo: repo}
	if err := t.locate(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// Look is Open for a caller that asks for Uncommitted and nothing else: git is
// asked for no place.
func Look(ctx context.Context, repo *refstore.Repo) (*Tree, error) {
	if repo.WorkTree == "" {
		return nil, ErrBare
	}
	return &Tree{repo: repo, top: repo.WorkTree}, ownGitDir(ctx, repo)
}

// locate asks git where the work tree and its index are: at once where no path holds
// an end of line, else one after another.
func (t *Tree) locate(ctx context.Context) error {
	asks := [][]string{{"--show-toplevel"}, {"--show-prefix"}, {"--git-path", "index"}}
	ask := func(args ...string) (string, error) {
		out, err := t.repo.Git.Output(ctx, append([]string{"rev-parse", "--path-format=absolute"}, args...)...)
		return strings.TrimSuffix(string(out), "\n"), err
	}
	out, err := ask(slices.Concat(asks...)...)
	if err != nil {
		return err
	}
	lines := strings.Split(out, "\n")
	if len(lines) != len(asks) {
		lines = nil
		for _, a := range asks {
			line, err := ask(a...)
			if err != nil {
				return err
			}
			lines = append(lines, line)
		}
	}
	t.top, t.prefix, t.index = lines[0], lines[1], lines[2]
	return nil
}

// ErrOtherGitDir means that GIT_DIR names another repository than the one whose
// files these are.
var ErrOtherGitDir = errors.New("GIT_DIR names another repository than the one here")

func ownGitDir(ctx context.Context, repo *refstore.Repo) error {
	if os.Getenv("GIT_DIR") == "" || os.Getenv("GIT_WORK_TREE") != "" {
		return nil
	}
	run := repo.Git
	run.Foreign = true
	out, err := run.Output(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil // nothing here contradicts it
	}
	found := strings.TrimSuffix(string(out), "\n")
	a, aerr := os.Stat(found)
	b, berr := os.Stat(repo.GitDir)
	if aerr != nil || berr != nil || !os.SameFile(a, b) {
		return fmt.Errorf("%w: %s, not %s", ErrOtherGitDir, repo.GitDir, found)
	}
	return nil
}

// reading is a runner that fetches nothing, starts no file system monitor and
// leaves no trace among git's complaints.
func (t *Tree) reading() git.Runner {
	run := t.repo.Git.Offline().With("GIT_TRACE=0", "GIT_TRACE_SETUP=0", "GIT_TRACE_PERFORMANCE=0", "GIT_TRACE2=0", "GIT_TRACE2_PERF=0", "GIT_TRACE2_EVENT=0")
	run.Config = append(slices.Clone(run.Config), "core.fsmonitor=false")
	return run
}

// exactly is the pathspec that names one path from the top and nothing else,
// whatever characters it holds. Unlike a setting for all pathspecs it does not
// reach the hooks.
func exactly(path string) string { return ":(top,literal)" + path }

// pathspecs is a list of paths as git reads one from its input.
func pathspecs(paths []string) *strings.Reader {
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(exactly(p))
		b.WriteByte(0)
	}
	return strings.NewReader(b.String())
}

// fromHere is a path from the top as git reads one that is no pathspec.
func (t *Tree) fromHere(path string) string {
	return strings.Repeat("../", strings.Count(t.prefix, "/")) + path
}
