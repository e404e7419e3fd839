package main

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/closes"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func closesVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "closes",
			Usage:     "which issues does the trunk close?",
			ArgsUsage: "[ISSUE...]",
			Description: "A commit that the trunk reaches closes issue N when close, fix or resolve, or a form of them,\n" +
				"stands right before #N in its message, commit-audit finds that its diff carries what its\n" +
				"subject claims, and nothing on the trunk has reverted it since. A bare #N is a mention, and so\n" +
				"is one that its sentence denies, limits, wishes for or quotes. Without ISSUE it lists every\n" +
				"issue that a commit says it closes. No forge is asked and nothing is fetched.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "ref", Usage: "walk `REF` instead of the trunk"},
			},
			Action: closesIssues,
		},
		statuses: map[string][]status{
			"closes": {
				{Code: verdict.Yes, Outcome: string(closes.Listed), Meaning: "the list is printed; no ISSUE was given"},
				{Code: verdict.Yes, Outcome: string(closes.AllClosed), Meaning: "every ISSUE is closed by a commit that stands"},
				{Code: 3, Outcome: string(closes.NotClosed), Meaning: "at least one ISSUE is not"},
				{Code: 4, Outcome: string(closes.Unknown), Meaning: "history is not all here, so it cannot be said of one, or the list may lack some"},
			},
		},
	}
}

func closesIssues(c *cli.Context) error {
	if c.IsSet("ref") && c.String("ref") == "" {
		return usagef("--ref is empty").hint("name a ref, or leave the flag out to walk the trunk")
	}
	issues, err := closesNumbers(c.Args().Slice())
	if err != nil {
		return err
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	evidence, err := facts.Closes(c.Context, repo, facts.ClosesRequest{Ref: c.String("ref"), Issues: issues})
	if err != nil {
		return verifyError(err)
	}
	return answer(c, closes.Decide(evidence))
}

// closesMost bounds how many issues one call may ask about.
const closesMost = 10000

// closesNumbers reads issue numbers, written as N or #N.
func closesNumbers(args []string) ([]int, error) {
	if len(args) > closesMost {
		return nil, usagef("%d issues are more than the %d that one call may ask about", len(args), closesMost)
	}
	var issues []int
	for _, arg := range args {
		digits := strings.TrimPrefix(arg, "#")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > closes.MaxNumber || digits[0] < '1' || digits[0] > '9' {
			return nil, usagef("%q is not the number of an issue", arg).hint("write N or '#N', from 1 to %d", closes.MaxNumber)
		}
		issues = append(issues, n)
	}
	return issues, nil
}
