package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// ErrCannotMerge means that the installed git is too old to merge without a
// work tree, which takes 2.38.
var ErrCannotMerge = errors.New("this git cannot merge without a work tree")

// usageError is the exit status of a git that does not know an option.
const usageError = 129

// A Merged is what merging one commit into another comes to.
type Merged struct {
	Tree  refstore.OID // none to build on, unless Clean
	Clean bool

	// Conflicts are the paths git could not merge, as raw bytes. There are
	// conflicts without one, such as a folder that one side split.
	Conflicts []string
}

// Merge merges theirs into ours as git merge would on a checkout of ours:
// attributes, and with them the way that files merge, are those that ours has
// committed and the user's own. Neither theirs nor what happens to be checked
// out takes part in that.
func (s *Space) Merge(ctx context.Context, ours, theirs refstore.OID) (Merged, error) {
	for _, id := range []refstore.OID{ours, theirs} {
		if _, ok := refstore.ParseOID(string(id)); !ok {
			return Merged{}, fmt.Errorf("%q is not a full object id", string(id))
		}
	}
	run, err := s.attributesOf(ctx, ours)
	if err != nil {
		return Merged{}, err
	}
	out, err := run.Output(ctx, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(ours), string(theirs))
	var g *git.Error
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return Merged{}, context.Cause(ctx)
	case !errors.As(err, &g):
		return Merged{}, err
	case g.Code == usageError:
		return Merged{}, ErrCannotMerge
	case g.Code != 1:
		return Merged{}, unreadable(ctx, theirs, err)
	}
	first, rest, _ := bytes.Cut(out, []byte{0})
	tree, ok := refstore.ParseOID(string(bytes.TrimSuffix(first, []byte("\n"))))
	if !ok {
		return Merged{}, fmt.Errorf("%w: git merge-tree named no tree", ErrMissing)
	}
	m := Merged{Tree: tree, Clean: err == nil} // status 1 is a conflict, whatever is listed
	for path := range strings.SplitSeq(string(rest), "\x00") {
		if path != "" && !m.Clean {
			m.Conflicts = append(m.Conflicts, path)
		}
	}
	return m, nil
}

// attributesOf derives a runner whose work tree holds the .gitattributes files
// of a commit and nothing else. git merge-tree reads no others.
func (s *Space) attributesOf(ctx context.Context, commit refstore.OID) (git.Runner, error) {
	tree, err := s.treeOf(ctx, commit)
	if err != nil {
		return git.Runner{}, err
	}
	s.entries++
	name := fmt.Sprintf("attributes-%d", s.entries)
	root := filepath.Join(s.dir, name)
	if err := os.Mkdir(root, 0o700); err != nil {
		return git.Runner{}, err
	}
	run := s.index(name+".index", root)
	if _, err := run.Output(ctx, "read-tree", string(tree)); err != nil {
		return git.Runner{}, unreadable(ctx, tree, err)
	}
	staged, err := run.Output(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return git.Runner{}, unreadable(ctx, tree, err)
	}
	paths := attributeFiles(staged)
	if len(paths) == 0 {
		return run, nil
	}
	if _, _, err := run.Run(ctx, git.Call{Args: []string{"checkout-index", "--quiet", "-z", "--stdin"}, Stdin: bytes.NewReader(paths)}); err != nil {
		return git.Runner{}, unreadable(ctx, tree, err)
	}
	return run, nil
}

// attributeFiles picks the regular files named .gitattributes out of what git
// ls-files --stage -z prints, each with a NUL behind it.
func attributeFiles(staged []byte) []byte {
	var paths []byte
	for entry := range bytes.SplitSeq(staged, []byte{0}) {
		info, path, _ := bytes.Cut(entry, []byte{'\t'})
		name := path[bytes.LastIndexByte(path, '/')+1:]
		if bytes.HasPrefix(info, []byte("100")) && string(name) == ".gitattributes" {
			paths = append(append(paths, path...), 0)
		}
	}
	return paths
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
