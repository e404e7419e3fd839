package main

import (
	"github.com/urfave/cli/v2"

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
			Description: "Looks for paths of the lane that are staged, changed, in conflict, or untracked and not ignored.\n" +
				"Untracked files that [clean] scratch of dos.toml names are no work. It writes nothing, the index\n" +
				"included, and it deletes nothing.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "lane", Usage: "the `LANE` to look into"},
			},
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
	word, err := laneFlag(c)
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
	region, err := scopeRegionOf(c, repo, word)
	switch {
	case err != nil:
		return err
	case region.unknown != nil:
		return deskError(region.unknown)
	case len(region.tree) == 0:
		return usagef("lane %s has no tree in %s", region.lane, region.policy).hint("say under [lanes.trees] of dos.toml which files it holds")
	}
	ev := scope.CleanEvidence{Lane: region.lane, Tree: region.tree, Scratch: region.rules.Policy.Clean.Scratch}
	if ev.Uncommitted, err = t.Uncommitted(c.Context, lane.NewScope(region.tree).Contains); err != nil {
		return scopeError(err)
	}
	return answer(c, scope.DecideClean(ev))
}
