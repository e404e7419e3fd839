package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/wave"
)

// reclaimRows is how rows about what was reclaimed on this machine name the verb. The
// subject is the time, to the fraction that rows do not have.
const reclaimRows = "reclaim"

// reclaimRow says that something is reclaimed now.
func reclaimRow(at time.Time, outcome, reason string) journal.Row {
	return journal.Row{Op: journal.OpVerdict, Verb: reclaimRows, Verdict: outcome, Subject: at.UTC().Format(time.RFC3339Nano), Reason: reason, Detail: reason}
}

// reclaimed takes what this node's ledger tells of reclaims. What was reclaimed on
// another machine frees nothing here.
func (s *wavesSeen) reclaimed(rows []journal.Row) {
	for _, r := range rows {
		if r.Verb == reclaimRows && r.From == s.node {
			s.reclaims = append(s.reclaims, r)
		}
	}
	slices.SortFunc(s.reclaims, func(a, b journal.Row) int { return cmp.Compare(a.Seq, b.Seq) })
}

// tried reports whether a wave was launched after a reclaim: by their order in the
// ledger where that has both, else by their times.
func (s *wavesSeen) tried(id string, r journal.Row) bool {
	launched := slices.DeleteFunc(slices.Clone(s.rows[id]), func(l journal.Row) bool { return l.Op != journal.OpLaunch || l.From != r.From })
	if len(launched) > 0 {
		return !slices.ContainsFunc(launched, func(l journal.Row) bool { return l.Seq < r.Seq })
	}
	at, err := time.Parse(time.RFC3339Nano, r.Subject)
	if err != nil {
		at = r.At.Add(time.Second)
	}
	return !s.began(id).Before(at)
}

// own reports whether this node launched a worker of a wave.
func (s *wavesSeen) own(id string) bool {
	return slices.ContainsFunc(s.rows[id], func(r journal.Row) bool { return r.Node == s.node })
}

// reclaimedSince reports whether something was reclaimed on this machine that no wave
// from here has tried since, where id is the last wave; "" is none.
func (s *wavesSeen) reclaimedSince(id string) bool {
	return slices.ContainsFunc(s.reclaims, func(r journal.Row) bool { return id != "" && !s.tried(id, r) })
}

// rung is where the ramp stands by the waves that these are, one after the other, with
// what was reclaimed between them. What was reclaimed since this machine launched its
// last holds whatever others have proven.
func (s *wavesSeen) rung(ids []string) wave.State {
	state, last, own := wave.State{Rung: wave.Canary}, "", ""
	over := 0 // reclaims that are behind a wave
	for _, id := range ids {
		ev := s.evidence(id)
		n := 0
		for n < len(s.reclaims) && s.tried(id, s.reclaims[n]) {
			n++
		}
		if n > over {
			state = wave.Ramp(state, wave.RungEvidence{WaveID: last, Reclaimed: true}).After
			over = n
		}
		state, last = wave.Ramp(state, ev).After, id
		if s.own(id) {
			own = id
		}
	}
	if s.reclaimedSince(own) {
		state = wave.Ramp(state, wave.RungEvidence{WaveID: last, Reclaimed: true}).After
	}
	return state
}
