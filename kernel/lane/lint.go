package lane

import (
	"cmp"
	"slices"
)

// A Severity says how bad a finding is.
type Severity string

// The severities, worst first.
const (
	SeverityError Severity = "error" // the taxonomy cannot do what it says
	SeverityWarn  Severity = "warn"  // it hardly says what is meant
	SeverityInfo  Severity = "info"  // it is worth knowing
)

// Kinds of finding about lanes.
const (
	LaneWithoutTree                = "LANE_WITHOUT_TREE"
	LaneBothConcurrentAndExclusive = "LANE_BOTH_CONCURRENT_AND_EXCLUSIVE"
	AutopickLaneExclusive          = "AUTOPICK_LANE_EXCLUSIVE"
	AutopickLaneUndeclared         = "AUTOPICK_LANE_UNDECLARED"
	AliasTargetUndeclared          = "ALIAS_TARGET_UNDECLARED"
	LaneRegionShadowed             = "LANE_REGION_SHADOWED"
	ConcurrentLanesOverlap         = "CONCURRENT_LANES_OVERLAP"
	ClassNeverBinds                = "CLASS_NEVER_BINDS"
	SoftOverlapDefault             = "SOFT_OVERLAP_DEFAULT"
	LaneListedTwice                = "LANE_LISTED_TWICE"
	GlobNotUnderstood              = "GLOB_NOT_UNDERSTOOD"
	LintCutShort                   = "LINT_CUT_SHORT"
)

// A Finding is one thing a policy says that somebody should look at.
type Finding struct {
	Kind     string   `json:"kind"`
	Severity Severity `json:"severity"`
	Subject  string   `json:"subject"` // a lane, two lanes as a+b, an alias, a key
	Detail   string   `json:"detail"`
	Fix      string   `json:"fix"` // what to do, "" where nothing need be done
	Line     int      `json:"line,omitempty"`
}

// LintEvidence is what a policy declares about lanes.
type LintEvidence struct {
	Lanes       Taxonomy
	Algebra     Algebra
	Classes     []string // the kinds that have a class budget
	RatioStated bool     // overlap.ratio_max is set, and not left to its default
}

// Lint finds what a taxonomy declares that cannot work, or that works in
// another way than it looks. It is sorted by severity, kind and subject, and
// never nil. Names are taken as they are written.
func Lint(ev LintEvidence) []Finding {
	l := linter{ev: ev, found: []Finding{}, names: map[string]bool{}}
	for _, n := range slices.Concat(ev.Lanes.Concurrent, ev.Lanes.Exclusive) {
		l.names[fold(n)] = true
	}
	l.lanes()
	l.twice()
	l.globs()
	l.autopick()
	l.aliases()
	l.classes()
	l.pairs()
	SortFindings(l.found)
	return l.found
}

// SortFindings sorts by severity, kind and subject, then by line.
func SortFindings(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Line, b.Line))
	})
}

func (s Severity) rank() int {
	return slices.Index([]Severity{SeverityError, SeverityWarn, SeverityInfo}, s)
}

type linter struct {
	ev    LintEvidence
	names map[string]bool // concurrent and exclusive lanes, folded
	found []Finding
}

func (l *linter) add(kind string, s Severity, subject, detail, fix string) {
	l.found = append(l.found, Finding{Kind: kind, Severity: s, Subject: subject, Detail: detail, Fix: fix})
}
