package suite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// A checkout is the files of one tree, with an index of their own.
type checkout struct {
	tree       refstore.OID
	root       string // the command runs here
	tmp        string // its TMPDIR
	submodules int    // entries whose content belongs to another repository
}

// index derives a runner for an index file and a work tree of its own.
func (s *Space) index(name, root string) git.Runner {
	run := s.run
	run.Dir = root
	run.Env = append(run.Env[:len(run.Env):len(run.Env)], "GIT_INDEX_FILE="+filepath.Join(s.dir, name), "GIT_WORK_TREE="+root)
	return run
}

// checkout writes the files of a tree into a new folder. Attributes and filters
// are applied as git applies them to any checkout; attributes come from the
// tree and the user's own, never from another work tree.
func (s *Space) checkout(ctx context.Context, of refstore.OID) (checkout, error) {
	tree, err := s.treeOf(ctx, of)
	if err != nil {
		return checkout{}, err
	}
	s.entries++
	name := fmt.Sprintf("tree-%d", s.entries)
	c := checkout{tree: tree, root: filepath.Join(s.dir, name), tmp: filepath.Join(s.dir, name+".tmp")}
	for _, dir := range []string{c.root, c.tmp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return c, err
		}
	}
	run := s.index(name+".index", c.root)
	if _, err := run.Output(ctx, "read-tree", string(tree)); err != nil {
		return c, unreadable(ctx, tree, err)
	}
	staged, err := run.Output(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return c, unreadable(ctx, tree, err)
	}
	for entry := range bytes.SplitSeq(staged, []byte{0}) {
		if bytes.HasPrefix(entry, []byte("160000 ")) {
			c.submodules++
		}
	}
	if _, err := run.Output(ctx, "checkout-index", "--all", "--quiet"); err != nil {
		return c, unreadable(ctx, tree, err)
	}
	return c, nil
}

// treeOf peels a commit to its tree.
func (s *Space) treeOf(ctx context.Context, of refstore.OID) (refstore.OID, error) {
	if _, ok := refstore.ParseOID(string(of)); !ok {
		return "", fmt.Errorf("%q is not a full object id", string(of))
	}
	out, err := s.run.Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", string(of)+"^{tree}")
	if err != nil {
		return "", unreadable(ctx, of, err)
	}
	tree, ok := refstore.ParseOID(strings.TrimSuffix(string(out), "\n"))
	if !ok {
		return "", fmt.Errorf("%w: %s has no tree", ErrMissing, of.Short())
	}
	return tree, nil
}

// unreadable classifies the end of a git that had only object ids to read: an
// exit status of its own means that it could not.
func unreadable(ctx context.Context, id refstore.OID, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if git.Code(err) > 0 {
		return fmt.Errorf("%w: %s: %w", ErrMissing, id.Short(), err)
	}
	return err
}
