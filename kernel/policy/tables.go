package policy

import "time"

// Trunk says what "shipped" is walked from.
type Trunk struct {
	Ref string // "" = in a fleet the remote's HEAD, main or master, else the current branch
}

// Overlap says when two trees collide.
type Overlap struct {
	Policy   OverlapPolicy
	RatioMax float64 // tolerated share of colliding entries, 0 to 1/3; 0 = none
}

// OverlapPolicy names the algebra that compares two trees.
type OverlapPolicy string

// The two algebras.
const (
	OverlapPrefix OverlapPolicy = "prefix" // prefixes up to the first wildcard
	OverlapGlob   OverlapPolicy = "glob"   // exact intersection of patterns
)

// ConcurrencyClass bounds the live leases of one kind.
type ConcurrencyClass struct {
	Name          string
	MaxConcurrent int // 0 = none may be live
}

// Admission protects files that decide admission.
type Admission struct {
	SelfModify []string // globs no ordinary lease may cover
}

// Lease times the life of a lease.
type Lease struct {
	TTL          time.Duration // at least twice Margin
	Margin       time.Duration // unstated: the larger of 30s and TTL/10
	MaxClockSkew time.Duration // largest difference between any two clocks; 0 = do not use clocks
}

// Fleet is what every clone of one fleet shares.
type Fleet struct {
	ID       string // "" until init --remote writes one
	Prefix   string // where the fleet's refs live on the remote
	Lanes    FleetLanes
	Interval time.Duration // between combined pushes of a node
	Keep     time.Duration // how long an idle delegation is kept when no driver runs
}

// FleetLanes says which lanes are taken directly on the remote.
type FleetLanes struct {
	Mode  FleetMode
	Names []string // lanes, when Mode is FleetNamed
}

// FleetMode is how FleetLanes chooses.
type FleetMode string

// The three ways to choose.
const (
	FleetExclusive FleetMode = "exclusive" // exclusive lanes only
	FleetAll       FleetMode = "all"       // every lane
	FleetNamed     FleetMode = "named"     // the lanes listed
)

// Paths locates what the verbs read and write, relative to the root.
type Paths struct {
	PlansGlob   string
	NextPackets string
	Runs        string
	Root        string
}

// Stamp is the grammar of a ship stamp.
type Stamp struct {
	Style                  string   // always "grep"
	SubjectDirs            []string // empty = one optional leading directory
	TrailerStamp           bool
	SummaryBundlePrefixes  []string
	BookkeepingPrefixes    []string
	ProgressMarkers        []string
	SubPhaseParentFallback bool
	CodeDirs               []string // empty = any directory
	InfraBasenames         []string
	InfraDocBasenames      []string
}

// Verify says how much evidence a ship needs.
type Verify struct {
	Floor          string // a witness, or "": depends on whether the unit's lane tree is declared
	AllowedSigners string // path in the trunk tree, "" = none
}

// Ship lists paths whose change alone ships nothing. All globs, matched
// without regard to case.
type Ship struct {
	ReleasePaths []string
	LedgerPaths  []string
	PlanPaths    []string // unstated: Paths.PlansGlob
}

// Cooldown keeps a unit from being offered again too soon.
type Cooldown struct {
	Window      time.Duration
	ErrorWindow time.Duration // after an attempt that ended in error
}

// Liveness tells a moving run from one that spins or stalls.
type Liveness struct {
	Grace          time.Duration
	Spin           time.Duration
	ProgressWindow time.Duration
}

// Loop bounds a dispatch loop. Every bound is at least 1.
type Loop struct {
	Gate                        string // "hard", "soft" or "drive"
	MaxIterations               int
	MaxUnclear                  int
	MaxDirtyZero                int
	MaxOverloaded               int
	MaxStaleStamp               int
	MaxUnproductiveReplan       int
	MaxUnproductiveReplanDrains int
	MaxAdoptWait                int
}

// Improve decides between keeping and reverting.
type Improve struct {
	MaxConsecutiveReverts  int     // at least 1
	EfficiencyFloor        float64 // work per token, finite, not negative
	MinTokensForEfficiency int64
}

// Supervise keeps a number of workers alive.
type Supervise struct {
	Target               int
	CountSpinningAsAlive bool
	ReapStalled          bool
	SpinHaltAfter        *time.Duration // nil = never propose a halt
	MaxConcurrency       int            // 0 = no budget
	Interval             time.Duration
	PendingWindow        time.Duration
	WorkerLaunchTemplate string // contains {lane}; split into words without a shell
}

// Worker is how one worker process is run.
type Worker struct {
	Command  []string // argv; nil = none
	Prompt   string   // path, "" = none
	EnvPass  []string // variables added to the allow-list
	Timeout  time.Duration
	Grace    time.Duration // between TERM and KILL
	Worktree bool
	Exit     WorkerExit
}

// WorkerExit maps statuses of the command, 1 to 255. The lists are disjoint.
type WorkerExit struct {
	RateLimited []int
	Overloaded  []int
}

// Super drives waves of workers.
type Super struct {
	MaxWorkers int
	Hold       []string // globs; when not Stated("super.hold"), the caller adds the installed hook paths
	Settle     time.Duration
	RungStep   int
	TargetRate float64 // ships per hour
}

// Account is one seat pool.
type Account struct {
	Name       string
	Tier       int // 1 or above
	SessionCap int // seats; 0 = none
	Env        map[string]string
	Probe      []string // argv; nil = none
	Kind       string   // "worker", "excluded" or "non-account"
}

// Clean lists what is not stranded work.
type Clean struct {
	Scratch []string // globs
}

// Archive is how a run record is committed.
type Archive struct {
	Subject string // contains {lane} and {run_id}
}

// Retention says when a checkpoint is due and how many run records stay in
// the work tree. -1 = unbounded.
type Retention struct {
	JournalMaxEntries int
	JournalMaxAgeDays int
	RunsKeepLast      int
}

// Queue bounds what may be dispatched.
type Queue struct {
	MaxSteps int
}
