package leak

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Outcome is the closed vocabulary of what is said of a text.
type Outcome string

// The outcomes.
const (
	Clean Outcome = "CLEAN" // nothing was found, which proves nothing
	Leaks Outcome = "LEAK"
)

// A Verdict answers what a text gives away.
type Verdict struct {
	Outcome     Outcome `json:"outcome"`
	Reason      string  `json:"reason"`
	Bytes       int     `json:"bytes"`
	Hits        []Hit   `json:"hits"`
	Allowed     int     `json:"allowed"`                // hits that fingerprints let through
	FileAllowed bool    `json:"file_allowed,omitempty"` // a glob lets the file through, and it was not scanned
}

var _ verdict.Verdict = Verdict{}

// Check judges a text that is to leave through another door than git's, with
// the rules for prose. The path is the file's, as git stores it, or "". An error
// means that nothing can be said.
func (s *Scanner) Check(path string, text []byte) (Verdict, error) {
	v := Verdict{Bytes: len(text), Hits: []Hit{}}
	if path != "" && s.AllowsPath(path) {
		v.Outcome, v.FileAllowed = Clean, true
		v.Reason = "the allow list lets the file through, and it was not scanned"
		return v, nil
	}
	hits, allowed, err := s.Prose().scan("", 1, text)
	v.Allowed = allowed
	switch {
	case errors.Is(err, ErrTooMany):
		v.Outcome, v.Reason = Leaks, err.Error()
	case err != nil:
		return Verdict{}, err
	case len(hits) > 0:
		v.Outcome, v.Hits = Leaks, hits
		v.Reason = verdict.Count(len(hits), "place") + " in the text may tell what it should not: take it out, or let it through by its fingerprint"
	default:
		v.Outcome, v.Reason = Clean, fmt.Sprintf("nothing was found in %d bytes", len(text))
	}
	if allowed > 0 {
		v.Reason += fmt.Sprintf("; %d more let through by the allow list", allowed)
	}
	return v, nil
}

// ExitCode implements verdict.Verdict.
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Clean:
		return verdict.Yes
	case Leaks:
		return verdict.FirstOwned
	}
	return verdict.NoVerdict
}

// mostShown bounds the text for people.
const mostShown = 40

// String implements verdict.Verdict.
func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", v.Outcome, v.Reason)
	for _, h := range v.Hits[:min(len(v.Hits), mostShown)] {
		fmt.Fprintf(&b, "  line %d, column %d: %s %s %s, fingerprint %s\n", h.Line, h.Column, h.Kind, h.Rule, h.Masked, h.Fingerprint)
	}
	if more := len(v.Hits) - mostShown; more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return b.String()
}
