// Package refstore keeps append-only chains of entries as commits on
// refs/dos/* and moves them by compare-and-swap only.
//
// One ref is one chain and one commit is one entry; an entry's parent is the
// tip it was decided on. An [Authority] reads tips and moves several of them
// in one transaction: the local repository through git update-ref, a remote
// through one narrow fetch and one atomic push. [Repo.Update] is the only
// retry loop: read, decide, swap, and decide again when another writer was
// first.
//
// The package knows nothing of leases or verdicts, and it never lists or
// writes a ref other than through the user's git.
package refstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-dos/git-dos/refstore/git"
)

// A Repo is a repository as git itself discovers it from a directory. It is
// safe for concurrent use.
type Repo struct {
	Git       git.Runner // runs git in this repository
	GitDir    string     // absolute; private to this worktree
	CommonDir string     // absolute; shared by all worktrees
	Objects   string     // absolute; where new objects go
	WorkTree  string     // absolute top level, "" in a bare repository
	Format    Format
	Shallow   bool
	Bare      bool

	config func() (Config, error)
	head   *Head
	ahead  *ahead
}

// ErrNoRepository is wrapped by Open when git finds no repository it is
// willing to use; the message carries git's own words.
var ErrNoRepository = errors.New("no repository that git will use here")

// ErrNoDirectory is wrapped by Open for a directory that is not there.
var ErrNoDirectory = errors.New("no such directory")

// ErrGitTooOld means that the installed git predates [MinGit].
var ErrGitTooOld = fmt.Errorf("git is older than %s", MinGit)

// MinGit is the oldest git with rev-parse --path-format.
const MinGit = "2.31"

// Open asks git for the repository that contains dir ("" is the current
// directory), honouring GIT_DIR, worktrees, separate git directories and
// safe.directory as git does. It runs one process, two where HEAD names no
// commit, and reads the settings beside it.
func Open(ctx context.Context, dir string) (*Repo, error) {
	return open(ctx, dir, settings(ctx, git.Runner{Dir: dir}))
}

// settings reads the settings when they are first asked for.
func settings(ctx context.Context, run git.Runner) func() (Config, error) {
	return sync.OnceValues(func() (Config, error) { return readConfig(context.WithoutCancel(ctx), run) })
}

func open(ctx context.Context, dir string, config func() (Config, error)) (*Repo, error) {
	if st, err := os.Stat(dir); dir != "" && (errors.Is(err, fs.ErrNotExist) || err == nil && !st.IsDir()) {
		return nil, fmt.Errorf("%w: %s", ErrNoDirectory, dir)
	}
	run := git.Runner{Dir: dir}
	go config() // beside the discovery; whoever needs it first waits for it
	found, err := discover(ctx, run)
	if err != nil {
		return nil, openError(dir, err)
	}
	r := &Repo{
		Git: run, GitDir: found.gitDir, CommonDir: found.commonDir, Objects: found.objects, Format: Format(found.format),
		Shallow: found.shallow == "true", Bare: found.bare == "true", config: config, head: found.head,
	}
	if r.Format != SHA1 && r.Format != SHA256 {
		return nil, fmt.Errorf("repository has unknown object format %q", found.format)
	}
	if found.inWorkTree == "true" {
		if r.WorkTree, err = workTree(dir, found.cdup); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// workTree turns git's way up (nothing at the top level) into a path.
func workTree(dir string, cdup []string) (string, error) {
	up := strings.Join(cdup, "\n")
	if filepath.IsAbs(up) {
		return filepath.Clean(up), nil
	}
	return filepath.Abs(filepath.Join(dir, up))
}

func openError(dir string, err error) error {
	if errors.Is(err, git.ErrNotFound) || errors.Is(err, context.Canceled) {
		return err
	}
	var g *git.Error
	if !errors.As(err, &g) || g.Code == -1 {
		return err
	}
	words, _, _ := bytes.Cut([]byte(strings.TrimSpace(g.Stderr)), []byte("\n"))
	where := dir
	if where == "" {
		where = "."
	}
	return fmt.Errorf("%w (%s): %s", ErrNoRepository, where, strings.TrimPrefix(string(words), "fatal: "))
}
