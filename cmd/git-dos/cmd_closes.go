package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/closes"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
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
				"issue that a commit says it closes. No forge is asked. In a fleet ALL_CLOSED was seen within\n" +
				"[fleet] interval, and any other answer follows a fresh look at the remote's trunk, unless --ref\n" +
				"names another ref.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "ref", Usage: "walk `REF` instead of the trunk"},
				&cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old, and say as of when"},
			},
			Action: closesIssues,
		},
		statuses: map[string][]status{
			"closes": {
				{Code: verdict.Yes, Outcome: string(closes.Listed), Meaning: "the list is printed; no ISSUE was given"},
				{Code: verdict.Yes, Outcome: string(closes.AllClosed), Meaning: "every ISSUE is closed by a commit that stands"},
				{Code: 3, Outcome: string(closes.NotClosed), Meaning: "at least one ISSUE is not"},
				{Code: 4, Outcome: string(closes.Unknown), Meaning: "history is not all here, or the remote cannot be reached, so it cannot be said of one, or the list may lack some"},
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
	a, err := closesAsk(c.Context, repo, facts.ClosesRequest{Ref: c.String("ref"), Issues: issues}, c.Bool("cached"))
	if err != nil {
		return verifyError(err)
	}
	return answer(c, a)
}

// A closesAnswer is the verdict and, in a fleet, as of when it is known to hold.
type closesAnswer struct {
	closes.Verdict
	trunkSeen
	Next string `json:"next,omitempty"`
}

func (a closesAnswer) String() string {
	text := a.Verdict.String() + a.line()
	if a.Next != "" {
		text += "  next: " + a.Next + "\n"
	}
	return text
}

// closesAsk answers from what is here outside a fleet, and where that is
// ALL_CLOSED and was seen within the fleet's interval. Anything else is said
// after a fresh look, so that no answer is a stale no.
func closesAsk(ctx context.Context, repo *refstore.Repo, req facts.ClosesRequest, cached bool) (closesAnswer, error) {
	view, err := viewTrunk(ctx, repo, req.Ref)
	if err != nil {
		return closesAnswer{}, err
	}
	var v closes.Verdict
	if !view.fleet() || cached || view.fresh() {
		if v, err = closesHere(ctx, repo, req); err != nil {
			return closesAnswer{}, err
		}
		if !view.fleet() || cached || v.Outcome == closes.AllClosed {
			return closesAnswer{Verdict: v, trunkSeen: view.seen()}, nil
		}
	}
	lost := view.refresh(ctx)
	if lost != nil && !admit.Unreachable(lost) {
		return closesAnswer{}, lost
	}
	if v.RefID == "" || v.RefID != view.desk.Rules.Trunk.Commit() {
		if v, err = closesHere(ctx, repo, req); err != nil {
			return closesAnswer{}, err
		}
	}
	if lost == nil {
		return closesAnswer{Verdict: v, trunkSeen: view.seen()}, nil
	}
	remote := view.desk.Remote()
	v = v.Unseen(fmt.Sprintf("%s could not be asked: %s", remote, strings.TrimPrefix(lost.Error(), remote+": ")))
	return closesAnswer{Verdict: v, trunkSeen: view.seen(), Next: view.again()}, nil
}

func closesHere(ctx context.Context, repo *refstore.Repo, req facts.ClosesRequest) (closes.Verdict, error) {
	evidence, err := facts.Closes(ctx, repo, req)
	return closes.Decide(evidence), err
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
