package refstore

import (
	"context"
	"strings"
	"time"
)

// ReadBelow returns the tips of kinds of dos refs that this repository keeps below a
// prefix, as one that others push to does: what [Local] reads where the prefix is
// the default. Names of tips are local names.
func (r *Repo) ReadBelow(ctx context.Context, prefix string, kinds ...string) (Snapshot, error) {
	at := time.Now()
	prefix = strings.TrimSuffix(prefix, "/")
	var patterns []string
	for _, k := range kinds {
		patterns = append(patterns, prefix+"/"+k+"/")
	}
	tips, err := r.list(ctx, patterns, func(ref string) (string, bool) { return LocalName(prefix, ref) })
	if err != nil {
		return Snapshot{}, err
	}
	return newSnapshot(at, tips), nil
}

// LocalName is the local name of a ref that is kept below a prefix; it is not ok
// for any other ref.
func LocalName(prefix, ref string) (string, bool) {
	rest, ok := strings.CutPrefix(ref, strings.TrimSuffix(prefix, "/")+"/")
	return "refs/dos/" + rest, ok
}
