package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

func claimStepVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "claim-step",
			Usage:     "name the commit that is a step of the run",
			ArgsUsage: "STEP",
			Description: "A claim is a word and no evidence: it says where to look. git dos verify-step looks, and nothing\n" +
				"counts as done for having been claimed. The last claim of a step is the one that is looked at.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "sha", Usage: "the `COMMIT`, by default HEAD"},
				&cli.StringFlag{Name: "run-id", Usage: "`RUN`; by default GIT_DOS_RUN_ID, else the run of the lease this worktree took"},
			},
			Action: writes(claimStep),
		},
		statuses: map[string][]status{"claim-step": {{Code: verdict.Yes, Meaning: "the claim is on record"}}},
	}
}

// A claimAnswer says what is claimed by now.
type claimAnswer struct {
	RunID    string `json:"run_id"`
	Step     string `json:"step_id"`
	Sha      string `json:"sha"`
	Recorded bool   `json:"recorded"` // false: it was on record already
	Seq      uint64 `json:"seq,omitempty"`
	Next     string `json:"next"`
}

func (a claimAnswer) ExitCode() int { return verdict.Yes }

func (a claimAnswer) String() string {
	how := "claimed"
	if !a.Recorded {
		how = "was claimed before"
	}
	return fmt.Sprintf("%s: %s for run %s; nobody has looked at it yet\n  next      %s", a.Step, how+" as "+a.Sha, a.RunID, a.Next)
}

func claimStep(c *cli.Context) error {
	step, err := stepArgument(c)
	if err != nil {
		return err
	}
	return lifeWrite(c, false, func(b *life.Book) error {
		r, err := claimRun(c, b)
		if err != nil {
			return err
		}
		sha, err := claimedCommit(c, b)
		if err != nil {
			return err
		}
		a := claimAnswer{RunID: r.ID, Step: step, Sha: sha, Next: "git dos verify-step " + verdict.ShellWord(step) + " --run-id " + verdict.ShellWord(r.ID)}
		if had, ok := r.Intent.Claim(step); ok && had.Sha == sha {
			return answer(c, a)
		}
		seq, err := r.Append(c.Context, resume.Row{Op: resume.OpStepClaimed, StepID: step, Sha: sha})
		if err != nil {
			return claimError(err, r)
		}
		a.Recorded, a.Seq = true, seq[0]
		return answer(c, a)
	})
}

// claimRun is the run whose step it is, of which all must be known.
func claimRun(c *cli.Context, b *life.Book) (life.Run, error) {
	id, err := lifeRun(c, b.Desk)
	if err == nil {
		err = lifeMinted(c, id)
	}
	if err != nil {
		return life.Run{}, err
	}
	r, err := lifeKnown(c, b, id)
	if err == nil {
		err = lifeError(r.Sure())
	}
	return r, err
}

// claimError says what to declare where a step is not.
func claimError(err error, r life.Run) error {
	var row *life.RowError
	if !errors.As(err, &row) {
		return lifeError(err)
	}
	e := usagef("%w", err)
	if declared := r.Intent.Declared(); len(declared) > 0 && !r.Intent.Unreadable() {
		return e.hint("its steps are %s; git dos intent --run-id %s --step STEP declares a further one", someOf(declared), verdict.ShellWord(r.ID))
	}
	return e.hint("git dos intent --run-id %s --step STEP declares one", verdict.ShellWord(r.ID))
}

// stepArgument is the step that a verb is about.
func stepArgument(c *cli.Context) (string, error) {
	switch {
	case c.NArg() != 1:
		return "", usagef("want one STEP, have %d arguments", c.NArg())
	case c.Args().First() == "":
		return "", usagef("STEP is empty")
	case c.IsSet("sha") && c.String("sha") == "":
		return "", usagef("--sha is empty").hint("name a commit, or leave the flag out")
	}
	return c.Args().First(), nil
}

// claimedCommit is the commit that --sha names, by default HEAD, in full.
func claimedCommit(c *cli.Context, b *life.Book) (string, error) {
	id, err := ancestry.Resolve(c.Context, b.Desk.Repo.Git, firstOf(c.String("sha"), "HEAD"))
	switch {
	case errors.Is(err, ancestry.ErrNoRevision), errors.Is(err, ancestry.ErrUnborn):
		return "", usagef("--sha: %w", err).hint("name a commit that is here: git log shows them")
	case err != nil:
		return "", environmentf("--sha: %w", err)
	}
	return string(id), nil
}
