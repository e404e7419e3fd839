package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/refstore/git"
)

// An image is an index file as it is at one time. Its time belongs to it: git
// trusts what it remembers of a file only when that is older than the index.
type image struct {
	data []byte // nil when there is no file
	time time.Time
	mode fs.FileMode
}

func readImage(path string) (image, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return image{mode: 0o644}, nil
	}
	if err != nil {
		return image{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return image{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return image{data, info.ModTime(), info.Mode().Perm()}, nil
}

// writeTo makes a file of the image.
func (m image) writeTo(path string) error {
	if err := os.WriteFile(path, m.data, m.mode); err != nil {
		return err
	}
	return errors.Join(os.Chmod(path, m.mode), os.Chtimes(path, m.time, m.time))
}

func (m image) same(n image) bool {
	return (m.data == nil) == (n.data == nil) && bytes.Equal(m.data, n.data)
}

// An announcement is what the index was changed by so that git would accept
// new files by their names.
type announcement struct {
	paths         []string
	before, after image
}

// maxAnnounce is how often an index that others write is read again.
const maxAnnounce = 10

// announce tells the index of new files without their contents, which git
// commit then takes from the work tree. A process killed before the commit
// leaves only that. There is no announcement when there is nothing to announce.
func (t *Tree) announce(ctx context.Context, paths []string) (*announcement, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	for range maxAnnounce {
		before, err := readImage(t.index)
		if err != nil {
			return nil, err
		}
		after, err := t.withAnnounced(ctx, before, paths)
		if err != nil {
			return nil, err
		}
		done, err := t.swap(before, after)
		if err != nil {
			return nil, err
		}
		if done {
			return &announcement{paths, before, after}, nil
		}
	}
	return nil, fmt.Errorf("%s kept changing: other programs stage in this worktree", t.index)
}

// withAnnounced has git add the paths to a copy of an index, also where they lie
// outside a sparse checkout: they were named one by one, or are there.
func (t *Tree) withAnnounced(ctx context.Context, before image, paths []string) (image, error) {
	scratch := t.index + scratchIndex + admit.NewNonce()
	defer os.Remove(scratch)
	if before.data != nil {
		if err := before.writeTo(scratch); err != nil {
			return image{}, err
		}
	}
	run := t.repo.Git
	run.Env = append(slices.Clone(run.Env), "GIT_INDEX_FILE="+scratch)
	add := func(options ...string) error {
		_, _, err := run.Run(ctx, git.Call{
			Args:  append([]string{"add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"}, options...),
			Stdin: pathspecs(paths),
		})
		return err
	}
	var leave []string // to add what lies outside a sparse checkout
	if !t.sparseIndex(ctx) {
		leave = []string{"--sparse"}
	}
	err := add(leave...)
	if git.Code(err) == unknownOption {
		err = add() // a git so old that it asks for no leave
	}
	if err != nil {
		os.Remove(scratch + ".lock")
		return image{}, err
	}
	return readImage(scratch)
}

// sparseIndex reports whether the index keeps folders outside the checkout as
// one entry. git 2.39 crashes on such an index once it is told of a file there,
// so it is left to refuse that.
func (t *Tree) sparseIndex(ctx context.Context) bool {
	out, err := t.repo.Git.Output(ctx, "config", "--type=bool", "--get", "index.sparse")
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// unknownOption is how git ends that does not know an option.
const unknownOption = 129

// swap replaces the index under git's own lock, if it is still the expected
// one.
func (t *Tree) swap(expect, next image) (done bool, err error) {
	lock := t.index + ".lock"
	f, err := os.OpenFile(lock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, err
	}
	f.Close()
	now, err := readImage(t.index)
	switch {
	case err != nil || !now.same(expect):
		return false, errors.Join(err, os.Remove(lock))
	case next.data == nil:
		return true, errors.Join(os.Remove(t.index), os.Remove(lock))
	}
	if err = next.writeTo(lock); err == nil {
		err = os.Rename(lock, t.index)
	}
	if err != nil {
		return false, errors.Join(err, os.Remove(lock))
	}
	return true, nil
}

// takeBack undoes an announcement, byte for byte while nobody else has written
// the index since, else by dropping what is still only announced.
func (t *Tree) takeBack(ctx context.Context, a *announcement) error {
	if a == nil {
		return nil
	}
	done, err := t.swap(a.after, a.before)
	if err == nil && !done {
		err = t.drop(context.WithoutCancel(ctx), a.paths)
	}
	if err != nil {
		return fmt.Errorf("the index still announces new files, which git reset -- PATH takes back: %w", err)
	}
	return nil
}

// drop takes those paths out of the index of which it knows no more than that
// they are to be added.
func (t *Tree) drop(ctx context.Context, paths []string) error {
	all, _, err := t.status(ctx)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, e := range all {
		if slices.Contains(paths, e.path) && e.intended() {
			list.WriteString(t.fromHere(e.path) + "\x00")
		}
	}
	if list.Len() == 0 {
		return nil
	}
	_, _, err = t.repo.Git.Run(ctx, git.Call{Args: []string{"update-index", "-z", "--force-remove", "--stdin"}, Stdin: strings.NewReader(list.String())})
	return err
}
