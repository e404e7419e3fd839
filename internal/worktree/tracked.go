package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore/git"
)

// A tracked is one path of the index.
type tracked struct {
	path string
	tag  string // as git ls-files -v has it
	mode string // octal
	id   string
}

func (e tracked) isModule() bool { return e.mode == "160000" }

// listIndex lists what the index of the runner's repository holds, in its order.
func listIndex(ctx context.Context, run git.Runner) ([]tracked, error) {
	out, err := run.Output(ctx, "ls-files", "-v", "--stage", "-z", "--full-name", "--", ":/")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	var all []tracked
	for r := range strings.SplitSeq(string(out), "\x00") {
		if r == "" {
			continue
		}
		about, path, ok := strings.Cut(r, "\t")
		part := strings.Fields(about)
		if !ok || path == "" || len(part) != 4 {
			return nil, fmt.Errorf("%w: git ls-files printed %q", ErrUnreadable, r)
		}
		all = append(all, tracked{path: path, tag: part[0], mode: part[1], id: part[2]})
	}
	return all, nil
}

// hidden is the flag that keeps git from looking at a path of the work tree at
// top, "" for none: it is assumed unchanged, or to be skipped and there all the
// same.
func (e tracked) hidden(top string) string {
	if e.tag != strings.ToUpper(e.tag) {
		return "assume-unchanged"
	}
	if e.tag != "S" {
		return ""
	}
	if _, err := os.Lstat(filepath.Join(top, filepath.FromSlash(e.path))); isGone(err) {
		return ""
	}
	return "skip-worktree"
}

// holds reports whether the index has a path, or something below it.
func holds(index []tracked, path string) bool {
	for _, p := range []string{path, path + "/"} {
		i, _ := slices.BinarySearchFunc(index, p, func(e tracked, p string) int { return strings.Compare(e.path, p) })
		if i < len(index) && (index[i].path == path || strings.HasPrefix(index[i].path, path+"/")) {
			return true
		}
	}
	return false
}

// isModule reports whether the index has a submodule at a path.
func isModule(index []tracked, path string) bool {
	i, found := slices.BinarySearchFunc(index, path, func(e tracked, p string) int { return strings.Compare(e.path, p) })
	return found && index[i].isModule()
}

// hiddenNamed lists what was named and git was told not to look at.
func (t *Tree) hiddenNamed(index []tracked, names map[string]bool) []scope.Hidden {
	var out []scope.Hidden
	for _, e := range index {
		if flag := e.hidden(t.top); flag != "" && len(covering(names, e.path)) > 0 {
			out = append(out, scope.Hidden{Path: e.path, Flag: flag})
		}
	}
	return out
}
