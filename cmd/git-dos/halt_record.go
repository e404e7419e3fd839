package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// record writes the wish down, after the lane is parked where that is asked for.
func (h *halting) record() (haltAnswer, error) {
	a := haltAnswer{
		Outcome: haltRefused, Reason: h.no, RunID: h.row.RunID, Handle: h.row.Handle, Command: h.row.Command,
		Lane: h.row.Lane, Node: h.row.Node, Gen: h.row.Gen,
	}
	if h.far != nil && h.c.Bool("resumable") {
		a.Reason = fmt.Sprintf("node %s grants lane %s to its workers itself, and only there the run's lease can be parked", h.far.Holder.Node, h.far.Lane)
		a.Next = "run it on node " + h.far.Holder.Node + ", or leave --resumable out"
		return a, nil
	}
	if h.no != "" {
		a.Next = "git dos lease live"
		return a, nil
	}
	var suspend []resume.Row
	if h.c.Bool("resumable") {
		sha, err := h.resumeSha()
		if err != nil {
			return a, err
		}
		if ok, err := h.park(&a); err != nil || !ok {
			return a, err
		}
		suspend = h.suspension(&a, sha)
	}
	a.Outcome, a.Recorded, a.Reason = haltRecorded, true, h.row.Reason
	var rows []journal.Row
	if h.fresh() {
		rows = []journal.Row{h.row}
	}
	a.Already = len(rows)+len(suspend) == 0
	if a.Already {
		return a, nil
	}
	if h.run == nil {
		_, err := h.book.Record(h.c.Context, rows...)
		return a, lifeError(err)
	}
	_, err := h.run.AppendWith(h.c.Context, rows, suspend...)
	return a, lifeError(err)
}

// fresh reports whether no ledger has the wish yet.
func (h *halting) fresh() bool {
	var known []decisions.Alert
	for _, k := range h.book.View.Alerts() {
		known = append(known, decisions.Alert(k))
	}
	return decisions.Fresh(known, decisions.Alert{
		Op: h.row.Op, Lane: h.row.Lane, Class: h.row.ReasonClass, Reason: h.row.Reason, RunID: h.row.RunID, Handle: h.row.Handle, Edge: h.row.Edge,
	})
}

// park parks the lane of the run, if it holds one. It is false when the lane is not
// the run's any more.
func (h *halting) park(a *haltAnswer) (bool, error) {
	if h.held == nil {
		return true, nil
	}
	d, id := h.book.Desk, lease.Identity{RunID: h.row.RunID}
	v, err := d.Park(h.c.Context, h.held.Lane, "", id)
	if err != nil {
		return false, deskError(err)
	}
	if v.Outcome != lease.Parked {
		a.Reason, a.Next = "its lane cannot be parked: "+v.Reason, firstOf(v.Next, "git dos lease show --lane "+verdict.ShellWord(h.held.Lane))
		return false, nil
	}
	a.Parked = true
	a.Next = "git dos resume --run-id " + verdict.ShellWord(h.row.RunID)
	if err := rememberParked(d, h.held.Lane, id, v.Lease); err != nil {
		return false, environmentf("%s, but this worktree does not remember under which nonce: %w", v.Outcome, err)
	}
	return true, nil
}

// suspension is the row that suspends the run, none when it is suspended already and
// no other commit to go on from is named.
func (h *halting) suspension(a *haltAnswer, sha string) []resume.Row {
	a.Suspended, a.ResumeSha = true, sha
	a.Next = "git dos resume --run-id " + verdict.ShellWord(h.row.RunID)
	had := h.run.Intent.Suspensions()
	named := h.c.String("resume-sha") != ""
	switch {
	case len(had) > 0 && !named:
		a.ResumeSha = had[len(had)-1].ResumeSha
		return nil
	case slices.ContainsFunc(had, func(r resume.Row) bool { return r.ResumeSha == sha }):
		return nil
	}
	return []resume.Row{{Op: resume.OpSuspend, Reason: h.row.Reason, ResumeSha: sha}}
}

// resumeSha is the commit to go on from: a hint, which is looked up anew then.
func (h *halting) resumeSha() (string, error) {
	if h.c.String("resume-sha") != "" {
		return h.namedSha()
	}
	ev, err := h.run.Progress(h.c.Context)
	if err != nil {
		return "", lifeError(err)
	}
	return ev.Anchor(), nil
}

// namedSha is the commit of --resume-sha: the run's start, or one that comes after it.
func (h *halting) namedSha() (string, error) {
	repo := h.book.Desk.Repo
	id, err := ancestry.Resolve(h.c.Context, repo.Git, h.c.String("resume-sha"))
	switch {
	case errors.Is(err, ancestry.ErrNoRevision), errors.Is(err, ancestry.ErrUnborn):
		return "", usagef("--resume-sha: %w", err)
	case err != nil:
		return "", environmentf("--resume-sha: %w", err)
	}
	start := h.run.Start
	if start == "" {
		return string(id), nil // nothing says what it would have to come after
	}
	after, err := repo.IsAncestor(h.c.Context, start, id)
	if err == nil && !after && repo.Shallow {
		err = errors.New("history is cut off here")
	}
	switch {
	case err != nil:
		return "", errorf(kindIndeterminate, "--resume-sha: whether %s comes after the run's start %s cannot be told: %w", id, start, err).
			hint("leave --resume-sha out: history says where to go on from")
	case !after:
		return "", usagef("--resume-sha: %s does not come after the run's start %s", id, start).
			hint("name a commit of the run, or leave --resume-sha out: history says where to go on from")
	}
	return string(id), nil
}
