package wave

import (
	"errors"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Bounds of what a plan is made of.
const (
	MaxWorkers    = 10000
	maxCandidates = lane.MaxPriceWorkers
)

// Plan decides whom a wave starts. First every candidate that may not be started
// whatever else is, is left out; see [Set]. Of the rest the largest set without a
// collision that is within what was granted is launched, as [lane.Price] finds it:
// exact for up to 24, the earliest candidates preferred; above that whoever fits,
// in order. A worker has the seat of its place. The others are laid into later
// waves of the same size.
//
// Granted is the least of what was asked for, what this machine bears, the seats
// that are free and the rung of the ramp. Where that is none, nothing is launched,
// and the waves are shown as they were asked for.
//
// Actions, first that applies:
//
//  1. the evidence is malformed: no verdict
//  2. HOLD_EMPTY: there is no candidate, or each is left out
//  3. LAUNCH_ALL: the set is as large as was granted, or has every candidate
//  4. LAUNCH_SAFE_SET: it has two or more
//  5. SERIALIZE_UNKNOWN_SCOPE: it has none, and the scope of some is unknown
//  6. REPARTITION_AND_REPRICE: it has none or one
func Plan(ev Evidence) Verdict {
	p := planner{Evidence: ev, v: empty(ev)}
	if err := p.check(); err != nil {
		p.v.Reason = err.Error()
		return p.v
	}
	p.grant()
	priced, places, err := p.price(p.screen())
	if err != nil {
		p.v.Reason = err.Error()
		return p.v
	}
	p.lay(priced, places)
	p.v.Action, p.v.Reason = p.action(priced)
	p.v.Next = p.next()
	p.name()
	return p.v
}

// A planner is a plan in the making.
type planner struct {
	Evidence
	v    Verdict
	most int // of one wave
}

func empty(ev Evidence) Verdict {
	return Verdict{
		Kind: ev.Kind, Downshift: ev.Downshift, Scope: append([]string{}, ev.Scope...), Requested: ev.Workers, Candidates: len(ev.Candidates),
		Terms: []Bound{}, Dropped: []Dropped{}, Rows: []Row{}, Later: []Row{}, LeftOut: []Row{},
	}
}

func (p *planner) check() error {
	switch {
	case p.Workers < 1 || p.Workers > MaxWorkers:
		return fmt.Errorf("%d workers is not between 1 and %d", p.Workers, MaxWorkers)
	case p.Kind != Engineering && p.Kind != Gardening:
		return fmt.Errorf("work kind %q is none of %s, %s", p.Kind, Engineering, Gardening)
	case p.Room.Most < 0:
		return fmt.Errorf("room for %d workers is no number of workers", p.Room.Most)
	case len(p.Candidates) > maxCandidates:
		return fmt.Errorf("there are %d candidates, more than %d: name lanes to plan for", len(p.Candidates), maxCandidates)
	}
	seen := map[string]bool{}
	for _, c := range p.Candidates {
		if c.Unit == "" || seen[c.Unit] {
			return fmt.Errorf("candidate %q stands twice, or has no name", c.Unit)
		}
		seen[c.Unit] = true
	}
	_, err := p.Lanes.Roster()
	return err
}

// grant finds how many workers may be started, and what bounds that. Of equal
// bounds the first counts.
func (p *planner) grant() {
	terms := []Bound{{"requested", p.Workers}, {firstWord(p.Room.Name, "room"), p.Room.Most}}
	if p.Seats != nil {
		terms = append(terms, Bound{"seats", len(p.Seats.Free)})
		p.v.Dropped = append(p.v.Dropped, p.Seats.Dropped...)
	}
	if p.Ramp != nil {
		p.v.Rung = p.Ramp.Rung.known()
		terms = append(terms, Bound{"rung", p.Ramp.Most(p.Step, p.Workers)})
	}
	least := slices.MinFunc(terms, func(a, b Bound) int { return a.Most - b.Most })
	p.v.Terms, p.v.Granted, p.v.Limiter = terms, least.Most, least.Name
	p.v.Shortfall = p.Workers - least.Most
	if p.most = least.Most; p.most == 0 {
		p.most = p.Workers
	}
}

func firstWord(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// price compares the candidates at these places with each other, and says of whom
// the answer is about.
func (p *planner) price(places []int) (lane.PriceVerdict, []int, error) {
	ev := lane.PriceEvidence{Lanes: p.Lanes, Algebra: p.Algebra, SelfModify: p.Protect, Budgets: p.left(), Most: p.most}
	for _, i := range places {
		c := p.Candidates[i]
		ev.Workers = append(ev.Workers, lane.PriceWorker{Name: c.Unit, Lane: c.Lane, Tree: c.Tree})
	}
	v := lane.Price(ev)
	return v, places, v.Err()
}

// lay puts the priced candidates into the rows of the verdict.
func (p *planner) lay(priced lane.PriceVerdict, places []int) {
	held, blocked := map[string]lane.PriceHeld{}, map[string]lane.PriceBlocked{}
	for _, h := range priced.Held {
		held[h.Name] = h
	}
	for _, b := range priced.Blocked {
		blocked[b.Name] = b
	}
	for n, w := range priced.Workers {
		c := p.Candidates[places[n]]
		row := Row{
			Rank: n + 1, Wave: w.Wave, Unit: c.Unit, Title: c.Title, Task: c.Task, Lane: w.Lane, Tree: append([]string{}, w.Tree...),
			ScopeSource: scopeSources[w.Source], CollidesWith: []string{}, Argv: []string{},
		}
		if b, is := blocked[w.Name]; is {
			row.Set, row.Reason, row.Advice = Blocked, b.Reason, b.Advice
			p.v.LeftOut = append(p.v.LeftOut, row)
			continue
		}
		if h, is := held[w.Name]; is {
			row.wait(h)
			p.v.Later = append(p.v.Later, row)
			continue
		}
		if row.Set = Launch; p.v.Granted == 0 {
			row.Set, row.Reason, row.Advice = NoRoom, p.v.Limiter+" grants no worker", ""
			p.v.Later = append(p.v.Later, row)
			continue
		}
		p.launch(&row)
	}
	slices.SortStableFunc(p.v.Later, func(a, b Row) int { return a.Wave - b.Wave })
	p.v.SafeConcurrency, p.v.LanesUtilized = priced.SafeConcurrency, priced.LanesUtilized
	p.v.CollisionsAvoided, p.v.WaveCount = priced.CollisionsAvoided, priced.WaveCount
	p.v.SerializationWasted = max(0, min(p.most, len(priced.Workers))-priced.SafeConcurrency)
}

var scopeSources = map[string]string{lane.SourceInput: "task", lane.SourceLane: "lane", lane.SourceUnknown: "unknown"}

func (r *Row) wait(h lane.PriceHeld) {
	r.Set, r.Reason, r.Advice = Collides, h.Reason, h.Advice
	r.CollidesWith, r.Collisions = append(r.CollidesWith, h.CollidesWith...), h.Collisions
	switch h.Advice {
	case lane.AdviceDeclareScope:
		r.Set = Unscoped
	case lane.AdviceWaitForRoom, lane.AdviceWaitForBudget:
		r.Set = NoRoom
	}
}

// launch makes a row of one that is started.
func (p *planner) launch(row *Row) {
	if p.Seats != nil {
		seat := p.Seats.Free[len(p.v.Rows)]
		row.Account, row.Seat = seat.Account, seat.Seat
	}
	row.Argv = row.words(p.Evidence)
	p.v.Rows = append(p.v.Rows, *row)
}

// words is the command that starts the worker of a row, but for the name of the
// wave, which follows from it.
func (r Row) words(ev Evidence) []string {
	argv := append(slices.Clone(ev.Prefix), "--lane", r.Lane, "--unit", r.Unit)
	if r.Seat != "" {
		argv = append(argv, "--seat", r.Seat)
	}
	if r.ScopeSource == scopeSources[lane.SourceInput] {
		for _, entry := range r.Tree {
			argv = append(argv, "--tree", entry)
		}
	}
	argv = append(argv, "--worktree", "--detach")
	if len(ev.Command) > 0 {
		argv = append(append(argv, "--"), ev.Command...)
	}
	return argv
}

func (p *planner) action(priced lane.PriceVerdict) (lane.PriceAction, string) {
	n, safe := len(priced.Workers)-len(priced.Blocked), priced.SafeConcurrency
	want := min(p.most, n)
	of := fmt.Sprintf("%d of %s", safe, verdict.Count(n, "candidate"))
	switch {
	case n == 0:
		return lane.HoldEmpty, p.nobody()
	case safe > 0 && safe == want:
		if p.v.Granted == 0 {
			return lane.LaunchAll, fmt.Sprintf("%s could run at once, and none is granted, by %s", of, p.v.Limiter)
		}
		return lane.LaunchAll, of + ", as many as were granted or are left" + p.short()
	case safe > 1:
		return lane.LaunchSafeSet, of + " can run at once" + p.short()
	case safe == 0 && len(priced.UnknownScope) > 0:
		return lane.SerializeUnknownScope, fmt.Sprintf("nobody knows which files %s touches", verdict.Show(priced.UnknownScope[0]))
	}
	return lane.RepartitionAndReprice, of + " can run now" + p.short()
}

// nobody says why there is no candidate, and whether there would be room for one.
func (p *planner) nobody() string {
	why := "there is no unit to be started"
	if len(p.v.LeftOut) > 0 {
		first := p.v.LeftOut[0]
		why = fmt.Sprintf("none of %s can be started; %s: %s", verdict.Count(p.v.Candidates, "candidate"), verdict.Show(first.Unit), first.Reason)
	}
	if p.v.Granted == 0 {
		why += fmt.Sprintf("; nor is there room for one, by %s", p.v.Limiter)
	}
	return why
}

// next is what goes at whatever has the wave start nobody: at the candidates first,
// since room for none of them is no use.
func (p *planner) next() string {
	switch {
	case p.v.Action == lane.HoldEmpty && p.v.Candidates == 0:
		return `git dos queue add "TITLE"`
	case p.v.Action == lane.HoldEmpty:
		return p.v.LeftOut[0].next()
	case p.v.Granted == 0:
		return "git dos preflight"
	}
	return ""
}

// next is the command that goes at what keeps a candidate back.
func (r Row) next() string {
	switch r.Set {
	case Ended:
		return "git dos wave harvest"
	case InFlight, LaneHeld, TreeHeld:
		return "git dos lease live"
	case Unclear:
		return "git dos doctor"
	case Cooling, Waiting:
		return "git dos pickable " + verdict.ShellWord(r.Unit)
	case Held:
		return "git dos lease acquire --lane " + verdict.ShellWord(r.Lane)
	case Blocked:
		return "git dos arbitrate --lane " + verdict.ShellWord(r.Lane)
	}
	return "git dos next-up"
}

// short says that fewer were granted than were asked for.
func (p *planner) short() string {
	if p.v.Shortfall == 0 {
		return ""
	}
	return fmt.Sprintf("; %d granted of %d, by %s", p.v.Granted, p.v.Requested, p.v.Limiter)
}

var errNoPlan = errors.New("nothing was planned")
