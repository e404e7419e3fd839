package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/machine"
	"github.com/git-dos/git-dos/internal/marker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
)

// spawn launches one worker on the lane of a row, unless preflight refuses, what was
// to be scavenged was not, or the same request was made before.
func (e *enacting) spawn(r supervise.Row) superviseRow {
	out := e.row(r)
	if i := slices.IndexFunc(r.AfterReap, func(name string) bool { return !e.free[name] }); i >= 0 {
		return out.came(isWaiting, "lane %s was not scavenged", r.AfterReap[i])
	}
	if e.full != "" {
		return out.came(isRefused, "%s", e.full)
	}
	key, err := e.requestKey(r)
	if err != nil {
		return out.came(hasFailed, "%v", err)
	}
	alive := e.plan.Alive
	v, err := preflightOf(e.c, e.book, preflightSpawned{count: len(e.apart), runs: e.apart, alive: &alive})
	switch {
	case err != nil:
		return out.came(hasFailed, "preflight: %v", err)
	case v.Outcome != supervise.SpawnOK:
		e.full = fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
		return out.came(isRefused, "%s", e.full)
	}
	l, err := e.newLaunch(r)
	if err != nil {
		return out.came(hasFailed, "%v", err)
	}
	first, err := e.record(l, key)
	switch {
	case err != nil:
		return out.came(hasFailed, "nothing was started, since it cannot be journaled: %v", err)
	case first.RunID != l.mark.RunID:
		out.RunID = first.RunID
		return out.came(wasLaunched, "the same worker was asked for before")
	}
	e.apart[l.mark.RunID] = true
	if err := l.start(e.supervising); err != nil {
		return out.came(hasFailed, "the lane is tried again after supervise.pending_window: %v", err)
	}
	out.RunID, out.Node, out.PID, out.Log = l.mark.RunID, l.mark.Node, l.mark.Keeper.PID, l.mark.Log
	return out.came(didLaunch, "%s", r.Reason)
}

// requestKey names the request for a worker by what it was made on: the lane, its
// generation, and the newest spawn on it before. The same evidence makes the same
// request, whoever acts on it and however often.
func (e *enacting) requestKey(r supervise.Row) (string, error) {
	name := lane.CanonicalOr(r.Lane)
	reading, err := e.book.Leases(e.c.Context)
	if err != nil {
		return "", lifeError(err)
	}
	gen := uint64(0)
	for _, rec := range reading.Lanes {
		if lane.CanonicalOr(rec.Lane) == name {
			gen = max(gen, rec.Gen)
		}
	}
	before, _, err := e.book.SpawnOn(e.c.Context, r.Lane)
	if err != nil {
		return "", lifeError(err)
	}
	n := e.count[name]
	e.count[name]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %q %d %q %q", name, gen, n, before.From, before.Seq, before.RunID, before.Key))
	return "supervise-" + hex.EncodeToString(sum[:16]), nil
}

// record writes the SPAWN row, unless there is one of the same key, and returns the
// one that counts.
func (e *enacting) record(l *launch, key string) (first journal.Row, err error) {
	row := journal.Row{
		Op: journal.OpSpawn, Key: key, Lane: l.mark.Lane, RunID: l.mark.RunID, Node: l.mark.Node, Log: l.mark.Log,
		Owner: e.lease.Holder.Owner, Source: e.lease.RunID,
	}
	err = lifeWrite(e.c, false, func(b *life.Book) error {
		known, ok, err := b.Spawned(e.c.Context, key)
		if err != nil {
			return lifeError(err)
		}
		if first = known; ok {
			return nil
		}
		first = row
		_, err = b.Record(e.c.Context, row)
		return lifeError(err)
	})
	return first, err
}

// tidy removes the markers of launches that are over, left nothing running, and by
// which no lane rests. What cannot be told stays.
func (e *enacting) tidy() {
	f, err := marker.In(e.book.Desk.Repo)
	if err != nil {
		return
	}
	spawns, _, err := f.List()
	over := func(m marker.Marker) bool { return m.Launch && m.Over(e.desk.Node) }
	if err != nil || !slices.ContainsFunc(spawns, over) {
		return
	}
	pending, err := e.book.Pending(e.c.Context, now(e.c), e.policy.Supervise.PendingWindow)
	if err != nil {
		return
	}
	useless := func(m marker.Marker) bool {
		return over(m) && !slices.ContainsFunc(pending, func(r journal.Row) bool { return r.RunID == m.RunID })
	}
	if !slices.ContainsFunc(spawns, useless) {
		return
	}
	view, err := machine.Look(e.c.Context, e.desk.Node, spawns)
	if err != nil {
		return
	}
	for _, m := range spawns {
		left := slices.ContainsFunc(view.Own, func(o machine.Owned) bool { return o.Spawn.RunID == m.RunID })
		if useless(m) && !left {
			_ = f.Remove(m.RunID) // one that stays counts for nothing
		}
	}
}
