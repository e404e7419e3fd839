package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func loopVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "loop",
			Usage: "say whom to start and whom to look after, so that as many workers live as should",
			Description: "Looks at the lanes that dos.toml declares, their leases and how their workers get on, and at the\n" +
				"workers that were started within supervise.pending_window and show no lease yet. The plan says on\n" +
				"which lanes to start one, which stalled leases to scavenge (git dos resume first: a run that can\n" +
				"go on is parked), and whom to show to the operator. Nothing is started, stopped or written, and\n" +
				"the same plan asked for twice is the same. Rows about a lease name it by run, generation, nonce\n" +
				"and node: act only if it is still that one. A worker whose process has ended is not alive, and\n" +
				"where a run cannot be judged its lease is: once that has lapsed, it is stalled.\n\n" +
				"With a budget, supervise.max_concurrency, workers beyond the declared lanes are started too: each\n" +
				"picks its lane itself. A ledger that cannot be read leaves open who was started: then there is no\n" +
				"plan.\n\n" +
				"Beside the plan stands, for each worker to start, the command of supervise.worker_launch_template\n" +
				"with its lane. That of the default needs worker.command in dos.toml.",
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "target", Usage: "how many workers are to live, by default supervise.target: `N`"},
				&cli.IntFlag{Name: "max-concurrency", Usage: "the budget, in place of supervise.max_concurrency: `N`"},
				&cli.StringFlag{Name: "leases", Usage: "the live leases, as `JSON` (what lease live --json prints), or - for standard input, in place of the stored ones"},
				&cli.BoolFlag{Name: "exit-zero", Usage: "exit 0 whatever the plan, as the older tool did"},
				journalCached(),
			},
			Action: loopPlan,
		},
		statuses: map[string][]status{
			"loop": {
				{Code: verdict.Yes, Outcome: string(supervise.AtTarget), Meaning: "as many workers live as can and should"},
				{Code: 3, Outcome: string(supervise.Filling), Meaning: "too few live; the plan says whom to start, or what is in the way"},
				{Code: 4, Outcome: string(supervise.TargetUnreachable), Meaning: "the lanes cannot hold that many at once, and the reason says what would help"},
				{Code: 5, Outcome: string(supervise.OverTarget), Meaning: "too many live; nobody is stopped"},
			},
		},
	}
}

// A loopAnswer answers loop.
type loopAnswer struct {
	supervise.PlanVerdict
	Launch []string `json:"launch"` // the command of each spawn, in their order; none where none is set
	Next   string   `json:"next,omitempty"`
	lifeSeen

	zero bool
}

// ExitCode is that of the plan, unless it is not wanted.
func (a loopAnswer) ExitCode() int {
	code := a.PlanVerdict.ExitCode()
	if a.zero && code != verdict.NoVerdict {
		return verdict.Yes
	}
	return code
}

func (a loopAnswer) String() string {
	text := a.PlanVerdict.String()
	for _, command := range a.Launch {
		text += "\n  " + command
	}
	if a.Next != "" {
		text += "\n  next      " + a.Next
	}
	return text + a.line()
}

func loopPlan(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	given, isGiven, err := leasesFlag(c)
	if err != nil {
		return err
	}
	b, err := loopRead(c)
	if err != nil {
		return err
	}
	if err := journalUnread(loopLedgers(b)); err != nil {
		return err
	}
	lifeWarn(c, b)
	plan, p, err := loopJudged(c, b, given, isGiven)
	if err != nil {
		return err
	}
	a := loopAnswer{PlanVerdict: plan, Launch: []string{}, lifeSeen: lifeSeenAs(b), zero: c.Bool("exit-zero")}
	template := loopTemplate(p)
	if template == "" && len(a.Spawn) > 0 {
		a.Next = "set supervise.worker_launch_template in dos.toml to the command that starts a worker, with {lane} where its lane goes"
	}
	for _, row := range a.Spawn {
		if template != "" {
			a.Launch = append(a.Launch, loopCommand(template, row))
		}
	}
	return answer(c, a)
}

// loopJudged makes the plan of what b has read, and returns it with the policy
// that it was made under.
func loopJudged(c *cli.Context, b *life.Book, given []lane.Lease, isGiven bool) (supervise.PlanVerdict, policy.Policy, error) {
	p := b.Desk.Rules.Policy
	if err := loopDoubts(c, b); err != nil {
		return supervise.PlanVerdict{}, p, err
	}
	census, err := loopCensus(c, b, given, isGiven)
	if err != nil {
		return supervise.PlanVerdict{}, p, err
	}
	ev := supervise.Evidence{Target: p.Supervise.Target, Policy: loopPolicy(p.Supervise), Algebra: lane.Algebra(p.Overlap.Policy)}
	if c.IsSet("target") {
		ev.Target = c.Int("target")
	}
	if c.IsSet("max-concurrency") {
		n := c.Int("max-concurrency")
		ev.Policy.MaxConcurrency = &n
	}
	census.Budget = ev.Policy.MaxConcurrency != nil
	if ev.Lanes, ev.Outside, err = supervise.Roster(census); err != nil {
		return supervise.PlanVerdict{}, p, usagef("%w", err).hint("git dos lint lists what is wrong with the lanes")
	}
	v := supervise.Plan(ev)
	if err := v.Err(); err != nil {
		return v, p, usagef("%w", err)
	}
	return v, p, nil
}

// loopTemplate is the command that starts a worker, "" where dos.toml states none and
// the one by default is of a verb that this version does not have.
func loopTemplate(p policy.Policy) string {
	template := p.Supervise.WorkerLaunchTemplate
	verb, _, _ := strings.Cut(strings.TrimPrefix(template, "git dos "), " ")
	if !p.Stated("supervise.worker_launch_template") && makerOf(verb) == nil {
		return ""
	}
	return template
}

// loopCommand is the template with the lane filled in, as a shell reads it.
func loopCommand(template string, row supervise.Row) string {
	if row.Handle {
		return strings.Join(loopWords(template, row), " ")
	}
	return strings.ReplaceAll(template, "{lane}", verdict.ShellWord(row.Lane))
}

// loopWords are the words of the template with the lane filled in. A worker that
// picks its lane itself is not told one.
func loopWords(template string, row supervise.Row) (words []string) {
	for _, w := range strings.Fields(template) {
		switch n := len(words); {
		case !row.Handle:
			words = append(words, strings.ReplaceAll(w, "{lane}", row.Lane))
		case !strings.Contains(w, "{lane}"):
			words = append(words, w)
		case w == "{lane}" && n > 0 && strings.HasPrefix(words[n-1], "-"):
			words = words[:n-1] // the flag that the lane was the value of
		}
	}
	return words
}
