package ancestry

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// MaxPath bounds the length of one path.
const MaxPath = 64 << 10

// A Change is one path that differs between a commit and its first parent. A
// rename is a deletion and an addition, so both of its paths appear.
type Change struct {
	Commit  refstore.OID
	Path    string // raw bytes, never quoted
	OldMode string // octal, "000000" when the path was not there
	NewMode string // octal, "000000" when it is gone
	Old     refstore.OID
	New     refstore.OID
}

// Changed yields the paths each commit changed against its first parent, a
// root commit's against the empty tree, in the order of commits. A commit that
// changed nothing yields nothing. The parent is the commit object's own: at
// the edge of a shallow history it is absent and the answer is ErrMissing, not
// the whole tree. An error is the last thing yielded.
func Changed(ctx context.Context, run git.Runner, commits ...Commit) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if len(commits) == 0 {
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		d, err := startDiff(ctx, run, commits)
		if err != nil {
			yield(Change{}, err)
			return
		}
		defer d.stop(cancel)
		for {
			c, err := d.next(ctx)
			if err == io.EOF {
				return
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// A diff is a git diff-tree that answers each commit with its id and then, for
// each path, a line of modes and ids and the path, all of them NUL-terminated.
type diff struct {
	*child
	pending []Commit     // not announced yet
	at      refstore.OID // the commit whose paths are being read
}

func startDiff(ctx context.Context, run git.Runner, commits []Commit) (*diff, error) {
	var in strings.Builder
	for _, c := range commits {
		pair := append([]refstore.OID{c.ID}, c.Parents[:min(1, len(c.Parents))]...)
		if err := checked(pair...); err != nil {
			return nil, err
		}
		in.WriteString(strings.ReplaceAll(strings.TrimSuffix(lines(pair), "\n"), "\n", " ") + "\n")
	}
	c, err := startReading(ctx, run, git.Call{
		Args: []string{"diff-tree", "--stdin", "--always", "--root", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
			"--no-relative", "--ignore-submodules=none", "--end-of-options"},
		Stdin: strings.NewReader(in.String()),
	}, MaxPath)
	return &diff{child: c, pending: commits}, err
}

func (d *diff) next(ctx context.Context) (Change, error) {
	for {
		field, err := d.field()
		if err == io.EOF {
			return Change{}, d.end(ctx)
		}
		if err != nil {
			return Change{}, because(ctx, err)
		}
		if !strings.HasPrefix(field, ":") {
			if err := d.announce(field); err != nil {
				return Change{}, err
			}
			continue
		}
		return d.change(ctx, field)
	}
}

// announce holds git to the order of the question, so that a path is never
// credited to another commit.
func (d *diff) announce(field string) error {
	if len(d.pending) == 0 || field != string(d.pending[0].ID) {
		return fmt.Errorf("%w: git diff-tree answered %q out of turn", ErrMissing, field)
	}
	d.at, d.pending = d.pending[0].ID, d.pending[1:]
	return nil
}

func (d *diff) change(ctx context.Context, field string) (Change, error) {
	part := strings.Fields(field[1:])
	path, err := d.field()
	if err != nil || len(part) != 5 || d.at == "" {
		return Change{}, because(ctx, fmt.Errorf("%w: git diff-tree stopped inside a record of %s", ErrMissing, d.at))
	}
	c := Change{Commit: d.at, Path: path, OldMode: part[0], NewMode: part[1]}
	c.Old, c.New = blob(part[2]), blob(part[3])
	return c, nil
}

// blob is the object an id names, "" for the all-zero id.
func blob(id string) refstore.OID {
	oid, ok := refstore.ParseOID(id)
	if !ok {
		return ""
	}
	return oid
}

// field reads up to the next NUL.
func (d *diff) field() (string, error) {
	b, err := d.out.ReadSlice(0)
	if err == io.EOF && len(b) == 0 {
		return "", io.EOF
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", fmt.Errorf("%w: a path of %s is longer than %d bytes", ErrMissing, d.at, MaxPath)
	}
	if err != nil {
		return "", fmt.Errorf("%w: git diff-tree stopped inside a record of %s", ErrMissing, d.at)
	}
	return string(b[:len(b)-1]), nil
}

// end is io.EOF when every commit was answered.
func (d *diff) end(ctx context.Context) error {
	if err := d.child.end(ctx); err != nil {
		return err
	}
	if len(d.pending) > 0 {
		return fmt.Errorf("%w: git diff-tree did not answer %s", ErrMissing, d.pending[0].ID)
	}
	return io.EOF
}
