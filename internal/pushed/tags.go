package pushed

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// A tag is one that is pushed, or one that such a tag names.
type tag struct {
	id      refstore.OID
	names   refstore.OID // the tag behind it, "" where that is something else
	message []byte
}

// maxNested is how far tags of tags are followed.
const maxNested = 16

// readTags reads tags and those behind them, each once.
func readTags(ctx context.Context, run git.Runner, ids []refstore.OID) (all []tag, err error) {
	seen := map[refstore.OID]bool{}
	for depth := 0; len(ids) > 0; depth++ {
		if depth == maxNested {
			return nil, fmt.Errorf("a tag of tags is nested more than %d deep", maxNested)
		}
		out, _, err := run.Offline().Run(ctx, git.Call{Args: []string{"cat-file", "--batch"}, Stdin: strings.NewReader(lines(ids))})
		if err != nil {
			return nil, ancestry.Unreadable(ctx, "the tags that are pushed", err)
		}
		for _, id := range ids {
			seen[id] = true
		}
		var behind []refstore.OID
		for _, id := range ids {
			t, rest, ok := cutTag(out, id)
			if !ok {
				return nil, fmt.Errorf("%w: the tag %s", ancestry.ErrMissing, id)
			}
			out, all = rest, append(all, t)
			if t.names != "" && !seen[t.names] {
				behind = addNew(behind, t.names)
			}
		}
		ids = behind
	}
	return all, nil
}

// cutTag reads the answer about one tag, and returns what follows it.
func cutTag(out []byte, id refstore.OID) (t tag, rest []byte, ok bool) {
	head, rest, _ := bytes.Cut(out, []byte("\n"))
	part := strings.Fields(string(head))
	if len(part) != 3 || part[0] != string(id) || part[1] != "tag" {
		return t, nil, false
	}
	size, err := strconv.Atoi(part[2])
	if err != nil || size < 0 || size >= len(rest) {
		return t, nil, false
	}
	about, message, _ := bytes.Cut(rest[:size], []byte("\n\n"))
	t = tag{id: id, message: message}
	field := strings.SplitN(string(about), "\n", 3)
	if len(field) > 1 && field[1] == "type tag" {
		t.names, ok = refstore.ParseOID(strings.TrimPrefix(field[0], "object "))
		return t, rest[size+1:], ok
	}
	return t, rest[size+1:], true
}

// taggedLines yields the lines of the messages of tags until yield has enough.
func taggedLines(tags []tag, yield func(hooks.Line, error) bool) bool {
	for _, t := range tags {
		if !messageLines(string(t.id), t.message, yield) {
			return false
		}
	}
	return true
}
