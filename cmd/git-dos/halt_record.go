package main

import (
	"errors"

	"github.com/git-dos/git-dos/kernel/decisions"
	wish "github.com/git-dos/git-dos/kernel/halt"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// record writes the wish down, after the lane is parked where that is asked for.
func (h *halting) record() (haltAnswer, error) {
	ev := h.evidence()
	fresh, err := h.fresh()
	if err != nil {
		return haltAnswer{}, lifeError(err)
	}
	ev.Known = !fresh
	v := wish.Decide(ev)
	if v.Park {
		point, err := h.point()
		if err != nil {
			return haltAnswer{}, err
		}
		parking, err := h.park()
		if err != nil {
			return haltAnswer{}, err
		}
		ev.Point, ev.Parking = point, &parking
		v = wish.Decide(ev)
	}
	if err := h.write(v); err != nil {
		return haltAnswer{}, err
	}
	return haltAnswer{
		Outcome: string(v.Outcome), Recorded: v.Outcome == wish.Recorded, Already: v.Already, Reason: v.Reason, Next: v.Next,
		RunID: h.row.RunID, Handle: h.row.Handle, Command: h.row.Command, Lane: h.row.Lane, Node: h.row.Node, Gen: h.row.Gen,
		Suspended: v.Suspended, Parked: v.Parked, ResumeSha: v.ResumeSha,
	}, nil
}

// write adds the rows of a verdict to this node's ledger.
func (h *halting) write(v wish.Verdict) error {
	var rows []journal.Row
	var suspend []resume.Row
	if v.Row {
		rows = []journal.Row{h.row}
	}
	if v.Suspend {
		suspend = []resume.Row{{Op: resume.OpSuspend, Reason: h.row.Reason, ResumeSha: v.ResumeSha}}
	}
	switch {
	case len(rows)+len(suspend) == 0:
		return nil
	case h.run == nil:
		_, err := h.book.Record(h.c.Context, rows...)
		return lifeError(err)
	}
	_, err := h.run.AppendWith(h.c.Context, rows, suspend...)
	return lifeError(err)
}

// fresh reports whether no ledger has the wish yet.
func (h *halting) fresh() (bool, error) {
	told, err := h.book.Alerts(h.c.Context)
	if err != nil {
		return false, err
	}
	return decisions.Fresh(decisionsAlerts(told.Alerts), decisions.Alert{
		Op: h.row.Op, Lane: h.row.Lane, Class: h.row.ReasonClass, Reason: h.row.Reason, RunID: h.row.RunID, Handle: h.row.Handle, Edge: h.row.Edge,
	}), nil
}

// park parks the lane of the run, if it holds one.
func (h *halting) park() (wish.Parking, error) {
	if h.held == nil {
		return wish.Parking{}, nil
	}
	d, id := h.book.Desk, lease.Identity{RunID: h.row.RunID}
	v, err := d.Park(h.c.Context, h.held.Lane, "", id)
	if err != nil {
		return wish.Parking{}, deskError(err)
	}
	if v.Outcome != lease.Parked {
		return wish.Parking{Refused: v.Reason, Next: firstOf(v.Next, "git dos lease show --lane "+verdict.ShellWord(h.held.Lane))}, nil
	}
	if err := rememberParked(d, h.held.Lane, id, v.Lease); err != nil {
		return wish.Parking{}, environmentf("%s, but this worktree does not remember under which nonce: %w", v.Outcome, err)
	}
	return wish.Parking{Done: true}, nil
}

// point is the commit to go on from, with those on record.
func (h *halting) point() (wish.Point, error) {
	sha, err := h.resumeSha()
	p := wish.Point{Sha: sha, Named: h.c.String("resume-sha") != ""}
	for _, row := range h.run.Intent.Suspensions() {
		p.OnRecord = append(p.OnRecord, row.ResumeSha)
	}
	return p, err
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
