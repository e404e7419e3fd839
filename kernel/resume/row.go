package resume

import (
	"errors"
	"fmt"
	"slices"
)

// The ops of a run's rows. Rows of other ops are somebody else's.
const (
	OpIntent         = "INTENT"          // what the run is to do
	OpStepClaimed    = "STEP_CLAIMED"    // the worker's word for the commit of a step
	OpStepVerified   = "STEP_VERIFIED"   // a commit was looked up for a step; read back as a hint of where to look
	OpSuspend        = "SUSPEND"         // the run was parked
	OpResumeProposed = "RESUME_PROPOSED" // somebody was told how it can go on
)

var ops = []string{OpIntent, OpStepClaimed, OpStepVerified, OpSuspend, OpResumeProposed}

// Version is the version of the rows this package writes and the newest it
// reads.
const Version = 1

// family is the tag of these rows where a tool tags its records.
const family = "intent-ledger"

// A Row is one row of a run. Which of its fields have a meaning depends on Op.
//
// Round orders the rows of different nodes without asking their clocks: it
// counts the INTENT rows that the writer knew of, its own included.
// [State.Next] fills it in. Rows of one node stand in their order anyway.
type Row struct {
	V     int    `json:"v,omitempty"`
	Op    string `json:"op"`
	RunID string `json:"run_id"`
	Round uint64 `json:"round,omitempty"`

	Goal          string              `json:"goal,omitempty"`
	Plan          string              `json:"plan,omitempty"`
	Phase         string              `json:"phase,omitempty"`
	StartSha      string              `json:"start_sha,omitempty"`
	DeclaredSteps []string            `json:"declared_steps,omitempty"`
	StepRegions   map[string][]string `json:"step_regions,omitempty"` // globs by step

	StepID string `json:"step_id,omitempty"`
	Sha    string `json:"sha,omitempty"`
	Via    string `json:"via,omitempty"` // how the commit of a verified step was found

	Reason           string   `json:"reason,omitempty"`
	ResumeSha        string   `json:"resume_sha,omitempty"`
	Residual         []string `json:"residual,omitempty"`
	CheckpointTurn   *int64   `json:"checkpoint_turn,omitempty"`
	TranscriptDigest string   `json:"transcript_digest,omitempty"`
	PredecessorRunID string   `json:"predecessor_run_id,omitempty"`
}

// What ParseRow says of a row that it returns no Row for.
var (
	// ErrRow means that the row is malformed.
	ErrRow = errors.New("malformed row")
	// ErrNewer means that the row is of a version this package does not know.
	ErrNewer = errors.New("row of a newer version")
	// ErrOther means that the row is tagged as a record of another kind, or
	// has an op that says nothing about the course of a run.
	ErrOther = errors.New("row of another kind")
)

// Bounds of a row.
const (
	maxRow   = 1 << 20
	maxWord  = 256  // an id, a name, a commit
	maxText  = 4096 // a goal, a reason, an item of a residual
	maxGlob  = 1024
	maxList  = 1000      // steps, globs of a step, items of a residual
	maxRound = 1 << 40   // far from any number of INTENT rows
	maxTurn  = 1<<53 - 1 // the last number that every reader of JSON agrees on
)

// check reports what makes a row one that no version of this tool wrote.
func (r Row) check() error {
	words := []struct {
		key, value string
		most       int
	}{
		{"run_id", r.RunID, maxWord}, {"plan", r.Plan, maxWord}, {"phase", r.Phase, maxWord}, {"start_sha", r.StartSha, maxWord},
		{"step_id", r.StepID, maxWord}, {"sha", r.Sha, maxWord}, {"via", r.Via, maxWord}, {"resume_sha", r.ResumeSha, maxWord},
		{"predecessor_run_id", r.PredecessorRunID, maxWord}, {"transcript_digest", r.TranscriptDigest, maxWord},
		{"goal", r.Goal, maxText}, {"reason", r.Reason, maxText},
	}
	for _, w := range words {
		if len(w.value) > w.most {
			return fmt.Errorf("%s is %d bytes long, at most %d", w.key, len(w.value), w.most)
		}
	}
	if r.Round > maxRound {
		return fmt.Errorf("round is over %d", uint64(maxRound))
	}
	if r.CheckpointTurn != nil && (*r.CheckpointTurn < 0 || *r.CheckpointTurn > maxTurn) {
		return errors.New("checkpoint_turn is out of range")
	}
	if (r.Op == OpStepClaimed || r.Op == OpStepVerified) && r.StepID == "" {
		return errors.New("step_id is empty")
	}
	return errors.Join(r.checkSteps(), checkList("residual", r.Residual, maxText))
}

func (r Row) checkSteps() error {
	if err := checkList("declared_steps", r.DeclaredSteps, maxWord); err != nil {
		return err
	}
	sorted := slices.Sorted(slices.Values(r.DeclaredSteps))
	if len(slices.Compact(sorted)) < len(r.DeclaredSteps) {
		return errors.New("declared_steps names a step twice")
	}
	if len(r.StepRegions) > maxList {
		return fmt.Errorf("step_regions has %d steps, at most %d", len(r.StepRegions), maxList)
	}
	for step, globs := range r.StepRegions {
		switch {
		case step == "" || len(step) > maxWord:
			return errors.New("step_regions names a step that none can be")
		case len(globs) == 0:
			return errors.New("step_regions has a step without globs")
		}
		if err := checkList("step_regions", globs, maxGlob); err != nil {
			return err
		}
	}
	return nil
}

func checkList(key string, list []string, most int) error {
	if len(list) > maxList {
		return fmt.Errorf("%s has %d items, at most %d", key, len(list), maxList)
	}
	for _, item := range list {
		if item == "" || len(item) > most {
			return fmt.Errorf("%s has an item of %d bytes, want 1 to %d", key, len(item), most)
		}
	}
	return nil
}
