package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
	"github.com/git-dos/git-dos/refstore"
)

// left looks at what a worker of this node left in its own worktree. Its keeper takes
// that away, unless there is work in it.
func (h *harvesting) left(w waveWorker, r *wave.Remains, out *waveHarvestRow) {
	tree, err := h.treeOf(w)
	if err != nil {
		r.Unseen = verdict.Clip(err.Error())
		return
	}
	if r.Alone, err = tree.alone(h.c.Context); err != nil {
		r.Unseen = verdict.Clip(err.Error())
		return
	}
	out.Alone = r.Alone
	if tree.gone() {
		return
	}
	out.Dir = tree.dir
	repo, err := refstore.Open(h.c.Context, tree.dir)
	if err == nil {
		err = h.dirty(w, repo, r, out)
	}
	if err != nil {
		r.Unseen = verdict.Clip(err.Error())
	}
}

// treeOf is the worktree that was made for a worker.
func (h *harvesting) treeOf(w waveWorker) (*workerTree, error) {
	leaf, err := lane.Leaf(w.RunID)
	if err != nil {
		return nil, err
	}
	repo := h.desk.Repo
	dir, err := repo.SharedFile("worktrees", leaf)
	if err != nil {
		return nil, err
	}
	base, ok := refstore.ParseOID(w.launchRow.StartSha)
	if !ok {
		return nil, fmt.Errorf("the row of its launch does not say where it began")
	}
	if _, err := os.Lstat(filepath.Dir(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &workerTree{repo: repo, dir: dir, branch: workerBranches + leaf, base: base}, nil
}

// dirty lists what is not committed there, all of it: nobody else works in that
// worktree. With --commit it is committed, but for what a live lease covers.
func (h *harvesting) dirty(w waveWorker, repo *refstore.Repo, r *wave.Remains, out *waveHarvestRow) error {
	of := &workerRunning{c: h.c, home: h.desk, desk: h.desk, run: w.RunID, lease: lease.Record{Lane: w.Lane, Tree: []string{"**"}, RunID: w.RunID}}
	left, err := of.uncommitted(repo)
	if err != nil || len(left) == 0 {
		return err
	}
	reading, err := h.desk.Leases(h.c.Context, false)
	if err != nil {
		return deskError(err)
	}
	var own []string
	for _, l := range left {
		r.Dirty = append(r.Dirty, l.Path)
		stray := dispatchStray{Path: l.Path, State: string(l.State), Why: coveredBy(reading, lease.Record{}, l.Path)}
		if stray.Why == "" {
			own = append(own, l.Path)
		}
		out.Stranded = append(out.Stranded, stray)
	}
	if len(own) == 0 || !h.c.Bool("commit") || r.Shipped {
		return nil
	}
	return h.commit(w, repo, own, out)
}

// commit commits exactly these paths on the worker's own branch, or says why not.
func (h *harvesting) commit(w waveWorker, repo *refstore.Repo, paths []string, out *waveHarvestRow) error {
	t, err := worktree.Open(h.c.Context, repo)
	if err != nil {
		return scopeError(err)
	}
	message, err := worktree.Compose("dos: uncommitted work of run "+w.RunID+" on "+w.Lane, worktree.Note{Run: w.RunID})
	if err != nil {
		return commitMessageError(err)
	}
	draft, err := t.Draft(h.c.Context, paths, "", nil)
	if err != nil {
		return scopeError(err)
	}
	v, err := draft.Commit(h.c.Context, message)
	if err != nil {
		return scopeError(err)
	}
	for i := range out.Stranded {
		switch {
		case out.Stranded[i].Why != "":
		case v.Outcome == scope.Committed:
			out.Stranded[i].Commit, out.Alone = v.Commit, v.Commit
		default:
			out.Stranded[i].Why = firstOf(v.Reason, "it could not be committed")
		}
	}
	return nil
}
