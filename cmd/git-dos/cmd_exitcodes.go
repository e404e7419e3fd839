package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

func exitCodesVerb() verb {
	return verb{
		command: &cli.Command{
			Name:        "exit-codes",
			Usage:       "list what every exit status of every verb means",
			ArgsUsage:   "[VERB]",
			Description: "An exit status that is not listed means failure.",
			Action: func(c *cli.Context) error {
				t, err := tableOf(allVerbs()).of(c.Args().Slice())
				if err != nil {
					return err
				}
				return answerPaged(c, t)
			},
		},
		statuses: map[string][]status{"exit-codes": {{Code: verdict.Yes, Meaning: "the list is printed"}}},
	}
}

// An exitCode is one row of the table.
type exitCode struct {
	Verb    string `json:"verb"`
	Status  int    `json:"status"`
	Outcome string `json:"outcome"`
	Meaning string `json:"meaning"`
}

// An exitCodeTable answers exit-codes.
type exitCodeTable struct {
	ExitCodes []exitCode `json:"exit_codes"`
}

func tableOf(verbs []verb) exitCodeTable {
	var t exitCodeTable
	for _, v := range verbs {
		leaves(v.command, v.command.Name, func(_ *cli.Command, path string) {
			for _, s := range withShared(v.statuses[path]) {
				t.ExitCodes = append(t.ExitCodes, exitCode{path, s.Code, s.Outcome, s.Meaning})
			}
		})
	}
	return t
}

// of is the part about one verb, or about all of a group; the whole without
// words.
func (t exitCodeTable) of(words []string) (exitCodeTable, error) {
	if len(words) == 0 {
		return t, nil
	}
	asked := strings.Join(words, " ")
	var part exitCodeTable
	var names []string
	for _, r := range t.ExitCodes {
		names = append(names, r.Verb)
		if r.Verb == asked || strings.HasPrefix(r.Verb, asked+" ") {
			part.ExitCodes = append(part.ExitCodes, r)
		}
	}
	if len(part.ExitCodes) == 0 {
		return part, didYouMean(usagef("unknown verb %q", asked), nearest(asked, names)).hint("git dos exit-codes lists all of them")
	}
	return part, nil
}

func (t exitCodeTable) ExitCode() int { return verdict.Yes }

func (t exitCodeTable) String() string {
	verbs, outcomes := len("verb"), len("outcome")
	for _, r := range t.ExitCodes {
		verbs, outcomes = max(verbs, len(r.Verb)), max(outcomes, len(r.Outcome))
	}
	var b strings.Builder
	line := func(verb, status, outcome, meaning string) {
		if outcome == "" {
			outcome = "-"
		}
		fmt.Fprintf(&b, "%-*s  %-6s  %-*s  %s\n", verbs, verb, status, outcomes, outcome, meaning)
	}
	line("verb", "status", "outcome", "meaning")
	for _, r := range t.ExitCodes {
		line(r.Verb, fmt.Sprint(r.Status), r.Outcome, r.Meaning)
	}
	return b.String()
}
