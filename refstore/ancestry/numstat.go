package ancestry

import (
	"context"
	"errors"
	"iter"

	"github.com/git-dos/git-dos/refstore/git"
)

// A FileStat is one path that differs between a commit and its first parent,
// with the lines that differ once white space and blank lines are left out.
type FileStat struct {
	Path    string // raw bytes, never quoted
	OldMode string // octal, "000000" when the path was not there
	NewMode string // octal, "000000" when it is gone
	Same    bool   // the content is the same object
	Binary  bool   // lines were not counted
	Added   int
	Deleted int
}

// A CommitStat is a commit, its message dropped but for the title, and what it
// changed.
type CommitStat struct {
	Commit
	Title string // the commit's subject, at most MaxTitle bytes of it
	Files []FileStat
}

// MaxTitle bounds the subjects that are kept while a diff is under way.
const MaxTitle = 8 << 10

// maxAhead is how many commits may be asked for before the first is answered.
// It bounds the memory, and it must be so many that their answers overflow
// what git and the pipe hold back: a git that waits for questions while we wait
// for its answers would wait for ever. An answer has an object id at least.
const maxAhead = 4096

// Numstat yields each of the commits, in their order, with what it changed
// against its first parent, a root commit against the empty tree. One git
// answers for all of them, and the memory is that of a few thousand titles and
// of the paths of one commit. The parent is the commit object's own: at the
// edge of a shallow history it is absent and the answer is ErrMissing, not the
// whole tree. No attributes and no settings count, so that nobody can declare
// code to be binary; see Opaque. Text of a gigabyte is more than git compares,
// and the answer is ErrMissing. An error is the last thing yielded;
// one of commits is passed on once all before it were answered.
func Numstat(ctx context.Context, run git.Runner, commits iter.Seq2[Commit, error]) iter.Seq2[CommitStat, error] {
	return func(yield func(CommitStat, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		n, err := startNumstat(ctx, run)
		if err != nil {
			yield(CommitStat{}, err)
			return
		}
		defer n.view.Close()
		fed := make(chan error, 1)
		go func() { fed <- n.feed(ctx, commits) }()
		err = n.answers(ctx, func(c CommitStat) bool { return yield(c, nil) })
		n.stop(cancel)
		cancel()
		n.in.Close()
		if asked := <-fed; err == nil {
			err = asked
		}
		if err != nil && err != errStopped {
			yield(CommitStat{}, err)
		}
	}
}

var (
	errStopped = errors.New("nobody wants more")
	errGone    = errors.New("git does not read on")
)
