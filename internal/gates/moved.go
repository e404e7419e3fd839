package gates

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// renames are the switches of a diff that lists what git takes for moved: at
// least half of it is in a file that is added. Past the limit git looks for
// nothing but what is the same.
var renames = []string{"-r", "-z", "--name-status", "--find-renames=50%", "-l1000", "--diff-filter=R", "--no-relative", "--no-ext-diff", "--ignore-submodules=none"}

// Moved lists the paths that a commit, or what is staged where none is named,
// leaves for another, by how alike the two files are. A merge moves nothing.
func (s *Site) Moved(ctx context.Context, commit string) (map[string]bool, error) {
	args := append([]string{"diff-tree", "--no-commit-id"}, append(renames, commit)...)
	if commit == "" {
		args = append([]string{"diff-index", "--cached"}, append(renames, "HEAD", "--")...)
	} else if _, ok := refstore.ParseOID(commit); !ok {
		return nil, fmt.Errorf("%q is not a full object id", commit)
	}
	out, err := s.Repo.Git.Offline().Output(ctx, args...)
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "what the commit moves", err)
	}
	moved := map[string]bool{}
	if len(out) == 0 {
		return moved, nil
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i < len(fields); i += 3 {
		if len(fields)-i < 3 || !strings.HasPrefix(fields[i], "R") {
			return nil, fmt.Errorf("%w: git wrote a record %.60q", ancestry.ErrMissing, fields[i])
		}
		moved[fields[i+1]] = true
	}
	return moved, nil
}
