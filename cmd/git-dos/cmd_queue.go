package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func queueVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "queue",
			Usage: "what is to be done, and in which order?",
			Description: "The queue stands on refs/dos/queue/tasks, where the lanes are decided. A task is done when the\n" +
				"trunk shows it: its unit shipped, a commit closes its issue, or one carries the trailer\n" +
				"Dos-Task: ID, with a clean audit and unreverted. There is no way to say that it is done.",
			Subcommands: []*cli.Command{
				queueListCommand(),
				{
					Name: "show", Usage: "show one task, and how its place came about", ArgsUsage: "ID",
					Flags:  []cli.Flag{pulseCached()},
					Action: queueShow,
				},
				queueAddCommand(),
				queueHoldCommand(),
				queueReleaseCommand(),
				queueImportCommand(),
			},
		},
		statuses: map[string][]status{
			"queue list": {{Code: verdict.Yes, Outcome: string(queue.Listed), Meaning: "the list is printed; it may be empty"}},
			"queue show": {{Code: verdict.Yes, Outcome: string(queue.Shown), Meaning: "the task is printed"}},
			"queue add": {
				{Code: verdict.Yes, Outcome: string(queue.Added), Meaning: "the task is in the queue"},
				{Code: verdict.Yes, Outcome: string(queue.AddedDraft), Meaning: "it is, as a draft: nothing says when it is done"},
				{Code: verdict.Yes, Outcome: string(queue.Known), Meaning: "the same task stands already, and nothing was written"},
				{Code: 3, Outcome: string(queue.Leaks), Meaning: "its text gives away what is this machine's, and nothing was written"},
			},
			"queue hold": {
				{Code: verdict.Yes, Outcome: string(queue.Holding), Meaning: "the task waits for what the reason names"},
				{Code: verdict.Yes, Outcome: string(queue.ClosedNow), Meaning: "the operator has closed it"},
				{Code: verdict.Yes, Outcome: string(queue.Known), Meaning: "it is so already, and nothing was written"},
				{Code: 3, Outcome: string(queue.Proposed), Meaning: "an operator is asked to close it, and the task is as it was"},
				{Code: 3, Outcome: string(queue.Refused), Meaning: "it is closed, nobody has proposed to close it, or the other is its duplicate"},
				{Code: 3, Outcome: string(queue.Leaks), Meaning: "the reason gives away what is this machine's"},
			},
			"queue release": {
				{Code: verdict.Yes, Outcome: string(queue.Released), Meaning: "the task is open"},
				{Code: verdict.Yes, Outcome: string(queue.Known), Meaning: "it is so already, and nothing was written"},
				{Code: 3, Outcome: string(queue.Refused), Meaning: "nothing says when it is done, or an operator closed it"},
				{Code: 3, Outcome: string(queue.Leaks), Meaning: "the done-condition gives away what is this machine's"},
			},
			"queue import": {
				{Code: verdict.Yes, Outcome: string(queue.Imports), Meaning: "all issues of the source are taken over"},
				{Code: verdict.Yes, Outcome: string(queue.Unchanged), Meaning: "they were already, and nothing was written"},
				{Code: 3, Outcome: string(queue.Incomplete), Meaning: "what the file has is taken over, and may not be all"},
			},
		},
	}
}

func queueListCommand() *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "list the tasks in their order; the subcommand when none is named",
		Description: "The order is one for all: by score, then the oldest first, then by id. The score is P0 1000, P1 400,\n" +
			"P2 150, other 60; 300 for a P0 or P1 that nobody has; 40 for a bug, -20 for documentation; a point\n" +
			"for each day without a change, up to 90; -200 for a question of the last 30 days.\n" +
			"Ready is what is open, unclaimed, has a lane and waits for nothing. Claimed is what a lease names: a\n" +
			"worker that has none yet is seen by git dos pickable. A task that no lane could be guessed for\n" +
			"is UNROUTED. With --json, drained says that nothing is left, which is said only where all could be\n" +
			"read and the last import was complete.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "view", Usage: "only a `VIEW`: p0-p1, ready, or all with what is done or closed"},
			&cli.IntFlag{Name: "top", Usage: "only the first `N`"},
			&cli.BoolFlag{Name: "explain", Usage: "say what each score is made of, and all that a task waits for"},
			pulseCached(),
		},
		Action: queueList,
	}
}

func queueAddCommand() *cli.Command {
	return &cli.Command{
		Name:      "add",
		Usage:     "add a task",
		ArgsUsage: "TITLE",
		Description: "One of --unit, --closes and --done says when the task is done; without one it is a draft. Its lane is\n" +
			"guessed, the strongest first: a path of its text that lies in one lane alone (a file, or one to be\n" +
			"made in a folder that there is), the title's scope, an alias there, a label, a word of the title, a\n" +
			"line \"Lane: NAME\". A likely twin is named. A text with paths of this machine, host names or\n" +
			"credentials is refused.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "body", Usage: "what is to be done, as `TEXT` of at most 4000 bytes"},
			&cli.StringFlag{Name: "body-file", Usage: "the same from `FILE`, - for standard input"},
			&cli.StringFlag{Name: "priority", Usage: "the `PRIORITY`: P0, P1, P2 or P3"},
			&cli.StringFlag{Name: "kind", Value: string(queue.Work), Usage: "the `KIND`: task, bug, feature, docs, question, chore or epic"},
			&cli.StringSliceFlag{Name: "dep", Usage: "the `ID` of a task that is to be done first; may be given again"},
			&cli.StringSliceFlag{Name: "label", Usage: "a `LABEL`; may be given again"},
			&cli.StringFlag{Name: "lane", Usage: "the `LANE` it is to be done in, in place of the guess"},
			&cli.StringSliceFlag{Name: "tree", Usage: "a `GLOB` of files it is about; may be given again"},
			&cli.IntFlag{Name: "steps", Usage: "how many steps it is thought to take: more than queue.max_steps are not dispatched"},
			queueOwner(),
		}, queueUntilFlags()...),
		Action: writes(queueAdd),
	}
}

func queueHoldCommand() *cli.Command {
	return &cli.Command{
		Name:      "hold",
		Usage:     "keep a task from being dispatched, or propose to close it",
		ArgsUsage: "ID",
		Description: "The reason names what the task waits for. With --duplicate-of or --wontfix an operator is asked by\n" +
			"way of git dos decisions; the operator does it with the same flags and --operator NAME.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "reason", Usage: "the `TEXT` that says why; needed"},
			&cli.StringFlag{Name: "duplicate-of", Usage: "close it because the task `ID` stands for it"},
			&cli.BoolFlag{Name: "wontfix", Usage: "close it because it is not to be done"},
			&cli.StringFlag{Name: "operator", Usage: "the `NAME` of the operator who follows the proposal"},
			queueOwner(), pulseCached(),
		},
		Action: writes(queueHold),
	}
}

func queueReleaseCommand() *cli.Command {
	return &cli.Command{
		Name:      "release",
		Usage:     "open a task that is held or a draft",
		ArgsUsage: "ID",
		Description: "A draft is opened with one of --unit, --closes and --done, which also put another condition in the\n" +
			"place of the one that stands. What an operator closed is opened with --operator NAME alone.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "operator", Usage: "the `NAME` of the operator who opens what was closed"},
			queueOwner(),
		}, queueUntilFlags()...),
		Action: writes(queueRelease),
	}
}

func queueImportCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "take issues of a forge over",
		ArgsUsage: "FILE",
		Description: "FILE, - for standard input, is an array of issues as GitHub or GitLab export them, for instance\n" +
			"gh issue list --state all --limit 5000 --json number,title,body,labels,state,url,assignees,createdAt,updatedAt.\n" +
			"An issue is known by its address, so that an import may be repeated. What is closed there closes\n" +
			"nothing here. That the file has all issues is proven by --total, or by a --limit that was not reached;\n" +
			"otherwise the import is incomplete. Text that gives something away is left out, and said to be.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "the `FORMAT` of FILE: json"},
			&cli.IntFlag{Name: "total", Usage: "how many issues the forge counts, `N`"},
			&cli.IntFlag{Name: "limit", Usage: "how many the export was allowed to bring, `N`"},
			&cli.BoolFlag{Name: "dry-run", Usage: "write nothing"},
			queueOwner(),
		},
		Action: writes(queueImport),
	}
}

func queueOwner() cli.Flag {
	return &cli.StringFlag{Name: "owner", Usage: "who does it, for people to read"}
}

func queueUntilFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "unit", Usage: "done when the `UNIT` PLAN/PHASE ships"},
		&cli.IntFlag{Name: "closes", Usage: "done when a commit of the trunk closes issue `N`"},
		&cli.StringFlag{Name: "done", Usage: "done when `TEXT` holds, which a commit with the trailer Dos-Task: ID says"},
	}
}
