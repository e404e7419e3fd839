package gitdos_test

import (
	"github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
)

// supervise plans with the prefix algebra, which the vectors were made with.
// A plan says more than they do: of its rows they name the lanes, in order.
func supervise(in fleet.Evidence) any {
	in.Algebra = lane.Prefix
	v := fleet.Plan(in)
	return map[string]any{
		"verdict":       v.Outcome,
		"alive":         v.Alive,
		"admissible":    v.Admissible,
		"target":        v.Target,
		"spawn":         lanesOf(v.Spawn),
		"reap":          lanesOf(v.Reap),
		"flag":          lanesOf(v.Flag),
		"proposed_halt": lanesOf(v.ProposedHalt),
	}
}

func lanesOf(rows []fleet.Row) []string {
	names := []string{}
	for _, r := range rows {
		names = append(names, r.Lane)
	}
	return names
}
