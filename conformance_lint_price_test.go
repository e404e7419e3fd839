package gitdos_test

import "github.com/git-dos/git-dos/kernel/lane"

// laneLint forces the prefix algebra, and leaves out what the vectors know
// nothing of: a ratio that is not stated.
func laneLint(in struct{ Lanes lane.Taxonomy }) any {
	type finding struct {
		Kind     string        `json:"kind"`
		Severity lane.Severity `json:"severity"`
		Subject  string        `json:"subject"`
	}
	found, exit, strict := []finding{}, 0, 0
	for _, f := range lane.Lint(lane.LintEvidence{Lanes: in.Lanes, Algebra: lane.Prefix, RatioStated: true}) {
		found = append(found, finding{f.Kind, f.Severity, f.Subject})
		switch f.Severity {
		case lane.SeverityError:
			exit, strict = 1, 1
		case lane.SeverityWarn:
			exit = 1
		}
	}
	return map[string]any{"findings": found, "exit_code": exit, "exit_code_strict": strict}
}

// planPrice answers with the part of a price that the vectors know.
func planPrice(in struct {
	Workers []struct {
		Name string
		Tree []string
		Mode string
	}
}) any {
	ev := lane.PriceEvidence{Algebra: lane.Prefix}
	for _, w := range in.Workers {
		ev.Workers = append(ev.Workers, lane.PriceWorker{Name: w.Name, Tree: w.Tree, Mode: w.Mode})
	}
	v := lane.Price(ev)
	return map[string]any{
		"action": v.Action, "requested": v.Requested, "safe_now": v.SafeNow, "safe_concurrency": v.SafeConcurrency,
		"collisions": v.Collisions, "collisions_avoided": v.CollisionsAvoided, "serialization_wasted": v.SerializationWasted,
		"lanes_utilized": v.LanesUtilized, "expected_rework": v.ExpectedRework, "waves": v.Waves, "wave_count": v.WaveCount,
	}
}
