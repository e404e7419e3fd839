package lane

import (
	"errors"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A PriceAction is what to do with a partition.
type PriceAction string

// The actions of a price.
const (
	LaunchAll             PriceAction = "LAUNCH_ALL"
	LaunchSafeSet         PriceAction = "LAUNCH_SAFE_SET"
	RepartitionAndReprice PriceAction = "REPARTITION_AND_REPRICE"
	SerializeUnknownScope PriceAction = "SERIALIZE_UNKNOWN_SCOPE"
	HoldEmpty             PriceAction = "HOLD_EMPTY"
)

// What would let a worker that is held or blocked run.
const (
	AdviceDeclareScope     = "declare_tree_scope"      // its own tree is unknown
	AdvicePeerDeclareScope = "peer_declare_tree_scope" // the tree of one it collides with is
	AdviceNarrow           = "narrow_to_issue_paths"
	AdviceRunLater         = "run_later" // it runs alone, or one it collides with does
	AdviceWaitForBudget    = "wait_for_class_budget"
	AdviceWaitForRoom      = "wait_for_room"      // as many run at once as may
	AdviceRaiseBudget      = "raise_class_budget" // its class admits none
	AdviceNarrowToLane     = "narrow_to_lane_tree"
	AdviceLeaveProtected   = "leave_protected_paths"
)

// maxListed bounds the pairs that a verdict lists, and maxPeers those it names
// beside one worker. The counts are of all.
const (
	maxListed = 10000
	maxPeers  = 16
)

// A PriceVerdict answers "whom of these may I start at once?". It holds
// nothing: every worker that writes still acquires its lane, or in a ridden one
// works under its holder's lease.
type PriceVerdict struct {
	Action              PriceAction    `json:"action"`
	Requested           int            `json:"requested"`
	SafeNow             []string       `json:"safe_now"`
	SafeConcurrency     int            `json:"safe_concurrency"`
	Collisions          [][2]string    `json:"collisions"`
	CollisionsAvoided   int            `json:"collisions_avoided"`
	SerializationWasted int            `json:"serialization_wasted"`
	LanesUtilized       int            `json:"lanes_utilized"`
	ExpectedRework      int            `json:"expected_rework"`
	Waves               [][]string     `json:"waves"`
	WaveCount           int            `json:"wave_count"`
	UnknownScope        []string       `json:"unknown_scope"` // whose tree nobody knows
	Held                []PriceHeld    `json:"held"`          // in a later wave, or in none yet
	Blocked             []PriceBlocked `json:"blocked"`       // in no wave at all
	Workers             []PricedWorker `json:"workers"`
	Lane                string         `json:"lane,omitempty"` // the ridden lane
	Reason              string         `json:"reason"`
}

// A PricedWorker is a worker as it was read.
type PricedWorker struct {
	Name    string   `json:"name"`
	Lane    string   `json:"lane"`
	LeaseID string   `json:"lease_id"`
	Tree    []string `json:"tree"`
	Source  string   `json:"tree_source"`
	Mode    string   `json:"mode"`
	Wave    int      `json:"wave"` // from 1; 0 is none
}

// A PriceHeld is a worker outside the safe set: it is held back, and holds
// nothing.
type PriceHeld struct {
	Name         string   `json:"name"`
	Advice       string   `json:"advice"`
	Reason       string   `json:"reason"`
	CollidesWith []string `json:"collides_with"` // the first few
	Collisions   int      `json:"collisions"`    // with how many
}

// A PriceBlocked is a worker that acquire would refuse whatever else lives.
type PriceBlocked struct {
	Name        string `json:"name"`
	ReasonClass string `json:"reason_class"`
	Reason      string `json:"reason"`
	Advice      string `json:"advice"`
}

var _ verdict.Verdict = PriceVerdict{}

// ExitCode implements [verdict.Verdict].
func (v PriceVerdict) ExitCode() int {
	switch v.Action {
	case LaunchAll:
		return verdict.Yes
	case LaunchSafeSet:
		return verdict.FirstOwned
	case RepartitionAndReprice:
		return 4
	case SerializeUnknownScope:
		return 5
	case HoldEmpty:
		return 6
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v PriceVerdict) Err() error {
	switch {
	case v.Action != "":
		return nil
	case v.Reason == "":
		return errors.New("nothing was priced")
	}
	return errors.New(v.Reason)
}
