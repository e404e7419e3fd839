package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/kernel/decisions"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/resume"
)

// record puts the plan where git dos decisions finds it, unless that is the last word
// on the run already.
func (a *resumeAnswer) record(c *cli.Context, b *life.Book, r life.Run) error {
	told, err := b.Alerts(c.Context)
	if err != nil {
		return lifeError(err)
	}
	last, said := decisions.LastWord(decisionsAlerts(told.Alerts), r.ID)
	diverged := said && last.Class == decisions.Diverged
	switch a.Outcome {
	case resume.Resumable:
		v := a.Verdict
		v.AlreadyProposed = v.AlreadyProposed && !diverged
		row, ok := v.Proposal()
		if !ok {
			return nil
		}
		if _, err := r.Append(c.Context, row); err != nil {
			return lifeError(err)
		}
		a.Verdict = v.Proposed()
	case resume.Diverged:
		row := resumeDiverged(a.Verdict, r)
		if diverged && last.Edge == row.Edge {
			return nil
		}
		owner, err := ownerName(c, b.Desk)
		if err != nil {
			return err
		}
		row.Owner = owner
		if _, err := r.AppendWith(c.Context, []journal.Row{row}); err != nil {
			return lifeError(err)
		}
		a.Recorded = true
	}
	return nil
}

// resumeDiverged is the row for a run beside which others went on: one for each time it
// was taken up, and commit to go on from.
func resumeDiverged(v resume.Verdict, r life.Run) journal.Row {
	return journal.Row{
		Op: journal.OpDecision, Kind: string(decisions.ResumeProposal), Lane: r.Lane, RunID: r.ID, ReasonClass: decisions.Diverged,
		Reason: "others went on where it was at work: look at their commits before it is taken up",
		Edge:   fmt.Sprintf("%d %s", r.Intent.Round(), v.ResumeSha),
	}
}
