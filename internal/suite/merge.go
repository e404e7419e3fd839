package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// ErrCannotMerge means that the installed git is too old to merge without a
// work tree, which takes 2.38.
var ErrCannotMerge = errors.New("this git cannot merge without a work tree")

// usageError is the exit status of a git that does not know an option.
const usageError = 129

// Merge returns the tree that merging theirs into ours would have. Conflicts
// are the paths git could not merge, as raw bytes; with any of them the tree is
// none to build on.
func (s *Space) Merge(ctx context.Context, ours, theirs refstore.OID) (tree refstore.OID, conflicts []string, err error) {
	for _, id := range []refstore.OID{ours, theirs} {
		if _, ok := refstore.ParseOID(string(id)); !ok {
			return "", nil, fmt.Errorf("%q is not a full object id", string(id))
		}
	}
	out, err := s.run.Output(ctx, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(ours), string(theirs))
	var g *git.Error
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return "", nil, context.Cause(ctx)
	case !errors.As(err, &g):
		return "", nil, err
	case g.Code == usageError:
		return "", nil, ErrCannotMerge
	case g.Code != 1:
		return "", nil, unreadable(ctx, theirs, err)
	}
	first, rest, _ := bytes.Cut(out, []byte{0})
	tree, ok := refstore.ParseOID(string(bytes.TrimSuffix(first, []byte("\n"))))
	if !ok {
		return "", nil, fmt.Errorf("%w: git merge-tree named no tree", ErrMissing)
	}
	if err == nil {
		return tree, nil, nil
	}
	for path := range strings.SplitSeq(string(rest), "\x00") {
		if path != "" {
			conflicts = append(conflicts, path)
		}
	}
	return tree, conflicts, nil
}

// noMode is the mode of what is not there.
const noMode = "000000"

// A Change is one path by which two trees differ. A rename is a deletion and an
// addition.
type Change struct {
	Path string // raw bytes
	Mode string // octal in the second tree, "000000" when it is gone
	ID   string // the object in the second tree, all zeros when it is gone
}

// Changes lists how the second tree differs from the first.
func (s *Space) Changes(ctx context.Context, from, to refstore.OID) ([]Change, error) {
	a, err := s.treeOf(ctx, from)
	if err != nil {
		return nil, err
	}
	b, err := s.treeOf(ctx, to)
	if err != nil {
		return nil, err
	}
	out, err := s.run.Output(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-relative",
		"--ignore-submodules=none", "--end-of-options", string(a), string(b))
	if err != nil {
		return nil, unreadable(ctx, b, err)
	}
	var found []Change
	field := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(field); i += 2 {
		part := strings.Fields(strings.TrimPrefix(field[i], ":"))
		if len(part) != 5 || field[i+1] == "" {
			return nil, fmt.Errorf("%w: git diff-tree printed %q", ErrMissing, field[i])
		}
		found = append(found, Change{Path: field[i+1], Mode: part[1], ID: part[3]})
	}
	return found, nil
}

// Overlay returns a tree with these changes made to it. Where one puts a file
// inside what was a file, that makes room.
func (s *Space) Overlay(ctx context.Context, tree refstore.OID, changes []Change) (refstore.OID, error) {
	base, err := s.treeOf(ctx, tree)
	if err != nil {
		return "", err
	}
	s.entries++
	run := s.index(fmt.Sprintf("overlay-%d.index", s.entries), s.dir)
	if _, err := run.Output(ctx, "read-tree", string(base)); err != nil {
		return "", unreadable(ctx, base, err)
	}
	call := git.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: strings.NewReader(indexInfo(changes))}
	if _, _, err := run.Run(ctx, call); err != nil {
		return "", unreadable(ctx, base, err)
	}
	out, err := run.Output(ctx, "write-tree")
	if err != nil {
		return "", unreadable(ctx, base, err)
	}
	laid, ok := refstore.ParseOID(strings.TrimSuffix(string(out), "\n"))
	if !ok {
		return "", fmt.Errorf("%w: git write-tree named no tree", ErrMissing)
	}
	return laid, nil
}

// indexInfo writes changes as git update-index reads them.
func indexInfo(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		mode := c.Mode
		if mode == noMode {
			mode = "0"
		}
		fmt.Fprintf(&b, "%s %s\t%s\x00", mode, c.ID, c.Path)
	}
	return b.String()
}
