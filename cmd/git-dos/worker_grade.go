package main

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/machine"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/internal/worktree"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// uncommitted is what of the lane is not committed in a worktree. Packets and run
// records are nobody's work.
func (w *workerRunning) uncommitted(repo *refstore.Repo) ([]scope.Left, error) {
	t, err := worktree.Open(w.c.Context, repo)
	if err != nil {
		return nil, scopeError(err)
	}
	p := w.desk.Rules.Policy
	ev := scope.CleanEvidence{Lane: w.lease.Lane, Tree: w.lease.Tree, Scratch: append(slices.Clone(p.Clean.Scratch), p.Paths.NextPackets+"/**", p.Paths.Runs+"/**")}
	if len(ev.Tree) == 0 {
		return nil, nil
	}
	if ev.Unfinished, err = t.Unfinished(); err != nil {
		return nil, scopeError(err)
	}
	if ev.Uncommitted, err = t.Uncommitted(w.c.Context, ev.Matters()); err != nil {
		return nil, scopeError(err)
	}
	v := scope.DecideClean(ev)
	if unsure := ev.Unsure(); v.Outcome == "" && len(unsure) > 0 {
		return nil, errorf(kindIndeterminate, "%q may lie in lane %s: an entry of its tree is not understood", unsure[0], ev.Lane).
			hint("git dos doctor names the entry; one with braces is written as several")
	}
	return v.Paths, nil
}

// dirty refuses a worktree in which somebody's work in the lane is not committed:
// it could not be told from the worker's.
func (w *workerRunning) dirty() (*workerAnswer, error) {
	left, err := w.uncommitted(w.desk.Repo)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	var shown []string
	for _, l := range left {
		shown = append(shown, l.Path)
	}
	reason := fmt.Sprintf("%s in the lane not committed, first %s", verdict.Count(len(left), "path"), verdict.Show(shown[0]))
	next := "commit it with git dos commit, or give the worker files of its own with --worktree"
	return refusedWorker(w.lease.Lane, "tree", reason, next, func(a *workerAnswer) { a.Evidence.Stranded = shown }), nil
}

// evidence gathers from git what came of the run, while its lease is held.
func (w *workerRunning) evidence(exit supervise.Exit) (supervise.GradeEvidence, error) {
	c, p := w.c, w.desk.Rules.Policy
	ev := supervise.GradeEvidence{Unit: w.job.req.Unit, Exit: exit, RateLimited: p.Worker.Exit.RateLimited, Overloaded: p.Worker.Exit.Overloaded}
	d, err := w.reopened(c.Context)
	if err != nil {
		return ev, deskError(err)
	}
	if err := d.Refresh(c.Context, true); err != nil {
		warn(c, "the trunk could not be looked at: %v", deskError(err))
		seen := d.AsOf(true).UTC().Truncate(time.Second)
		ev.AsOf = &seen
	} else if d, err = w.reopened(c.Context); err != nil {
		return ev, deskError(err)
	}
	b, err := life.Open(c.Context, d, true)
	if err != nil {
		return ev, lifeError(err)
	}
	trunk, err := w.tip(d.Repo, d.Rules.Trunk)
	if err != nil {
		return ev, err
	}
	if w.base != "" {
		own, elsewhere, err := w.own(b)
		if err != nil {
			return ev, err
		}
		for _, id := range elsewhere {
			ev.Elsewhere = append(ev.Elsewhere, string(id))
		}
		if ev.Commits, err = w.judged(d.Repo, trunk, own); err != nil {
			return ev, err
		}
	}
	if ev.Dropped, err = w.dropped(d.Repo, trunk); err != nil {
		return ev, err
	}
	if ev.Shipped, err = w.shipped(d, ev); err != nil {
		return ev, err
	}
	if ev.Stranded, err = w.stranded(d.Repo); err != nil {
		return ev, err
	}
	ev.Survivors = w.survivors()
	return ev, nil
}

// tip is where the trunk of the run's beginning is now, "" where it has no commit. By
// dos.toml, or by going to another branch, the worker may have made another one the
// trunk, which is no witness.
func (w *workerRunning) tip(repo *refstore.Repo, now facts.Trunk) (refstore.OID, error) {
	if w.trunk.Ref == now.Ref || w.trunk.Ref == "" {
		return now.ID, nil
	}
	id, err := ancestry.Resolve(w.c.Context, repo.Git, w.trunk.Ref)
	if errors.Is(err, ancestry.ErrNoRevision) || errors.Is(err, ancestry.ErrUnborn) {
		return "", nil
	} else if err != nil {
		return "", scopeError(err)
	}
	return id, nil
}

// dropped is the trunk's commit from before the run, "" where the trunk still has it.
func (w *workerRunning) dropped(repo *refstore.Repo, trunk refstore.OID) (string, error) {
	if w.trunk.ID == "" {
		return "", nil
	}
	if trunk != "" {
		has, err := ancestry.ReachesAll(w.c.Context, repo.Git, trunk, []refstore.OID{w.trunk.ID})
		if err != nil {
			return "", scopeError(err)
		}
		if has {
			return "", nil
		}
	}
	return w.trunk.Commit(), nil
}

// stranded is what the worker left uncommitted. Of a worktree that it deleted there
// is nothing to be found.
func (w *workerRunning) stranded(repo *refstore.Repo) (paths []string, err error) {
	if w.linked.gone() {
		warn(w.c, "the worktree %s is gone, and with it what was not committed in it", w.dir)
		return nil, nil
	}
	left, err := w.uncommitted(repo)
	for _, l := range left {
		paths = append(paths, l.Path)
	}
	return paths, err
}

// own lists the commits of the worker: those of its run, and of the run whose lease
// it rides. Others that it may have made lie elsewhere.
func (w *workerRunning) own(b *life.Book) (own, elsewhere []refstore.OID, err error) {
	runs := []string{w.lease.RunID}
	if w.run != w.lease.RunID {
		runs = append(runs, w.run)
	}
	for _, id := range runs {
		run, err := b.Adding(w.c.Context, id)
		if err != nil {
			return nil, nil, lifeError(err)
		}
		found, beside, whole, err := run.Own(w.c.Context, w.base)
		if err != nil {
			return nil, nil, lifeError(err)
		}
		if !whole {
			warn(w.c, "not all that came after %s could be looked at", w.base.Short())
		}
		if id != w.run {
			if found, err = w.notOthers(found); err != nil {
				return nil, nil, err
			}
		}
		own, elsewhere = added(own, found), added(elsewhere, beside)
	}
	return own, elsewhere[:min(len(elsewhere), maxElsewhere)], nil
}

// added are the commits of a list and those of another that it lacks.
func added(list, more []refstore.OID) []refstore.OID {
	for _, id := range more {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// maxElsewhere bounds the commits outside the lane that are named.
const maxElsewhere = 100

// notOthers leaves out, of commits of the run whose lease it rides, those that name
// another worker: several may ride it at once.
func (w *workerRunning) notOthers(found []refstore.OID) (own []refstore.OID, err error) {
	me := firstOf(w.job.req.Worker, w.run)
	for commit, err := range ancestry.Read(w.c.Context, w.desk.Repo.Git, found) {
		if err != nil {
			return nil, scopeError(err)
		}
		others := slices.ContainsFunc(commit.Trailers(), func(t ancestry.Trailer) bool {
			_, run := runid.Decode(t.Value) // the id of a worker that was given no other
			return strings.EqualFold(t.Key, "Dos-Worker") && t.Value != me && run
		})
		if !others {
			own = append(own, commit.ID)
		}
	}
	return own, nil
}

// maxGraded bounds the commits of one run that are looked at.
const maxGraded = 2000

// judged says of each commit whether the trunk has it and whether its diff bears
// out its subject.
func (w *workerRunning) judged(repo *refstore.Repo, trunk refstore.OID, own []refstore.OID) ([]supervise.OwnCommit, error) {
	if len(own) == 0 {
		return nil, nil
	}
	if len(own) > maxGraded {
		return nil, errorf(kindIndeterminate, "the run has %d commits, and no more than %d are looked at", len(own), maxGraded).
			hint("git dos commit-audit %s..HEAD looks at all", w.base.Short())
	}
	on := map[refstore.OID]bool{}
	if trunk != "" {
		for commit, err := range ancestry.Range(repo.Git, w.base, trunk).Commits(w.c.Context) {
			if err != nil {
				return nil, scopeError(err)
			}
			on[commit.ID] = true
		}
	}
	found := map[string]bool{}
	for f, err := range facts.AuditCommits(w.c.Context, repo, false, iter.Seq2[ancestry.Commit, error](ancestry.Read(w.c.Context, repo.Git, own))) {
		if err != nil {
			return nil, scopeError(err)
		}
		found[f.Sha] = f.ExitCode() == verdict.Yes
	}
	var out []supervise.OwnCommit
	for _, id := range own {
		out = append(out, supervise.OwnCommit{ID: string(id), OnTrunk: on[id], Witnessed: found[string(id)]})
	}
	return out, nil
}

// shipped is the commit by which the trunk has the unit, "" where it has not. What is
// asked of it is what wave harvest and the queue ask.
func (w *workerRunning) shipped(d *admit.Desk, ev supervise.GradeEvidence) (string, error) {
	u, err := unitOf(w.job.req.Unit)
	if err != nil {
		return "", nil // a word that is of no plan, which ships by nothing
	}
	var ref string
	if w.trunk.Ref != d.Rules.Trunk.Ref {
		ref = w.trunk.Ref
	}
	if !u.Until.Unit {
		v, err := taskTruth(w.c.Context, d, u.Task, ref, ev.AsOf != nil)
		return v.Sha, err
	}
	q := &shipQuestion{repo: d.Repo, req: facts.ShipRequest{Plan: u.Plan, Phase: u.Phase}, cached: true}
	q.req.Ref = ref
	a, err := q.ask(w.c.Context)
	switch {
	case err != nil:
		return "", verifyError(err)
	case a.Outcome == ship.Indeterminate:
		return "", reconcileUnknown(a)
	case a.Outcome != ship.Shipped:
		return "", nil
	}
	return a.Sha, nil
}

// survivors are processes of the worker that left its group, and run on. They are
// told of and not ended: only the group was made by us.
func (w *workerRunning) survivors() (out []supervise.Process) {
	view, err := machine.Look(w.c.Context, w.mark.Node, []marker.Marker{w.mark})
	if err != nil {
		warn(w.c, "whether anything outlived the worker is not known: %v", err)
		return nil
	}
	for _, p := range view.Own {
		if p.PID != w.mark.Keeper.PID {
			p.Reasons = append(p.Reasons, "outlived its worker")
			out = append(out, p.Process)
		}
	}
	return out
}
