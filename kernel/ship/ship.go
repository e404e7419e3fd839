// Package ship judges whether a unit of work has shipped, from commits alone.
//
// A unit is a plan and one of its phases. It has shipped when a commit that
// the trunk reaches now, and that nothing on the trunk has reverted since,
// changes something substantive and carries evidence at or above the floor.
// How a commit names the unit decides the [Rung]; how far that can be trusted
// decides the [Witness].
//
// Nothing is believed because it was claimed. A candidate that falls short is
// set aside and the others are still looked at, so a later empty or reverted
// claim never hides an earlier real ship. What could not be read is
// INDETERMINATE, which is neither yes nor no.
package ship

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of this verdict.
type Outcome string

// The outcomes of verify.
const (
	Shipped       Outcome = "SHIPPED"
	NotShipped    Outcome = "NOT_SHIPPED"
	Indeterminate Outcome = "INDETERMINATE"
)

// A Rung is the form in which a commit names the unit.
type Rung string

// The rungs, strongest first where the witness is the same. The last two are
// reasons of a refusal and no evidence.
const (
	RungLedger       Rung = "ledger"               // a SHIP entry names the commit
	RungTrailerBlock Rung = "trailer-block"        // a Dos-Ship trailer
	RungDirect       Rung = "direct"               // a stamp at the start of the subject
	RungParens       Rung = "trailer"              // a stamp in parentheses at its end
	RungFiles        Rung = "file-path"            // it changed the files that the plan names
	RungRelease      Rung = "release-prefix"       // named by the subject of a release or bundle
	RungSlug         Rung = "hyg-slug"             // its words, in a bundle named after the plan
	RungSubPhase     Rung = "sub-phase-parent"     // a stamp of the phase it is a part of
	RungBody         Rung = "body-mention"         // named by the body of a release or bundle
	RungAmbiguous    Rung = "ambiguous-number"     // two plans share the number asked for
	RungPlanBody     Rung = "demoted-by-plan-body" // the plan does not bear the mention out
)

// rungs is their order.
var rungs = []Rung{RungLedger, RungTrailerBlock, RungDirect, RungParens, RungFiles, RungRelease, RungSlug, RungSubPhase, RungBody}

// rank is smaller for the stronger.
func (r Rung) rank() int {
	if i := slices.Index(rungs, r); i >= 0 {
		return i
	}
	return len(rungs)
}

// A Source says where the evidence was found. Its words are those of the
// JSON contract.
type Source string

// The sources.
const (
	SourceLedger   Source = "ledger"
	SourceTrailer  Source = "trailer"
	SourceSubject  Source = "grep-subject"
	SourceArtifact Source = "grep-artifact"
	SourceNowhere  Source = "none"
)

const (
	exitUnknowable = 4   // the status of Indeterminate
	maxSummary     = 200 // runes of a subject that a verdict repeats
)

// Verdict answers "has this unit shipped?". Rung, Sha, Summary and Witness
// speak of the commit that decided; when it was set aside they still name it,
// and Source is none.
type Verdict struct {
	Outcome    Outcome `json:"outcome"`
	Plan       string  `json:"plan"`
	Phase      string  `json:"phase"`
	Shipped    bool    `json:"shipped"`
	Rung       Rung    `json:"rung,omitempty"`
	Sha        string  `json:"sha,omitempty"`
	Source     Source  `json:"source"`
	Summary    string  `json:"summary,omitempty"`
	Witness    Witness `json:"witness,omitempty"`
	Floor      Witness `json:"floor,omitempty"`
	Lane       string  `json:"lane,omitempty"`
	Ref        string  `json:"ref"`
	RefID      string  `json:"ref_id,omitempty"`
	RevertedBy string  `json:"reverted_by,omitempty"`
	Reason     string  `json:"reason"`
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict]. The zero Verdict is no verdict.
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Shipped:
		return verdict.Yes
	case NotShipped:
		return verdict.No
	case Indeterminate:
		return exitUnknowable
	}
	return verdict.NoVerdict
}

// String is one line: the outcome, the unit, the commit and the evidence, then
// the ref, and the reason where the answer is not yes.
func (v Verdict) String() string {
	unit := fmt.Sprintf("%s %s %s", v.Outcome, v.Plan, v.Phase)
	if v.Outcome == Shipped {
		return fmt.Sprintf("%s %s (via %s) on %s", unit, verdict.Short(v.Sha), v.Source, v.Ref)
	}
	return fmt.Sprintf("%s (via %s) on %s: %s", unit, v.Source, v.Ref, v.Reason)
}

// legible makes one short line of text from anywhere: what is not UTF-8 or
// would not print is replaced.
func legible(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > maxSummary {
			b.WriteString("...")
			break
		}
		if !unicode.IsPrint(r) {
			r = unicode.ReplacementChar
		}
		b.WriteRune(r)
	}
	return b.String()
}
