package ancestry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// ShallowEdge returns the commits at which a shallow repository cuts its
// history: git shows none of their parents, whether they are here or not. It
// is empty for a whole history.
func ShallowEdge(ctx context.Context, run git.Runner) (map[refstore.OID]bool, error) {
	out, err := run.Offline().Output(ctx, "rev-parse", "--path-format=absolute", "--git-path", "shallow")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(strings.TrimSuffix(string(out), "\n"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	edge := map[refstore.OID]bool{}
	for line := range strings.Lines(string(data)) {
		id, ok := refstore.ParseOID(strings.TrimSpace(line))
		if !ok {
			return nil, fmt.Errorf("%w: the list of shallow commits names %q", ErrMissing, strings.TrimSpace(line))
		}
		edge[id] = true
	}
	return edge, nil
}
