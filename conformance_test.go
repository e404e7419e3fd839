// Package gitdos_test holds the product to its vectors: recorded questions
// with the answers every implementation must give.
package gitdos_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// A runner answers one vector's input with a value that encodes to its want.
type runner func(input json.RawMessage) (any, error)

// runners answer the functions the product has. A function is added here by
// one line, and taken out of later.
var runners = map[string]runner{
	"tree_norm":           answer(treeNorm),
	"tree_disjoint":       answer(treeDisjoint),
	"overlap":             answer(overlap),
	"lease_blocks":        answer(leaseBlocks),
	"self_modify":         answer(selfModify),
	"region_conflict":     answer(regionConflict),
	"arbitrate":           answer(arbitrate),
	"arbitrate_ladder":    answer(arbitrateLadder),
	"arbitrate_cli_error": asking(arbitrateCLIError),
	"lane_lint":           answer(laneLint),
	"plan_price":          answer(planPrice),
	"supervise":           answer(supervise),
	"journal_replay":      answer(journalReplay),
	"lease_generations":   answer(leaseGenerations),
	"journal_compact":     answer(journalCompact),
	"journal_text":        answer(journalText),
	"lease_dead":          answer(leaseDead),
	"lease_health":        answer(leaseHealth),
	"lease_liveness":      answer(leaseLiveness),
	"liveness":            answer(liveliness),
	"journal_fold":        answer(journalFold),
	"resume":              answer(resumePlan),
	"run_id":              answer(runID),
	"loop_decide":         answer(loopDecide),
	"loop_run":            answer(loopRun),
	"improve":             answer(ratchet),
	"breaker":             answer(breaks),
	"gate":                answer(gateOf),
	"pickable":            answer(pickableOf),
	"cooldown":            answer(cooldownOf),
	"verify":              inRepository,
	"commit_audit":        inRepository,
	"reconcile":           inRepository,
}

// later are functions the product does not have yet.
var later = []string{}

// looseWants name the functions of which a verdict may say more than a vector
// does: only the fields its want lists are compared. All others are compared
// whole.
var looseWants = []string{
	"loop_decide", "loop_run", "gate", "pickable", "cooldown", "improve",
	"breaker", "run_id", "liveness", "journal_fold", "resume",
}

// TestConformance runs every vector in the folder GITDOS_VECTORS names, by
// default testdata/vectors, and prints one line per function.
func TestConformance(t *testing.T) {
	if err := conform(os.Stdout, vectorsDir(), runners, later); err != nil {
		t.Error(err)
	}
}

func vectorsDir() string {
	if dir := os.Getenv("GITDOS_VECTORS"); dir != "" {
		return dir
	}
	return filepath.Join("testdata", "vectors")
}
