package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	wish "github.com/git-dos/git-dos/kernel/halt"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A halting is one wish to stop a run.
type halting struct {
	c    *cli.Context
	book *life.Book
	run  *life.Run     // nil when none is named
	held *lease.Record // the lease it is about, nil for none
	far  *lease.Record // what another node has of the lane on the remote, and grants to its workers
	row  journal.Row
	at   wish.Lease // the lane that is named, where it is not the worker's
}

// haltOf finds what is to be stopped.
func haltOf(c *cli.Context, b *life.Book) (*halting, error) {
	h := &halting{c: c, book: b}
	id, err := lifeStated(c)
	if err != nil {
		return nil, err
	}
	if name := c.String("lane"); name != "" {
		if err := h.onLane(name, id); err != nil {
			return nil, err
		}
	}
	if id == "" && h.held != nil {
		id = h.held.RunID
	}
	if id == "" && c.String("handle") == "" && h.at.Standing == wish.Unheld && h.far == nil {
		return nil, haltUnnamed(c, b)
	}
	if id != "" {
		if err := h.ofRun(id); err != nil {
			return nil, err
		}
	}
	if v := wish.Decide(h.evidence()); v.ExitCode() == verdict.NoVerdict && !v.Park {
		err := usagef("%w", v.Err())
		if v.Next != "" {
			return nil, err.hint("%s", v.Next)
		}
		return nil, err
	}
	return h, h.describe()
}

// haltUnnamed says how to name what is to be stopped. The run of this worktree is not
// taken for it, since whoever asks to stop one rarely works on it.
func haltUnnamed(c *cli.Context, b *life.Book) error {
	err := usagef("nothing says what is to be stopped").hint("name --run-id, --lane or --handle, or set GIT_DOS_RUN_ID")
	if here, e := lifeRun(c, b.Desk); e == nil {
		err.Hint += "; this worktree has the lease of run " + here + ": git dos halt --run-id " + verdict.ShellWord(here)
	}
	return err
}

// onLane finds the lease on the lane that was named.
func (h *halting) onLane(name, run string) error {
	word, err := canonicalLane(h.book.Desk, name)
	if err != nil {
		return err
	}
	rec, _, err := h.book.Desk.Lease(h.c.Context, word, true)
	switch {
	case err != nil:
		return deskError(err)
	case rec == nil || rec.State == lane.Free:
		h.at = wish.Lease{Standing: wish.Free, Lane: word}
	case rec.Delegate:
		h.far = rec
	case run != "" && rec.RunID != run:
		h.at = wish.Lease{Standing: wish.Others, Lane: word, Holder: rec.Holder.String(), RunID: rec.RunID}
	default:
		h.held = rec
	}
	h.row.Lane = word
	return nil
}

// ofRun finds the run and, where no lane was named, its lease.
func (h *halting) ofRun(id string) error {
	r, err := h.book.Run(h.c.Context, id)
	var unknown *life.UnknownRunError
	switch {
	case errors.As(err, &unknown) && h.held == nil && h.far == nil && h.at.Standing == wish.Unheld:
		return lifeError(err)
	case errors.As(err, &unknown):
		r, err = h.book.Adding(h.c.Context, id)
	}
	if err == nil && h.c.Bool("resumable") {
		err = r.Sure()
	}
	if err != nil {
		return lifeError(err)
	}
	lifeWarn(h.c, h.book, r)
	h.run, h.row.RunID = &r, id
	if h.held == nil && h.far == nil && h.at.Standing == wish.Unheld {
		if h.far = r.Under; r.Live {
			h.held, h.far = r.Lease, nil
		}
	}
	return nil
}

// describe fills in the row.
func (h *halting) describe() error {
	owner, err := ownerName(h.c, h.book.Desk)
	if err != nil {
		return err
	}
	h.row.Op, h.row.Owner = journal.OpHalt, owner
	h.row.Handle, h.row.Command = h.c.String("handle"), h.c.String("command")
	h.row.Reason = firstOf(h.c.String("reason"), "halt:"+owner)
	if of := h.lease(); of != nil {
		h.row.Lane, h.row.Gen, h.row.Nonce, h.row.Node = of.Lane, of.Gen, of.Nonce, of.Holder.Node
		h.row.Edge = of.Nonce
	}
	return nil
}

// lease is the one it is about, or that under which it was granted.
func (h *halting) lease() *lease.Record {
	if h.held != nil {
		return h.held
	}
	return h.far
}

// evidence is what is known of the wish before anything is written.
func (h *halting) evidence() wish.Evidence {
	ev := wish.Evidence{RunID: h.row.RunID, Handle: h.c.String("handle"), Reason: h.row.Reason, Lease: h.at, Resumable: h.c.Bool("resumable")}
	if of := h.lease(); of != nil && h.at.Standing == wish.Unheld {
		ev.Lease = wish.Lease{Standing: wish.Held, Lane: of.Lane, Holder: of.Holder.String(), RunID: of.RunID, Node: of.Holder.Node}
		if h.held == nil {
			ev.Lease.Standing = wish.Granted
		}
	}
	switch {
	case h.run == nil:
	case h.run.Intent.Unreadable():
		ev.Intent = wish.Unreadable
	case h.run.Intent.HasIntent():
		ev.Intent = wish.Declared
	}
	return ev
}
