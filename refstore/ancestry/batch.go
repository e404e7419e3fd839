package ancestry

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// Read yields the named commits in order. A commit that cannot be read is
// yielded with its ID and ErrMissing, and reading goes on; any other error
// ends the sequence.
func Read(ctx context.Context, run git.Runner, ids []refstore.OID) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		if len(ids) == 0 {
			return
		}
		if err := checked(ids...); err != nil {
			yield(Commit{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		b, err := startBatch(ctx, run, strings.NewReader(lines(ids)))
		if err != nil {
			yield(Commit{}, err)
			return
		}
		defer b.stop(cancel)
		for {
			c, err := b.next()
			if err == io.EOF {
				if err = b.end(ctx); err != nil {
					yield(Commit{}, err)
				}
				return
			}
			if !yield(c, err) || (err != nil && c.ID == "") {
				return
			}
		}
	}
}

func lines(ids []refstore.OID) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(string(id))
		b.WriteByte('\n')
	}
	return b.String()
}

// A batch is a git cat-file that answers each id on its input with a header
// that states the length, then exactly that many bytes.
type batch struct{ *child }

func startBatch(ctx context.Context, run git.Runner, ids io.Reader) (batch, error) {
	c, err := startReading(ctx, run, git.Call{
		Args:  []string{"cat-file", "--buffer", "--batch=%(objectname) %(objecttype) %(objectsize)"},
		Stdin: ids,
	}, 256<<10)
	return batch{c}, err
}

// next returns the next commit, io.EOF after the last one. An error with an ID
// concerns that object alone.
func (b batch) next() (Commit, error) {
	head, err := b.out.ReadSlice('\n')
	if err == io.EOF && len(head) == 0 {
		return Commit{}, io.EOF
	}
	if err != nil {
		return Commit{}, fmt.Errorf("%w: git cat-file stopped inside a header", ErrMissing)
	}
	field := strings.Split(string(head[:len(head)-1]), " ")
	id, ok := refstore.ParseOID(field[0])
	if !ok {
		return Commit{}, fmt.Errorf("%w: git cat-file answered %q", ErrMissing, field[0])
	}
	if len(field) != 3 {
		return Commit{ID: id}, fmt.Errorf("%w: object %s is absent", ErrMissing, id)
	}
	return b.body(id, field[1], field[2])
}

func (b batch) body(id refstore.OID, kind, length string) (Commit, error) {
	size, err := strconv.ParseInt(length, 10, 64)
	if err != nil || size < 0 {
		return Commit{}, fmt.Errorf("%w: object %s has length %q", ErrMissing, id, length)
	}
	if kind != "commit" || size > MaxCommit {
		if _, err := io.CopyN(io.Discard, b.out, size+1); err != nil {
			return Commit{}, b.torn(id)
		}
		return Commit{ID: id}, fmt.Errorf("%w: object %s is a %s of %d bytes, not a commit of at most %d", ErrMissing, id, kind, size, MaxCommit)
	}
	raw := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, raw); err != nil || raw[size] != '\n' {
		return Commit{}, b.torn(id)
	}
	c, err := parse(id, raw[:size:size])
	if err != nil {
		c.ID = id
	}
	return c, err
}

func (b batch) torn(id refstore.OID) error {
	return fmt.Errorf("%w: git cat-file stopped inside %s", ErrMissing, id)
}
