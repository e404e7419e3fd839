package pushed

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// rawDiff are the switches of a diff that is read by records: both sides of a
// rename, and of a merge what it has from no parent.
var rawDiff = []string{"-r", "-z", "--raw", "-c", "--no-abbrev", "--no-renames", "--no-relative", "--no-ext-diff", "--ignore-submodules=none"}

// changesOf reads which paths each of the commits changes, and asks for the size
// of what is new while it reads.
func changesOf(ctx context.Context, run git.Runner, ids []refstore.OID) (map[string][]hooks.Change, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	all := make(map[string][]hooks.Change, len(ids))
	sizes := askSizes(ctx, run)
	args := append([]string{"diff-tree", "--stdin", "--always", "--root"}, rawDiff...)
	_, err := stream(ctx, run, git.Call{Args: args, Stdin: strings.NewReader(lines(ids))}, func(r io.Reader) (bool, error) {
		return true, readChanges(bufio.NewReaderSize(r, 4*ancestry.MaxPath), ids, func(id string, c hooks.Change) {
			all[id] = append(all[id], c)
			sizes.want(c)
		})
	})
	known, sizesErr := sizes.wait()
	if err == nil {
		err = sizesErr
	}
	if err != nil {
		return nil, err
	}
	return all, putSizes(all, known)
}

// readChanges reads what git says of commits, in their order: the id of each,
// and its records.
func readChanges(r *bufio.Reader, ids []refstore.OID, each func(id string, c hooks.Change)) error {
	next := 0
	for {
		head, err := r.ReadString(0)
		switch {
		case err == io.EOF && head == "" && next == len(ids):
			return nil
		case err == io.EOF && head == "":
			return fmt.Errorf("%w: git diff-tree did not answer %s", ancestry.ErrMissing, ids[next])
		case err != nil:
			return fmt.Errorf("%w: git diff-tree stopped inside a record", ancestry.ErrMissing)
		}
		head = head[:len(head)-1]
		if head == "" || head[0] != ':' {
			if next == len(ids) || head != string(ids[next]) {
				return fmt.Errorf("%w: git diff-tree answered %.50q out of turn", ancestry.ErrMissing, head)
			}
			next++
			continue
		}
		path, err := r.ReadString(0)
		if err != nil || next == 0 {
			return fmt.Errorf("%w: git diff-tree stopped inside a record", ancestry.ErrMissing)
		}
		c, err := changeOf(head, path[:len(path)-1])
		if err != nil {
			return err
		}
		each(string(ids[next-1]), c)
	}
}

// absent is the mode of what is not there.
const absent = "000000"

// changeOf reads one record: as many colons as parents, that many modes and one,
// that many ids and one, the letters; and the path.
func changeOf(head, path string) (c hooks.Change, err error) {
	fields := strings.Fields(strings.TrimLeft(head, ":"))
	n := len(head) - len(strings.TrimLeft(head, ":")) // parents
	if n == 0 || len(fields) != 2*n+3 || path == "" {
		return c, fmt.Errorf("%w: git wrote a record %.60q", ancestry.ErrMissing, head)
	}
	c = hooks.Change{Status: combined(fields[2*n+2]), Path: path, Size: -1}
	if n == 1 {
		c.Was, c.Same = strings.TrimPrefix(fields[0], absent), fields[2] == fields[3]
	}
	if c.Status == 'D' {
		c.Size = 0
		return c, nil
	}
	c.Mode, c.Blob = fields[n], fields[2*n+1]
	return c, nil
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
