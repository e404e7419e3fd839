package main

import (
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// leaseStore is the status of an unreadable or unreachable store.
const leaseStore = 4

func leaseVerb() verb {
	lane := &cli.StringFlag{Name: "lane", Usage: "the `LANE`: a declared one, an alias, or any name together with --tree"}
	nonce := &cli.StringFlag{Name: "nonce", Usage: "the `NONCE` of the lease, by default GIT_DOS_NONCE or the one this worktree took"}
	run := &cli.StringFlag{Name: "run-id", Usage: "the `RUN` that the lease is of, one worker's own: who states it again is given that lease, so no two workers may share one"}
	cached := &cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old; by default it is at most [fleet] interval old"}
	return verb{
		command: &cli.Command{
			Name:  "lease",
			Usage: "hold a lane so that no other worker edits its files",
			Subcommands: []*cli.Command{{
				Name:      "acquire",
				ArgsUsage: "[LANE...]",
				Usage:     "take a lane, or learn who holds it",
				Description: "Without a LANE a free one of those for auto-pick is taken; with several, all or none. A lane that is\n" +
					"not declared is taken by the files it is about, --tree. Work only on the lane that is returned,\n" +
					"renew it within a third of its ttl, and stop when it is lost. The lease is stored for this\n" +
					"worktree, so --lane alone renews and releases it from here. To be given your own lease again, say\n" +
					"after a crash, acquire with the same --run-id or --nonce.\n\n" +
					"A lease that nobody renews lapses: when this node has watched it stand still for its ttl and a\n" +
					"margin, when its process is known to have ended, or when it is older than its ttl by more than\n" +
					"lease.max_clock_skew, whoever asks for its lane takes it over. --wait DURATION asks again until\n" +
					"then. An exclusive lane waits for the leases it overlaps, in a fleet always, else with --wait:\n" +
					"nothing new is admitted beside it, and lease await tells when it is yours.\n\n" +
					"--force --operator NAME ends every lease in the way, in the operator's name; whoever held one\n" +
					"may still be at work.",
				Flags:  acquireFlags(run, nonce),
				Action: storeStatus(leaseStore, writes(leaseAcquire)),
			}, {
				Name:      "heartbeat",
				ArgsUsage: "[LANE]",
				Aliases:   []string{"renew"},
				Usage:     "renew a lease of this worktree",
				Flags:     []cli.Flag{lane, nonce, run},
				Action:    storeStatus(leaseStore, writes(leaseHeartbeat)),
			}, {
				Name:      "release",
				ArgsUsage: "[LANE]",
				Usage:     "give a lane back",
				Flags:     []cli.Flag{lane, nonce, run},
				Action:    storeStatus(leaseStore, writes(leaseRelease)),
			}, {
				Name:      "show",
				ArgsUsage: "[LANE]",
				Usage:     "show one lane",
				Flags:     []cli.Flag{lane, cached},
				Action:    storeStatus(leaseStore, leaseShow),
			}, {
				Name:  "live",
				Usage: "list the lanes that are held",
				Flags: append([]cli.Flag{
					&cli.BoolFlag{Name: "all", Usage: "list free lanes too, also those never leased"}, cached,
				}, recordFlags("the names of the lanes", liveFields)...),
				Action: storeStatus(leaseStore, leaseLive),
			}, {
				Name:      "log",
				ArgsUsage: "[LANE]",
				Usage:     "show what happened to one lane, newest first",
				Flags: []cli.Flag{
					lane, cached,
					&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: 50, Usage: "at most `N` entries, 0 for all"},
				},
				Action: storeStatus(leaseStore, leaseLog),
			}, {
				Name:      "await",
				ArgsUsage: "[LANE]",
				Usage:     "wait for an exclusive lane of this worktree that waits for others",
				Description: "The lease is renewed meanwhile, and is yours when every lease it overlaps has ended or lapsed.\n" +
					"Without --wait it looks once.",
				Flags:  []cli.Flag{lane, nonce, run, waitFlag()},
				Action: storeStatus(leaseStore, writes(leaseAwait)),
			}, {
				Name:      "park",
				ArgsUsage: "[LANE]",
				Usage:     "keep a lane for later: its lease neither runs nor lapses",
				Flags:     []cli.Flag{lane, nonce, run, parkOperator()},
				Action:    storeStatus(leaseStore, writes(leasePark)),
			}, {
				Name:      "unpark",
				ArgsUsage: "[LANE]",
				Usage:     "let the lease of a parked lane run again",
				Flags:     []cli.Flag{lane, nonce, run, parkOperator()},
				Action:    storeStatus(leaseStore, writes(leaseUnpark)),
			}, {
				Name:      "scavenge",
				ArgsUsage: "[LANE]",
				Usage:     "free a lane whose lease has lapsed, or any in an operator's name",
				Description: "A lease has lapsed when this node has watched it stand still for its ttl and a margin, when its\n" +
					"process is known to have ended, or when it is older than its ttl by more than\n" +
					"lease.max_clock_skew. With --force --operator NAME the lane is taken from whoever holds it. Its\n" +
					"worker may not know yet: what it pushes with git dos push is refused from now on; what it does\n" +
					"to its own files is not.",
				Flags: []cli.Flag{
					lane,
					&cli.BoolFlag{Name: "force", Usage: "take it from a holder whose lease may be in use; needs --operator"},
					&cli.StringFlag{Name: "operator", Usage: "the `NAME` the chain will show for it"},
				},
				Action: storeStatus(leaseStore, writes(leaseScavenge)),
			}},
		},
		statuses: leaseStatuses(),
	}
}

func acquireFlags(run, nonce cli.Flag) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "lane", Usage: "the `LANE`: a declared one, an alias, or any name together with --tree; repeatable, all or none"},
		&cli.BoolFlag{Name: "any", Usage: "take another free lane when the one named cannot be had"},
		run, nonce,
		kindFlag(), treeFlag(),
		&cli.StringFlag{Name: "unit", Usage: "the `UNIT` of work, as PLAN/PHASE or PLAN::PHASE in either case, that this lease claims (of several lanes the first): no other lease may claim it"},
		&cli.StringFlag{Name: "seat", Usage: "the `SEAT` that this lease takes, in either case (of several lanes the first): no other lease may take it"},
		&cli.StringFlag{Name: "proc", Usage: "the `PID` of the worker's own process, recorded so that its end can be seen"},
		&cli.StringFlag{Name: "leases", Usage: "live leases known besides, as `JSON` (what lease live --json prints), or - for standard input"},
		&cli.StringFlag{Name: "owner", Usage: "who works, for people to read"},
		waitFlag(),
		&cli.StringFlag{Name: "ttl", Usage: "how long the lease lives without a renewal, as 900, 15m or 1h"},
		&cli.BoolFlag{Name: "force", Usage: "end every lease that stands in the way; needs --operator"},
		&cli.StringFlag{Name: "operator", Usage: "the `NAME` the chains will show for --force"},
	}
}

// waitFlag is how long a verb waits.
func waitFlag() cli.Flag {
	return &cli.StringFlag{Name: "wait", Usage: "how long to wait for the lane, as 600, 10m or 1h; by default not at all"}
}

func parkOperator() cli.Flag {
	return &cli.StringFlag{Name: "operator", Usage: "the `NAME` of an operator who does it in place of the holder"}
}

// kindFlag is what kind of lease is asked for.
func kindFlag() cli.Flag {
	return &cli.StringFlag{Name: "kind", Usage: "a `KIND`, seldom needed, as the lane tells it: cluster (declared), keyword (had by its --tree), global (alone in the whole repository) or the name of an exclusive lane (alone)"}
}

func treeFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "tree", Usage: "a `GLOB` inside the lane's tree; one that matches a directory holds all below it; repeatable"}
}

func leaseStatuses() map[string][]status {
	return map[string][]status{
		"lease acquire": {
			{Code: verdict.Yes, Outcome: "acquire", Meaning: "the lane is yours, or each of several is"},
			{Code: verdict.FirstOwned, Outcome: "refuse", Meaning: "someone or some rule stands against it"},
			{Code: verdict.FirstOwned, Outcome: "waiting", Meaning: "the exclusive lane is yours when what it overlaps is free"},
			{Code: verdict.FirstOwned, Outcome: "lost", Meaning: "the exclusive lane was taken away while it waited"},
			contended,
			unreachable,
		},
		"lease heartbeat": {
			{Code: verdict.Yes, Outcome: "renewed", Meaning: "the lease runs for another ttl"},
			{Code: verdict.FirstOwned, Outcome: "lost", Meaning: "the lease is not yours any more: stop"},
			{Code: verdict.FirstOwned, Outcome: "refuse", Meaning: "the lane is parked"},
			contended,
			unreachable,
		},
		"lease release": {
			{Code: verdict.Yes, Outcome: "released", Meaning: "the lane is free"},
			{Code: verdict.Yes, Outcome: "free", Meaning: "nobody held it"},
			{Code: verdict.FirstOwned, Outcome: "refuse", Meaning: "the lease is another's"},
			contended,
			unreachable,
		},
		"lease await": {
			{Code: verdict.Yes, Outcome: "acquire", Meaning: "the lane is yours"},
			{Code: verdict.FirstOwned, Outcome: "waiting", Meaning: "something that it overlaps is held still"},
			{Code: verdict.FirstOwned, Outcome: "lost", Meaning: "the lease is not yours any more"},
			{Code: verdict.FirstOwned, Outcome: "refuse", Meaning: "the lane is parked"},
			unreachable,
		},
		"lease park": {
			{Code: verdict.Yes, Outcome: "parked", Meaning: "the lane is kept, and its lease does not run"},
			{Code: verdict.FirstOwned, Outcome: "refuse", Meaning: "the lease is another's, or not held"},
			contended,
			unreachable,
		},
		"lease unpark": {
			{Code: verdict.Yes, Outcome: "unparked", Meaning: "the lease runs for another ttl"},
			{Code: verdict.FirstOwned, Outcome: "refuse", Meaning: "the lease is another's, or not parked"},
			contended,
			unreachable,
		},
		"lease scavenge": {
			{Code: verdict.Yes, Outcome: "scavenged", Meaning: "the lane is free"},
			{Code: verdict.Yes, Outcome: "free", Meaning: "nobody held it"},
			{Code: verdict.FirstOwned, Outcome: "refuse", Meaning: "nothing proves that the lease has lapsed"},
			contended,
			unreachable,
		},
		"lease show": {{Code: verdict.Yes, Meaning: "the lane's state is printed"}, unreachable},
		"lease live": {
			{Code: verdict.Yes, Meaning: "the leases are printed"},
			{Code: leaseStore, Meaning: "a lane cannot be read, and what can be is printed; or the store cannot be"},
		},
		"lease log": {{Code: verdict.Yes, Meaning: "the entries are printed"}, unreachable},
	}
}

var contended = status{Code: verdict.FirstOwned, Outcome: "contended", Meaning: "others kept getting in first; try again"}

var unreachable = status{Code: leaseStore, Meaning: "the store cannot be read or reached; nothing follows from it"}

// oneLane is the lane a verb is about, "" where none is named; it may be named
// by the flag or as the only argument.
func oneLane(c *cli.Context) (string, error) {
	names := c.Args().Slice()
	if name := c.String("lane"); name != "" {
		names = slices.Insert(names, 0, name)
	}
	if len(names) > 1 {
		return "", usagef("want one lane, have also %q", names[1])
	}
	return strings.Join(names, ""), nil
}

// laneFlag is oneLane for a verb that cannot do without.
func laneFlag(c *cli.Context) (string, error) {
	name, err := oneLane(c)
	if err == nil && name == "" {
		err = usagef("no lane named").hint("say which with --lane LANE; git dos lease live --all lists them, and marks those of this worktree")
	}
	return name, err
}

// waitFor reads --wait.
func waitFor(c *cli.Context) (time.Duration, error) {
	if !c.IsSet("wait") {
		return 0, nil
	}
	d, err := policy.ParseDuration(c.String("wait"))
	if err != nil {
		return 0, usagef("--wait: %w", err)
	}
	return d, nil
}

// ttlFlag reads --ttl, by default the policy's.
func ttlFlag(c *cli.Context, standard time.Duration) (time.Duration, error) {
	if !c.IsSet("ttl") {
		return standard, nil
	}
	d, err := policy.ParseDuration(c.String("ttl"))
	if err != nil {
		return 0, usagef("--ttl: %w", err)
	}
	return d, nil
}
