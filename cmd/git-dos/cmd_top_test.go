package main

import (
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// What one look at history tells of a run is what liveness is judged by.
func TestTopJudges(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	ago := func(minutes int) time.Time { return now.Add(-time.Duration(minutes) * time.Minute) }
	held := lease.Record{Lane: "api", State: lane.Held, Tree: []string{"api/**"}, RunID: "R", TTL: 86400, AcquiredAt: ago(300), RenewedAt: ago(5)}
	with := func(change func(*lease.Record)) lease.Record {
		r := held
		change(&r)
		return r
	}
	commit := func(minutes int, path string, runs ...string) *panelCommit {
		return &panelCommit{Commit: ancestry.Commit{CommitTime: ago(minutes)}, runs: runs, paths: []string{path}}
	}
	silent := with(func(r *lease.Record) { r.RenewedAt = ago(200) })
	for _, c := range []struct {
		claim string
		r     lease.Record
		past  topHistory
		beats []time.Time
		want  string
	}{
		{"one that only renews spins", held, topHistory{}, nil, "SPINNING"},
		{"one that does not is stalled", silent, topHistory{}, nil, "STALLED"},
		{"a beat of its run is a beat", silent, topHistory{}, []time.Time{ago(200), ago(3)}, "SPINNING"},
		{"a commit that names it is progress", silent, topHistory{commits: []*panelCommit{commit(20, "x", "R")}}, nil, "ADVANCING"},
		{"an old one is not", silent, topHistory{commits: []*panelCommit{commit(61, "x", "R")}}, nil, "STALLED"},
		{"another's in its tree is not", silent, topHistory{commits: []*panelCommit{commit(20, "api/a", "Q")}}, nil, "STALLED"},
		{"one of nobody in its tree is", silent, topHistory{commits: []*panelCommit{commit(20, "api/a")}}, nil, "ADVANCING"},
		{"elsewhere it is not", silent, topHistory{commits: []*panelCommit{commit(20, "web/a")}}, nil, "STALLED"},
		{"nor from before it had the lane", with(func(r *lease.Record) { r.AcquiredAt, r.RenewedAt = ago(30), ago(30) }), topHistory{commits: []*panelCommit{commit(40, "api/a")}}, nil, "STALLED"},
		{"from the future nothing is progress", silent, topHistory{commits: []*panelCommit{commit(-60, "x", "R")}}, nil, "SPINNING"},
		{"history that cannot be read makes nobody dead", silent, topHistory{why: "no object"}, nil, "UNKNOWN"},
		{"a run without an id has no commits by name", with(func(r *lease.Record) { r.RunID, r.Tree = "", []string{"none/**"} }), topHistory{commits: []*panelCommit{commit(20, "x", "")}}, nil, "SPINNING"},
		{"one that waits is not judged", with(func(r *lease.Record) { r.State = lane.Waiting }), topHistory{}, nil, "WAITING"},
		{"nor one that is parked", with(func(r *lease.Record) { r.State = lane.Parked }), topHistory{}, nil, "PARKED"},
		{"nor what a node has for its workers", with(func(r *lease.Record) { r.Delegate = true }), topHistory{}, nil, "DELEGATED"},
		{"a lease of tomorrow cannot be judged", with(func(r *lease.Record) { r.AcquiredAt, r.RenewedAt = ago(-1440), ago(-1440) }), topHistory{}, nil, "UNKNOWN"},
	} {
		l := topHeld(c.r, now)
		l.judge(c.r, c.past, c.beats, policy.Default().Liveness, now)
		if l.Chip != c.want || l.Reason == "" {
			t.Errorf("%s: %s (%s), want %s", c.claim, l.Chip, l.Reason, c.want)
		}
	}
}

func TestTopCountsShipsByTheirTime(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	h := topHistory{ships: []time.Time{now.Add(-time.Hour), now.Add(-time.Hour - time.Second), now.Add(-20 * time.Hour)}}
	for hours, want := range map[int]int{1: 1, 3: 2, 24: 3} {
		if got := h.shipsSince(now.Add(-time.Duration(hours) * time.Hour)); got != want {
			t.Errorf("%d h: %d, want %d", hours, got, want)
		}
	}
}
