package main

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/marker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/runid"
	"github.com/git-dos/git-dos/kernel/wave"
	"github.com/git-dos/git-dos/refstore"
)

// waveMemory is how long a wave speaks for the rung of a launch by hand: the first
// wave of a day is a canary.
const waveMemory = 24 * time.Hour

// waveSilent is how much a log holds at most whose worker said nothing.
const waveSilent = 512

// waveRungByHand is where the ramp stands for whoever launches by hand and holds no
// record of it: what the waves of the last day come to, one after the other.
func waveRungByHand(c *cli.Context, b *life.Book) (wave.State, error) {
	seen, err := readWaves(c, b)
	if err != nil {
		return wave.State{Rung: wave.Canary}, err
	}
	ids := slices.DeleteFunc(slices.Clone(seen.order), func(id string) bool { return now(c).Sub(seen.began(id)) >= waveMemory })
	return seen.rung(ids), nil
}

// waveEvidence is what became of one wave, for whoever keeps the rung, and whether
// something was reclaimed since.
func waveEvidence(c *cli.Context, b *life.Book, id string) (wave.RungEvidence, error) {
	seen, err := readWaves(c, b)
	if err != nil {
		return wave.RungEvidence{}, err
	}
	ev := seen.evidence(id)
	ev.Reclaimed = seen.reclaimedSince(id)
	return ev, nil
}

// A wavesSeen is what is known of all waves.
type wavesSeen struct {
	c      *cli.Context
	book   *life.Book
	node   string
	order  []string // of the waves, the oldest first
	rows   map[string][]journal.Row
	exits  map[string]journal.Row // by run
	cut    map[string]string      // by wave: why it was launched in part
	live   map[string]bool        // leases, by nonce
	spawns map[string]marker.Marker

	reclaims []journal.Row // on this machine, the oldest first
}

// readWaves reads what the ledgers, the leases and this node's markers tell of waves.
func readWaves(c *cli.Context, b *life.Book) (*wavesSeen, error) {
	s := &wavesSeen{c: c, book: b, rows: map[string][]journal.Row{}, exits: map[string]journal.Row{}, cut: map[string]string{}, live: map[string]bool{}, spawns: map[string]marker.Marker{}}
	var err error
	if s.node, err = journalOwn(c, b.Desk); err != nil {
		return nil, err
	}
	if err := b.Read(c.Context, life.AskLaunches(), life.AskAnswers()); err != nil {
		return nil, lifeError(err)
	}
	all, err := b.Waves(c.Context)
	if err != nil {
		return nil, lifeError(err)
	}
	for _, r := range all {
		if s.rows[r.WaveID] == nil {
			s.order = append(s.order, r.WaveID)
		}
		s.rows[r.WaveID] = append(s.rows[r.WaveID], r)
	}
	slices.SortStableFunc(s.order, func(a, b string) int { return s.began(a).Compare(s.began(b)) })
	answers, exits, _, err := b.Answers(c.Context)
	if err != nil {
		return nil, lifeError(err)
	}
	for _, r := range exits {
		s.exits[r.RunID] = r
	}
	for _, r := range answers {
		if r.Verb == waveRows && r.Verdict == wavePartly {
			s.cut[r.Subject] = firstOf(r.Detail, r.Verdict)
		}
	}
	s.reclaimed(answers)
	return s, s.leasesAndMarkers()
}

// began is when the first worker of a wave was launched.
func (s *wavesSeen) began(id string) (first time.Time) {
	for _, r := range s.rows[id] {
		if at := launchedAt(r); first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

// launchedAt is when a worker was launched. A row may be of its harvest, which says
// nothing of that; the run's id does.
func launchedAt(r journal.Row) time.Time {
	if ms, ok := runid.Decode(r.RunID); ok {
		return time.UnixMilli(ms).UTC()
	}
	return r.At
}

func (s *wavesSeen) leasesAndMarkers() error {
	reading, err := s.book.Leases(s.c.Context)
	if err != nil {
		return lifeError(err)
	}
	over, err := s.book.Lapsed(s.c.Context)
	if err != nil {
		return lifeError(err)
	}
	for _, r := range reading.Lanes {
		if r.State != lane.Free && over[r.Nonce] == "" {
			s.live[r.Nonce] = true
		}
	}
	spawns, err := preflightSpawns(s.book)
	if err != nil {
		return environmentf("%w", err)
	}
	for _, m := range spawns {
		s.spawns[m.RunID] = m
	}
	return nil
}

// evidence is what became of the workers of a wave.
func (s *wavesSeen) evidence(id string) wave.RungEvidence {
	ev := wave.RungEvidence{WaveID: id, Refused: s.cut[id], Workers: []wave.Worker{}}
	for _, r := range s.rows[id] {
		ev.Workers = append(ev.Workers, s.worker(r))
	}
	return ev
}

func (s *wavesSeen) worker(r journal.Row) wave.Worker {
	exit, ended := s.exits[r.RunID]
	w := wave.Worker{Over: s.over(r)}
	w.Leased = s.live[r.Nonce] || ended && exit.ReasonClass != string(supervise.EndLaunchFailed)
	if w.First = s.first(r); w.First == wave.NoCommit && ended && exit.Outcome == string(supervise.ClaimWitnessed) {
		w.First = wave.Borne // its keeper saw it, while the lease said whose it was
	}
	w.Throttled = ended && (exit.ReasonClass == string(supervise.EndRateLimited) || exit.ReasonClass == string(supervise.EndOverloaded))
	w.Stub = w.Over && w.First == wave.NoCommit && s.silent(r)
	switch {
	case r.Op == journal.OpHarvest:
		w.Broken = r.Outcome == string(reconcile.QuietIncomplete)
	case ended:
		w.Broken = exit.ReasonClass == string(supervise.EndClaim) && exit.Outcome != string(supervise.ClaimWitnessed)
	}
	return w
}

// over reports whether a worker has ended: it says so, and its keeper is not clearing
// up after it any more; where it ran here, nothing of it runs, whether its lease has
// lapsed or not; elsewhere, its lease is live no more.
func (s *wavesSeen) over(r journal.Row) bool {
	m, known := s.spawns[r.RunID]
	exit, ended := s.exits[r.RunID]
	switch {
	case r.Op == journal.OpHarvest:
		return true
	case ended && known:
		keeper, _ := m.Ends(s.node)
		return keeper || now(s.c).Sub(exit.At) >= workerCleanup
	case ended:
		return true
	case known:
		return m.Over(s.node)
	}
	return !s.live[r.Nonce]
}

// first is what is known of the first commit of a worker.
func (s *wavesSeen) first(r journal.Row) wave.Proof {
	start, ok := refstore.ParseOID(r.StartSha)
	if !ok {
		return wave.NotKnown
	}
	book, repo := s.book, s.book.Desk.Repo
	if m, known := s.spawns[r.RunID]; known && m.Dir != repo.WorkTree {
		run, there, err := (&reclaiming{c: s.c, book: s.book}).run(m)
		if err == nil {
			return s.proof(run, there, start)
		}
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, refstore.ErrNoDirectory) {
			return wave.NotKnown
		}
	}
	run, err := book.Adding(s.c.Context, r.RunID)
	if err != nil {
		return wave.NotKnown
	}
	return s.proof(run, repo, start)
}

func (s *wavesSeen) proof(run life.Run, repo *refstore.Repo, start refstore.OID) wave.Proof {
	own, _, whole, err := run.Own(s.c.Context, start)
	switch {
	case err != nil || !whole:
		return wave.NotKnown
	case len(own) == 0:
		return wave.NoCommit
	}
	judged, err := (&workerRunning{c: s.c, base: start}).judged(repo, s.book.Desk.Rules.Trunk.ID, own[:1]) // the oldest
	switch {
	case err != nil || len(judged) != 1:
		return wave.NotKnown
	case judged[0].Witnessed:
		return wave.Borne
	}
	return wave.NotBorne
}

// silent reports whether the worker's log, which is here, says next to nothing.
func (s *wavesSeen) silent(r journal.Row) bool {
	if r.Node != s.node || r.Log == "" {
		return false
	}
	n, err := reclaimLog(r.Log)
	return err == nil && n <= waveSilent
}
