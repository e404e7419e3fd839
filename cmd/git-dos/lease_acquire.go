package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
)

func leaseAcquire(c *cli.Context) error {
	lanes, err := acquireLanes(c)
	if err != nil {
		return err
	}
	if err := checkAcquire(c, lanes); err != nil {
		return err
	}
	d, err := leaseDesk(c)
	if err != nil {
		return err
	}
	req, err := acquireRequest(c, d, lanes)
	if err != nil {
		return err
	}
	if err := deskError(d.EnsureNode(c.Context)); err != nil {
		return err
	}
	if req.Owner, err = ownerName(c, d); err != nil {
		return err
	}
	v, err := d.Acquire(c.Context, req)
	if err != nil {
		return acquireError(err)
	}
	warnUnwatched(c, d)
	switch v.Outcome {
	case lease.Acquired, lease.Waits:
		if req.Force {
			journalAcquire(c, d, override(req, v))
		}
		warnOfNonce(c, v)
		return keepAndAnswer(c, d, v)
	case lease.Refused:
		v = explained(d, v)
		journalAcquire(c, d, refusal(req, v))
	}
	return answer(c, v)
}

// warnUnwatched says that no lease will be seen to lapse from here.
func warnUnwatched(c *cli.Context, d *admit.Desk) {
	if d.Unwatched != nil {
		warn(c, "it cannot be noted since when leases stand, so none is seen to lapse: %v", d.Unwatched)
	}
}

// acquireError tells bad requests, which package lane reports as plain errors,
// from what the store did.
func acquireError(err error) error {
	e := deskError(err)
	if ce := asCmdError(e); ce != nil && ce.Kind == kindEnvironment {
		ce.Kind = kindUsage
	}
	return e
}

// keepAndAnswer stores new leases for this worktree and reports them. What the
// caller would not learn of is given back, all of it.
func keepAndAnswer(c *cli.Context, d *admit.Desk, v lease.Verdict) error {
	var err error
	for _, r := range v.All() {
		err = errors.Join(err, d.Remember(r))
	}
	if err == nil {
		err = answer(c, v)
	}
	if err == nil || errors.As(err, new(answered)) || len(v.Fresh()) == 0 {
		return err // it is reported; a lease that waits has a status of its own
	}
	return giveBack(c, d, v.Fresh(), err)
}

// giveBack releases leases that cannot be reported, because of cause. It says
// which of them stay held when that fails too.
func giveBack(c *cli.Context, d *admit.Desk, leases []lease.Record, cause error) error {
	ctx := context.WithoutCancel(c.Context)
	var held, commands []string
	for _, r := range leases {
		_ = d.Forget(r.Lane, r.Nonce) // at worst a later verb says that it is lost
		if _, err := d.Release(ctx, r.Lane, lease.Identity{Nonce: r.Nonce}); err != nil {
			held = append(held, r.Lane)
			commands = append(commands, fmt.Sprintf("git dos lease release --lane %s --nonce %s", r.Lane, r.Nonce))
		}
	}
	if len(held) == 0 {
		return cause
	}
	return environmentf("%w; still held: lane %s", cause, strings.Join(held, ", ")).hint("%s", strings.Join(commands, "; "))
}

// journalAcquire adds a row to this node's ledger. The decision stands without
// it.
func journalAcquire(c *cli.Context, d *admit.Desk, row journal.Row) {
	if err := d.Journal(c.Context, row); err != nil {
		warn(c, "the %s was not journaled: %v", map[string]string{journal.OpRefuse: "refusal", journal.OpOverride: "override"}[row.Op], err)
	}
}

func refusal(req admit.Request, v lease.Verdict) journal.Row {
	return journal.Row{
		Op: journal.OpRefuse, Lane: v.Lane, Owner: req.Owner, RunID: req.RunID, Operator: req.Operator,
		ReasonClass: v.ReasonClass, Reason: v.Reason, Holder: (*journal.Holder)(v.Holder), Blocking: journalBlockers(v),
	}
}

// override is the row of an admission that an operator forced.
func override(req admit.Request, v lease.Verdict) journal.Row {
	words, ended := []string{}, []journal.Taken{}
	for _, t := range v.Scavenged {
		words = append(words, fmt.Sprintf("%s g%d of %s", t.Lane, t.Gen, t.Holder))
		ended = append(ended, journal.Taken{Lane: t.Lane, Gen: t.Gen, Nonce: t.Nonce, Holder: journal.Holder(t.Holder), Deadline: t.Deadline})
	}
	reason := "operator " + req.Operator + " ended " + strings.Join(words, ", ")
	if len(words) == 0 {
		reason = "operator " + req.Operator + " forced it, and no lease stood in the way"
	}
	return journal.Row{
		Op: journal.OpOverride, Lane: v.Lane, Owner: req.Owner, RunID: req.RunID, Operator: req.Operator,
		Reason: reason, Scavenged: ended,
	}
}

// journalBlockers are the lanes whose leases stood in the way.
func journalBlockers(v lease.Verdict) (all []journal.Blocker) {
	for _, name := range v.InTheWay() {
		all = append(all, journal.Blocker{Lane: name})
	}
	return all
}
