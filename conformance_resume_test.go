package gitdos_test

import (
	"encoding/json"
	"slices"

	"github.com/git-dos/git-dos/kernel/resume"
)

type resumeInput struct {
	RunID    string `json:"run_id"`
	Rows     []json.RawMessage
	Ancestry struct {
		Shas          []string `json:"shas_in_ancestry"`
		StepsVerified []string `json:"steps_verified_at_read"`
		LaneAdvanced  bool     `json:"lane_advanced_past_resume"`
	}
	Policy struct {
		RequireNonforgeableRung bool `json:"require_nonforgeable_rung"`
		CorruptIsUnsound        bool `json:"corrupt_is_unsound"`
	}
}

// resumePlan says of each step's commit what the vector says of the step: the
// vectors judge regions and starts before they begin.
func resumePlan(in resumeInput) any {
	s := resume.New(in.RunID)
	for _, row := range in.Rows {
		s.Read("here", row)
	}
	inHistory := func(sha string) bool {
		return slices.ContainsFunc(in.Ancestry.Shas, func(known string) bool { return resume.SameSha(known, sha) })
	}
	ev := resume.Evidence{
		State:   s,
		Policy:  resume.Policy{AnyVia: !in.Policy.RequireNonforgeableRung, TolerateCorrupt: !in.Policy.CorruptIsUnsound},
		Started: inHistory(s.Start()),
	}
	for _, ask := range s.Asks() {
		holds := slices.Contains(in.Ancestry.StepsVerified, ask.Step)
		ev.Facts = append(ev.Facts, resume.Fact{
			Step: ask.Step, Sha: ask.Sha, Commit: ask.Sha, Ancestor: inHistory(ask.Sha), Younger: holds, Touches: holds,
		})
	}
	ev.Lane = resume.Lane{Since: ev.Anchor(), Counted: true}
	if in.Ancestry.LaneAdvanced {
		ev.Lane.Others = 1
	}
	v := resume.Decide(ev)
	return map[string]any{
		"verdict": v.Outcome, "resume_sha": v.ResumeSha, "residual": v.Residual, "verified": v.Verified,
		"already_proposed": v.AlreadyProposed, "exit": v.ExitCode(),
	}
}
