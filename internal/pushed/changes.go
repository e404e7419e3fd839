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

// rawDiff are the switches of a diff that is read by records: both sides of a
// rename, and of a merge what it has from no parent.
var rawDiff = []string{"-r", "-z", "--raw", "-c", "--no-abbrev", "--no-renames", "--no-relative", "--no-ext-diff", "--ignore-submodules=none"}

// changesOf reads which paths each of the commits changes.
func changesOf(ctx context.Context, run git.Runner, ids []refstore.OID) (map[string][]hooks.Change, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := append([]string{"diff-tree", "--stdin", "--always", "--root"}, rawDiff...)
	out, _, err := run.Offline().Run(ctx, git.Call{Args: args, Stdin: strings.NewReader(lines(ids))})
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "the changes of the push", err)
	}
	all := make(map[string][]hooks.Change, len(ids))
	next := 0
	for len(out) > 0 {
		if out[0] != ':' {
			var id []byte
			if id, out, _ = bytes.Cut(out, []byte{0}); next == len(ids) || string(id) != string(ids[next]) {
				return nil, fmt.Errorf("%w: git diff-tree answered %.50q out of turn", ancestry.ErrMissing, id)
			}
			next++
			continue
		}
		var c hooks.Change
		if c, out, err = cutChange(out); err != nil || next == 0 {
			return nil, fmt.Errorf("%w: git diff-tree: a record is torn", ancestry.ErrMissing)
		}
		at := string(ids[next-1])
		all[at] = append(all[at], c)
	}
	if next != len(ids) {
		return nil, fmt.Errorf("%w: git diff-tree did not answer %s", ancestry.ErrMissing, ids[next])
	}
	return all, nil
}

// cutChange reads one record: as many colons as parents, that many modes and
// one, that many ids and one, the letters, and behind a NUL the path.
func cutChange(raw []byte) (c hooks.Change, rest []byte, err error) {
	head, rest, ok := bytes.Cut(raw, []byte{0})
	path, rest, ended := bytes.Cut(rest, []byte{0})
	fields := strings.Fields(strings.TrimLeft(string(head), ":"))
	n := len(head) - len(bytes.TrimLeft(head, ":")) // parents
	if !ok || !ended || n == 0 || len(fields) != 2*n+3 || fields[2*n+2] == "" || len(path) == 0 {
		return c, rest, fmt.Errorf("record %.60q", head)
	}
	c = hooks.Change{Status: combined(fields[2*n+2]), Path: string(path), Size: -1}
	if c.Status == 'D' {
		c.Size = 0
		return c, rest, nil
	}
	c.Mode, c.Blob = fields[n], fields[2*n+1]
	return c, rest, nil
}

// combined is the letter of a merge that differs from each parent: added if it
// is from none, else modified.
func combined(letters string) byte {
	if strings.Trim(letters, letters[:1]) == "" {
		return letters[0]
	}
	return 'M'
}

func lines(ids []refstore.OID) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(string(id) + "\n")
	}
	return b.String()
}

// fillSizes asks for the size of every content. A submodule's commit is not
// here, and takes no room in this repository.
func fillSizes(ctx context.Context, run git.Runner, all map[string][]hooks.Change) error {
	sizes := map[string]int64{}
	var in strings.Builder
	for _, changes := range all {
		for _, c := range changes {
			if _, ok := sizes[c.Blob]; c.Blob != "" && c.Mode != submodule && !ok {
				sizes[c.Blob] = -1
				in.WriteString(c.Blob + "\n")
			}
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	out, _, err := run.Offline().Run(ctx, git.Call{
		Args:  []string{"cat-file", "--buffer", "--batch-check=%(objectname) %(objectsize)"},
		Stdin: strings.NewReader(in.String()),
	})
	if err != nil {
		return ancestry.Unreadable(ctx, "the sizes of the files pushed", err)
	}
	for line := range strings.Lines(string(out)) {
		id, size, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("%w: object %.64s is absent", ancestry.ErrMissing, id)
		}
		sizes[id] = n
	}
	return putSizes(all, sizes)
}

const submodule = "160000"

func putSizes(all map[string][]hooks.Change, sizes map[string]int64) error {
	for _, changes := range all {
		for i, c := range changes {
			switch {
			case c.Blob == "":
			case c.Mode == submodule:
				changes[i].Size = 0
			case sizes[c.Blob] < 0:
				return fmt.Errorf("%w: git cat-file did not answer %s", ancestry.ErrMissing, c.Blob)
			default:
				changes[i].Size = sizes[c.Blob]
			}
		}
	}
	return nil
}
