package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

func scopeGateVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "scope-gate",
			Usage:     "do these changes stay inside the lane?",
			ArgsUsage: "[BASE..HEAD]",
			Description: "Judges one set of paths: those named with --file, from the top of the repository; what is staged;\n" +
				"or what HEAD changed since it parted from BASE. A rename counts on both of its sides, and no file\n" +
				"lies in every lane. The lane's tree comes from the dos.toml committed on the trunk; of a lane that\n" +
				"is not declared, from the lease on it.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "lane", Usage: "the `LANE` to stay inside; required"},
				&cli.StringSliceFlag{Name: "file", Usage: "judge this `PATH`; repeatable"},
				&cli.BoolFlag{Name: "staged", Usage: "judge what is staged"},
				&cli.StringFlag{Name: "base", Usage: "judge what was changed since `REV`"},
				&cli.StringFlag{Name: "head", Usage: "with --base, by `REV` instead of HEAD"},
			},
			Action: scopeGate,
		},
		statuses: map[string][]status{
			"scope-gate": {
				{Code: verdict.Yes, Outcome: string(scope.InScope), Meaning: "every path lies in the lane, or nothing changed"},
				{Code: 5, Outcome: string(scope.ScopeCreep), Meaning: "some paths do not lie in the lane"},
				{Code: 6, Outcome: string(scope.WrongTarget), Meaning: "no path lies in the lane, or it has no tree"},
			},
		},
	}
}

func scopeGate(c *cli.Context) error {
	ev, err := scopeSource(c)
	if err != nil {
		return err
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	region, err := scopeRegionOf(c, repo, c.String("lane"))
	if err != nil {
		return err
	}
	ev.Lane, ev.Tree, ev.Declared, ev.Policy = region.lane, region.tree, region.unknown == nil, region.policy
	if ev, err = scopeFacts(c, repo, ev); err != nil {
		return scopeError(err)
	}
	return answer(c, scope.Decide(ev))
}

// scopeSource is the one set of paths that was asked about, unread.
func scopeSource(c *cli.Context) (ev scope.Evidence, err error) {
	base, head := c.String("base"), c.String("head")
	sources := 0
	for _, given := range []bool{c.IsSet("file"), c.Bool("staged"), c.IsSet("base") || c.IsSet("head"), c.NArg() > 0} {
		if given {
			sources++
		}
	}
	switch {
	case c.String("lane") == "":
		return ev, usagef("no lane named").hint("say which with --lane LANE: without one there is nothing to stay inside")
	case sources == 0:
		return ev, usagef("nothing to judge").hint("name paths with --file, or give --staged, --base REV or BASE..HEAD")
	case sources > 1 || c.NArg() > 1:
		return ev, usagef("judge one thing at a time: --file, --staged, --base with --head, or BASE..HEAD")
	case c.NArg() == 1:
		var ok bool
		arg := c.Args().First()
		if base, head, ok = strings.Cut(arg, ".."); !ok || base == "" || strings.HasPrefix(head, ".") {
			return ev, usagef("%q is no BASE..HEAD", arg).hint("paths are named with --file")
		}
	case c.IsSet("head") && base == "":
		return ev, usagef("--head needs a --base to compare with")
	case (c.IsSet("base") && base == "") || (c.IsSet("head") && head == ""):
		return ev, usagef("--base and --head each name a commit")
	}
	switch {
	case c.IsSet("file"):
		ev.Source, ev.Paths = scope.Files, c.StringSlice("file")
		for _, p := range ev.Paths {
			if p == "" {
				return ev, usagef("--file is empty")
			}
		}
	case c.Bool("staged"):
		ev.Source = scope.Staged
	default:
		ev.Source, ev.Base, ev.Head = scope.Range, base, firstOf(head, "HEAD")
	}
	return ev, nil
}

// scopeFacts reads the paths that were asked about.
func scopeFacts(c *cli.Context, repo *refstore.Repo, ev scope.Evidence) (scope.Evidence, error) {
	switch ev.Source {
	case scope.Staged:
		t, err := worktree.Open(c.Context, repo)
		if err == nil {
			ev.Paths, err = t.Staged(c.Context)
		}
		return ev, err
	case scope.Range:
		span, err := facts.ScopeSpan(c.Context, repo, ev.Base, ev.Head)
		if err != nil {
			return ev, err
		}
		ev.Base, ev.Head = string(span.Base), string(span.Head)
		ev.Paths, err = facts.ScopeChanged(c.Context, repo, span)
		return ev, err
	}
	return ev, nil
}
