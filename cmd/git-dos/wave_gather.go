package main

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/hookset"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/nextup"
	"github.com/git-dos/git-dos/internal/tasks"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/kernel/reconcile"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
)

// A waveRequest is what a wave is asked to be.
type waveRequest struct {
	workers   int
	kind      string
	downshift bool
	scope     []string
	command   []string                   // "" for that of dos.toml
	prefix    []string                   // that starts a worker, before the flags of its row
	prompt    bool                       // each worker reads the prompt of its unit
	told      map[string]supervise.Probe // probes of accounts that were asked just now
	ramp      *wave.State                // nil where nothing bounds it by the wave before
}

// A wavePlanned is a plan with everything that it was made of.
type wavePlanned struct {
	req    waveRequest
	desk   *admit.Desk
	book   *life.Book
	packet packet.Packet
	ready  supervise.PreflightVerdict
	unread []string // of leases
	waves  []journal.Row
	wave.Verdict
}

// planWave gathers what is known and plans a wave. It writes and starts nothing.
func planWave(c *cli.Context, d *admit.Desk, req waveRequest) (*wavePlanned, error) {
	p := &wavePlanned{req: req, desk: d}
	var err error
	if p.book, err = pickBook(c, d); err != nil {
		return nil, err
	}
	if err := p.queue(c); err != nil {
		return nil, err
	}
	ev, err := p.evidence(c)
	if err != nil {
		return nil, err
	}
	p.Verdict, err = unlessInterrupted(c.Context, func() (wave.Verdict, error) { return wave.Plan(ev), nil })
	if err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, usagef("no wave is planned: %w", err)
	}
	return p, p.prompts()
}

// queue reads what is to be done. A queue that cannot be read whole plans nothing.
func (p *wavePlanned) queue(c *cli.Context) error {
	list, err := tasks.Read(c.Context, p.desk, c.Bool("cached"))
	if err != nil {
		return panelUnreached(queueError(err))
	}
	lifeWarn(c, p.book)
	ev, unread, err := nextup.Gather(c.Context, p.book, list)
	if err != nil {
		return nextUpError(err)
	}
	p.unread = unread
	ev.Scope, ev.Limit = p.req.scope, len(ev.Candidates)
	if p.packet, err = packet.Decide(ev); err != nil {
		return nextUpError(err)
	}
	if p.waves, err = p.book.Waves(c.Context); err != nil {
		return lifeError(err)
	}
	return journalUnread(loopLedgers(p.book)) // it may tell of a launch
}

func (p *wavePlanned) evidence(c *cli.Context) (ev wave.Evidence, err error) {
	rules := p.desk.Rules.Policy
	ev = wave.Evidence{
		Workers: p.req.workers, Kind: p.req.kind, Downshift: p.req.downshift, Scope: p.req.scope, Command: p.req.command, Prefix: p.req.prefix,
		Lanes: facts.Taxonomy(rules), Algebra: lane.Algebra(rules.Overlap.Policy), Soft: rules.Overlap.RatioMax,
		Protect: rules.Admission.SelfModify, Budgets: facts.Budgets(rules), Ramp: p.req.ramp, Step: rules.Super.RungStep,
	}
	if ev.Hold, err = waveHold(c, p.desk); err != nil {
		return ev, err
	}
	if ev.Live, _, err = p.desk.Binding(c.Context, c.Bool("cached")); err != nil {
		return ev, deskError(err)
	}
	var seats *accountSeats // without accounts nobody needs one
	if len(rules.Accounts) > 0 {
		seats = accountLook(c, p.book, accountAsk{kind: supervise.WorkKind(p.req.kind), downshift: p.req.downshift, most: p.req.workers, told: p.req.told})
	}
	if p.ready, err = preflightOf(c, p.book, preflightSpawned{wave: true, seats: seats}); err != nil {
		return ev, err
	}
	ev.Room, ev.Seats = waveRoom(p.ready), wavePool(seats)
	ev.Candidates, err = p.candidates(c)
	return ev, err
}

// waveRoom is for how many workers more there is room here. A machine that is in no
// state to bear one has none.
func waveRoom(v supervise.PreflightVerdict) wave.Bound {
	if v.Outcome == supervise.RefuseHost || v.Outcome == supervise.RefuseInspect {
		return wave.Bound{Name: string(v.Outcome)}
	}
	return wave.Bound{Name: v.Binding, Most: v.Headroom}
}

// waveHold is the files that no wave may touch.
func waveHold(c *cli.Context, d *admit.Desk) ([]string, error) {
	hold := slices.Clone(d.Rules.Policy.Super.Hold)
	if d.Rules.Policy.Stated("super.hold") {
		return hold, nil
	}
	at, err := hookset.FindPlace(c.Context, d.Repo)
	if err != nil {
		return nil, environmentf("where the hooks are: %w", err)
	}
	rel, err := filepath.Rel(d.Repo.WorkTree, at.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return hold, nil
	}
	if rel = filepath.ToSlash(rel); rel == "." {
		return append(hold, "**"), nil
	}
	return append(hold, path.Join(rel, "**")), nil
}

// candidates are the units that are to be done, best first, and then those that
// something keeps.
func (p *wavePlanned) candidates(c *cli.Context) (all []wave.Candidate, err error) {
	reading, err := p.book.Leases(c.Context)
	if err != nil {
		return nil, lifeError(err)
	}
	gens := map[string]uint64{}
	for _, r := range reading.Lanes {
		name := lane.CanonicalOr(r.Lane)
		gens[name] = max(gens[name], r.Gen)
	}
	open, err := p.book.Launches(c.Context)
	if err != nil {
		return nil, lifeError(err)
	}
	add := func(u packet.Candidate, kept wave.Set, why string) {
		w := wave.Candidate{Unit: u.Unit(), Title: verdict.Clip(u.Title), Task: u.Task, Lane: u.Lane, Tree: u.Tree, Kept: kept, Why: why}
		w.Gen = gens[lane.CanonicalOr(u.Lane)]
		same := reconcile.Same(w.Unit)
		w.Last = lastLaunch(p.waves, w.Unit).RunID
		if w.Kept == "" {
			if why := unfit(w.Unit); why != "" {
				w.Kept, w.Why = wave.Waiting, why
			} else if r := waveOpen(open, same, now(c)); r != nil {
				w.Kept, w.Why = wave.Ended, fmt.Sprintf("run %s of wave %s was launched for it, and nobody has looked at what came of that", verdict.Show(r.RunID), verdict.Show(r.WaveID))
			}
		}
		all = append(all, w)
	}
	for _, u := range p.packet.Picks {
		add(u, "", "")
	}
	for _, u := range p.packet.Held {
		add(u, waveKept(u.Screen.Outcome), fmt.Sprintf("%s: %s", u.Screen.Outcome, u.Screen.Detail))
	}
	for _, u := range p.packet.Unknown {
		add(u, wave.Unclear, u.Screen.Detail)
	}
	return all, nil
}

// lastLaunch is the row about the newest launch of the unit.
func lastLaunch(all []journal.Row, unit string) (last journal.Row) {
	same := reconcile.Same(unit)
	for _, r := range all {
		if same(r.Unit) && (last.Op == "" || !launchedAt(r).Before(launchedAt(last))) {
			last = r
		}
	}
	return last
}

// waveOpen is a launch of the unit that was not harvested, nil for none. One that
// is older than a marker is kept holds nobody up.
func waveOpen(open []journal.Row, same func(string) bool, at time.Time) *journal.Row {
	for i, r := range open {
		if same(r.Unit) && at.Sub(r.At) < supervise.MarkerAge {
			return &open[i]
		}
	}
	return nil
}

func waveKept(h pick.Hold) wave.Set {
	switch h {
	case pick.InFlight, pick.SoftClaimed:
		return wave.InFlight
	case pick.Cooling:
		return wave.Cooling
	}
	return wave.Waiting
}

// wavePool is the seats that may be taken, nil where none is needed.
func wavePool(s *accountSeats) *wave.Pool {
	if s == nil {
		return nil
	}
	pool := &wave.Pool{}
	for _, g := range s.allocation.Granted {
		pool.Free = append(pool.Free, wave.Seat{Account: g.Account, Seat: g.Name})
	}
	for _, d := range s.allocation.Dropped {
		out := wave.Dropped{Account: d.Account, Why: string(d.Why), Detail: d.Detail}
		if d.Until != nil {
			out.Until = d.Until.UTC().Format(time.RFC3339)
		}
		pool.Dropped = append(pool.Dropped, out)
	}
	return pool
}

// prompts names the file in which each row's worker finds its prompt. It is below the
// common directory, where a launch writes it.
func (p *wavePlanned) prompts() error {
	if !p.req.prompt {
		return nil
	}
	for i := range p.Rows {
		row := &p.Rows[i]
		name, err := p.promptFile(*row)
		if err != nil {
			return err
		}
		if rel, err := filepath.Rel(p.desk.Repo.WorkTree, name); err == nil {
			name = rel
		}
		row.Argv = slices.Insert(row.Argv, len(p.req.prefix), "--prompt", name)
	}
	return nil
}

func (p *wavePlanned) promptFile(row wave.Row) (string, error) {
	name, err := p.desk.Repo.SharedFile("logs", row.WaveID+"-"+strconv.Itoa(row.Rank)+".prompt")
	if err != nil {
		return "", environmentf("%w", err)
	}
	return name, nil
}

// errNoUnit means that a row is of no unit of its packet.
var errNoUnit = errors.New("its unit is not in the packet")

// promptText is what the worker of a row reads: short enough, and cut at a line.
func (p *wavePlanned) promptText(row wave.Row) (string, error) {
	i := slices.IndexFunc(p.packet.Picks, func(u packet.Candidate) bool { return u.Unit() == row.Unit })
	if i < 0 {
		return "", errNoUnit
	}
	return cutPrompt(p.packet.PromptUnder(row.Lane, i)), nil
}
