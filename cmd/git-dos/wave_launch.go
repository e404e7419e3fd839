package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
)

// The outcomes of wave launch.
const (
	waveLaunched = "LAUNCHED"
	waveWould    = "WOULD_LAUNCH"
	waveRefused  = "REFUSED"
	waveStale    = "PLAN_STALE"
	wavePartly   = "PARTLY_LAUNCHED"
)

// What became of a row.
const (
	rowStarted = "STARTED"
	rowWould   = "WOULD_START"
	rowRefused = "REFUSED"
	rowFailed  = "FAILED" // how far it came is not known
	rowNot     = "NOT_STARTED"
)

// waveRows is how rows about launches name the verb.
const waveRows = "wave launch"

// A waveGate says why nothing may be launched now, "" where it may.
type waveGate func(c *cli.Context, d *admit.Desk) (why, next string, err error)

// A waveLaunchRow is one worker of a launch.
type waveLaunchRow struct {
	Rank    int      `json:"rank"`
	Unit    string   `json:"unit"`
	Lane    string   `json:"lane"`
	Account string   `json:"account,omitempty"`
	Seat    string   `json:"seat,omitempty"`
	Result  string   `json:"result"`
	Reason  string   `json:"reason,omitempty"`
	RunID   string   `json:"run_id,omitempty"`
	Gen     uint64   `json:"gen,omitempty"`
	PID     int64    `json:"pid,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	Log     string   `json:"log,omitempty"`
	Argv    []string `json:"argv"`
}

// A waveLaunchAnswer answers wave launch.
type waveLaunchAnswer struct {
	Outcome string          `json:"outcome"`
	Reason  string          `json:"reason"`
	PlanID  string          `json:"plan_id"`
	WaveID  string          `json:"wave_id"`
	Node    string          `json:"node"`
	Refused string          `json:"refused,omitempty"` // by which step
	Moved   []string        `json:"moved"`             // since the plan
	Rows    []waveLaunchRow `json:"rows"`
	Started int             `json:"started"`
	Next    string          `json:"next,omitempty"`
}

// ExitCode implements [verdict.Verdict].
func (a waveLaunchAnswer) ExitCode() int {
	switch a.Outcome {
	case waveLaunched, waveWould:
		return verdict.Yes
	case waveRefused:
		return verdict.FirstOwned
	case waveStale:
		return verdict.FirstOwned + 1
	case wavePartly:
		return verdict.FirstOwned + 2
	}
	return verdict.NoVerdict
}

func (a waveLaunchAnswer) String() string {
	s := a.Outcome + ": " + a.Reason
	for _, r := range a.Rows {
		s += fmt.Sprintf("\n  %3d  %-11s %s  lane %s", r.Rank, r.Result, verdict.Show(r.Unit), verdict.Show(r.Lane))
		if r.RunID != "" {
			s += "  run " + r.RunID
		}
		if r.Reason != "" {
			s += ": " + r.Reason
		}
		if r.Log != "" {
			s += "\n       log " + r.Log
		}
	}
	if a.Next != "" {
		s += "\n  next      " + a.Next
	}
	return s
}

func waveLaunchCommand() *cli.Command {
	return &cli.Command{
		Name:      "launch",
		Usage:     "start the workers of a plan that was looked at",
		ArgsUsage: "--plan-id PLAN [--live] [-- CMD ARG...]",
		Description: "Makes the plan again, with the same flags and the same CMD. Where it has another name by now, nothing is\n" +
			"started, and what moved is said. Without --live every row is looked at, and nothing is started either.\n\n" +
			"With it, before each worker: git dos super gate must say HAND_LAUNCH, and git dos preflight must let one more start,\n" +
			"those that this launch has started counted. Each is git dos worker run --wave --worktree --detach: it takes\n" +
			"lane, unit and seat in one admission, writes a LAUNCH row, and then runs CMD; a unit that the same wave has\n" +
			"launched before is refused there, whoever launches it and from whichever clone. Between two, super.settle.\n" +
			"The first that is refused ends it. Killed at any point it leaves nothing to put right: what it started goes on,\n" +
			"and the next plan is made without it.",
		Flags: waveFlags(
			&cli.StringFlag{Name: "plan-id", Usage: "the name of the plan, as git dos wave plan gives it: `PLAN`; required"},
			&cli.BoolFlag{Name: "live", Usage: "start the workers"},
			&cli.BoolFlag{Name: "attended", Usage: "launch beside a dispatcher all the same: an override, which is journaled"},
			superOperatorFlag(),
		),
		Action: waveLaunchAction,
	}
}

func waveLaunchAction(c *cli.Context) error {
	id := c.String("plan-id")
	switch {
	case id == "":
		return usagef("no plan is named").hint("git dos wave plan names one; look at it, then give its name with --plan-id")
	case wave.CheckPlanID(id) != nil:
		return usagef("--plan-id %.120q %w", id, wave.ErrPlanID).hint("git dos wave plan names one")
	}
	if c.IsSet("operator") && !c.Bool("attended") {
		return usagef("--operator names who attends").hint("give --attended too")
	}
	if !c.Bool("live") {
		return waveLaunch(c, id)
	}
	return writes(func(c *cli.Context) error { return waveLaunch(c, id) })(c)
}

func waveLaunch(c *cli.Context, id string) error {
	p, err := plannedWave(c)
	if err != nil {
		return err
	}
	if c.Bool("live") {
		survivesHangup.Store(true)
		if err := deskError(p.desk.EnsureNode(c.Context)); err != nil {
			return err
		}
	}
	a, err := launchWave(c, p, id, c.Bool("live"), waveHandGate())
	if err != nil {
		return err
	}
	if c.Context.Err() != nil { // it is told, and the status is that of an interrupt
		warn(c, "%s", a)
		return c.Context.Err()
	}
	return answer(c, a)
}

// launchWave starts the workers of a plan, if it still is the one with that name, the
// gate lets it and, before each, preflight does. An error is of what came before the
// first worker.
func launchWave(c *cli.Context, p *wavePlanned, id string, live bool, gate waveGate) (waveLaunchAnswer, error) {
	a := waveLaunchAnswer{PlanID: p.PlanID, WaveID: p.WaveID, Node: p.desk.Node, Moved: wave.Moved(id, p.PlanID), Rows: []waveLaunchRow{}}
	if a.Moved == nil {
		a.Moved = []string{}
	}
	for _, r := range p.Rows {
		a.Rows = append(a.Rows, waveLaunchRow{Rank: r.Rank, Unit: r.Unit, Lane: r.Lane, Account: r.Account, Seat: r.Seat, Argv: r.Argv, Result: rowNot})
	}
	if len(a.Moved) > 0 {
		a.Outcome, a.Reason = waveStale, "another plan holds by now: "+listed(a.Moved)+" moved"
		a.Next = "git dos wave plan, with the same flags"
		return a, nil
	}
	why, next, err := gate(c, p.desk)
	if err != nil {
		return a, err
	}
	step := "gate"
	if why == "" {
		step = "preflight"
		why, next = p.refused()
	}
	if why == "" {
		step = "plan"
		why, next = p.audited()
	}
	if why != "" {
		a.Outcome, a.Refused, a.Reason, a.Next = waveRefused, step, why, next
		return a, nil
	}
	if !live {
		for i := range a.Rows {
			a.Rows[i].Result = rowWould
		}
		a.Outcome, a.Reason = waveWould, verdict.Count(len(a.Rows), "worker")+" would be started"
		a.Next = "the same with --live"
		return a, nil
	}
	l := &waveLaunching{c: c, plan: p, gate: gate, answer: &a}
	l.run()
	l.record()
	return a, nil
}

// listed is a list in words.
func listed(words []string) string {
	s := words[0]
	for i, w := range words[1:] {
		if i == len(words)-2 {
			s += " and " + w
		} else {
			s += ", " + w
		}
	}
	return s
}

// refused is why preflight lets nothing start, "" where it does.
func (p *wavePlanned) refused() (why, next string) {
	if p.ready.Outcome != supervise.SpawnOK {
		return fmt.Sprintf("%s: %s", p.ready.Outcome, p.ready.Reason), p.ready.Next
	}
	return "", ""
}

// audited looks at every row before the first is started: "" where each can be asked
// for.
func (p *wavePlanned) audited() (why, next string) {
	if len(p.Rows) == 0 {
		return fmt.Sprintf("the plan starts no worker: %s: %s", p.Action, p.Reason), "git dos wave plan says what is in the way of each unit"
	}
	for _, r := range p.Rows {
		req := admit.Request{Lanes: []string{r.Lane}, Unit: r.Unit, Seat: r.Seat, TTL: p.desk.Rules.Policy.Lease.TTL}
		if r.ScopeSource == "task" {
			req.Tree = r.Tree
		}
		if err := p.desk.Check(req); err != nil {
			return fmt.Sprintf("unit %s: %v", verdict.Show(r.Unit), err), ""
		}
		if i := slices.IndexFunc(r.Argv, func(w string) bool { return printable(w, true) != w }); i >= 0 {
			return fmt.Sprintf("unit %s: the word %s of its command does not print", verdict.Show(r.Unit), verdict.Show(r.Argv[i])), ""
		}
	}
	return "", ""
}

// waveHandGate is the gate of a launch by hand: nobody else starts workers by itself,
// or somebody attends, which is journaled once before the first is started.
func waveHandGate() waveGate {
	told := false
	return func(c *cli.Context, d *admit.Desk) (why, next string, err error) {
		l, err := superAt(c, d, false)
		if err != nil {
			return "", "", err
		}
		attended := c.Bool("attended")
		v := l.verdict(attended)
		if attended && c.Bool("live") && !told {
			v, err = l.attended()
			told = err == nil
		}
		if err != nil || v.Outcome == super.HandLaunch {
			return "", "", err
		}
		return fmt.Sprintf("%s: %s", v.Outcome, v.Reason), v.Next, nil
	}
}

// A waveLaunching is a launch under way.
type waveLaunching struct {
	c      *cli.Context
	plan   *wavePlanned
	gate   waveGate
	answer *waveLaunchAnswer
}

// run starts the workers in the order of their ranks, and stops at the first that is
// refused.
func (l *waveLaunching) run() {
	a := l.answer
	for i := range a.Rows {
		row := &a.Rows[i]
		if i > 0 {
			l.settle()
		}
		if step, why, next := l.ready(*row); why != "" {
			row.Result, row.Reason, a.Refused, a.Next = rowRefused, why, step, next
			break
		}
		l.start(row)
		if row.Result != rowStarted {
			a.Refused, a.Next = "worker", firstOf(a.Next, "git dos wave plan, with the same flags")
			break
		}
		a.Started++
	}
	switch n := len(a.Rows); {
	case a.Started == n:
		a.Outcome, a.Reason = waveLaunched, verdict.Count(n, "worker")+" started; a launch is no ship"
		a.Next = "git dos wave status; git dos wave harvest, once they have ended"
	case a.Started == 0 && a.Rows[0].Result == rowRefused:
		a.Outcome, a.Reason = waveRefused, a.Rows[0].Reason
	default:
		row := a.Rows[a.Started]
		a.Outcome, a.Reason = wavePartly, fmt.Sprintf("%d of %s started, and then unit %s was not: %s", a.Started, verdict.Count(n, "worker"), verdict.Show(row.Unit), row.Reason)
	}
}

// settle waits between two workers, or for an interrupt.
func (l *waveLaunching) settle() {
	d := l.plan.desk.Rules.Policy.Super.Settle
	if testPause != nil {
		d = testPause(d)
	}
	_ = pause(l.c.Context, d)
}

// ready asks the gate and preflight anew. What was started since the plan is counted
// even where nothing shows of it.
func (l *waveLaunching) ready(row waveLaunchRow) (step, why, next string) {
	if l.c.Context.Err() != nil {
		return "interrupt", "interrupted", ""
	}
	why, next, err := l.gate(l.c, l.plan.desk)
	if err != nil {
		why = "the gate could not be asked: " + verdict.Clip(err.Error())
	}
	if why != "" {
		return "gate", why, next
	}
	b, err := loopRead(l.c)
	if err != nil {
		return "preflight", "this machine could not be looked at: " + verdict.Clip(err.Error()), "git dos preflight"
	}
	if why, err := l.plan.since(l.c, b, row.Unit); why != "" || err != nil {
		return "plan", firstOf(why, errorText(err)), "git dos wave plan"
	}
	v, err := preflightOf(l.c, b, preflightSpawned{wave: true})
	switch {
	case err != nil:
		return "preflight", "this machine could not be looked at: " + verdict.Clip(err.Error()), "git dos preflight"
	case v.Outcome != supervise.SpawnOK:
		return "preflight", fmt.Sprintf("%s: %s", v.Outcome, v.Reason), v.Next
	case l.plan.ready.Live+l.answer.Started >= v.Cap:
		return "preflight", fmt.Sprintf("%s: %d lived and %d were started, of at most %d", supervise.RefuseAtCap, l.plan.ready.Live, l.answer.Started, v.Cap), ""
	}
	return "", "", ""
}

// since says which launch of a unit there was since the plan was made.
func (p *wavePlanned) since(c *cli.Context, b *life.Book, unit string) (string, error) {
	all, err := b.Waves(c.Context)
	if err != nil {
		return "", lifeError(err)
	}
	last := lastLaunch(all, unit)
	if last.RunID == lastLaunch(p.waves, unit).RunID {
		return "", nil
	}
	return fmt.Sprintf("wave %s has launched unit %s since, as run %s on node %s", verdict.Show(last.WaveID), verdict.Show(unit), verdict.Show(last.RunID), verdict.Show(last.Node)), nil
}

// record notes how the launch ended, for the ramp, and tells the fleet. What was
// started stands without it.
func (l *waveLaunching) record() {
	a, d := l.answer, l.plan.desk
	c := l.c
	err := settledContext(c, func() error {
		row := journal.Row{Op: journal.OpVerdict, Verb: waveRows, Verdict: a.Outcome, Subject: a.WaveID, WaveID: a.WaveID, Detail: verdict.Clip(a.Reason), ReasonClass: a.Refused}
		if err := d.Journal(c.Context, row); err != nil {
			return err
		}
		_, err := d.Sync(c.Context, admit.SyncRequest{Force: true})
		return err
	})
	if err != nil {
		warn(c, "how the launch of %s ended was not told: %v", a.WaveID, err)
	}
}

// settledContext runs f with a context that an interrupt has not ended.
func settledContext(c *cli.Context, f func() error) error {
	return (&dispatching{c: c}).settling(f)
}
