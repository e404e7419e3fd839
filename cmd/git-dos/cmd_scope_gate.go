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
			ArgsUsage: "[LANE] [BASE..HEAD]",
			Description: "Judges one set of paths: those named with --file, from where you stand; what is staged; or what HEAD\n" +
				"changed since it parted from BASE. A rename counts on both of its sides, and no file lies in every\n" +
				"lane. The lane's tree comes from the dos.toml committed on the trunk, without a fleet from that at\n" +
				"the remote's HEAD where it is known, as in git dos verify; of a lane that is not declared, from the\n" +
				"lease on it. A lane that is neither declared nor held is no answer but an error.",
			Flags: append([]cli.Flag{
				&cli.StringFlag{Name: "lane", Usage: "the `LANE` to stay inside; required, here or as an argument"},
				&cli.StringSliceFlag{Name: "file", Usage: "judge this `PATH`, absolute or from where you stand; repeatable"},
				&cli.BoolFlag{Name: "staged", Usage: "judge what is staged"},
				&cli.StringFlag{Name: "base", Usage: "judge what was changed since `REV`"},
				&cli.StringFlag{Name: "head", Usage: "with --base, by `REV` instead of HEAD"},
				&cli.BoolFlag{Name: "cached", Usage: "take what was last seen of the fleet's lanes, however old"},
			}, recordFlags("the paths outside the lane", "path")...),
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
	if err == nil {
		err = oneFormat(c)
	}
	if err != nil {
		return err
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	d, err := scopeDesk(c, repo)
	if err != nil {
		return err
	}
	region, err := scopeRegionOf(c, d, ev.Lane, c.Bool("cached"))
	if err != nil {
		return err
	}
	ev.Lane, ev.Tree, ev.Policy, ev.Others = region.lane, region.tree, region.policy, region.others()
	if ev, err = scopeFacts(c, repo, ev); err != nil {
		return scopeError(err)
	}
	v := scope.Decide(ev)
	if !wantsRecords(c) {
		return answer(c, v)
	}
	var records []record
	for _, path := range v.RefusedFiles {
		records = append(records, record{path})
	}
	return answerRecords(c, v, records)
}

// scopeSource is the one set of paths that was asked about, unread.
func scopeSource(c *cli.Context) (ev scope.Evidence, err error) {
	base, head := c.String("base"), c.String("head")
	ranges, err := scopeWords(c, &ev)
	if err != nil {
		return ev, err
	}
	sources := len(ranges)
	for _, given := range []bool{c.IsSet("file"), c.Bool("staged"), c.IsSet("base") || c.IsSet("head")} {
		if given {
			sources++
		}
	}
	switch {
	case ev.Lane == "":
		return ev, usagef("no lane named").hint("say which with --lane LANE: without one there is nothing to stay inside")
	case sources == 0:
		return ev, usagef("nothing to judge").hint("name paths with --file, or give --staged, --base REV or BASE..HEAD")
	case sources > 1:
		return ev, usagef("judge one thing at a time: --file, --staged, --base with --head, or BASE..HEAD")
	case len(ranges) == 1:
		base, head, _ = strings.Cut(ranges[0], "..")
		if base == "" || strings.HasPrefix(head, ".") {
			return ev, usagef("%q is no BASE..HEAD", ranges[0]).hint("paths are named with --file")
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

// scopeWords sorts the arguments: one with two dots is a range, and one other
// is the lane where --lane does not name it.
func scopeWords(c *cli.Context, ev *scope.Evidence) (ranges []string, err error) {
	ev.Lane = c.String("lane")
	for _, arg := range c.Args().Slice() {
		switch {
		case strings.Contains(arg, ".."):
			ranges = append(ranges, arg)
		case ev.Lane == "" && arg != "":
			ev.Lane = arg
		default:
			return nil, usagef("%q is no BASE..HEAD, and the lane is %q", arg, ev.Lane).hint("paths are named with --file")
		}
	}
	return ranges, nil
}

// scopeFiles are paths as git stores them, of those named from where the
// workspace is, or in a bare repository from the top.
func scopeFiles(c *cli.Context, repo *refstore.Repo, written []string) (paths []string, links []scope.Link, err error) {
	if repo.WorkTree != "" {
		t, err := worktree.Open(c.Context, repo)
		if err == nil {
			paths, err = t.Named(written)
		}
		if err == nil {
			links, err = t.Beyond(paths)
		}
		return paths, links, err
	}
	for _, w := range written {
		p, ok := scope.Tidy(w)
		if !ok {
			return nil, nil, &worktree.PathError{Path: w, Why: "names no file of the repository", Hint: "in a bare repository paths are from its top"}
		}
		paths = append(paths, p)
	}
	return paths, nil, nil
}

// scopeFacts reads the paths that were asked about.
func scopeFacts(c *cli.Context, repo *refstore.Repo, ev scope.Evidence) (scope.Evidence, error) {
	switch ev.Source {
	case scope.Files:
		var err error
		ev.Paths, ev.Links, err = scopeFiles(c, repo, ev.Paths)
		return ev, err
	case scope.Staged:
		t, err := worktree.Open(c.Context, repo)
		if err == nil {
			ev.Paths, err = t.Staged(c.Context)
		}
		if err == nil {
			ev.Links, err = t.StagedLinks(c.Context, ev.Paths)
		}
		return ev, err
	case scope.Range:
		span, err := facts.ScopeSpan(c.Context, repo, ev.Base, ev.Head)
		if err != nil {
			return ev, err
		}
		ev.Base, ev.Head = string(span.Base), string(span.Head)
		ev.Paths, ev.Links, err = facts.ScopeChanged(c.Context, repo, span)
		return ev, err
	}
	return ev, nil
}
