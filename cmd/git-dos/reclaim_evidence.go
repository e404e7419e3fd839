package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/machine"
	"github.com/git-dos/git-dos/internal/marker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// remnants gathers what is known of each process of ours.
func (r *reclaiming) remnants() error {
	known := map[string]supervise.Remnant{}
	for _, o := range r.view.Own {
		about, ok := known[o.RunID]
		if !ok {
			about = r.about(o.Spawn)
			known[o.RunID] = about
		}
		about.Process, about.Role = o.Process, reclaimRole(o)
		r.ev.Remnants = append(r.ev.Remnants, about)
	}
	return r.c.Context.Err()
}

func reclaimRole(o machine.Owned) string {
	switch {
	case o.Spawn.Launch:
		return supervise.RoleLaunch
	case o.Spawn.Worker != nil && *o.Spawn.Worker == marker.Of(o.Proc):
		return supervise.RoleWorker
	}
	return supervise.RoleChild
}

// about gathers what is known of a spawn: what cannot be told stays empty, and why
// is among what is unread.
func (r *reclaiming) about(m marker.Marker) supervise.Remnant {
	out := supervise.Remnant{Unit: m.Unit, Lease: r.standing(m), RecentMS: r.book.Desk.Rules.Policy.Liveness.ProgressWindow.Milliseconds()}
	out.KeeperEnded, out.WorkerEnded = m.Ends(r.node)
	unread := func(what string, err error) { out.Unread = append(out.Unread, fmt.Sprintf("%s: %v", what, err)) }
	if m.Launch {
		return out // its workers have markers of their own
	}
	n, err := reclaimLog(m.Log)
	if err != nil {
		unread("its log", err)
	} else {
		out.LogBytes = &n
	}
	run, repo, err := r.run(m)
	if err != nil {
		unread("its run", err)
		return out
	}
	plan, err := lifeProgress(r.c, run)
	if err == nil {
		v, verr := livenessVerdict(r.c, run, life.Probe{}, plan)
		out.Liveness, err = supervise.Liveness(v.Outcome), verr
	}
	if err != nil {
		unread("its liveness", err)
	}
	if out.Witnessed, out.LastCommitMS, err = r.commits(run, repo); err != nil {
		unread("its commits", err)
	}
	return out
}

// run looks a run up from the worktree that it works in, whose commits no other may
// show.
func (r *reclaiming) run(m marker.Marker) (life.Run, *refstore.Repo, error) {
	ctx, d := r.c.Context, r.book.Desk
	if m.Dir == d.Repo.WorkTree {
		run, err := r.book.Run(ctx, m.RunID)
		return run, d.Repo, err
	}
	repo, err := refstore.Open(ctx, m.Dir)
	if err != nil {
		return life.Run{}, nil, err
	}
	here, err := d.Repo.DirID()
	if err != nil {
		return life.Run{}, nil, err
	}
	if there, err := repo.DirID(); err != nil || there != here {
		return life.Run{}, nil, errors.Join(fmt.Errorf("%s is no worktree of this repository", m.Dir), err)
	}
	own, err := deskOf(r.c, repo, admit.Open)
	if err != nil {
		return life.Run{}, nil, err
	}
	b, err := life.Open(ctx, own, true)
	if err != nil {
		return life.Run{}, nil, err
	}
	run, err := b.Run(ctx, m.RunID)
	return run, repo, err
}

// commits counts the commits of a run that git bears out, and tells how old the
// newest of all is.
func (r *reclaiming) commits(run life.Run, repo *refstore.Repo) (*int, *int64, error) {
	if run.Start == "" {
		return nil, nil, errors.New("nothing says what they would come after")
	}
	own, _, whole, err := run.Own(r.c.Context, run.Start)
	switch {
	case err != nil:
		return nil, nil, err
	case !whole:
		return nil, nil, errors.New("not all that came after its start could be looked at")
	}
	judged, err := (&workerRunning{c: r.c, base: run.Start}).judged(repo, r.book.Desk.Rules.Trunk.ID, own)
	if err != nil {
		return nil, nil, err
	}
	witnessed, newest := 0, int64(-1)
	for _, commit := range judged {
		if commit.Witnessed {
			witnessed++
		}
	}
	for commit, err := range ancestry.Read(r.c.Context, repo.Git, own) {
		if err != nil {
			return &witnessed, nil, err
		}
		if age := max(0, now(r.c).Sub(commit.CommitTime)/time.Millisecond); newest < 0 || int64(age) < newest {
			newest = int64(age)
		}
	}
	return &witnessed, &newest, nil
}

// reclaimHeader begins the header of a log.
const reclaimHeader = "# git-dos "

// reclaimLog is how many bytes a log has after its header.
func reclaimLog(path string) (int64, error) {
	st, err := os.Lstat(path)
	switch {
	case err != nil:
		return 0, err
	case !st.Mode().IsRegular():
		return 0, errors.New("it is no plain file")
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return 0, err
	}
	if end := bytes.IndexByte(head, '\n'); end >= 0 && bytes.HasPrefix(head, []byte(reclaimHeader)) {
		return st.Size() - int64(end) - 1, nil
	}
	return st.Size(), nil
}
