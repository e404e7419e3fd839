package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/cherry"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A dispatchPushed is what came of bringing the dispatch's own commits to the trunk
// of the fleet.
type dispatchPushed struct {
	Outcome string   `json:"outcome"`          // as of git dos push, or "failed"
	Commits []string `json:"commits"`          // as they stand here
	Commit  string   `json:"commit,omitempty"` // by which the trunk has them
	Why     string   `json:"why,omitempty"`    // it has not
	Next    string   `json:"next,omitempty"`
}

// pushFailed is the outcome of a push that did not come to an answer.
const pushFailed = "failed"

func (p *dispatchPushed) line() string {
	switch {
	case p == nil:
		return ""
	case p.Why == "":
		return "\npushed    " + verdict.Short(p.Commit)
	}
	s := "\nunpushed "
	for _, id := range p.Commits {
		s += " " + verdict.Short(id)
	}
	return s + ": " + p.Why
}

// pushTries bounds how often a push is made anew on a trunk that moves.
const pushTries = 5

// publish brings what the dispatch committed itself to the trunk of the fleet, in one
// push under the lane's lease: its commits alone, made anew where the trunk has moved
// or where something else that is not pushed stands below them. What a worker did not
// push stays where it is. Nothing is lost where it is refused: the commits stand here,
// are named, and are tried again with the next ones, by the next dispatch of the lane at
// the latest.
func (s *dispatching) publish() *dispatchPushed {
	if s.desk.Remote() == "" {
		return nil
	}
	if err := s.takeOver(); err != nil {
		warn(s.c, "what an earlier run on lane %s committed and did not push is not known: %v", verdict.Show(s.lease.Lane), err)
	}
	if len(s.own) == 0 {
		return nil
	}
	p := &dispatchPushed{Outcome: pushFailed}
	if err := s.pushOwn(p); err != nil {
		p.Why = verdict.Clip(err.Error())
	}
	for _, id := range s.own {
		p.Commits = append(p.Commits, string(id))
	}
	if p.Why == "" {
		s.own = nil
		return p
	}
	p.Next = fmt.Sprintf("git dos lease acquire --lane %s, then git dos push %s", verdict.ShellWord(s.lease.Lane), p.Commits[len(p.Commits)-1])
	warn(s.c, "run %s: %s not on the trunk of %s: %s", s.run, verdict.Count(len(p.Commits), "commit"), s.desk.Remote(), p.Why)
	return p
}

// pushOwn pushes, one process of the repository at a time: two would both bring what
// the other has.
func (s *dispatching) pushOwn(p *dispatchPushed) error {
	unlock, err := s.desk.Repo.LockShared(s.c.Context, "dispatch-push.lock")
	if err != nil {
		return err
	}
	defer unlock()
	for try := 1; ; try++ {
		if why := s.lost(); why != "" {
			p.Outcome, p.Why = string(lease.Fenced), "the lease is lost: "+why
			return nil
		}
		again, err := s.pushOnce(p)
		if err != nil || !again || try == pushTries {
			return err
		}
		if err := pause(s.c.Context, time.Duration(try)*100*time.Millisecond); err != nil {
			return err
		}
	}
}

// pushOnce makes the commits on the trunk as it is now, and pushes that. again
// reports whether the trunk moved meanwhile.
func (s *dispatching) pushOnce(p *dispatchPushed) (again bool, err error) {
	if err := s.desk.Refresh(s.c.Context, true); err != nil {
		return false, deskError(err)
	}
	if err := s.reopen(); err != nil {
		return false, err
	}
	d := s.desk
	tip, err := cherry.Pick(s.c.Context, d.Repo, d.Rules.Trunk.ID, s.own)
	var conflict *cherry.ConflictError
	for errors.As(err, &conflict) && s.drop(conflict) {
		tip, err = cherry.Pick(s.c.Context, d.Repo, d.Rules.Trunk.ID, s.own)
	}
	switch {
	case errors.As(err, &conflict):
		p.Outcome, p.Why = string(lease.Raced), conflict.Error()
		return false, nil
	case err != nil:
		return false, err
	case tip == d.Rules.Trunk.ID:
		p.Outcome, p.Commit, p.Why = string(lease.Nothing), string(tip), ""
		return false, nil
	}
	holds, free, why, err := s.pushHolds(tip)
	if err != nil {
		return false, err
	}
	if why != "" {
		p.Outcome, p.Why = string(lease.Gated), why
		return false, nil
	}
	defer free()
	v, err := d.Push(s.c.Context, admit.PushRequest{Commit: tip, Holds: holds})
	if err != nil {
		return false, deskError(err)
	}
	p.Outcome, p.Commit, p.Why = string(v.Outcome), string(tip), ""
	if v.Outcome != lease.Landed && v.Outcome != lease.Nothing {
		p.Commit, p.Why = "", firstOf(v.Reason, "it was refused")
	}
	return v.Outcome == lease.Raced, nil
}

// pushHolds are the leases that a push of the dispatch's commits rides on: that of its
// lane, those that this worktree took, under which plan documents may have been
// stamped, and for records that lie in no tree of the lane one on exactly these files,
// which free gives back. why is set where that was not to be had.
func (s *dispatching) pushHolds(tip refstore.OID) (holds []lease.Hold, free func(), why string, err error) {
	holds = []lease.Hold{{Lane: s.lease.Lane, Identity: lease.Identity{Nonce: s.lease.Nonce}, Named: true}}
	all, err := s.desk.RecallAll()
	if err != nil {
		return nil, nil, "", environmentf("%w", err)
	}
	for _, h := range all {
		if h.Lane != s.lease.Lane {
			holds = append(holds, lease.Hold{Lane: h.Lane, Identity: lease.Identity{Nonce: h.Nonce}})
		}
	}
	records, err := s.records(tip)
	if err != nil || len(records) == 0 {
		return holds, func() {}, "", err
	}
	leaf, err := lane.Leaf(s.run)
	if err != nil {
		return nil, nil, "", usagef("%w", err)
	}
	req := admit.Request{
		Lanes: []string{"records-" + leaf}, Tree: records, RunID: s.run, Owner: s.lease.Holder.Owner, Worker: s.lease.Holder.Worker,
		TTL: time.Duration(s.lease.TTL) * time.Second, Wait: recordsPatience,
	}
	v, err := s.desk.Acquire(s.c.Context, req)
	if err != nil {
		return nil, nil, "", acquireError(err)
	}
	if v.Lease != nil {
		free = func() { s.giveBackRecords(v.Lease) }
	}
	if v.Outcome != lease.Acquired || v.Lease == nil {
		if free != nil {
			free()
		}
		return nil, nil, "the files of its records were not to be had: " + v.Reason, nil
	}
	return append(holds, lease.Hold{Lane: v.Lease.Lane, Identity: lease.Identity{Nonce: v.Lease.Nonce}, Named: true}), free, "", nil
}

// recordsPatience is how long somebody who has the files of a record is waited for.
const recordsPatience = 2 * time.Second

func (s *dispatching) giveBackRecords(r *lease.Record) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.c.Context), workerCleanup)
	defer cancel()
	if _, err := s.desk.Release(ctx, r.Lane, lease.Identity{Nonce: r.Nonce}); err != nil {
		warn(s.c, "lane %s is still held, and lapses by itself: %v", verdict.Show(r.Lane), err)
	}
}

// records are the files of a push that lie in paths.runs and in no tree of the lane.
func (s *dispatching) records(tip refstore.OID) (names []string, err error) {
	under, tree := path.Clean(s.desk.Rules.Policy.Paths.Runs)+"/", lane.NewScope(s.lease.Tree)
	seen := map[string]bool{}
	var list []ancestry.Commit
	for c, err := range ancestry.Range(s.desk.Repo.Git, s.desk.Rules.Trunk.ID, tip).Commits(s.c.Context) {
		if err != nil {
			return nil, scopeError(err)
		}
		list = append(list, c)
	}
	for change, err := range ancestry.Changed(s.c.Context, s.desk.Repo.Git, list...) {
		if err != nil {
			return nil, scopeError(err)
		}
		if name := change.Path; strings.HasPrefix(name, under) && !tree.Contains(name) && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, nil
}
