package ship

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/git-dos/git-dos/kernel/policy"
)

// maxName bounds a plan or phase; maxSubject bounds a subject that may stamp.
const (
	maxName    = 200
	maxSubject = 64 << 10
)

// A Query is one unit with the grammar that names it. Plan and phase are
// literal text, compared without regard to case. It comes from NewQuery.
type Query struct {
	Plan  string
	Phase string

	// SameNumber lists the plan files whose names begin with the number the
	// plan begins with, when there are several.
	SameNumber []string

	stamp  policy.Stamp
	plan   string   // folded
	phases []string // folded spellings, the given one first
}

// NewQuery refuses a plan or phase that is empty, too long, not UTF-8 or not
// printable: no commit could name it.
func NewQuery(plan, phase string, stamp policy.Stamp) (Query, error) {
	for _, name := range []struct{ what, text string }{{"plan", plan}, {"phase", phase}} {
		if err := checkName(name.text); err != nil {
			return Query{}, fmt.Errorf("%s %w", name.what, err)
		}
	}
	q := Query{Plan: plan, Phase: phase, stamp: stamp, plan: Fold(plan)}
	q.phases = spellings(q.plan, Fold(phase))
	return q, nil
}

func checkName(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("is empty")
	case len(s) > maxName:
		return fmt.Errorf("is longer than %d bytes", maxName)
	case strings.ToValidUTF8(s, "") != s:
		return errors.New("is not UTF-8")
	case strings.TrimSpace(s) != s:
		return errors.New("begins or ends with white space")
	case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("has a character that does not print")
	}
	return nil
}

// Is reports whether plan and phase name the unit.
func (q Query) Is(plan, phase string) bool {
	return Fold(plan) == q.plan && q.isPhase(Fold(phase))
}

func (q Query) isPhase(folded string) bool {
	return slices.Contains(q.phases, folded)
}

// IsUnit reports whether "<plan>/<phase>", split at the last slash, names the
// unit.
func (q Query) IsUnit(unit string) bool {
	i := strings.LastIndexByte(unit, '/')
	return i > 0 && i < len(unit)-1 && q.Is(unit[:i], unit[i+1:])
}

// Naming says in which forms a commit names a unit.
type Naming struct{ Trailer, Direct, Parens bool }

func (n Naming) any() bool { return n.Trailer || n.Direct || n.Parens }

// Naming reads a commit's subject and the values of its Dos-Ship trailers. A
// subject that takes something back, that is bookkeeping, or that says the
// unit is unfinished stamps nothing. A trailer is explicit and is not vetoed
// by prose, except in a commit that is itself a revert or a fixup.
func (q Query) Naming(subject string, units []string) Naming {
	var n Naming
	s := Fold(subject)
	takesBack := withdraws(s)
	for _, unit := range units {
		n.Trailer = n.Trailer || !takesBack && q.IsUnit(unit)
	}
	if len(subject) > maxSubject || takesBack || tentative(s) || q.bookkeeping(s) || q.denied(s) {
		return n
	}
	n.Direct = q.direct(s)
	n.Parens = q.stamp.TrailerStamp && !q.releases(s) && q.parens(s)
	return n
}

// MayName is a quick test of a raw message: false means that neither its
// subject nor a trailer can name the unit.
func (q Query) MayName(message []byte) bool {
	if mentionsShip(message) {
		return true
	}
	title := firstParagraph(message)
	// Folded lines are joined by a space that is not in the bytes, and only
	// ASCII is compared without decoding.
	if bytes.IndexByte(title, '\n') >= 0 {
		return true
	}
	for _, p := range q.phases {
		if !ascii(p) || containsFold(title, p) {
			return true
		}
	}
	return false
}

func firstParagraph(message []byte) []byte {
	message = bytes.TrimLeft(message, " \t\r\n")
	if i := bytes.Index(message, []byte("\n\n")); i >= 0 {
		return message[:i]
	}
	return bytes.TrimRight(message, "\n")
}

// spellings are the forms of a folded phase. A prime may be written out, and
// "Phase N" and the plan id followed by N are one phase.
func spellings(plan, phase string) []string {
	forms := []string{phase}
	add := func(s string) {
		if !slices.Contains(forms, s) {
			forms = append(forms, s)
		}
	}
	if n, ok := strings.CutPrefix(phase, "phase "); ok && numeral(n) {
		add(plan + n)
		add(plan + " " + n)
	}
	if n, ok := strings.CutPrefix(phase, plan); ok && numeral(n) {
		add("phase " + n)
		add("phase" + n)
	}
	for _, f := range forms {
		add(strings.ReplaceAll(f, "'", "prime"))
		add(strings.ReplaceAll(f, "prime", "'"))
	}
	return forms
}

// numeral is a number that may be followed by more digits, letters and dots.
func numeral(s string) bool {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	return strings.Trim(s, "0123456789.abcdefghijklmnopqrstuvwxyz") == ""
}
