package refstore

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/git-dos/git-dos/refstore/git"
)

// An updater is a git update-ref that has started and waits to be told what to
// do. Until then it has looked at no ref and locked none. When this process
// dies first, its input ends and so does git, with nothing done.
type updater struct {
	child *git.Child
	in    io.WriteCloser
}

// startUpdater starts one that keeps held open: a git that outlives this
// process still keeps others out.
func (r *Repo) startUpdater(ctx context.Context, held *os.File) (*updater, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	child, err := r.Git.Start(ctx, git.Call{Args: []string{"update-ref", "--stdin"}, Stdin: out, Inherit: []*os.File{held}})
	_ = out.Close() // the child has its own
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &updater{child, in}, nil
}

// run hands over the script and waits for git to end. Git decides: words that
// did not reach it are seen in how it ends.
func (u *updater) run(script string) error {
	_, werr := io.WriteString(u.in, script)
	cerr := u.in.Close()
	_, _, err := u.child.Wait()
	if err == nil {
		err = errors.Join(werr, cerr)
	}
	return err
}
