package refstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore/git"
)

// lockName is the flock that serialises writers of the local repository. It
// is held over read, decide and swap.
const lockName = "lock"

// A Local is the authority of the repository itself. Each process that writes
// makes its own; a Local is not safe for concurrent use.
type Local struct {
	repo *Repo
	held *os.File // the flock, while locked
	next *updater // a git waiting to be told what to write, nil for none
}

// Local returns the repository as an authority.
func (r *Repo) Local() *Local { return &Local{repo: r} }

// Name implements Authority.
func (l *Local) Name() string { return "local" }

// Read implements Authority. It takes no lock and runs one process. Between
// Lock and unlock the reader is about to write, so the git that will do it
// starts beside the read.
func (l *Local) Read(ctx context.Context, q Query) (Snapshot, error) {
	if l.held == nil || l.next != nil {
		return l.read(ctx, q)
	}
	started := make(chan *updater, 1)
	go func() {
		u, _ := l.repo.startUpdater(ctx, l.held) // Txn starts another when this failed
		started <- u
	}()
	s, err := l.read(ctx, q)
	l.next = <-started
	return s, err
}

func (l *Local) read(ctx context.Context, q Query) (Snapshot, error) {
	at := time.Now()
	var patterns []string
	for _, k := range q.Kinds {
		patterns = append(patterns, Ref(k, ""))
	}
	patterns = append(patterns, q.Branches...)
	same := func(ref string) (string, bool) { return ref, true }
	if l.held == nil {
		if tips, began, ok := l.repo.listAhead(ctx, time.Time{}, patterns, same); ok {
			return newSnapshot(began, tips), nil
		}
	}
	tips, err := l.repo.list(ctx, patterns, same)
	if err != nil {
		return Snapshot{}, err
	}
	return newSnapshot(at, tips), nil
}

// Lock implements Authority. Before it returns it removes the lock files that
// a killed writer of git-dos left behind.
func (l *Local) Lock(ctx context.Context) (func(), error) {
	if l.held != nil {
		return nil, errors.New("local repository is already locked by this process")
	}
	f, err := l.repo.lockFile(ctx, lockName)
	if err != nil {
		return nil, err
	}
	l.repo.ahead.spent("refs/dos/")
	l.held = f
	unlock := func() {
		l.dismiss()
		l.held = nil
		_ = f.Close()
	}
	if err := l.repo.heal(ctx); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// Txn implements Authority: one git update-ref transaction with the expected
// old value of every ref. The flock's descriptor is inherited by git, so a git
// that outlives this process still keeps others out.
func (l *Local) Txn(ctx context.Context, moves []Move) Outcome {
	if l.held == nil {
		return Outcome{Result: Unknown, Err: errors.New("transaction without the lock")}
	}
	if err := l.repo.writeIntent(moves); err != nil {
		return Outcome{Result: Unchanged, Err: err}
	}
	err := l.update(ctx, updateRefScript(l.repo.Format, moves))
	if err == nil {
		return l.settled(Outcome{Result: Won})
	}
	var g *git.Error
	ended := errors.As(err, &g) && g.Code >= 0 // it exited by itself and removed its locks
	o := l.explain(context.WithoutCancel(ctx), moves, err)
	if ended || o.Result == Won {
		return l.settled(o)
	}
	return o
}

// update has git carry out a script, by the child that waits for one if there
// is one.
func (l *Local) update(ctx context.Context, script string) error {
	u := l.next
	l.next = nil
	if u == nil {
		var err error
		if u, err = l.repo.startUpdater(ctx, l.held); err != nil {
			return err
		}
	}
	return u.run(script)
}

// dismiss ends a child that was not needed. It holds the flock, so it must be
// gone before the lock is.
func (l *Local) dismiss() {
	if l.next != nil {
		_ = l.next.run("") // it was told nothing and has changed nothing
		l.next = nil
	}
}

// settled clears the intent of a transaction whose git left no lock files.
func (l *Local) settled(o Outcome) Outcome {
	if err := l.repo.writeIntent(nil); err != nil && o.Result != Won {
		o.Err = errors.Join(o.Err, err)
	}
	return o
}

// updateRefScript is what git update-ref --stdin reads. Symbolic refs are not
// followed: a dos ref that is one has already been refused as broken.
func updateRefScript(f Format, moves []Move) string {
	var b strings.Builder
	b.WriteString("start\n")
	for _, m := range moves {
		old := string(m.Expect)
		if old == "" {
			old = f.zero()
		}
		fmt.Fprintf(&b, "option no-deref\nupdate %s %s %s\n", m.Ref, m.New, old)
	}
	b.WriteString("prepare\ncommit\n")
	return b.String()
}

// explain decides by the state of the refs how a failed transaction ended.
func (l *Local) explain(ctx context.Context, moves []Move, cause error) Outcome {
	now, err := l.read(ctx, queryOf(moves))
	if err != nil {
		return Outcome{Result: Unknown, Err: errors.Join(cause, err)}
	}
	o := l.repo.judge(ctx, moves, now)
	if o.Result != Unchanged {
		return o
	}
	o.Words = firstLine(cause)
	for _, m := range moves {
		path := filepath.Join(l.repo.CommonDir, filepath.FromSlash(m.Ref)+".lock")
		if st, err := os.Lstat(path); err == nil {
			return Outcome{Result: Locked, Ref: m.Ref, Path: path, Age: time.Since(st.ModTime())}
		}
	}
	return o
}

// queryOf reads back exactly the neighbourhood of the moved refs.
func queryOf(moves []Move) Query {
	var q Query
	seen := map[string]bool{}
	for _, m := range moves {
		name, ok := SplitRef(m.Ref)
		switch {
		case !ok:
			q.Branches = append(q.Branches, m.Ref)
		case !seen[name.Kind]:
			seen[name.Kind] = true
			q.Kinds = append(q.Kinds, name.Kind)
		}
	}
	return q
}

// judge compares a transaction with what the refs hold now. A ref is mine when
// it is at my new value or descends from it.
func (r *Repo) judge(ctx context.Context, moves []Move, now Snapshot) Outcome {
	var landed []string
	var other string
	for _, m := range moves {
		t := now.Tip(m.Ref)
		if t.ID == "" && t.Err != nil {
			return Outcome{Result: Unknown, Ref: m.Ref, Err: t.Err}
		}
		mine := t.ID == m.New
		if !mine && t.ID != m.Expect && t.ID != "" {
			var err error
			if mine, err = r.IsAncestor(ctx, m.New, t.ID); err != nil {
				return Outcome{Result: Unknown, Ref: m.Ref, Err: err}
			}
		}
		switch {
		case mine:
			landed = append(landed, m.Ref)
		case t.ID != m.Expect:
			other = m.Ref
		}
	}
	switch {
	case len(landed) == len(moves):
		return Outcome{Result: Won}
	case len(landed) == 0 && other == "":
		return Outcome{Result: Unchanged}
	}
	return Outcome{Result: Lost, Ref: other, Landed: landed}
}

// IsAncestor reports whether a is b or one of its ancestors. It is an error when
// either is not here.
func (r *Repo) IsAncestor(ctx context.Context, a, b OID) (bool, error) {
	_, err := r.Git.Output(ctx, "merge-base", "--is-ancestor", string(a), string(b))
	var g *git.Error
	if errors.As(err, &g) && g.Code == 1 {
		return false, nil
	}
	return err == nil, err
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
