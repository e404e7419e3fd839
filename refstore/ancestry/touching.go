package ancestry

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// maxTouching bounds the answer of Touching.
const maxTouching = 100_000

// Touching lists the commits that tip reaches and that differ from a parent in
// one of the paths, newest first. Paths are literal and from the root; one that
// is a directory stands for all below it. A commit at the edge of a shallow
// history is listed as if it had no parent: what it changed is for Changed to
// say. More than 100,000 are an error.
func Touching(ctx context.Context, run git.Runner, tip refstore.OID, paths []string) ([]refstore.OID, error) {
	if err := checked(tip); err != nil || len(paths) == 0 {
		return nil, err
	}
	run = run.Offline().With("GIT_LITERAL_PATHSPECS=0", "GIT_GLOB_PATHSPECS=0", "GIT_NOGLOB_PATHSPECS=0", "GIT_ICASE_PATHSPECS=0")
	var in strings.Builder
	in.WriteString(string(tip) + "\n--\n")
	for _, p := range paths {
		if p == "" || strings.ContainsAny(p, "\n\x00") {
			return nil, fmt.Errorf("%q is no path to look for", p)
		}
		in.WriteString(":(top,literal)" + p + "\n")
	}
	out, _, err := run.Run(ctx, git.Call{
		Args:  []string{"rev-list", "--date-order", "--full-history", "--stdin"},
		Stdin: strings.NewReader(in.String()),
	})
	if err != nil {
		return nil, Unreadable(ctx, "history of "+paths[0], err)
	}
	var ids []refstore.OID
	for line := range strings.Lines(string(out)) {
		id, ok := refstore.ParseOID(strings.TrimSuffix(line, "\n"))
		if !ok || len(ids) == maxTouching {
			return nil, fmt.Errorf("%w: git rev-list answered too much, or no id", ErrMissing)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
