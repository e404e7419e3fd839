package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcomes of the account verbs.
const (
	accountSome   = "AVAILABLE"
	accountNone   = "NONE_AVAILABLE"
	accountCapped = "CAPPED"
	accountOpened = "UNCAPPED"
	accountNotSo  = "NOT_CAPPED"
)

func accountVerb() verb {
	reason := &cli.StringFlag{Name: "reason", Usage: "why: `TEXT`; it goes into the ledger"}
	operator := &cli.StringFlag{Name: "operator", Usage: "`NAME` of the person who decided that; by default the owner"}
	return verb{
		command: &cli.Command{
			Name:  "account",
			Usage: "which accounts have a seat for a worker, and which are used up",
			Subcommands: []*cli.Command{{
				Name:  "list",
				Usage: "the accounts of dos.toml, their seats, caps and probes",
				Description: "Tells of each account its tier and kind, who has which of its seats, until when it is capped, what its\n" +
					"probe says and what to do next. Seats are read from the leases of the whole fleet, caps from the\n" +
					"ledgers of all nodes; what cannot be read makes an account unavailable. The probe of an account that\n" +
					"would give a seat is run, for 10 s at most; --no-probe runs none, and such an account is not available\n" +
					"as far as is told. Values of an account's environment are never told.",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "no-probe", Usage: "run no probe"}, journalCached()},
				Action: accountList,
			}, {
				Name:      "cap",
				ArgsUsage: "NAME",
				Usage:     "say that an account is used up, so that no worker is started on it",
				Description: "Adds a CAP row to this node's ledger; in a fleet that is published at once, and where it cannot be, by\n" +
					"the next git dos sync or driver. The newest word about an account counts. It ends by itself, after 31 days at most. No worker\n" +
					"that runs is stopped.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "until", Usage: "until this `TIME`, RFC 3339"},
					&cli.StringFlag{Name: "for", Usage: "for this long from now: `DURATION`, like 90m or 5h; by default 1h"},
					reason, operator,
				},
				Action: writes(accountCap),
			}, {
				Name:        "uncap",
				ArgsUsage:   "NAME",
				Usage:       "say that an account may be used again",
				Description: "Adds a CAP row that takes back what was said of the account before, by whichever node.",
				Flags:       []cli.Flag{reason, operator},
				Action:      writes(accountUncap),
			}},
		},
		statuses: map[string][]status{
			"account list": {
				{Code: verdict.Yes, Outcome: accountSome, Meaning: "an account has a seat for a worker now"},
				{Code: 3, Outcome: accountNone, Meaning: "none has; the reason of each is told"},
			},
			"account cap": {{Code: verdict.Yes, Outcome: accountCapped, Meaning: "it is on record that the account is used up"}},
			"account uncap": {
				{Code: verdict.Yes, Outcome: accountOpened, Meaning: "it is on record that the account may be used again"},
				{Code: 3, Outcome: accountNotSo, Meaning: "it was not capped; nothing was written"},
			},
		},
	}
}
