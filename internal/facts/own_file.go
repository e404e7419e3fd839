package facts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// errNotAFile means that something other than a file has the name of one.
var errNotAFile = errors.New("is not a regular file")

// An ownText is a text at the top of the tree that somebody works on: the work
// tree's, in a bare repository HEAD's.
type ownText struct {
	data   []byte // of one longer than maxPolicy a byte more than that
	source string // for people: a path, or a commit and a path; "" when there is no such file
}

// ownFile reads one. What is there and is no file is an error, and so is a link
// to nothing. No object is fetched for it.
func ownFile(ctx context.Context, repo *refstore.Repo, name string) (ownText, error) {
	if repo.WorkTree != "" {
		return workTreeFile(filepath.Join(repo.WorkTree, name))
	}
	head, found, err := headCommit(ctx, repo)
	if err != nil || !found {
		return ownText{}, err
	}
	return committedFile(ctx, repo, head, name)
}

// PolicyText is the dos.toml that a repository without a fleet is ruled by;
// found is false when there is none.
func PolicyText(ctx context.Context, repo *refstore.Repo) (data []byte, found bool, err error) {
	f, err := ownFile(ctx, repo, policyFile)
	return f.data, f.source != "", err
}

// headCommit is the commit of HEAD; found is false where there is none yet.
func headCommit(ctx context.Context, repo *refstore.Repo) (id refstore.OID, found bool, err error) {
	id, err = ancestry.Resolve(ctx, repo.Git, "HEAD")
	if errors.Is(err, ancestry.ErrUnborn) {
		return "", false, nil
	}
	return id, err == nil, err
}

func committedFile(ctx context.Context, repo *refstore.Repo, id refstore.OID, name string) (ownText, error) {
	data, found, err := ancestry.File(ctx, repo.Git, id, name)
	if err != nil || !found {
		return ownText{}, err
	}
	return ownText{data, id.Short() + ":" + name}, nil
}

// workTreeFile looks before it opens: opening a pipe would wait for its writer.
func workTreeFile(path string) (ownText, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, link := os.Lstat(path); link == nil {
			return ownText{}, fmt.Errorf("%s is a symbolic link to nothing", path)
		}
		return ownText{}, nil
	case err != nil:
		return ownText{}, err
	case !st.Mode().IsRegular():
		return ownText{}, fmt.Errorf("%s %w", path, errNotAFile)
	}
	f, err := os.Open(path)
	if err != nil {
		return ownText{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPolicy+1))
	return ownText{data, path}, err
}
