package cherry

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// An entry is what a path holds: a mode and the id of an object.
type entry struct{ mode, id string }

// there reports whether the path holds anything.
func (e entry) there() bool { return strings.Trim(e.mode, "0") != "" }

// diff is what differs between two commits, as the second has it.
func diff(ctx context.Context, run git.Runner, from, to refstore.OID) (map[string]entry, error) {
	out, err := run.Output(ctx, "diff-tree", "-r", "-z", "--raw", "--full-index", "--no-renames", "--no-relative", "--no-ext-diff", "--ignore-submodules=none",
		"--end-of-options", string(from), string(to))
	if err != nil {
		return nil, err
	}
	found := map[string]entry{}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(out) == 0 {
		return found, nil
	}
	for i := 0; i+1 < len(fields); i += 2 {
		words := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(words) != 5 || !strings.HasPrefix(fields[i], ":") {
			return nil, fmt.Errorf("git diff-tree printed %.100q", fields[i])
		}
		found[fields[i+1]] = entry{words[1], words[3]}
	}
	if len(fields)%2 != 0 {
		return nil, fmt.Errorf("git diff-tree printed an odd number of fields: %d", len(fields))
	}
	return found, nil
}

// again writes a commit once more, with another tree and parent.
func again(ctx context.Context, run git.Runner, id, tree, parent refstore.OID) (refstore.OID, error) {
	raw, err := run.Output(ctx, "cat-file", "commit", string(id))
	if err != nil {
		return "", err
	}
	head, message, found := bytes.Cut(raw, []byte("\n\n"))
	if !found {
		return "", fmt.Errorf("commit %s has no end of its headers", id.Short())
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\nparent %s\n", tree, parent)
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		for _, key := range []string{"author ", "committer ", "encoding "} {
			if bytes.HasPrefix(line, []byte(key)) {
				b.Write(line)
				b.WriteByte('\n')
			}
		}
	}
	b.WriteByte('\n')
	b.Write(message)
	out, _, err := run.Run(ctx, git.Call{Args: []string{"hash-object", "-t", "commit", "-w", "--stdin"}, Stdin: &b})
	return object(out, err)
}
