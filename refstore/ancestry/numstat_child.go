package ancestry

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// A numstat is a git diff-tree that is asked commit by commit. Its answer is
// the commit's id, then a raw record for each path, then a count for each path
// whose lines differ, all of them NUL-terminated.
type numstat struct {
	*child
	view  *refstore.Scratch // the git directory it sees
	in    *os.File
	asked chan CommitStat // in the order of the questions
}

func startNumstat(ctx context.Context, run git.Runner) (*numstat, error) {
	run, view, err := objectView(ctx, run)
	if err != nil {
		return nil, err
	}
	n, err := startDiffTree(ctx, run)
	if err != nil {
		_ = view.Close()
		return nil, err
	}
	n.view = view
	return n, nil
}

func startDiffTree(ctx context.Context, run git.Runner) (*numstat, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c, err := startReading(ctx, run, git.Call{
		Args: []string{"diff-tree", "--stdin", "--always", "--root", "-r", "-z", "--raw", "--numstat", "--no-abbrev", "--no-renames",
			"--no-relative", "--ignore-submodules=none", "--no-ext-diff", "--no-textconv", "--ignore-all-space", "--ignore-blank-lines",
			"--end-of-options"},
		Stdin: r,
	}, MaxPath)
	if err != nil {
		w.Close()
		return nil, err
	}
	return &numstat{child: c, in: w, asked: make(chan CommitStat, maxAhead)}, nil
}

// feed asks for the commits one by one, as fast as they are answered.
func (n *numstat) feed(ctx context.Context, commits iter.Seq2[Commit, error]) error {
	defer close(n.asked)
	defer n.in.Close()
	w := bufio.NewWriter(n.in)
	for c, err := range commits {
		if err == nil {
			err = n.ask(ctx, w, c)
		}
		if err != nil {
			w.Flush() // what was asked before is answered; this error outranks its own
			return err
		}
	}
	return flushed(w)
}

func flushed(w *bufio.Writer) error {
	if w.Flush() != nil {
		return errGone
	}
	return nil
}

func (n *numstat) ask(ctx context.Context, w *bufio.Writer, c Commit) error {
	if err := checked(append([]refstore.OID{c.ID}, c.Parents...)...); err != nil {
		return err
	}
	question := string(c.ID)
	if len(c.Parents) > 0 {
		question += " " + string(c.Parents[0])
	}
	select {
	case n.asked <- titled(c):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if _, err := w.WriteString(question + "\n"); err != nil {
		return errGone
	}
	return nil
}

// titled drops a message but for the beginning of its title.
func titled(c Commit) CommitStat {
	title := c.Subject()
	c.Message = nil
	return CommitStat{Commit: c, Title: strings.Clone(title[:min(len(title), MaxTitle)])}
}

// answers hands on each commit once its last path was read. It is nil when
// every commit that was asked for was answered and no other.
func (n *numstat) answers(ctx context.Context, yield func(CommitStat) bool) error {
	var at *CommitStat
	counted := 0 // of at.Files, those whose counts are settled
	for {
		field, err := n.field(at)
		if err != nil && err != io.EOF {
			return because(ctx, err)
		}
		switch {
		case err == io.EOF, !strings.HasPrefix(field, ":") && !strings.Contains(field, "\t"):
			if at != nil && !yield(*at) {
				return errStopped
			}
			if err == io.EOF {
				return n.end(ctx)
			}
			next, ok := <-n.asked
			if !ok || string(next.ID) != field {
				return fmt.Errorf("%w: git diff-tree answered %q out of turn", ErrMissing, field)
			}
			at, counted = &next, 0
		case at == nil:
			return fmt.Errorf("%w: git diff-tree answered %q out of turn", ErrMissing, field)
		case field[0] == ':':
			err = n.path(at, field)
		default:
			counted, err = count(at, counted, field)
		}
		if err != nil {
			return because(ctx, err)
		}
	}
}

// path reads the rest of a raw record.
func (n *numstat) path(at *CommitStat, field string) error {
	part := strings.Fields(field[1:])
	path, err := n.field(at)
	if err != nil || len(part) != 5 {
		return fmt.Errorf("%w: git diff-tree stopped inside a record of %s", ErrMissing, at.ID)
	}
	at.Files = append(at.Files, FileStat{Path: path, OldMode: part[0], NewMode: part[1], Same: part[2] == part[3]})
	return nil
}

// count credits a count to its path. Counts come in the order of the paths,
// with those left out that do not differ.
func count(at *CommitStat, from int, field string) (int, error) {
	part := strings.SplitN(field, "\t", 3)
	for i := from; i < len(at.Files) && len(part) == 3; i++ {
		f := &at.Files[i]
		if f.Path != part[2] {
			continue
		}
		if part[0] == "-" && part[1] == "-" {
			f.Binary = true
			return i + 1, nil
		}
		var errA, errD error
		f.Added, errA = strconv.Atoi(part[0])
		f.Deleted, errD = strconv.Atoi(part[1])
		if errA == nil && errD == nil && f.Added >= 0 && f.Deleted >= 0 {
			return i + 1, nil
		}
		break
	}
	return from, fmt.Errorf("%w: git diff-tree counted %q out of turn in %s", ErrMissing, field, at.ID)
}

// field reads up to the next NUL.
func (n *numstat) field(at *CommitStat) (string, error) {
	b, err := n.out.ReadSlice(0)
	switch {
	case err == nil:
		return string(b[:len(b)-1]), nil
	case err == io.EOF && len(b) == 0:
		return "", io.EOF
	}
	where := "before the first commit"
	if at != nil {
		where = "in " + string(at.ID)
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", fmt.Errorf("%w: a path of more than %d bytes %s", ErrMissing, MaxPath, where)
	}
	return "", fmt.Errorf("%w: git diff-tree stopped inside a record %s", ErrMissing, where)
}

// end is nil when every commit was answered.
func (n *numstat) end(ctx context.Context) error {
	if err := n.child.end(ctx); err != nil {
		return err
	}
	if next, more := <-n.asked; more {
		return fmt.Errorf("%w: git diff-tree did not answer %s", ErrMissing, next.ID)
	}
	return nil
}
