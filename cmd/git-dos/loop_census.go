package main

import (
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/liveness"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

func loopPolicy(s policy.Supervise) supervise.Policy {
	p := supervise.Policy{CountSpinningAsAlive: s.CountSpinningAsAlive, ReapStalled: s.ReapStalled}
	if s.SpinHaltAfter != nil {
		ms := s.SpinHaltAfter.Milliseconds()
		p.SpinHaltAfterMS = &ms
	}
	if s.MaxConcurrency > 0 {
		n := s.MaxConcurrency
		p.MaxConcurrency = &n
	}
	return p
}

// loopRead reads all that a plan asks of the ledgers, so that those which cannot be
// read are known before it is made.
func loopRead(c *cli.Context) (*life.Book, error) {
	b, err := lifeBook(c, life.AskSpawns())
	if err != nil {
		return nil, err
	}
	reading, err := b.Leases(c.Context)
	if err != nil {
		return nil, lifeError(err)
	}
	return b, loopRuns(c, b, reading)
}

// loopRuns reads what the ledgers tell of the runs that have leases.
func loopRuns(c *cli.Context, b *life.Book, reading admit.Reading) error {
	var runs []string
	for _, r := range reading.Lanes {
		if r.State != lane.Free && r.RunID != "" {
			runs = append(runs, r.RunID)
		}
	}
	return lifeError(b.Read(c.Context, life.AskRuns(runs...)))
}

// loopLedgers are the ledgers that cannot be read: any of them may tell of a
// worker that is on its way.
func loopLedgers(b *life.Book) (bad []*ledger.NodeError) {
	for _, e := range b.Unread {
		if name, _ := refstore.SplitRef(e.Ref); name.Kind != "node" {
			bad = append(bad, e)
		}
	}
	return bad
}

// loopDoubts is the error of rows that cannot be read and stand in the pending
// window: any of them may tell of a worker that is on its way.
func loopDoubts(c *cli.Context, b *life.Book) error {
	since := now(c).Add(-b.Desk.Rules.Policy.Supervise.PendingWindow)
	young := slices.DeleteFunc(b.Hidden(), func(h journal.Hidden) bool { return !h.Spawn(since) })
	if len(young) == 0 {
		return nil
	}
	return asCmdError(deskError(life.UnreadableRows(young...))).
		hint("git dos journal check names each row and its entry; one older than supervise.pending_window stands in no plan's way")
}

// loopCensus gathers who lives and who was started. given are leases that take the
// place of the stored ones; those of them that are stored are known by their nonce.
func loopCensus(c *cli.Context, b *life.Book, given []lane.Lease, isGiven bool) (supervise.Census, error) {
	p := b.Desk.Rules.Policy
	out := supervise.Census{Taxonomy: facts.Taxonomy(p), Now: now(c), Window: p.Supervise.PendingWindow, Skew: p.Lease.MaxClockSkew}
	if out.Skew == 0 { // any
		out.Skew = math.MaxInt64
	}
	spawns, err := b.Spawns(c.Context)
	if err != nil {
		return out, lifeError(err)
	}
	over := loopOver(c, b, spawns)
	for _, row := range spawns {
		out.Launches = append(out.Launches, supervise.Launch{Lane: row.Lane, RunID: row.RunID, At: row.At, Over: over[row.RunID]})
	}
	reading, err := b.Leases(c.Context)
	if err != nil {
		return out, lifeError(err)
	}
	if isGiven {
		for _, l := range given {
			out.Live = append(out.Live, loopGiven(c, b, l, reading.Lanes))
		}
		return out, nil
	}
	node, err := journalOwn(c, b.Desk)
	if err != nil {
		return out, err
	}
	for _, r := range reading.Lanes {
		if !(r.Delegate && r.Holder.Node == node) { // what this node has for its workers is free to them
			out.Live = append(out.Live, loopLive(c, b, r))
		}
	}
	for _, u := range reading.Unread {
		if l := loopUnread(u.Lease, u.Chain); u.NameOnly {
			if l.Tree = p.Lanes.Trees[l.Lane]; len(l.Tree) > 0 { // else it is in nobody's way
				out.Live = append(out.Live, l)
			}
		} else {
			out.Live = append(out.Live, l)
		}
	}
	return out, nil
}

// loopLive is a lease and how its worker gets on.
func loopLive(c *cli.Context, b *life.Book, r lease.Record) supervise.Live {
	l := supervise.Live{
		Lane: r.Lane, Kind: r.LaneKind, Tree: r.Tree, State: r.State, Since: r.AcquiredAt,
		Lease: supervise.Lease{RunID: r.RunID, Gen: int(r.Gen), Nonce: r.Nonce, Node: r.Holder.Node},
	}
	switch {
	case r.State == lane.Parked || r.State == lane.Free:
		return l
	case r.Delegate:
		l.Liveness, l.Lease.RunID = loopDelegated(c, b, r)
		return l
	}
	v, err := loopJudge(c, b, r)
	if err != nil {
		l.Liveness = loopByLease(c, b, r, err)
		return l
	}
	if l.Liveness = supervise.Liveness(v.Outcome); v.Evidence.ProcessAlive != nil && !*v.Evidence.ProcessAlive {
		l.Liveness = supervise.Stalled // its lease has lapsed with its process, whatever it did before
	}
	if v.Evidence.BeatAgeMS != nil {
		age := time.Duration(*v.Evidence.BeatAgeMS) * time.Millisecond
		l.Spinning = &age
	}
	return l
}

// loopJudge asks whether the run of a lease gets on, as git dos liveness does. The
// error is why that cannot be told: of kind usage where nothing that could be read
// would tell, of kind store where rows about it cannot be.
func loopJudge(c *cli.Context, b *life.Book, r lease.Record) (v liveness.Verdict, err error) {
	for _, e := range b.Unread {
		if e.Node == r.Holder.Node {
			return v, errorf(kindStore, "%w", e)
		}
	}
	if r.RunID == "" {
		return v, usagef("the lease on lane %s names no run", r.Lane)
	}
	run, err := b.Run(c.Context, r.RunID)
	if err != nil {
		return v, lifeError(err)
	}
	if run.Lease == nil || run.Lease.Nonce != r.Nonce {
		return v, usagef("run %s has another lease than that on lane %s", r.RunID, r.Lane)
	}
	if run.Story.Corrupt || run.Story.Newer {
		return v, errorf(kindStore, "rows about run %s cannot be read", r.RunID)
	}
	plan, err := lifeProgress(c, run)
	if err != nil {
		return v, err
	}
	return livenessVerdict(c, run, life.Probe{}, plan)
}

// loopUnread is a lane that cannot be read: it may be held by anybody.
func loopUnread(l lane.Lease, chain string) supervise.Live {
	name := l.Lane
	if name == "" {
		name = chain
	}
	return supervise.Live{Lane: name, Kind: l.Kind, Tree: l.Tree, Exclusive: l.Exclusive, State: lane.Held}
}

// loopGiven is a lease that the caller says is live.
func loopGiven(c *cli.Context, b *life.Book, l lane.Lease, stored []lease.Record) supervise.Live {
	for _, r := range stored {
		if l.Nonce != "" && r.Nonce == l.Nonce && r.State != lane.Free {
			return loopLive(c, b, r)
		}
	}
	live := loopUnread(l, "")
	if l.Unreadable == "" && l.State != "" {
		live.State = l.State
	}
	live.Lease.Nonce = l.Nonce
	return live
}
