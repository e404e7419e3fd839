package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/worktree"
	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

func commitVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "commit",
			Usage:     "commit exactly these paths",
			ArgsUsage: "[--] PATH...",
			Description: "Each PATH is a file or a directory, taken literally. New files are added and missing ones removed;\n" +
				"whatever else is staged stands in the way. Hooks run, and when one refuses, the index is as before.\n" +
				"What landed is compared with what was asked for. A commit that differs is left and answers raced.\n" +
				"With --lane the paths must lie in the lane's tree, and the lease this worktree holds on it is named\n" +
				"in the message. FLEET_WORKER_ID names the worker, GIT_DOS_RUN_ID the run.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "lane", Usage: "the `LANE` the work belongs to"},
				&cli.StringSliceFlag{Name: "message", Aliases: []string{"m"}, Usage: "the message `TEXT`; repeatable, each a paragraph"},
				&cli.StringFlag{Name: "message-file", Aliases: []string{"F"}, Usage: "take the message from `FILE`, - for standard input"},
				&cli.StringFlag{Name: "plan", Usage: "the `PLAN` whose phase this ships; the unit is PLAN/PHASE, split at its last slash"},
				&cli.StringFlag{Name: "phase", Usage: "the `PHASE`, with --plan"},
				&cli.BoolFlag{Name: "dry-run", Usage: "show the paths and the message, and write nothing"},
			},
			Action: writes(commit),
		},
		statuses: map[string][]status{
			"commit": {
				{Code: verdict.Yes, Outcome: string(scope.Committed), Meaning: "the commit holds the paths and the message asked for"},
				{Code: verdict.Yes, Outcome: string(scope.WouldCommit), Meaning: "a dry run: nothing stands against it"},
				{Code: verdict.FirstOwned, Outcome: string(scope.Refused), Meaning: "nothing was committed, for the reason given"},
				{Code: verdict.FirstOwned, Outcome: string(scope.Raced), Meaning: "a commit was made and is not what was asked for; it was left"},
			},
		},
	}
}

func commit(c *cli.Context) error {
	unit, err := commitUnit(c)
	if err != nil {
		return err
	}
	if c.NArg() == 0 {
		return usagef("NO_PATHS: no path named").hint("name the files or directories to commit, after -- if one begins with a dash")
	}
	text, err := commitText(c)
	if err != nil {
		return err
	}
	note := worktree.Note{Unit: unit, Run: firstEnv("GIT_DOS_RUN_ID", "DISPATCH_RUN_ID", "CID_RUN_ID"), Worker: firstEnv("FLEET_WORKER_ID")}
	if _, err := worktree.Compose(text, note); err != nil {
		return commitMessageError(err)
	}
	repo, err := openRepo(c)
	if err != nil {
		return err
	}
	t, err := worktree.Open(c.Context, repo)
	if err != nil {
		return scopeError(err)
	}
	named, err := t.Named(c.Args().Slice())
	if err != nil {
		return scopeError(err)
	}
	region, remark, err := commitLane(c, repo, &note)
	if err != nil {
		return err
	}
	message, err := worktree.Compose(text, note)
	if err != nil {
		return commitMessageError(err)
	}
	draft, err := t.Draft(c.Context, named, region.lane, region.tree)
	if err != nil {
		return scopeError(err)
	}
	v := draft.Preview(message)
	if !c.Bool("dry-run") {
		if v, err = draft.Commit(c.Context, message); err != nil {
			return commitFailed(c, repo, err)
		}
	}
	if v.ExitCode() == verdict.Yes {
		v.Reason += remark.reason
		if v.Next = remark.next; v.Outcome == scope.WouldCommit && remark.reason == "" {
			v.Next = "" // there is nothing to push yet
		}
	}
	return answer(c, v)
}

// commitLane is the part of the tree that --lane names, everything without it, and
// what is to be said of the lease on it, which the note then names.
func commitLane(c *cli.Context, repo *refstore.Repo, note *worktree.Note) (region scopeRegion, remark commitRemark, err error) {
	if !c.IsSet("lane") {
		return region, remark, nil
	}
	if region, err = commitRegion(c, repo); err == nil {
		remark, err = commitLease(c, &region, note)
	}
	return region, remark, err
}

// commitFailed is the error of a git commit that failed. Git's own words do not say
// what to do where it knows nobody to commit as.
func commitFailed(c *cli.Context, repo *refstore.Repo, err error) error {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		var g *git.Error
		if _, unknown := repo.Git.Output(c.Context, "var", who); errors.As(unknown, &g) && g.Code > 0 {
			return environmentf("%w", err).hint("git config user.name 'YOUR NAME' && git config user.email YOU@EXAMPLE.ORG")
		}
	}
	return scopeError(err)
}
