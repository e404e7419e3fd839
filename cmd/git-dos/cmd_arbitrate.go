package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func arbitrateVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "arbitrate",
			ArgsUsage: "[LANE]",
			Usage:     "say whether a lane could be had now, and which to run on",
			Description: "Judges by the rules that lease acquire follows, units and seats left out, beside the leases that are\n" +
				"live or those of --leases. It stores nothing: only git dos lease acquire holds a lane. Run on the\n" +
				"lane that is answered. It is another than the one named where that one is held and --kind cluster\n" +
				"is given, or its files are taken or protected and no kind is; lease acquire takes another only with\n" +
				"--any. A lane given by --force is the caller's risk. Without a LANE the lanes for auto-pick are\n" +
				"tried in order.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "lane", Usage: "the `LANE`: a declared one, an alias, or any name together with --tree"},
				kindFlag(), treeFlag(),
				&cli.StringFlag{Name: "leases", Usage: "the live leases, as `JSON` (what lease live --json prints), or - for standard input; the stored ones are then not read"},
				&cli.BoolFlag{Name: "force", Usage: "answer that the lane named can be had, unless an exclusive lease is live"},
				&cli.StringSliceFlag{Name: "class-budget", Usage: "at most N live leases of a kind, as `KIND=N`, in place of dos.toml's; repeatable"},
				&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old; by default it is at most [fleet] interval old"},
			},
			Action: storeStatus(leaseStore, arbitrate),
		},
		statuses: map[string][]status{
			"arbitrate": {
				{Code: verdict.Yes, Outcome: string(lane.Acquire), Meaning: "the lane that is answered could be had; nothing is held by it"},
				{Code: verdict.No, Outcome: string(lane.Refuse), Meaning: "someone or some rule stands against it"},
				unreachable,
			},
		},
	}
}

func arbitrate(c *cli.Context) error {
	req, err := arbitrateRequest(c)
	if err != nil {
		return err
	}
	open := readingDesk
	if req.LeasesGiven {
		open = openDesk // no lane is read
	}
	d, err := open(c)
	if err != nil {
		return err
	}
	if err := arbitrateKinds(d, req.Budgets); err != nil {
		return err
	}
	v, asOf, err := d.Arbitrate(c.Context, req)
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return arbitrateError(err)
	}
	a := arbitration{Verdict: v, asked: req}
	if !req.LeasesGiven {
		a.AsOf, a.from = &asOf, d.Remote()
	}
	return answer(c, a)
}

// arbitrateRequest reads the flags.
func arbitrateRequest(c *cli.Context) (req admit.ArbitrateRequest, err error) {
	name, err := oneLane(c)
	if err != nil {
		return req, err
	}
	if err := checkTrees(c); err != nil {
		return req, err
	}
	req.Request = lane.Request{Lane: name, Kind: c.String("kind"), Tree: c.StringSlice("tree")}
	req.Force, req.Cached = c.Bool("force"), c.Bool("cached")
	if name == "" {
		if err := checkUnnamed(c); err != nil {
			return req, err
		}
	}
	if req.Budgets, err = classBudgets(c.StringSlice("class-budget")); err != nil {
		return req, err
	}
	req.Leases, req.LeasesGiven, err = leasesFlag(c)
	return req, err
}

// maxBudget is more leases than there can be.
const maxBudget = 1 << 30

// classBudgets reads KIND=N, each kind once; nil when there are none.
func classBudgets(words []string) (map[string]int, error) {
	var budgets map[string]int
	for _, word := range words {
		i := strings.LastIndexByte(word, '=')
		if i <= 0 {
			return nil, usagef("--class-budget %q is not KIND=N", word)
		}
		kind, err := lane.Canonical(word[:i])
		if err != nil {
			return nil, usagef("--class-budget %q: %w", word, err)
		}
		n, err := strconv.ParseUint(word[i+1:], 10, 32)
		if err != nil || n > maxBudget {
			return nil, usagef("--class-budget %q: %q is no count", word, word[i+1:])
		}
		if _, twice := budgets[kind]; twice {
			return nil, usagef("--class-budget gives kind %s twice", kind)
		}
		if budgets == nil {
			budgets = map[string]int{}
		}
		budgets[kind] = int(n)
	}
	return budgets, nil
}

// arbitrateKinds refuses a budget for what no lease can be of.
func arbitrateKinds(d *admit.Desk, budgets map[string]int) error {
	for kind := range budgets {
		if _, err := facts.Taxonomy(d.Rules.Policy).Kind(kind); err != nil {
			return usagef("--class-budget: %w", err)
		}
	}
	return nil
}

// arbitrateError gives a decision that hangs on an unreadable lease the status
// of an unreadable store, whoever read it.
func arbitrateError(err error) error {
	var store *admit.StoreError
	if errors.Is(err, lane.ErrUnreadable) && !errors.As(err, &store) {
		return errorf(kindStore, "%w", err).hint("see git dos doctor")
	}
	return acquireError(err)
}
