package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A topHistory is what history says of late, for all runs at once.
type topHistory struct {
	commits []*panelCommit // newest first
	ships   []time.Time    // of commits on the trunk that ship a unit
	why     string         // it could not be read, "" when it could
}

// A topLooking is a look at history that is under way.
type topLooking chan topHistory

// topStartHistory begins to read the commits of late, beside what else is read.
func topStartHistory(ctx context.Context, d *admit.Desk, now time.Time) topLooking {
	done := make(topLooking, 1)
	window := max(d.Rules.Policy.Liveness.ProgressWindow, time.Duration(slices.Max(topHours))*time.Hour)
	trunk := d.Rules.Trunk.ID
	go func() {
		var h topHistory
		if err := h.read(ctx, d.Repo, trunk, now, now.Add(-window), now.Add(-d.Rules.Policy.Liveness.ProgressWindow)); err != nil {
			h = topHistory{why: panelWords(err)}
		}
		done <- h
	}()
	return done
}

func (l topLooking) wait(ctx context.Context) (topHistory, error) {
	select {
	case h := <-l:
		return h, ctx.Err()
	case <-ctx.Done():
		return topHistory{}, ctx.Err()
	}
}

// read reads the commits since a time, and what those that may show progress
// changed.
func (h *topHistory) read(ctx context.Context, repo *refstore.Repo, trunk refstore.OID, now, since, progress time.Time) error {
	var err error
	if h.commits, err = panelCommits(ctx, repo, since); err != nil {
		return err
	}
	var late []*panelCommit
	ships := map[refstore.OID]time.Time{}
	for _, k := range h.commits {
		if !k.CommitTime.Before(progress) {
			late = append(late, k)
		}
		if slices.ContainsFunc(k.Trailers(), func(t ancestry.Trailer) bool { return strings.EqualFold(t.Key, "Dos-Ship") }) {
			ships[k.ID] = k.CommitTime
		}
	}
	if err := panelPaths(ctx, repo, late); err != nil {
		return err
	}
	if len(ships) == 0 || trunk == "" {
		return nil
	}
	on, err := panelReached(ctx, repo, since, string(trunk))
	for _, id := range on {
		if at, ok := ships[id]; ok && !at.After(now) {
			h.ships = append(h.ships, at)
		}
	}
	return err
}

func (h topHistory) shipsSince(from time.Time) (n int) {
	for _, at := range h.ships {
		if !at.Before(from) {
			n++
		}
	}
	return n
}

// topBeats are the beats of all nodes, by run.
func topBeats(b *life.Book) map[string][]time.Time {
	beats := map[string][]time.Time{}
	for _, n := range b.Nodes {
		for _, at := range n.Beats {
			if at.RunID != "" {
				beats[at.RunID] = append(beats[at.RunID], at.At)
			}
		}
	}
	return beats
}

// judge finds the word of a lane that somebody has.
func (l *topLane) judge(r lease.Record, past topHistory, beats []time.Time, p policy.Liveness, now time.Time) {
	l.Reason = stateOf(r, now)
	switch {
	case r.State == lane.Waiting:
		l.Chip = topWaiting
		return
	case r.State == lane.Parked:
		l.Chip = topParked
		return
	case r.Delegate:
		l.Chip = topDelegated
		return
	}
	v := liveness.Decide(topEvidence(r, past, beats, p, now))
	if err := v.Err(); err != nil {
		l.Chip, l.Reason = topUnknown, err.Error()
		return
	}
	l.Chip, l.Reason, l.BeatAgeMS = string(v.Outcome), v.Reason, v.Evidence.BeatAgeMS
	if past.why != "" && v.Outcome != liveness.Advancing {
		l.Chip, l.Reason = topUnknown, v.Reason+"; its commits could not be read"
	}
}

// topEvidence is what can be seen of the run that holds a lease.
func topEvidence(r lease.Record, past topHistory, beats []time.Time, p policy.Liveness, now time.Time) liveness.Evidence {
	nowMS := now.UnixMilli()
	ev := liveness.Evidence{NowMS: nowMS, Holding: true, Policy: liveness.Policy{
		GraceMS: p.Grace.Milliseconds(), SpinMS: p.Spin.Milliseconds(), ProgressWindowMS: p.ProgressWindow.Milliseconds(),
	}}
	minted, ok := runid.Decode(r.RunID)
	if !ok {
		minted = r.AcquiredAt.UnixMilli()
	}
	started, err := liveness.Started(minted, nowMS)
	if err != nil {
		started = minted // Decide says what is wrong with it
	}
	ev.StartedMS = started
	var f liveness.Folded
	for _, at := range append([]time.Time{r.AcquiredAt, r.RenewedAt}, beats...) {
		age, skewed := liveness.Age(at.UnixMilli(), nowMS)
		if age != nil && (f.BeatAgeMS == nil || *age < *f.BeatAgeMS) {
			f.BeatAgeMS = age
		}
		if skewed != nil && (f.SkewedMS == nil || *skewed > *f.SkewedMS) {
			f.SkewedMS = skewed
		}
	}
	ev = ev.Seen(topTally(r, past.commits, nowMS), f)
	if r.Proc != nil && host.Gone(host.Proc{PID: r.Proc.PID, Start: r.Proc.Start, Boot: r.Proc.Boot, PIDNS: r.Proc.PIDNS}) {
		gone := false
		ev.ProcessAlive = &gone
	}
	return ev
}

// topTally counts the commits of a run: those that name it, and those that name
// none, lie in its tree and were made while it had the lane.
func topTally(r lease.Record, commits []*panelCommit, nowMS int64) liveness.Tally {
	tree := lane.NewScope(r.Tree)
	return liveness.Count(func(yield func(liveness.Commit) bool) {
		for _, k := range commits {
			c := liveness.Commit{AtMS: k.CommitTime.UnixMilli()}
			switch {
			case slices.Contains(k.runs, r.RunID):
				c.Run = r.RunID
			case len(k.runs) > 0:
				c.Run = k.runs[0]
			default:
				c.InTree = !k.CommitTime.Before(r.AcquiredAt) && slices.ContainsFunc(k.paths, tree.Contains)
			}
			if !yield(c) {
				return
			}
		}
	}, r.RunID, nowMS)
}
