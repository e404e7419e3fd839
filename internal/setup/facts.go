package setup

// Facts are what a worker reads from doctor instead of assuming it. Those that
// follow from the policy are the ones in force, the trunk's in a fleet. A fact
// that is not known is null, and never a default in its place: some check says
// why.
type Facts struct {
	Git           *GitFacts       `json:"git"`
	Trunk         *TrunkFacts     `json:"trunk"`
	Lanes         *LaneFacts      `json:"lanes"`
	Paths         *PathFacts      `json:"paths"`
	Stamp         *StampFacts     `json:"stamp"`
	OverlapPolicy *OverlapFacts   `json:"overlap_policy"`
	Supervise     *SuperviseFacts `json:"supervise"`
	IsKernelRepo  *bool           `json:"is_kernel_repo"`
	Workspace     *WorkspaceFacts `json:"workspace_facts"`

	AdmissionPredicates []string                     `json:"admission_predicates"` // what can refuse, in the order it is asked
	ExitCodes           map[string]map[string]string `json:"exit_codes"`           // by verb and status: the outcomes, or what it means
}

// GitFacts describe the git that runs and the repository it found.
type GitFacts struct {
	Version      string `json:"version"`
	Minimum      string `json:"minimum"`
	ObjectFormat string `json:"object_format"` // "" without a repository
}

// TrunkFacts name the branch that work is shipped to; all empty where HEAD is
// detached and nothing states a trunk.
type TrunkFacts struct {
	Branch string `json:"branch"` // without refs/heads/
	Ref    string `json:"ref"`    // where it stands here
	Commit string `json:"commit"` // "" before the first
}

// LaneFacts are the lanes as dos.toml spells them.
type LaneFacts struct {
	Concurrent []string            `json:"concurrent"`
	Exclusive  []string            `json:"exclusive"`
	Autopick   []string            `json:"autopick"`
	Trees      map[string][]string `json:"trees"`
	Aliases    map[string]string   `json:"aliases"`
}

// PathFacts say where the verbs read and write.
type PathFacts struct {
	Root        string `json:"root"`
	PlansGlob   string `json:"plans_glob"`
	NextPackets string `json:"next_packets"`
	Runs        string `json:"runs"`
}

// StampFacts are the grammar of a ship stamp.
type StampFacts struct {
	Style                  string   `json:"style"`
	SubjectDirs            []string `json:"subject_dirs"`
	TrailerStamp           bool     `json:"trailer_stamp"`
	SummaryBundlePrefixes  []string `json:"summary_bundle_prefixes"`
	BookkeepingPrefixes    []string `json:"bookkeeping_prefixes"`
	ProgressMarkers        []string `json:"progress_markers"`
	SubPhaseParentFallback bool     `json:"sub_phase_parent_fallback"`
	CodeDirs               []string `json:"code_dirs"`
	InfraBasenames         []string `json:"infra_basenames"`
	InfraDocBasenames      []string `json:"infra_doc_basenames"`
}

// OverlapFacts say how two trees are compared.
type OverlapFacts struct {
	Active    string   `json:"active"`
	Available []string `json:"available"`
	RatioMax  float64  `json:"ratio_max"`
	Floor     float64  `json:"floor"` // the share above which no ratio_max admits
}

// SuperviseFacts are the table [supervise]; times are in seconds unless the key
// says otherwise, and null is unset.
type SuperviseFacts struct {
	Target               int    `json:"target"`
	CountSpinningAsAlive bool   `json:"count_spinning_as_alive"`
	ReapStalled          bool   `json:"reap_stalled"`
	SpinHaltAfterMS      *int64 `json:"spin_halt_after_ms"`
	MaxConcurrency       *int   `json:"max_concurrency"`
	Interval             int64  `json:"interval"`
	PendingWindow        int64  `json:"pending_window"`
	WorkerLaunchTemplate string `json:"worker_launch_template"`
}

// WorkspaceFacts say whether this is git-dos's own source, and which parts of it
// that decide admissions are here.
type WorkspaceFacts struct {
	IsKernelRepo   bool     `json:"is_kernel_repo"`
	RuntimePresent []string `json:"kernel_runtime_files_present"`
}
