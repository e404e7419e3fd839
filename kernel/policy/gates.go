package policy

import "time"

// GateMode is what a gate does when it finds something.
type GateMode string

// The three modes.
const (
	GateBlock GateMode = "block"
	GateWarn  GateMode = "warn"
	GateOff   GateMode = "off"
)

// Gates sets the mode of every gate and the knobs of some.
type Gates struct {
	Modes          map[string]GateMode // by gate name, complete
	CompileCommand []string            // argv of trunk_would_not_compile; nil = none
	CompileTimeout time.Duration
	MaxBytes       int64    // file_admission: the largest file admitted
	SecretAllow    []string // secret_shape: globs or fingerprints let through
}

// Mode is the mode of a gate. A gate the policy does not know blocks.
func (g Gates) Mode(name string) GateMode {
	if m, ok := g.Modes[name]; ok {
		return m
	}
	return GateBlock
}

// compileGate blocks by default only once it has a command to run.
const compileGate = "trunk_would_not_compile"

// gateDefaults holds every gate, in the order people read them.
var gateDefaults = []struct {
	name string
	mode GateMode
	doc  string
}{
	{"lease_fence", GateBlock, "a push to the trunk over a lane that somebody else holds"},
	{"scope_escape", GateBlock, "a change outside the leased trees"},
	{"claim_unwitnessed", GateWarn, "a claim its diff does not bear out"},
	{compileGate, GateOff, "a trunk that would not build; blocks by default once a command is set"},
	{"ungated", GateWarn, "a pushed commit without a gate receipt"},
	{"secret_shape", GateBlock, "text shaped like a credential"},
	{"public_leak", GateWarn, "private words in a public place"},
	{"file_admission", GateBlock, "a file too large or of a kind not admitted"},
	{"fresh_deletion", GateBlock, "deletion of work that just landed"},
	{"broken_link", GateWarn, "a link to nothing"},
	{"commit_msg", GateWarn, "a malformed commit message"},
	{"off_trunk", GateOff, "a push to another branch than the trunk"},
}

func defaultGates() Gates {
	g := Gates{Modes: map[string]GateMode{}, CompileTimeout: 10 * time.Minute, MaxBytes: 10 << 20}
	for _, d := range gateDefaults {
		g.Modes[d.name] = d.mode
	}
	return g
}
