package ancestry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// MaxFile bounds a file read out of a commit.
const MaxFile = 4 << 20

// File returns the content of the regular file at path in a commit's tree;
// found is false when the tree has nothing there. A symbolic link, a directory
// or a file above MaxFile is an error, and what cannot be read is ErrMissing.
func File(ctx context.Context, run git.Runner, commit refstore.OID, path string) (data []byte, found bool, err error) {
	if err := checked(commit); err != nil {
		return nil, false, err
	}
	where := string(commit.Short()) + ":" + path
	out, err := run.Offline().With("GIT_LITERAL_PATHSPECS=1").Output(ctx, "ls-tree", "-z", "--full-tree", string(commit), "--", path)
	if err != nil {
		return nil, false, Unreadable(ctx, where, err)
	}
	if len(out) == 0 {
		return nil, false, nil
	}
	entry, name, _ := strings.Cut(strings.TrimSuffix(string(out), "\x00"), "\t")
	part := strings.Fields(entry)
	if len(part) != 3 || name != path || part[1] != "blob" || part[0] == "120000" {
		return nil, false, fmt.Errorf("%s is not a regular file", where)
	}
	data, err = blobContent(ctx, run, part[2], where)
	return data, err == nil, err
}

func blobContent(ctx context.Context, run git.Runner, id, where string) ([]byte, error) {
	out, err := run.Offline().Output(ctx, "cat-file", "-s", id)
	if err != nil {
		return nil, Unreadable(ctx, where, err)
	}
	if size, err := strconv.ParseInt(string(bytes.TrimSpace(out)), 10, 64); err != nil || size > MaxFile {
		return nil, fmt.Errorf("%s is larger than %d bytes", where, MaxFile)
	}
	data, err := run.Offline().Output(ctx, "cat-file", "blob", id)
	if err != nil {
		return nil, Unreadable(ctx, where, err)
	}
	return data, nil
}

// Files yields the path of every file in a commit's tree, as raw bytes. An
// error is the last thing yielded.
func Files(ctx context.Context, run git.Runner, commit refstore.OID) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := listFiles(ctx, run, commit, yield); err != nil {
			yield("", err)
		}
	}
}

func listFiles(ctx context.Context, run git.Runner, commit refstore.OID, yield func(string, error) bool) error {
	if err := checked(commit); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := startReading(ctx, run, git.Call{Args: []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", string(commit)}}, MaxPath)
	if err != nil {
		return err
	}
	defer c.stop(cancel)
	for {
		path, err := c.out.ReadSlice(0)
		if err == io.EOF && len(path) == 0 {
			return c.end(ctx)
		}
		if err != nil {
			return because(ctx, fmt.Errorf("%w: tree of %s: %w", ErrMissing, commit, err))
		}
		if !yield(string(path[:len(path)-1]), nil) {
			return nil
		}
	}
}
