package facts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// LintText is the dos.toml that somebody is working on: the work tree's, in a
// bare repository HEAD's. Nothing is decided by it where a fleet's trunk has
// another. found is false when there is none.
func LintText(ctx context.Context, repo *refstore.Repo) (data []byte, found bool, err error) {
	if repo.WorkTree == "" {
		head, err := ancestry.Resolve(ctx, repo.Git, "HEAD")
		if errors.Is(err, ancestry.ErrUnborn) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		return ancestry.File(ctx, repo.Git, head, policyFile)
	}
	path := filepath.Join(repo.WorkTree, policyFile)
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, link := os.Lstat(path); link == nil {
			return nil, false, fmt.Errorf("%s is a symbolic link to nothing", path)
		}
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case !st.Mode().IsRegular():
		return nil, false, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, maxPolicy+1))
	return data, err == nil, err
}

// LintPlans lists the paths of the plan files that are tracked: in the index,
// or in a bare repository in HEAD.
func LintPlans(ctx context.Context, repo *refstore.Repo, glob string) ([]string, error) {
	scope := lane.NewScope([]string{glob})
	if repo.WorkTree == "" {
		return headPlans(ctx, repo, scope)
	}
	out, err := repo.Git.Output(ctx, "ls-files", "-z", "--full-name", "--", ":/")
	if err != nil {
		return nil, fmt.Errorf("list the tracked files: %w", err)
	}
	var files []string
	for path := range strings.SplitSeq(string(out), "\x00") {
		if scope.Contains(path) {
			files = append(files, path)
		}
	}
	return slices.Compact(files), nil // one in conflict is listed several times
}

func headPlans(ctx context.Context, repo *refstore.Repo, scope lane.Scope) (files []string, err error) {
	head, err := ancestry.Resolve(ctx, repo.Git, "HEAD")
	if errors.Is(err, ancestry.ErrUnborn) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for path, err := range ancestry.Files(ctx, repo.Git, head) {
		if err != nil {
			return nil, err
		}
		if scope.Contains(path) {
			files = append(files, path)
		}
	}
	return files, nil
}
