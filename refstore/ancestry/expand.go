package ancestry

import (
	"context"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// minDigits is how far git abbreviates an object id at most; perCall is how
// many ids go into one command line.
const (
	minDigits = 4
	perCall   = 500
)

// Expand completes abbreviated object ids of at least four digits: to the one
// object each names, or to all of them when there are several. One that names
// nothing in this repository is left out of the answer.
func Expand(ctx context.Context, run git.Runner, short []string) (map[string][]refstore.OID, error) {
	var asked []string
	for _, s := range short {
		if len(s) >= minDigits && strings.Trim(s, "0123456789abcdef") == "" {
			asked = append(asked, s)
		}
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	full := map[string][]refstore.OID{}
	if len(asked) == 0 {
		return full, nil
	}
	out, _, err := run.Offline().Run(ctx, git.Call{
		Args:  []string{"cat-file", "--batch-check=%(objectname)"},
		Stdin: strings.NewReader(strings.Join(asked, "\n") + "\n"),
	})
	if err != nil {
		return nil, Unreadable(ctx, "abbreviated ids", err)
	}
	var several []string
	i := 0
	for line := range strings.Lines(string(out)) { // one line per question, in order
		line = strings.TrimSuffix(line, "\n")
		id, ok := refstore.ParseOID(line)
		switch {
		case i >= len(asked):
		case ok && strings.HasPrefix(string(id), asked[i]):
			full[asked[i]] = []refstore.OID{id}
		case line == asked[i]+" ambiguous":
			several = append(several, asked[i])
		}
		i++
	}
	return full, disambiguate(ctx, run, several, full)
}

// disambiguate adds all objects that each of the ids may name.
func disambiguate(ctx context.Context, run git.Runner, ids []string, full map[string][]refstore.OID) error {
	for chunk := range slices.Chunk(ids, perCall) {
		args := []string{"rev-parse"}
		for _, id := range chunk {
			args = append(args, "--disambiguate="+id)
		}
		out, err := run.Offline().Output(ctx, args...)
		if err != nil {
			return Unreadable(ctx, "abbreviated ids", err)
		}
		at := 0
		for line := range strings.Lines(string(out)) { // in the order of the questions
			id, ok := refstore.ParseOID(strings.TrimSuffix(line, "\n"))
			for ok && at < len(chunk) && !strings.HasPrefix(string(id), chunk[at]) {
				at++
			}
			if ok && at < len(chunk) {
				full[chunk[at]] = append(full[chunk[at]], id)
			}
		}
	}
	return nil
}
