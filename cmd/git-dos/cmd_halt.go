package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	wish "github.com/git-dos/git-dos/kernel/halt"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func haltVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "halt",
			Usage: "ask that a run be stopped, and park it if it is to be gone on with",
			Description: "Records the wish in this node's ledger, where git dos decisions shows it, and does nothing to any\n" +
				"process: no signal is sent. It is recorded once for each lease of the run, reason and handle,\n" +
				"however often it is asked, until it is answered; another reason or handle is another decision.\n" +
				"With --resumable the run's lane is parked: it does not lapse, nobody else is admitted to it, and\n" +
				"git dos resume tells how to go on. That needs a run that has an intent, and who takes it up again\n" +
				"with git dos intent answers the wish.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "run-id", Usage: "`RUN`; by default GIT_DOS_RUN_ID, else the one that holds --lane"},
				&cli.StringFlag{Name: "lane", Usage: "the `LANE` it is at work on; by default the one of its lease"},
				&cli.StringFlag{Name: "handle", Usage: "how whoever stops it knows the worker, in `WORDS` of their own"},
				&cli.StringFlag{Name: "reason", Usage: "why, in `WORDS`"},
				&cli.StringFlag{Name: "command", Usage: "the `COMMAND` that would stop it"},
				&cli.StringFlag{Name: "owner", Usage: "`NAME` of who asks; by default GIT_DOS_OWNER, git config dos.owner, or the user on this node"},
				&cli.BoolFlag{Name: "resumable", Usage: "park the run's lane, and record the run as suspended"},
				&cli.StringFlag{Name: "resume-sha", Usage: "with --resumable, a hint at the `COMMIT` to go on from, the run's start or one after it: git dos resume goes by history"},
			},
			Action: writes(halt),
		},
		statuses: map[string][]status{"halt": {
			{Code: verdict.Yes, Outcome: string(wish.Recorded), Meaning: "the wish is on record"},
			{Code: verdict.No, Outcome: string(wish.NotRecorded), Meaning: "it is not: the run does not hold that lane, or the lane cannot be parked"},
		}},
	}
}

// A haltAnswer says what is on record.
type haltAnswer struct {
	Outcome   string `json:"outcome"`
	Recorded  bool   `json:"recorded"`          // it is on record
	Already   bool   `json:"already,omitempty"` // and was before
	Reason    string `json:"reason"`
	RunID     string `json:"run_id,omitempty"`
	Handle    string `json:"handle,omitempty"`
	Command   string `json:"command,omitempty"`
	Lane      string `json:"lane,omitempty"`
	Node      string `json:"node,omitempty"` // of the lease
	Gen       uint64 `json:"gen,omitempty"`
	Suspended bool   `json:"suspended,omitempty"` // the run is recorded as suspended
	Parked    bool   `json:"parked,omitempty"`    // its lane is parked
	ResumeSha string `json:"resume_sha,omitempty"`
	Next      string `json:"next,omitempty"`
}

func (a haltAnswer) ExitCode() int { return wish.Verdict{Outcome: wish.Outcome(a.Outcome)}.ExitCode() }

func (a haltAnswer) String() string {
	text := a.Outcome
	for _, part := range [][2]string{{"run", a.RunID}, {"lane", a.Lane}, {"handle", a.Handle}} {
		if part[1] != "" {
			text += " " + part[0] + " " + part[1]
		}
	}
	text += ": " + a.Reason
	if a.Already {
		text += " (it was on record)"
	}
	if a.Suspended {
		text += "\n  suspended " + firstOf(a.ResumeSha, "from its start") + ": a hint, git dos resume goes by history"
	}
	if a.Next != "" {
		text += "\n  next      " + a.Next
	}
	return text
}

func halt(c *cli.Context) error {
	if err := haltFlags(c); err != nil {
		return err
	}
	return lifeWrite(c, false, func(b *life.Book) error {
		h, err := haltOf(c, b)
		if err != nil {
			return err
		}
		a, err := h.record()
		if err != nil {
			return err
		}
		return answer(c, a)
	})
}

// haltFlags refuses what cannot be meant.
func haltFlags(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef("unexpected argument %q", c.Args().First()).hint("--run-id RUN, --lane LANE or --handle WORDS says what is to be stopped")
	}
	for _, name := range []string{"lane", "handle", "reason", "command", "owner", "resume-sha"} {
		if c.IsSet(name) && c.String(name) == "" {
			return usagef("--%s is empty", name).hint("say what it is, or leave the flag out")
		}
	}
	if c.IsSet("resume-sha") && !c.Bool("resumable") {
		return usagef("--resume-sha says where to go on, and without --resumable nothing is kept for that")
	}
	return nil
}
