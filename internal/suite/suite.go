// Package suite runs a command on the files of a tree, in a clean checkout of
// their own, and reports how it ended.
//
// A [Space] is a temporary folder with an object directory of its own in front
// of the repository's: merged and overlaid trees are made there, so neither the
// repository nor its work tree is written to. What is checked out is the tree
// and nothing else: no .git, no submodules, no untracked file. Objects are
// taken from this repository only; nothing is fetched.
//
// The command is whatever the caller's policy says. It gets the caller's
// environment without what binds a process to a repository or to a lease, no
// standard input, a deadline and a process group of its own, which is killed
// when the command has ended. A command that leaves its process group is out
// of reach.
package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// ErrMissing means that a tree or a file of it cannot be read here.
var ErrMissing = errors.New("the files are not all readable here")

// A Space holds checkouts for as long as they are needed. It must be closed.
type Space struct {
	scratch *refstore.Scratch
	dir     string
	run     git.Runner // sees the repository's objects and writes its own
	entries int        // checkouts made so far
}

// Open makes a Space over a repository.
func Open(repo *refstore.Repo) (*Space, error) {
	scratch, err := refstore.MakeScratch("suite")
	if err != nil {
		return nil, err
	}
	dir, err := filepath.EvalSymlinks(scratch.Dir)
	s := &Space{scratch: scratch, dir: dir, run: repo.Git}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	info := filepath.Join(dir, "objects", "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if strings.ContainsAny(repo.Objects, "\n\"") {
		return nil, errors.Join(fmt.Errorf("cannot name the object directory %q to git", repo.Objects), s.Close())
	}
	if err := os.WriteFile(filepath.Join(info, "alternates"), []byte(repo.Objects+"\n"), 0o600); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.run = s.run.With("GIT_OBJECT_DIRECTORY="+filepath.Join(dir, "objects"), "GIT_DIR="+repo.GitDir).Offline()
	s.run.Config = append(slices.Clone(repo.Git.Config), "core.hooksPath="+os.DevNull, "core.sparseCheckout=false", "index.sparse=false",
		"core.splitIndex=false", "core.fsmonitor=false", "core.untrackedCache=false")
	return s, nil
}

// Close removes the folder and all that commands left in it.
func (s *Space) Close() error { return s.scratch.Close() }

// CloseWith closes the Space and adds a failure to do so to err.
func (s *Space) CloseWith(err *error) {
	if failed := s.Close(); failed != nil {
		*err = errors.Join(*err, failed)
	}
}

// Run runs a command on a tree, or on the tree of a commit, in a Space of its
// own. See [Space.Run].
func Run(ctx context.Context, repo *refstore.Repo, tree refstore.OID, command []string, timeout time.Duration) (r Result, err error) {
	s, err := Open(repo)
	if err != nil {
		return Result{}, err
	}
	defer s.CloseWith(&err)
	return s.Run(ctx, tree, command, timeout)
}

// Run checks a tree out, runs the command at its top and waits for its end. The
// error is ErrMissing where the files cannot be read, ErrNoProgram where this
// machine does not have the command, the context's when that has ended, or
// another that kept the command from running; how the command itself ended is
// in the Result.
func (s *Space) Run(ctx context.Context, tree refstore.OID, command []string, timeout time.Duration) (Result, error) {
	if len(command) == 0 || command[0] == "" {
		return Result{}, errors.New("no command to run")
	}
	c, err := s.checkout(ctx, tree)
	if err != nil {
		return Result{}, err
	}
	r, err := c.execute(ctx, command, timeout)
	r.Tree, r.Submodules = c.tree, c.submodules
	return r, err
}
