package tasks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// Evidence is all that the order of the queue is found by: the queue, what
// history says of its tasks, and who has which. unread is what could not be
// read of the leases.
func (b *Book) Evidence(ctx context.Context, now time.Time) (ev queue.Evidence, unread []string, err error) {
	p := b.Desk.Rules.Policy
	ev = queue.Evidence{Now: now, Queue: b.Fold, MaxSteps: p.Queue.MaxSteps, Claims: map[string]queue.Claim{}}
	if ev.Router, err = queue.NewRouter(facts.Taxonomy(p)); err != nil {
		return ev, nil, fmt.Errorf("dos.toml: lanes: %w", err)
	}
	var open []queue.Task
	all := b.Fold.Tasks()
	for _, t := range all {
		if !t.State.Closed() {
			open = append(open, t)
		}
	}
	if len(open) == 0 {
		return ev, nil, nil
	}
	if ev.Proofs, err = facts.ProveTasks(ctx, b.Desk.Repo, open, facts.ShipScope{Ledger: b.Desk.Ships}); err != nil {
		return ev, nil, err
	}
	reading, err := b.Desk.Leases(ctx, true) // reading the queue has brought them along
	if err != nil {
		return ev, nil, err
	}
	for _, u := range reading.Unread {
		ev.Dark = append(ev.Dark, u.Chain)
		unread = append(unread, fmt.Sprintf("lane %s: %s", u.Chain, u.Unreadable))
	}
	for _, r := range append(reading.Claims, reading.Lanes...) {
		if r.Unit != "" && r.State != lane.Free && !over(r, now, p.Lease.Margin) {
			claim(ev.Claims, all, r)
		}
	}
	return ev, unread, nil
}

// Proof is what the history of a ref says of one task, "" for the trunk's: what
// [queue.Rank] goes by. A task that the queue does not have, or that an operator has
// closed, is not done by anything.
func (b *Book) Proof(ctx context.Context, id, ref string) (queue.Proof, error) {
	for _, t := range b.Fold.Tasks() {
		if t.ID != id {
			continue
		}
		if t.State.Closed() {
			return queue.Proof{Done: queue.No, Reason: fmt.Sprintf("the queue has it as %s", t.State)}, nil
		}
		proofs, err := facts.ProveTasks(ctx, b.Desk.Repo, []queue.Task{t}, facts.ShipScope{Ref: ref, Ledger: b.Desk.Ships})
		return proofs[id], err
	}
	return queue.Proof{Done: queue.No, Reason: "the queue does not have it"}, nil
}

// claim notes the tasks that a lease has, in whatever spelling it names them.
func claim(claims map[string]queue.Claim, all []queue.Task, r lease.Record) {
	same, spelled := reconcile.Same(r.Unit), ship.Fold(reconcile.Spelled(r.Unit))
	for _, t := range all {
		unit := t.Claim()
		if unit == spelled || t.Until != nil && t.Until.Unit != "" && same(unit) { // of ids there may be very many
			claims[unit] = queue.Claim{Lane: r.Lane, Owner: r.Holder.Owner, Node: r.Holder.Node, RunID: r.RunID}
		}
	}
}

// over reports whether a lease is past its own ttl and a margin, so that an
// admission may well give its unit to somebody else. That decides; this only
// keeps a task of a dead worker from being out of sight for good.
func over(r lease.Record, now time.Time, margin time.Duration) bool {
	return r.State != lane.Parked && now.After(r.RenewedAt.Add(time.Duration(r.TTL)*time.Second+margin))
}

// Machine is what this machine is called.
func Machine(repo *refstore.Repo) queue.Machine {
	var m queue.Machine
	for _, dir := range []string{os.Getenv("HOME"), os.Getenv("USERPROFILE"), repo.WorkTree, repo.CommonDir} {
		if dir == "" {
			continue
		}
		m.Paths = append(m.Paths, filepath.ToSlash(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			m.Paths = append(m.Paths, filepath.ToSlash(real))
		}
	}
	if name, err := os.Hostname(); err == nil {
		m.Hosts = append(m.Hosts, name)
	}
	return m
}

// Guess guesses the lane of a task by the lanes and the files of the trunk; nil
// is unrouted.
func Guess(ctx context.Context, d *admit.Desk, t queue.Task) (*queue.Route, error) {
	r, has, err := Router(ctx, d, []queue.Task{t})
	if err != nil {
		return nil, err
	}
	return r.Route(t, has), nil
}

// Router is what lanes are guessed by, with what the trunk has of the paths in
// the texts of tasks.
func Router(ctx context.Context, d *admit.Desk, texts []queue.Task) (queue.Router, func(string) bool, error) {
	r, err := queue.NewRouter(facts.Taxonomy(d.Rules.Policy))
	if err != nil {
		return r, nil, fmt.Errorf("dos.toml: lanes: %w", err)
	}
	var words []string
	for _, t := range texts {
		for _, path := range queue.PathWords(t) {
			words = append(words, path)
			if folder := queue.FolderOfNew(path); folder != "" {
				words = append(words, folder)
			}
		}
	}
	has, err := facts.TrunkHas(ctx, d.Repo, words)
	if err != nil {
		return r, nil, errors.Join(errors.New("files of the trunk"), err)
	}
	return r, func(path string) bool { return has[path] }, nil
}
