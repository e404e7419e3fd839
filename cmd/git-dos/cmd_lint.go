package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func lintVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "lint",
			Usage: "does dos.toml say what is meant?",
			Description: "Lists what is wrong with the dos.toml of the work tree, all of it, and what is right and looks\n" +
				"otherwise: lanes without a tree, lanes that are declared concurrent and compete for files, names\n" +
				"that stand for nothing, budgets that bind nobody, plan files of one number. In a fleet the copy on\n" +
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

// Kinds of finding about the file as such.
const (
	lintPolicyError = "POLICY_ERROR"
	lintIgnoredKey  = "IGNORED_KEY"
	lintNoPolicy    = "NO_POLICY"
)

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
	text, found, err := facts.LintText(c.Context, repo)
	if err != nil {
		return environmentf("read dos.toml: %w", err)
	}
	p, bad := policy.Default(), policy.Errors(nil)
	if found {
		if p, err = policy.Parse(text); err != nil && !errors.As(err, &bad) {
			return environmentf("read dos.toml: %w", err)
		}
	}
	findings := lintFile(p, found, bad)
	if found && bad == nil {
		plans, err := facts.LintPlans(c.Context, repo, p.Paths.PlansGlob)
		if err != nil {
			return deskError(err)
		}
		findings = append(findings, lintLanes(p)...)
		findings = append(findings, lane.LintPlanNumbers(plans)...)
	}
	return answer(c, lintReport(findings, c.Bool("strict")))
}

// lintFile is what there is to say of the file as such.
func lintFile(p policy.Policy, found bool, bad policy.Errors) []lane.Finding {
	out := []lane.Finding{}
	if !found {
		out = append(out, lane.Finding{
			Kind: lintNoPolicy, Severity: lane.SeverityInfo, Subject: "dos.toml", Detail: "there is no dos.toml here, so the defaults hold", Fix: "git dos init writes one",
		})
	}
	for _, e := range bad {
		out = append(out, lane.Finding{
			Kind: lintPolicyError, Severity: lane.SeverityError, Subject: firstOf(e.Key, "dos.toml"), Detail: e.Message, Fix: firstOf(e.Hint, "correct it: until then no verb decides by this file"), Line: e.Line,
		})
	}
	for _, k := range p.Ignored {
		out = append(out, lane.Finding{
			Kind: lintIgnoredKey, Severity: lane.SeverityInfo, Subject: k.Key, Detail: k.Key + " is accepted and has no effect", Fix: "remove it once no older tool reads the file", Line: k.Line,
		})
	}
	return out
}

// lintLanes is what there is to say of the lanes, with the lines it is about. A
// file that names the glob algebra was not written for the older kernel, and
// relies on none of its defaults.
func lintLanes(p policy.Policy) []lane.Finding {
	ev := lane.LintEvidence{
		Lanes: priceTaxonomy(p), Algebra: lane.Algebra(p.Overlap.Policy),
		RatioStated: p.Stated("overlap.ratio_max") || p.Overlap.Policy == policy.OverlapGlob,
	}
	for _, class := range p.ConcurrencyClasses {
		ev.Classes = append(ev.Classes, class.Name)
	}
	found := lane.Lint(ev)
	for i, f := range found {
		found[i].Line = lintLine(p, f)
	}
	return found
}

// lintLine is the line a finding is about, 0 when there is none to name.
func lintLine(p policy.Policy, f lane.Finding) int {
	switch f.Kind {
	case lane.AliasTargetUndeclared:
		return p.Line("lanes.aliases." + f.Subject)
	case lane.AutopickLaneUndeclared, lane.AutopickLaneExclusive:
		return p.Line("lanes.autopick")
	case lane.ClassNeverBinds:
		for i, class := range p.ConcurrencyClasses {
			if class.Name == f.Subject {
				return p.Line(fmt.Sprintf("concurrency_class[%d].name", i))
			}
		}
	case lane.LaneRegionShadowed:
		return p.Line("lanes.trees." + f.Subject)
	}
	return p.Line("lanes.concurrent")
}

func lintReport(findings []lane.Finding, strict bool) lintAnswer {
	lane.SortFindings(findings)
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
