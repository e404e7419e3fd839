package ancestry

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// A Log is a piece of history to be walked. Its memory is that of the line of
// parents still expected, whatever the number of commits; see ByDate.
type Log struct {
	run    git.Runner
	tip    refstore.OID
	old    refstore.OID // "" for a walk to the roots
	byDate bool

	boundary []refstore.OID
}

// Walk is the history of tip over all parents, down to the roots.
func Walk(run git.Runner, tip refstore.OID) *Log {
	return &Log{run: run, tip: tip}
}

// Range is the commits that tip reaches and old does not. An empty old is a
// walk to the roots.
func Range(run git.Runner, old, tip refstore.OID) *Log {
	return &Log{run: run, tip: tip, old: old}
}

// ByDate lets a commit whose date is wrong come before some of its children.
// The walk then begins to yield at once, where git would otherwise read all of
// the history first, and takes 16 bytes of memory for each commit.
func (l *Log) ByDate() *Log {
	l.byDate = true
	return l
}

func (l *Log) args() []string {
	args := []string{"rev-list"}
	if !l.byDate {
		args = append(args, "--date-order")
	}
	args = append(args, "--end-of-options", string(l.tip))
	if l.old != "" {
		args = append(args, "^"+string(l.old))
	}
	return append(args, "--")
}

// Boundary returns the commits whose parents the walk did not reach, sorted:
// the edge of a shallow history. It is complete once Commits has ended without
// an error. A Range has none: what lies below old is not its business.
func (l *Log) Boundary() []refstore.OID { return l.boundary }

// Commits yields each commit once, newest first and no commit before all its
// children. An error is the last thing yielded; without one, the walk is
// complete down to Boundary. Leaving the loop early ends the git children
// before Commits returns.
func (l *Log) Commits(ctx context.Context) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		l.boundary = nil
		if err := l.walk(ctx, yield); err != nil {
			yield(Commit{}, err)
		}
	}
}

func (l *Log) walk(ctx context.Context, yield func(Commit, error) bool) error {
	if err := checked(l.tip); err != nil {
		return err
	}
	if l.old != "" {
		if err := checked(l.old); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := startStream(ctx, cancel, l.run, l.args())
	if err != nil {
		return err
	}
	defer s.stop(cancel)
	expected := map[refstore.OID][]refstore.OID{l.tip: nil}
	var passed passed
	for {
		c, err := s.batch.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = follow(expected, c)
		}
		if err != nil {
			return because(ctx, err)
		}
		if l.byDate {
			passed.add(c.ID)
		}
		if !yield(c, nil) {
			return nil
		}
	}
	if err := s.end(ctx); err != nil {
		return err
	}
	passed.drop(expected)
	return l.close(expected)
}

// follow holds the walk to the objects: c must be expected, and from now on
// its parents are. The map names the children that expect each parent.
func follow(expected map[refstore.OID][]refstore.OID, c Commit) error {
	if _, ok := expected[c.ID]; !ok {
		return fmt.Errorf("%w: git listed %s, which no commit before it names as a parent", ErrMissing, c.ID)
	}
	delete(expected, c.ID)
	for _, p := range c.Parents {
		expected[p] = append(expected[p], c.ID)
	}
	return nil
}

func (l *Log) close(expected map[refstore.OID][]refstore.OID) error {
	if _, ok := expected[l.tip]; ok && l.old == "" {
		return fmt.Errorf("%w: git did not list %s, where the walk begins", ErrMissing, l.tip)
	}
	if l.old != "" {
		return nil
	}
	for _, children := range expected {
		l.boundary = append(l.boundary, children...)
	}
	slices.Sort(l.boundary)
	l.boundary = slices.Compact(l.boundary)
	return nil
}

// A stream is git rev-list writing ids straight into git cat-file.
type stream struct {
	list  *child
	batch batch
}

// startStream starts both children or, with an error, none that is left.
func startStream(ctx context.Context, cancel context.CancelFunc, run git.Runner, args []string) (*stream, error) {
	list, err := prepare(ctx, run, git.Call{Args: args})
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	defer w.Close()
	widen(w)
	list.cmd.Stdout = w
	if err := list.cmd.Start(); err != nil {
		return nil, err
	}
	b, err := startBatch(ctx, run, r)
	if err != nil {
		list.stop(cancel)
		return nil, err
	}
	return &stream{list, b}, nil
}

// end waits for both children. Both must have succeeded: a rev-list that died
// in the middle looks like an end of input to the other.
func (s *stream) end(ctx context.Context) error {
	listErr, readErr := s.list.end(ctx), s.batch.end(ctx)
	if listErr != nil {
		return listErr
	}
	return readErr
}

func (s *stream) stop(cancel context.CancelFunc) {
	s.list.stop(cancel)
	s.batch.stop(cancel)
}
