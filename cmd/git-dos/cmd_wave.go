package main

import (
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/worker"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/kernel/wave"
)

func waveVerb() verb {
	return verb{
		command: &cli.Command{
			Name:        "wave",
			Usage:       "start workers in bulk, and look at what came of them",
			Description: "A launch is no ship: what a worker did is asked of git, by harvest.",
			Subcommands: []*cli.Command{wavePlanCommand(), waveLaunchCommand(), waveStatusCommand(), waveHarvestCommand()},
		},
		statuses: map[string][]status{
			"wave plan": {
				{Code: verdict.Yes, Outcome: string(lane.LaunchAll), Meaning: "as many as were granted, or are left, can run at once"},
				{Code: verdict.FirstOwned, Outcome: string(lane.LaunchSafeSet), Meaning: "fewer can, and two or more; the others in later waves"},
				{Code: 4, Outcome: string(lane.RepartitionAndReprice), Meaning: "no two can: cut the work anew and ask again"},
				{Code: 5, Outcome: string(lane.SerializeUnknownScope), Meaning: "nobody knows which files those that are left touch"},
				{Code: 6, Outcome: string(lane.HoldEmpty), Meaning: "there is no unit that can be started"},
			},
			"wave launch": {
				{Code: verdict.Yes, Outcome: waveLaunched, Meaning: "every worker of the plan was started"},
				{Code: verdict.Yes, Outcome: waveWould, Meaning: "without --live: each would be, as far as can be told"},
				{Code: 3, Outcome: waveRefused, Meaning: "the gate, preflight or the first worker was refused; nothing was started"},
				{Code: 4, Outcome: waveStale, Meaning: "the plan is another by now; what moved is named, and nothing was started"},
				{Code: 5, Outcome: wavePartly, Meaning: "some were started, and then one was refused; which is said"},
			},
			"wave status": {{Code: verdict.Yes, Meaning: "the workers of waves are listed"}},
			"wave harvest": {
				{Code: verdict.Yes, Outcome: "VERIFIED", Meaning: "every unit that was looked at shipped, or there was none to look at"},
				{Code: 3, Outcome: "OPEN", Meaning: "some did not ship, still run, or are another node's to look at"},
				{Code: 4, Outcome: "STRANDED", Meaning: "some worker is gone and left work that is nowhere else"},
			},
		},
	}
}

// waveFlags are those by which a plan is made, and made again when it is launched.
func waveFlags(own ...cli.Flag) []cli.Flag {
	return append(own,
		&cli.IntFlag{Name: "max-workers", Usage: "start at most `N` workers, by default super.max_workers"},
		&cli.StringFlag{Name: "work-kind", Value: wave.Engineering, Usage: "the tier of accounts that does it: `KIND` = engineering, gardening"},
		&cli.BoolFlag{Name: "downshift", Usage: "let accounts of a lower tier do engineering too"},
		&cli.StringSliceFlag{Name: "scope", Aliases: []string{"lane"}, Usage: "only units of `LANE`; may be given again"},
		&cli.BoolFlag{Name: "canary", Usage: "begin the ramp anew, with one worker"},
		&cli.IntFlag{Name: "host-cap", Usage: "this machine bears `N` workers, in place of an estimate"},
		&cli.StringFlag{Name: "prompt", Usage: "give every worker this `FILE` as standard input, in place of its unit's prompt"},
		&cli.StringFlag{Name: "owner", Usage: "who is at work, to people: `NAME`"},
		&cli.StringFlag{Name: "ttl", Usage: "how long a lease lives without being renewed: `DURATION`"},
		&cli.StringFlag{Name: "timeout", Usage: "the most that CMD may take, in place of worker.timeout: `DURATION`"},
	)
}

func wavePlanCommand() *cli.Command {
	return &cli.Command{
		Name:      "plan",
		Usage:     "say whom the next wave would start, and name the plan",
		ArgsUsage: "[-- CMD ARG...]",
		Description: "Takes the units that git dos next-up would offer, in its order, and leaves out with a reason those that may\n" +
			"not be started: kept, cooling, launched and not harvested, on a lane or on files that are leased, or in\n" +
			"super.hold. The rest are compared as git dos price does, each with the tree that its task states or that of its\n" +
			"lane: the largest set without a collision is the wave, best ranks preferred; the others are laid into later\n" +
			"waves. A lane has one worker at a time.\n\n" +
			"Granted is the least of --max-workers, the room that git dos preflight finds, the seats of accounts where\n" +
			"dos.toml declares any, and the rung of the ramp: CANARY is one worker, STEP super.rung_step of them (2 or 3),\n" +
			"FULL all that there is room for. The rung is earned by the waves of the last 24 hours, one after the other:\n" +
			"it is climbed when each worker has its lease and a first commit that commit-audit passes; a stub log,\n" +
			"throttling, a claim that does not hold or a launch that was cut short is one rung back, and two in a row\n" +
			"grant nothing until --canary.\n\n" +
			"The plan has a name: the same units, leases, rules and room have the same one. Nothing is held or started:\n" +
			"git dos wave launch takes the name, with the same flags and the same CMD.",
		Flags:  waveFlags(&cli.BoolFlag{Name: "cached", Usage: "go by what was last seen of the remote, however old"}),
		Action: wavePlanAction,
	}
}

func wavePlanAction(c *cli.Context) error {
	p, err := plannedWave(c)
	if err != nil {
		return err
	}
	return answer(c, wavePlanAnswer{p.Verdict, string(p.ready.Outcome), append([]string{}, p.unread...), lifeSeenAs(p.book)})
}

// plannedWave plans the wave that the flags ask for.
func plannedWave(c *cli.Context) (*wavePlanned, error) {
	d, err := openDesk(c)
	if err != nil {
		return nil, err
	}
	req, err := waveAsked(c, d)
	if err != nil {
		return nil, err
	}
	b, err := lifeBook(c)
	if err != nil {
		return nil, err
	}
	ramp := wave.State{}
	if !c.Bool("canary") {
		if ramp, err = waveRungByHand(c, b); err != nil {
			return nil, err
		}
	}
	req.ramp = &ramp
	return planWave(c, d, req)
}

// A wavePlanAnswer answers wave plan.
type wavePlanAnswer struct {
	wave.Verdict
	Preflight string   `json:"preflight"`
	Unread    []string `json:"unread"` // leases that cannot be read
	lifeSeen
}

func (a wavePlanAnswer) String() string { return a.Verdict.String() + a.line() }

// waveAsked reads the flags. What it refuses has started nothing.
func waveAsked(c *cli.Context, d *admit.Desk) (req waveRequest, err error) {
	p := d.Rules.Policy
	req = waveRequest{workers: p.Super.MaxWorkers, kind: c.String("work-kind"), downshift: c.Bool("downshift"), prefix: []string{"git", "dos", "worker", "run"}}
	if c.IsSet("max-workers") {
		req.workers = c.Int("max-workers")
	}
	if req.workers < 1 || req.workers > wave.MaxWorkers {
		return req, usagef("--max-workers %d is not between 1 and %d", req.workers, wave.MaxWorkers)
	}
	if n := c.Int("host-cap"); c.IsSet("host-cap") && (n < 0 || n > superviseMost) {
		return req, usagef("--host-cap %d is not between 0 and %d", n, superviseMost)
	}
	if req.kind != wave.Engineering && req.kind != wave.Gardening {
		return req, usagef("--work-kind %.40q is none of %s, %s", req.kind, wave.Engineering, wave.Gardening)
	}
	if req.downshift && req.kind == wave.Gardening {
		return req, usagef("--downshift is for --work-kind %s", wave.Engineering).hint("gardening is the lowest tier already")
	}
	if req.scope, err = nextUpScope(c, d); err != nil {
		return req, err
	}
	slices.Sort(req.scope)
	job, err := workerCommand(c, d)
	if err != nil {
		return req, err
	}
	if err := worker.Find(job.filled("", ""), job.dir); err != nil {
		return req, usagef("%w", err).hint("name a program that is in PATH, or one by its path")
	}
	req.command = job.command
	return req, req.flags(c, d)
}

// flags adds to the words that start a worker what was asked for of all of them.
func (req *waveRequest) flags(c *cli.Context, d *admit.Desk) error {
	p := d.Rules.Policy
	add := func(name, value string) { req.prefix = append(req.prefix, "--"+name, value) }
	if c.IsSet("host-cap") {
		add("host-cap", strconv.Itoa(c.Int("host-cap")))
	}
	if c.IsSet("owner") {
		if c.String("owner") == "" {
			return usagef("--owner is empty").hint("name one, or leave the flag out")
		}
		add("owner", c.String("owner"))
	}
	ttl, err := ttlFlag(c, p.Lease.TTL)
	if err != nil {
		return err
	}
	for _, name := range []string{"ttl", "timeout"} { // read by ttlFlag, and with the command
		if c.IsSet(name) {
			add(name, c.String(name))
		}
	}
	prompt, err := workerPrompt(c, d, p.Worker.Prompt)
	if err != nil {
		return err
	}
	if c.IsSet("prompt") {
		add("prompt", prompt)
	}
	req.prompt = prompt == ""
	if err := d.Check(admit.Request{Lanes: []string{superviseLane}, Owner: statedOwner(c), TTL: ttl}); err != nil {
		return usagef("%w", err)
	}
	return nil
}
