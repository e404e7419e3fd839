// Package journal folds the ledgers of a fleet's nodes.
//
// Every node appends rows to a chain of its own: what it refused, started,
// claimed, verified, was told and decided. A [State] is what is left of one
// node's rows once they are folded in the order of the chain: the rows that a
// later question may still need, and nothing that grows with history. A
// CHECKPOINT is a State written down, so a fold that begins at one answers as a
// fold from the first row does. A [View] puts the states of several nodes
// together, in any order.
//
// Rows come from refs that anybody may have written. What does not decode, or
// was written by a later version, is no row and never silently missing: it is a
// [Doubt] that stays in the state, and whoever answers "nothing" must look at
// the doubts first. Where a bound made a state forget, it says up to when.
package journal

import (
	"bytes"
	"encoding/json"
	"time"
)

// Version is the version of the rows this package writes.
const Version = 1

// The ops of rows. A row of another op is kept in the chain and changes no
// state.
const (
	OpRefuse         = "REFUSE"          // an acquire was refused
	OpOverride       = "OVERRIDE"        // an acquire was forced, what a gate found was let through, or a process was ended
	OpSpawn          = "SPAWN"           // a worker was started and shows no lease yet
	OpExit           = "EXIT"            // a worker ended, graded from git
	OpEnforce        = "ENFORCE"         // an edit was denied, or an operator let it through
	OpGap            = "GAP"             // something asked for is not done here
	OpAttempt        = "ATTEMPT"         // a unit was tried
	OpHalt           = "HALT"            // somebody asks that a run be stopped
	OpSuspend        = "SUSPEND"         // a run is parked
	OpIntent         = "INTENT"          // what a run is to do
	OpStepClaimed    = "STEP_CLAIMED"    // the worker's word
	OpStepVerified   = "STEP_VERIFIED"   // a hint that a step was seen in git
	OpResumeProposed = "RESUME_PROPOSED" // a run can go on from here
	OpGate           = "GATE"            // the receipt of a pushed tip
	OpDecision       = "DECISION"        // somebody asks for a decision
	OpAck            = "ACK"             // somebody has seen a decision's evidence
	OpLaunch         = "LAUNCH"          // a wave started a worker
	OpHarvest        = "HARVEST"         // and looked at what it left
	OpCap            = "CAP"             // an account is used up for a while
	OpVerdict        = "VERDICT"         // a verb's answer, for later readers
	OpCheckpoint     = "CHECKPOINT"      // the state, written down
)

// A Holder says who has a lease, for people.
type Holder struct {
	Node   string `json:"node"`
	Owner  string `json:"owner"`
	Worker string `json:"worker,omitempty"`
}

// A Taken is a lease that an operator's force ended.
type Taken struct {
	Lane     string    `json:"lane"`
	Gen      uint64    `json:"gen"`
	Nonce    string    `json:"nonce"`
	Holder   Holder    `json:"holder"`
	Deadline time.Time `json:"deadline"`
}

// A Blocker is a lane that stood in the way, and its generation then.
type Blocker struct {
	Lane string `json:"lane"`
	Gen  uint64 `json:"gen"`
}

// A Row is one entry of a node's ledger. Which fields beside the first four it
// has depends on its op.
type Row struct {
	V   int       `json:"v"`
	Op  string    `json:"op"`
	Seq uint64    `json:"seq"` // place in the node's ledger, from 1
	At  time.Time `json:"at"`

	Lane        string    `json:"lane,omitempty"`
	Owner       string    `json:"owner,omitempty"`
	RunID       string    `json:"run_id,omitempty"`
	Operator    string    `json:"operator,omitempty"`
	ReasonClass string    `json:"reason_class,omitempty"`
	Reason      string    `json:"reason,omitempty"`
	Holder      *Holder   `json:"holder,omitempty"`    // REFUSE: who stood in the way
	Blocking    []Blocker `json:"blocking,omitempty"`  // REFUSE: and on which lanes
	Scavenged   []Taken   `json:"scavenged,omitempty"` // OVERRIDE: what the force ended

	// The lease it is about, and what was claimed with it.
	Gen     uint64 `json:"gen,omitempty"`
	Nonce   string `json:"nonce,omitempty"`
	Node    string `json:"node,omitempty"`
	Unit    string `json:"unit,omitempty"`
	Seat    string `json:"seat,omitempty"`
	Account string `json:"account,omitempty"`
	Plan    string `json:"plan,omitempty"`
	Phase   string `json:"phase,omitempty"`

	// SPAWN, LAUNCH, EXIT, HARVEST, CAP.
	Key     string     `json:"key,omitempty"` // of a request that is made once, however often it is sent
	WaveID  string     `json:"wave_id,omitempty"`
	PID     int64      `json:"pid,omitempty"`
	Start   string     `json:"start,omitempty"`
	BootID  string     `json:"boot_id,omitempty"`
	Log     string     `json:"log,omitempty"`
	Outcome string     `json:"outcome,omitempty"` // also of ATTEMPT
	Status  *int       `json:"status,omitempty"`
	Until   *time.Time `json:"until,omitempty"`

	// INTENT, STEP_*, SUSPEND, RESUME_PROPOSED.
	Goal          string              `json:"goal,omitempty"`
	StartSha      string              `json:"start_sha,omitempty"`
	DeclaredSteps []string            `json:"declared_steps,omitempty"`
	StepRegions   map[string][]string `json:"step_regions,omitempty"`
	Env           json.RawMessage     `json:"env,omitempty"`
	StepID        string              `json:"step_id,omitempty"`
	Sha           string              `json:"sha,omitempty"` // also of GATE
	Via           string              `json:"via,omitempty"`
	Verdicts      json.RawMessage     `json:"verdicts,omitempty"`
	Predecessor   string              `json:"predecessor_run_id,omitempty"`
	ResumeSha     string              `json:"resume_sha,omitempty"`
	Residual      []string            `json:"residual,omitempty"`

	// HALT, ENFORCE, GATE, VERDICT, DECISION, ACK.
	Kind    string            `json:"kind,omitempty"`
	Handle  string            `json:"handle,omitempty"`
	Command string            `json:"command,omitempty"`
	Edge    string            `json:"edge,omitempty"` // which change of state raised an alert: one row for each
	Target  string            `json:"target,omitempty"`
	Ref     string            `json:"ref,omitempty"`
	Verb    string            `json:"verb,omitempty"`
	Verdict string            `json:"verdict,omitempty"`
	Subject string            `json:"subject,omitempty"`
	Detail  string            `json:"detail,omitempty"`
	Source  string            `json:"source,omitempty"`
	ID      string            `json:"id,omitempty"`
	Seen    map[string]uint64 `json:"seen,omitempty"` // ACK: the newest evidence it saw, by source

	// GATE, and OVERRIDE of a gate's findings.
	Tree    string   `json:"tree,omitempty"`    // of the commit
	Base    []string `json:"base,omitempty"`    // what was judged is what the commit reaches and these do not
	Commits []string `json:"commits,omitempty"` // OVERRIDE: which of them were let through
	Digest  string   `json:"digest,omitempty"`  // of the policy they were judged by

	From string `json:"-"` // the node whose ledger it is read from
	body []byte // as it stands there
}

// Known reports whether the row's op is one this version acts on.
func (r Row) Known() bool {
	switch r.Op {
	case OpRefuse, OpOverride, OpSpawn, OpExit, OpEnforce, OpGap, OpAttempt, OpHalt, OpSuspend, OpIntent, OpStepClaimed, OpStepVerified,
		OpResumeProposed, OpGate, OpDecision, OpAck, OpLaunch, OpHarvest, OpCap, OpVerdict, OpCheckpoint:
		return true
	}
	return false
}

// Body is the row as it stands in the ledger, with the fields that this version
// does not know; nil for a row that was not read from one.
func (r Row) Body() json.RawMessage { return bytes.Clone(r.body) }

// Encode is the row as one line, to be appended. Version is filled in.
func (r Row) Encode() []byte {
	r.V = Version
	return encode(r)
}

func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil // only of raw fields that hold no JSON, which no reader makes
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
