package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func cleanVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "clean",
			Usage:     "is uncommitted work left in the lane?",
			ArgsUsage: "[LANE]",
			Description: "Looks for paths of the lane that are staged, changed, deleted, in conflict, or untracked and not\n" +
				"ignored, submodules included. Without a LANE it looks into all that this worktree took. Untracked\n" +
				"files that [clean] scratch of dos.toml names are no work. A lane that is not declared, or that\n" +
				"nobody holds, and a path that git was told not to look at are no answer but an error. It writes\n" +
				"nothing, the index included, and it deletes nothing.",
			Flags: append([]cli.Flag{
				&cli.StringFlag{Name: "lane", Usage: "the `LANE` to look into"},
				&cli.BoolFlag{Name: "cached", Usage: "take what was last seen of the fleet's lanes, however old"},
			}, recordFlags("the paths with uncommitted work", "state, path")...),
			Action: clean,
		},
		statuses: map[string][]status{
			"clean": {
				{Code: verdict.Yes, Outcome: string(scope.Clean), Meaning: "all work in the lane is committed"},
				{Code: verdict.FirstOwned, Outcome: string(scope.Dirty), Meaning: "the paths shown are not"},
			},
		},
	}
}

func clean(c *cli.Context) error {
	word, err := cleanWord(c)
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
	t, err := worktree.Open(c.Context, repo)
	if err != nil {
		return scopeError(err)
	}
	d, err := scopeDesk(c, repo)
	if err != nil {
		return err
	}
	ev, err := cleanRegion(c, d, word)
	if err != nil {
		return err
	}
	ev.Scratch = d.Rules.Policy.Clean.Scratch
	if ev.Unfinished, err = t.Unfinished(); err != nil {
		return scopeError(err)
	}
	if ev.Uncommitted, err = t.Uncommitted(c.Context, ev.Matters()); err != nil {
		return scopeError(err)
	}
	v := scope.DecideClean(ev)
	if unsure := ev.Unsure(); v.Outcome == "" && len(unsure) > 0 {
		return errorf(kindIndeterminate, "%q may lie in lane %s: an entry of its tree is not understood", unsure[0], ev.Lane).
			hint("git dos doctor names the entry; one with braces is written as several")
	}
	if !wantsRecords(c) {
		return answer(c, v)
	}
	var records []record
	for _, left := range v.Paths {
		records = append(records, record{string(left.State), left.Path})
	}
	return answerRecords(c, v, records)
}

// cleanWord is the lane that was named, "" for none.
func cleanWord(c *cli.Context) (string, error) {
	words := c.Args().Slice()
	if c.IsSet("lane") {
		words = append([]string{c.String("lane")}, words...)
	}
	switch {
	case len(words) == 0:
		return "", nil
	case len(words) > 1:
		return "", usagef("want one lane, have also %q", words[1])
	case words[0] == "":
		return "", usagef("the lane is empty").hint("name one, or none to look into all that this worktree took")
	}
	return words[0], nil
}

// cleanRegion is the lane to look into, or all that this worktree took.
func cleanRegion(c *cli.Context, d *admit.Desk, word string) (ev scope.CleanEvidence, err error) {
	names := []string{word}
	if word == "" {
		var held []admit.Held
		if scopeRemembers(d) {
			if held, err = d.RecallAll(); err != nil {
				return ev, environmentf("%w", err)
			}
		}
		held = slices.DeleteFunc(held, func(h admit.Held) bool { return lane.Reserved(h.Lane) }) // it holds no file
		names = nil
		if len(held) == 0 {
			return ev, usagef("no lane named, and this worktree took none").hint("say which with --lane LANE; git dos lease live --all lists them")
		}
		for _, h := range held {
			names = append(names, h.Lane)
		}
	}
	for i, name := range names {
		r, err := scopeRegionOf(c, d, name, c.Bool("cached"))
		switch {
		case err != nil:
			return ev, err
		case len(r.tree) == 0:
			return ev, usagef("lane %s has no tree in %s", r.lane, r.policy).hint("say under [lanes.trees] of dos.toml which files it holds")
		}
		names[i], ev.Tree = r.lane, append(slices.Clip(ev.Tree), r.tree...)
	}
	ev.Lane = strings.Join(names, ", ")
	return ev, nil
}
