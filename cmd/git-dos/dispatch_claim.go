package main

import (
	"github.com/git-dos/git-dos/internal/life"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// claimed notes that the worker of a pick claimed its unit with git dos claim-step,
// however it ended then: as a step of its run that has the unit's name, or its phase's.
func (s *dispatching) claimed(u packet.Candidate, row *supervise.PickRow) {
	if row.Claimed || row.End != supervise.EndUnclear {
		return
	}
	b, err := life.Open(s.c.Context, s.desk, false)
	if err == nil {
		var r life.Run
		if r, err = b.Adding(s.c.Context, row.RunID); err == nil {
			_, unit := r.Intent.Claim(u.Unit())
			_, phase := r.Intent.Claim(u.Phase)
			row.Claimed = unit || phase
		}
	}
	if err != nil {
		warn(s.c, "whether run %s claimed a step is not known: %v", verdict.Show(row.RunID), lifeError(err))
	}
}
