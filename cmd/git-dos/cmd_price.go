package main

import (
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func priceVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "price",
			Usage:     "whom of these workers may I start at once?",
			ArgsUsage: "[PARTITION]",
			Description: "Compares the workers of a partition with each other, by the rules that acquire follows. A PARTITION\n" +
				"is a file of JSON; - or nothing is standard input. It is {\"agents\": [WORKER...]} or the bare array.\n" +
				"Each WORKER may have name, lane, lease_id, tree (a list of globs) and mode (\"shared\" only reads).\n" +
				"Without a tree a worker has the declared one of its lane; without either it may touch anything.\n\n" +
				"The answer holds nothing and knows of no lease: each worker still acquires its lane.\n\n" +
				"With --lane the workers divide that lane between them: only their trees are compared, each has to lie\n" +
				"in the lane's, and one without a tree has all of it. The lane's tree is that of your own lease on it\n" +
				"(GIT_DOS_NONCE, or taken in this worktree), else the declared one.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "lane", Usage: "divide this `LANE`"},
				&cli.BoolFlag{Name: "cached", Usage: "with --lane: take what was last seen of the fleet's lanes, however old"},
			},
			Action: price,
		},
		statuses: map[string][]status{
			"price": {
				{Code: verdict.Yes, Outcome: string(lane.LaunchAll), Meaning: "all of them"},
				{Code: verdict.FirstOwned, Outcome: string(lane.LaunchSafeSet), Meaning: "those of the safe set; the others in later waves"},
				{Code: 4, Outcome: string(lane.RepartitionAndReprice), Meaning: "no two of them: cut the work anew and ask again"},
				{Code: 5, Outcome: string(lane.SerializeUnknownScope), Meaning: "nobody knows which files some of them touch"},
				{Code: 6, Outcome: string(lane.HoldEmpty), Meaning: "there is no worker in it"},
			},
		},
	}
}

func price(c *cli.Context) error {
	if c.IsSet("lane") && c.String("lane") == "" {
		return usagef("--lane is empty").hint("name the lane to divide, or leave the flag out")
	}
	workers, err := pricePartition(c)
	if err != nil {
		return err
	}
	open := openDesk
	if c.IsSet("lane") {
		open = readingDesk
	}
	d, err := open(c)
	if err != nil {
		return err
	}
	p := d.Rules.Policy
	ev := lane.PriceEvidence{
		Workers: workers, Lanes: facts.Taxonomy(p), Algebra: lane.Algebra(p.Overlap.Policy),
		SelfModify: p.Admission.SelfModify, Budgets: facts.Budgets(p),
	}
	if c.IsSet("lane") {
		if ev.Within, err = priceRidden(c, d); err != nil {
			return err
		}
	}
	v, err := unlessInterrupted(c.Context, func() (lane.PriceVerdict, error) { return lane.Price(ev), nil })
	if err != nil {
		return err
	}
	if err := v.Err(); err != nil {
		return usagef("%w", err)
	}
	return answer(c, v)
}

// pricePartition reads the partition, from the file that is named as from where
// one stands.
func pricePartition(c *cli.Context) ([]lane.PriceWorker, error) {
	if c.NArg() > 1 {
		return nil, usagef("want one PARTITION, have also %q", c.Args().Get(1))
	}
	name, in := c.Args().First(), c.App.Reader
	switch {
	case c.NArg() == 1 && name == "":
		return nil, usagef("the PARTITION is empty").hint("name a file, or - for standard input")
	case c.NArg() == 1 && name != "-":
		f, err := os.Open(name)
		if err != nil {
			return nil, usagef("read the partition: %w", err)
		}
		defer f.Close()
		in = f
	default:
		name = "standard input"
	}
	data, err := readInput(c, in, lane.MaxPartition)
	if err != nil {
		return nil, environmentf("read the partition: %w", err)
	}
	workers, err := lane.ParsePartition(data)
	if err != nil {
		return nil, usagef("%s: %w", name, err)
	}
	return workers, nil
}

// priceRidden is the lane to divide. Only a lease of one's own says more of its
// tree than dos.toml does.
func priceRidden(c *cli.Context, d *admit.Desk) (*lane.Ridden, error) {
	name, err := canonicalLane(d, c.String("lane"))
	if err != nil {
		return nil, err
	}
	r, err := priceOwnLease(c, d, name)
	if err != nil {
		return nil, err
	}
	if r != nil {
		return &lane.Ridden{Lane: name, Tree: r.Tree}, nil
	}
	claim, no, ok := lane.Resolve(lane.Request{Lane: name}, facts.Taxonomy(d.Rules.Policy))
	switch {
	case !ok && no.Outcome == "":
		return nil, usagef("%w", no.Err())
	case !ok:
		return nil, didYouMean(usagef("%s", no.Reason), nearest(name, d.Declared())).hint("a lane that is not declared is divided under a lease of your own: GIT_DOS_NONCE, or taken in this worktree")
	}
	return &lane.Ridden{Lane: claim.Lane, Tree: claim.Tree}, nil
}

// priceOwnLease is the caller's live lease on a lane, nil for none. The store is
// asked only if there may be one.
func priceOwnLease(c *cli.Context, d *admit.Desk, name string) (*lease.Record, error) {
	id, err := identityFor(c, d, name)
	if err != nil || id == (lease.Identity{}) {
		return nil, err
	}
	r, _, err := d.Lease(c.Context, name, c.Bool("cached"))
	var unknown *admit.UnknownLaneError
	switch {
	case errors.As(err, &unknown):
		return nil, nil
	case err != nil:
		return nil, deskError(err)
	case r == nil, r.State == lane.Free, !id.Owns(*r), r.Lapsed(now(c)):
		return nil, nil
	}
	return r, nil
}
