package main

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/refstore"
)

// A storyPoint is what tells where an entry of a story belongs among those that bear
// the same second.
type storyPoint struct {
	at    time.Time
	ref   string // "" for a commit
	op    string
	row   bool   // of a ledger
	id    string // of a commit
	run   string
	of    storyLease // a lane's entry: its lease; a row: the one it was written under
	names []string   // commits
}

// A storyLease is a lease for as long as a lane has one generation. A row that was
// written under none has no generation.
type storyLease struct {
	lane string
	gen  uint64
}

// storyPointOf reads as much of an entry as it understands.
func storyPointOf(at time.Time, ref, op string, gen uint64, payload []byte) storyPoint {
	var said struct {
		Lane      string      `json:"lane"`
		RunID     string      `json:"run_id"`
		Gen       uint64      `json:"gen"`
		Sha       string      `json:"sha"`
		ResumeSha string      `json:"resume_sha"`
		StartSha  string      `json:"start_sha"`
		Ship      *lease.Ship `json:"ship"`
	}
	name, _ := refstore.SplitRef(ref)
	p := storyPoint{at: at, ref: ref, op: op, row: name.Kind == "journal"}
	if json.Unmarshal(payload, &said) != nil {
		return p
	}
	p.run, p.of = said.RunID, storyLease{said.Lane, gen}
	if p.row {
		p.of.gen = said.Gen
	}
	p.names = []string{said.Sha, said.ResumeSha, said.StartSha}
	if said.Ship != nil && op == lease.OpShip {
		p.names = append(p.names, said.Ship.New)
	}
	return p
}

// storyOrder puts entries that stand side by side and bear the same second into the
// order in which they can have come about. Those of one ref keep theirs. Between refs
// a commit comes before what names it, what is written under a lease comes after its
// beginning and before its end, an intent that is written under none before the
// lease of its run, and a commit that nothing names after the rows and before the end
// of a lease.
func storyOrder[E any](all []E, point func(E) storyPoint) {
	for from := 0; from < len(all); {
		first, to := point(all[from]).at, from+1
		for to < len(all) && point(all[to]).at.Equal(first) {
			to++
		}
		if to-from > 1 {
			storySettle(all[from:to], point)
		}
		from = to
	}
}

// storySettle orders entries of one second.
func storySettle[E any](all []E, point func(E) storyPoint) {
	points := make([]storyPoint, len(all))
	left := storyLeft{}
	var refs []string
	queues := map[string][]int{}
	for i, e := range all {
		p := point(e)
		points[i] = p
		left.count(p, 1)
		if _, ok := queues[p.ref]; !ok {
			refs = append(refs, p.ref)
		}
		queues[p.ref] = append(queues[p.ref], i)
	}
	out := make([]E, 0, len(all))
	for len(out) < len(all) {
		best, bestRank := "", 0
		for _, ref := range refs {
			if len(queues[ref]) == 0 {
				continue
			}
			if rank := left.rank(points[queues[ref][0]]); bestRank == 0 || rank < bestRank {
				best, bestRank = ref, rank
			}
		}
		i := queues[best][0]
		queues[best] = queues[best][1:]
		left.count(points[i], -1)
		out = append(out, all[i])
	}
	copy(all, out)
}

// The ranks of entries that nothing has to come before. Whatever something has to come
// before ranks behind all of them.
const (
	storyIntent = 1 + iota
	storyLane
	storyRow
	storyCommit
	storyEnd
	storyWaits
)

// A storyLeft counts what is still to come of the entries of one second.
type storyLeft map[any]int

// What storyLeft counts by.
type (
	storyBegins storyLease // a lease begins
	storyUnder  storyLease // a row is written under a lease
	storyMade   string     // a commit
	storyMeant  string     // an intent of a run, written under no lease
)

func (l storyLeft) count(p storyPoint, n int) {
	switch {
	case p.ref == "":
		l[storyMade(p.id)] += n
	case p.row && p.of.gen > 0:
		l[storyUnder(p.of)] += n
	case p.row && p.op == resume.OpIntent:
		l[storyMeant(p.run)] += n
	case p.op == lease.OpAcquire:
		l[storyBegins(p.of)] += n
	}
}

func (l storyLeft) rank(p storyPoint) int {
	waits := slices.ContainsFunc(p.names, func(id string) bool { return l[storyMade(id)] > 0 })
	rank := storyLane
	switch {
	case p.ref == "":
		return storyCommit
	case p.row && p.of.gen > 0:
		rank, waits = storyRow, waits || l[storyBegins(p.of)] > 0
	case p.row && p.op == resume.OpIntent:
		rank = storyIntent
	case p.row:
		rank = storyRow
	case slices.Contains([]string{lease.OpPushing, lease.OpShip, lease.OpRelease, lease.OpScavenge, lease.OpVoid, lease.OpReturn}, p.op):
		rank, waits = storyEnd, waits || l[storyUnder(p.of)] > 0
	case p.op == lease.OpAcquire:
		waits = waits || p.run != "" && l[storyMeant(p.run)] > 0
	}
	if waits {
		rank += storyWaits
	}
	return rank
}
