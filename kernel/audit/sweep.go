package audit

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Tally counts the findings of one kind of claim.
type Tally struct {
	Unwitnessed int `json:"unwitnessed"`
	Witnessed   int `json:"witnessed"`
	Abstain     int `json:"abstain"`
}

// A Sweep sums up the findings of a piece of history. Make one with NewSweep:
// the zero Sweep has swept nothing and is no answer.
type Sweep struct {
	Commits     int             `json:"commits"`
	Checkable   int             `json:"checkable"` // those that claim something
	Abstained   int             `json:"abstained"`
	Witnessed   int             `json:"witnessed"`
	Unwitnessed int             `json:"unwitnessed"`
	DriftRate   float64         `json:"drift_rate"` // unwitnessed of checkable, six decimals
	ByKind      map[Kind]Tally  `json:"by_kind"`
	ByWitness   map[Witness]int `json:"by_witness"`
	ByCause     map[Cause]int   `json:"by_reason_class"`
	Shas        []string        `json:"unwitnessed_shas"` // in the order they were added
}

// NewSweep is a sweep of no commits, which is a clean one.
func NewSweep() *Sweep {
	return &Sweep{ByKind: map[Kind]Tally{}, ByWitness: map[Witness]int{}, ByCause: map[Cause]int{}, Shas: []string{}}
}

// Add counts one finding.
func (s *Sweep) Add(f Finding) {
	s.Commits++
	s.ByWitness[f.Witness]++
	if f.Cause != "" {
		s.ByCause[f.Cause]++
	}
	kind := s.ByKind[f.Kind]
	switch f.Outcome {
	case OK:
		s.Witnessed++
		kind.Witnessed++
	case Abstain:
		s.Abstained++
		kind.Abstain++
	default:
		s.Unwitnessed++
		kind.Unwitnessed++
		s.Shas = append(s.Shas, f.Sha)
	}
	s.ByKind[f.Kind] = kind
	if s.Checkable = s.Witnessed + s.Unwitnessed; s.Checkable > 0 {
		s.DriftRate = math.Round(float64(s.Unwitnessed)/float64(s.Checkable)*1e6) / 1e6
	}
}

// ExitCode implements verdict.Verdict.
func (s *Sweep) ExitCode() int {
	switch {
	case s == nil || s.ByKind == nil:
		return verdict.NoVerdict
	case s.Unwitnessed > 0:
		return verdict.No
	}
	return verdict.Yes
}

// String tells the counts and the first few commits to look at.
func (s *Sweep) String() string {
	const shown, digits = 20, 12
	outcome := OK
	if s.Unwitnessed > 0 {
		outcome = Unwitnessed
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s; %d unwitnessed, %d witnessed, %d abstained (drift %.4g of %d checkable)",
		outcome, verdict.Count(s.Commits, "commit"), s.Unwitnessed, s.Witnessed, s.Abstained, s.DriftRate, s.Checkable)
	for _, kind := range slices.Sorted(maps.Keys(s.ByKind)) {
		t := s.ByKind[kind]
		fmt.Fprintf(&b, "\n  %s: %d unwitnessed, %d witnessed, %d abstained", kind, t.Unwitnessed, t.Witnessed, t.Abstain)
	}
	for _, cause := range slices.Sorted(maps.Keys(s.ByCause)) {
		fmt.Fprintf(&b, "\n  %s: %d", cause, s.ByCause[cause])
	}
	for i, sha := range s.Shas {
		if i == shown {
			fmt.Fprintf(&b, "\n  and %d more; --json names them all", len(s.Shas)-shown)
			break
		}
		b.WriteString("\n  unwitnessed " + sha[:min(digits, len(sha))])
	}
	return b.String()
}
