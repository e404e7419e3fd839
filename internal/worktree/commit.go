package worktree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// A Draft is a commit that was judged and not made.
type Draft struct {
	Verdict scope.CommitVerdict

	tree    *Tree
	head    refstore.OID
	changed []entry
	within  []string // the tree of the lane
}

// Draft judges a commit of the named paths, as Named returns them, and no
// other. With a lane they must lie in its tree. It writes nothing.
func (t *Tree) Draft(ctx context.Context, named []string, lane string, tree []string) (Draft, error) {
	d := Draft{tree: t, within: tree}
	ev := scope.CommitEvidence{Lane: lane, Tree: tree}
	var err error
	if ev.Branch, err = ancestry.Symbolic(ctx, t.repo.Git, "HEAD"); err != nil {
		return d, err
	}
	if d.head, err = t.head(ctx); err != nil {
		return d, err
	}
	if ev.Unfinished, err = t.Unfinished(); err != nil {
		return d, err
	}
	busy, err := t.lock() // before and after: a git that ends between leaves what it staged unexplained
	if err != nil {
		return d, err
	}
	f, err := t.find(ctx, named)
	if err != nil {
		return d, err
	}
	d.changed = f.changed
	ev.Unmerged, ev.Beyond, ev.Hidden, ev.Kept, ev.Foreign, ev.Changed = f.bad, f.beyond, f.hidden, f.kept, f.foreign, d.paths()
	if ev.Links, err = t.links(ev.Changed); err != nil {
		return d, err
	}
	if ev.Lock, err = t.lock(); err != nil {
		return d, err
	}
	if ev.Lock == nil {
		ev.Lock = busy
	}
	d.Verdict = scope.DecideCommit(ev)
	return d, nil
}

func (d Draft) paths() []string {
	var out []string
	for _, e := range d.changed {
		out = append(out, e.path)
	}
	slices.Sort(out)
	return out
}

// Preview is the verdict of a dry run: the draft's, with the message that the
// commit would have.
func (d Draft) Preview(message []byte) scope.CommitVerdict {
	v := d.Verdict
	if v.Outcome == scope.WouldCommit {
		v.Message, v.Trailers = string(message), TrailersOf(message)
		if v.Trailers == nil {
			v.Trailers = []scope.Trailer{}
		}
	}
	return v
}

// Commit has git make the commit of a draft that nothing stands against, with
// this message to the byte, and judges what landed. Without a commit the index
// is as it was. A commit that is not what was asked for stays.
func (d Draft) Commit(ctx context.Context, message []byte) (scope.CommitVerdict, error) {
	if d.Verdict.Outcome != scope.WouldCommit {
		return d.Verdict, nil
	}
	var fresh []string
	for _, e := range d.changed {
		if e.untracked {
			fresh = append(fresh, e.path)
		}
	}
	told, err := d.tree.announce(ctx, fresh)
	if err != nil {
		return d.unannounced(err)
	}
	err = d.run(ctx, message)
	v, landed, lerr := d.look(context.WithoutCancel(ctx), message, err)
	if !landed {
		lerr = errors.Join(lerr, d.tree.takeBack(ctx, told))
	}
	return v, lerr
}

// unannounced says why the index could not be told of new files. It is as it
// was.
func (d Draft) unannounced(why error) (scope.CommitVerdict, error) {
	lock, err := d.tree.lock()
	if err == nil && lock != nil {
		return d.Verdict.Locked(*lock), nil
	}
	return scope.CommitVerdict{}, errors.Join(why, err)
}

// run runs git commit. The message goes through a file, since the paths go
// through standard input, where neither their number nor their bytes matter.
func (d Draft) run(ctx context.Context, message []byte) error {
	file, err := d.tree.repo.StateFile(messageFile + admit.NewNonce())
	if err != nil {
		return err
	}
	d.tree.sweep(filepath.Dir(file))
	if err := os.WriteFile(file, message, 0o600); err != nil {
		return err
	}
	defer os.Remove(file)
	run := d.tree.repo.Git
	run.Env = append(slices.Clone(run.Env), plainEnv()...)
	run.Config = append(slices.Clone(run.Config), "i18n.commitEncoding=UTF-8")
	run, record, err := d.tree.traced(ctx, run)
	if err != nil {
		return err
	}
	if record != "" {
		defer os.Remove(record)
	}
	_, _, err = run.Run(ctx, git.Call{
		Args:  []string{"commit", "--quiet", "--only", "--cleanup=verbatim", "--file=" + file, "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin: pathspecs(d.given()),
	})
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well, and something that a hook left goes on
	}
	if err != nil && record != "" && refusedBy(record, refHook) {
		return &hookError{err}
	}
	return err
}

// A hookError is the error of a git of which it is known that a hook stopped it.
type hookError struct{ error }

func (e *hookError) Unwrap() error { return e.error }

// given are the paths to name to git: all, but for a missing file with new ones
// below it, where it is a directory now. Those replace it, and by its own name
// git would look for a repository there.
func (d Draft) given() []string {
	all := d.paths()
	below := map[string]bool{}
	for _, p := range all {
		for i, c := range p {
			if c == '/' {
				below[p[:i]] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(p string) bool {
		info, err := os.Lstat(d.tree.onDisk(p))
		return below[p] && err == nil && info.IsDir()
	})
}

// plainEnv gives hooks the language and the lock habits they would have under
// the user's own git: what git says here is only shown.
func plainEnv() []string {
	locks := os.Getenv("GIT_OPTIONAL_LOCKS")
	if locks == "" {
		locks = "1"
	}
	return []string{"LC_ALL=" + os.Getenv("LC_ALL"), "LANGUAGE=" + os.Getenv("LANGUAGE"), "GIT_OPTIONAL_LOCKS=" + locks}
}

// look judges by what is there after git has ended, in whatever way. landed
// reports whether there is a commit that git made for us.
func (d Draft) look(ctx context.Context, message []byte, gitErr error) (v scope.CommitVerdict, landed bool, err error) {
	now, err := d.tree.head(ctx)
	if err != nil {
		return v, false, errors.Join(gitErr, err)
	}
	var l scope.Landing
	if now != d.head && now != "" {
		if l, err = d.landing(ctx, now, message, gitErr); err != nil {
			return v, gitErr == nil, errors.Join(gitErr, err)
		}
	}
	if l.Commit == "" {
		v, err = d.notMade(ctx, gitErr)
		return v, false, err
	}
	return d.Verdict.Landed(l), true, nil
}

// notMade says why there is no commit, by what is there now. A git that ends
// with status 1 although it had a change to commit was refused by a hook, as was
// one that is known to have been.
func (d Draft) notMade(ctx context.Context, gitErr error) (scope.CommitVerdict, error) {
	lock, err := d.tree.lock()
	if err == nil && lock == nil && gitErr != nil {
		lock, err = d.tree.refLock(d.Verdict.Branch)
	}
	if err != nil {
		return scope.CommitVerdict{}, errors.Join(gitErr, err)
	}
	if lock != nil {
		return d.Verdict.Locked(*lock), nil
	}
	var g *git.Error
	if errors.Is(gitErr, context.Canceled) {
		return scope.CommitVerdict{}, gitErr
	}
	var hooked *hookError
	if gitErr != nil && (!errors.As(gitErr, &g) || g.Code != 1 && !errors.As(gitErr, &hooked)) {
		return scope.CommitVerdict{}, gitErr
	}
	still, err := d.stillChanged(ctx)
	switch {
	case err != nil:
		return scope.CommitVerdict{}, errors.Join(gitErr, err)
	case !still:
		return d.Verdict.Unchanged(), nil
	case gitErr == nil:
		return scope.CommitVerdict{}, errors.New("git commit ended well and made no commit")
	}
	return d.Verdict.Hooked(strings.TrimSpace(g.Stderr)), nil
}

// stillChanged reports whether a path of the draft differs from HEAD now.
func (d Draft) stillChanged(ctx context.Context) (bool, error) {
	all, _, err := d.tree.status(ctx)
	paths := d.paths()
	return slices.ContainsFunc(all, func(e entry) bool {
		_, asked := slices.BinarySearch(paths, e.path)
		return asked && e.commits()
	}), err
}
