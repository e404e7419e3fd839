package main

import (
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/loop"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func loopDecideVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "loop-decide",
			Usage: "after this iteration: go on, try again or stop?",
			Description: "Takes where a loop stands and what its last iteration came to, and says what is next. Each TEXT is\n" +
				"a JSON object, a file that holds one, or - for standard input. docs/formats.md has their fields; one\n" +
				"that nobody reads is an error. The state of the first iteration is {}, and that of each further one\n" +
				"is next_state of the answer before it, with what was judged anew since: completion, convergence,\n" +
				"liveness, pickability, cooldown, ratchet, descendant_progress. Bounds that the state does not state\n" +
				"are [loop] of dos.toml. Nothing is stored, started or stopped.\n\n" +
				"An outcome has a kind, and of some kinds what the verb for it answered:\n" +
				"  SHIPPED       packet_judge (SHIPPED-CLEAN, SHIPPED-DIRTY, ...) and ship_count, both or neither\n" +
				"  GATE          verdict, of git dos gate or next-up: {\"kind\":\"GATE\",\"verdict\":\"DRAIN\"}\n" +
				"  REPLAN_DONE   replan_productivity, the verdict of git dos replan\n" +
				"  UNCLEAR, RATE_LIMITED, OVERLOADED, LAUNCH_FAILED\n\n" +
				"Branch on the status: 0 is to run the next iteration in next_mode, after a reconcile where that is\n" +
				"true; 4 is to wait backoff_seconds and run the same one again; 3 is the end, for stop_reason, and\n" +
				"surface says whether a human should look.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "state", Usage: "where the loop stands: `TEXT`"},
				&cli.StringFlag{Name: "outcome", Usage: "what the iteration came to: `TEXT`"},
			},
			Action: loopDecide,
		},
		statuses: map[string][]status{"loop-decide": {
			{Code: verdict.Yes, Outcome: string(loop.Continue), Meaning: "run the next iteration, in next_mode"},
			{Code: 3, Outcome: string(loop.Stop), Meaning: "end, for stop_reason"},
			{Code: 4, Outcome: string(loop.Retry), Meaning: "wait backoff_seconds, and run the same iteration again"},
		}},
	}
}

func loopDecide(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.String("state") == "-" && c.String("outcome") == "-" {
		return usagef("--state and --outcome cannot both be standard input").hint("name a file for one of them")
	}
	state, err := loopDecideText(c, "state")
	if err != nil {
		return err
	}
	outcome, err := loopDecideText(c, "outcome")
	if err != nil {
		return err
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	rules, err := facts.LoadRules(c.Context, repo)
	if err != nil {
		return deskError(err)
	}
	ev, err := loop.Decode(state, outcome, loopDecidePolicy(rules.Policy.Loop))
	if err != nil {
		return usagef("%w", err)
	}
	v := loop.Decide(ev)
	if err := v.Err(); err != nil {
		return usagef("%w", err)
	}
	return answer(c, v)
}

// loopDecideText is the text that a flag holds or names. A file is named as
// from where one stands.
func loopDecideText(c *cli.Context, flag string) ([]byte, error) {
	text, in := c.String(flag), c.App.Reader
	switch {
	case text == "" && flag == "state":
		return nil, usagef("--state is missing or empty").hint("write {} for the first iteration, else next_state of the answer before it")
	case text == "":
		return nil, usagef("--outcome is missing or empty").hint("it has at least a kind, as in {\"kind\":\"SHIPPED\"}")
	case strings.ContainsAny(text[:1], "{[\" \t\r\n"):
		return []byte(text), nil
	case text != "-":
		f, err := os.Open(text)
		if err != nil {
			return nil, usagef("--%s holds no JSON object, and names no file: %w", flag, err)
		}
		defer f.Close()
		in = f
	}
	data, err := readInput(c, in, loop.MaxJSON)
	if err != nil {
		return nil, environmentf("read --%s: %w", flag, err)
	}
	return data, nil
}

// loopDecidePolicy is [loop] of dos.toml.
func loopDecidePolicy(by policy.Loop) loop.Policy {
	return loop.Policy{
		GateMode:                    loop.GateMode(by.Gate),
		MaxIterations:               int64(by.MaxIterations),
		MaxUnclear:                  int64(by.MaxUnclear),
		MaxDirtyZero:                int64(by.MaxDirtyZero),
		MaxOverloaded:               int64(by.MaxOverloaded),
		MaxStaleStamp:               int64(by.MaxStaleStamp),
		MaxUnproductiveReplanDrains: int64(by.MaxUnproductiveReplanDrains),
		MaxUnproductiveReplan:       int64(by.MaxUnproductiveReplan),
		MaxAdoptWait:                int64(by.MaxAdoptWait),
	}
}
