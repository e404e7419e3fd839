package liveness

import "github.com/git-dos/git-dos/kernel/strict"

// maxEvidence bounds the JSON that Decode reads.
const maxEvidence = 64 << 10

// Decode reads evidence and policy from JSON, with the policy's defaults for
// the numbers it does not state. The names are those of Evidence. Numbers are
// whole, only what may be unknown may be null, and a field that nobody reads is
// an error: each names the field.
func Decode(evidence, policy []byte) (Evidence, error) {
	ev := Evidence{Policy: DefaultPolicy()}
	err := strict.Object("evidence", evidence, maxEvidence, map[string]strict.Field{
		"run_started_ms":        {Into: &ev.StartedMS, Required: true},
		"now_ms":                {Into: &ev.NowMS, Required: true},
		"commits_since_start":   {Into: &ev.Commits, Required: true},
		"journal_events_since":  {Into: &ev.Events},
		"last_heartbeat_age_ms": {Into: &ev.BeatAgeMS, Null: true},
		"tokens_spent_since":    {Into: &ev.Tokens},
		"process_alive":         {Into: &ev.ProcessAlive, Null: true},
		"last_progress_age_ms":  {Into: &ev.ProgressAgeMS, Null: true},
		"skewed_ms":             {Into: &ev.SkewedMS, Null: true},
		"workspace":             {Into: &ev.Workspace, Null: true},
		"finished":              {Into: &ev.Finished},
		"holding":               {Into: &ev.Holding},
	})
	if err == nil && policy != nil {
		err = strict.Object("evidence", policy, maxEvidence, map[string]strict.Field{
			"grace_ms":           {Into: &ev.Policy.GraceMS},
			"spin_ms":            {Into: &ev.Policy.SpinMS},
			"progress_window_ms": {Into: &ev.Policy.ProgressWindowMS},
		})
	}
	if err == nil {
		err = ev.check()
	}
	if err != nil {
		return Evidence{}, err
	}
	return ev, nil
}
