package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func lintVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "lint",
			Usage: "does dos.toml say what is meant?",
			Description: "Lists what is wrong with the dos.toml of the work tree, and what is right and looks otherwise:\n" +
				"lanes without a tree, lanes that are declared concurrent and compete for files, names that stand for\n" +
				"nothing, trees that hold no file, budgets that bind nobody, plan files of one number. A POLICY_ERROR\n" +
				"makes the file unusable and hides all the rest: correct it, and lint again. In a fleet the copy on\n" +
				"the trunk decides; this is about the one that is being written. Errors and warnings make the\n" +
				"status 1, with --strict only errors do.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "strict", Usage: "exit 1 on errors only, and 0 on warnings"},
			},
			Action: lint,
		},
		statuses: map[string][]status{
			"lint": {
				{Code: verdict.Yes, Meaning: "no error and no warning; with --strict no error"},
				{Code: verdict.No, Meaning: "an error or a warning; with --strict an error"},
			},
		},
	}
}

// A lintAnswer is everything that was found.
type lintAnswer struct {
	Findings []lane.Finding `json:"findings"`
	Counts   lintCounts     `json:"counts"`
	strict   bool
}

type lintCounts struct {
	Error int `json:"error"`
	Warn  int `json:"warn"`
	Info  int `json:"info"`
}

func (a lintAnswer) ExitCode() int {
	if a.Counts.Error > 0 || a.Counts.Warn > 0 && !a.strict {
		return verdict.No
	}
	return verdict.Yes
}

func (a lintAnswer) String() string {
	var b strings.Builder
	for _, f := range a.Findings {
		where := ""
		if f.Line > 0 {
			where = fmt.Sprintf("dos.toml:%d: ", f.Line)
		}
		fmt.Fprintf(&b, "%-5s %s %s%s\n", f.Severity, f.Kind, where, printable(f.Detail, false))
		if f.Fix != "" {
			fmt.Fprintf(&b, "      fix: %s\n", printable(f.Fix, false))
		}
	}
	fmt.Fprintf(&b, "%s, %s, %s", verdict.Count(a.Counts.Error, "error"), verdict.Count(a.Counts.Warn, "warning"), verdict.Count(a.Counts.Info, "note"))
	return b.String()
}

func lint(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	findings, err := unlessInterrupted(c.Context, func() ([]lane.Finding, error) { return facts.Lint(c.Context, repo) })
	if err != nil {
		return deskError(err)
	}
	return answer(c, lintReport(findings, c.Bool("strict")))
}

func lintReport(findings []lane.Finding, strict bool) lintAnswer {
	a := lintAnswer{Findings: findings, strict: strict}
	for _, f := range findings {
		switch f.Severity {
		case lane.SeverityError:
			a.Counts.Error++
		case lane.SeverityWarn:
			a.Counts.Warn++
		default:
			a.Counts.Info++
		}
	}
	return a
}
