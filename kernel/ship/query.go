package ship

import (
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

// IsUnit reports whether "<plan>/<phase>" names the unit.
func (q Query) IsUnit(unit string) bool {
	plan, phase, ok := SplitUnit(unit)
	return ok && q.Is(plan, phase)
}

// SplitUnit splits "<plan>/<phase>" at the last slash. It is not ok when either
// is empty.
func SplitUnit(unit string) (plan, phase string, ok bool) {
	i := strings.LastIndexByte(unit, '/')
	if i <= 0 || i == len(unit)-1 {
		return "", "", false
	}
	return unit[:i], unit[i+1:], true
}

// Naming says in which form a commit names a unit: by a Dos-Ship trailer, by a
// stamp or mention, or by both.
type Naming struct {
	Trailer bool
	Rung    Rung   // the strongest of the subject and body rungs, "" for none
	Refusal string // why there is no rung, for people

	// Withdrawn says that the commit takes something back or waits to be folded
	// into another, so that nothing it names in any form ships.
	Withdrawn bool
}

func (n Naming) any() bool { return n.Trailer || n.Rung != "" }

// stamped reports a form that states the unit itself, as opposed to a release
// that mentions it.
func (n Naming) stamped() bool { return n.Trailer || n.Rung == RungDirect || n.Rung == RungParens }

// Naming reads a commit's subject, its body where that matters and the values
// of its Dos-Ship trailers. A subject that takes something back, that is
// bookkeeping, or that says the unit is unfinished stamps nothing. A trailer is
// explicit and is not vetoed by prose, except in a commit that is itself a
// revert or a fixup, or whose own body takes the unit back.
func (q Query) Naming(subject string, body []byte, units []string) Naming {
	var n Naming
	s := Fold(subject)
	if withdraws(s) && !q.ownLead(s) {
		n.Withdrawn, n.Refusal = true, "its subject takes another commit back or waits to be folded into one"
		return n
	}
	if q.takenBack(body) {
		n.Withdrawn, n.Refusal = true, "its own message takes the unit back"
		return n
	}
	n.Trailer = slices.ContainsFunc(units, q.IsUnit)
	if n.Refusal = q.refuses(subject, s); n.Refusal != "" {
		return n
	}
	if n.Rung = q.rung(s, body); n.Rung == "" {
		n.Refusal = "its text holds the phase and is no stamp of the unit, as " + q.Plan + ": " + q.Phase + " at its beginning is"
	}
	return n
}

// Stamps reports whether a raw subject stamps the unit itself, as opposed to
// mentioning it; body is the message's, which may take it back.
func (q Query) Stamps(subject string, body []byte) bool {
	return q.Naming(subject, body, nil).stamped()
}

// refuses says why a subject may not stamp, "" when it may.
func (q Query) refuses(subject, folded string) string {
	switch {
	case len(subject) > maxSubject:
		return "its subject is too long to be a stamp"
	case tentative(folded) && !(q.ownLead(folded) && !tentative(folded[len(q.plan):])):
		return "its subject says that it is unfinished"
	case q.bookkeeping(folded):
		return "its subject is bookkeeping"
	case q.denied(folded):
		return "its subject says that the unit is unfinished or taken back"
	}
	return ""
}

func (q Query) rung(s string, body []byte) Rung {
	switch {
	case q.direct(s):
		return RungDirect
	case q.stamp.TrailerStamp && !q.bundles(s) && q.parens(s):
		return RungParens
	case q.releaseLine(s):
		return RungRelease
	case q.slug(s):
		return RungSlug
	case q.subPhase(s):
		return RungSubPhase
	case q.releaseBody(s, body):
		return RungBody
	}
	return ""
}

// BodyMark begins the body in the text that needles are looked for in, so that
// they can ask for a commit whose body matters. No subject says it.
const BodyMark = "\x01"

// Needles are groups of folded texts. Every commit that names the unit holds
// all texts of one of the groups in its folded subject, the values of its
// Dos-Ship trailers or, behind BodyMark, the body of a release or bundle.
func (q Query) Needles() [][]string {
	names := q.planNames()
	plan := names[len(names)-1] // the shorter is in the longer
	var groups [][]string
	add := func(texts ...string) { groups = append(groups, texts) }
	for _, p := range q.phases {
		add(p, plan)
		add(p, BodyMark)
	}
	if prefix := q.bundlePrefix(); prefix != "" {
		add(prefix)
	}
	if parent, _, ok := q.parent(); ok {
		for _, p := range parent.phases {
			add(p, plan)
		}
	}
	return groups
}

// PhaseNeedles are Needles for every commit whose text holds the phase,
// whatever it says of it.
func (q Query) PhaseNeedles() [][]string {
	var groups [][]string
	for _, p := range q.phases {
		groups = append(groups, []string{p})
	}
	return groups
}

// InText reports whether the phase stands as a token of its own in a raw
// subject or in the value of a Dos-Ship trailer, in a form that names the unit
// or not.
func (q Query) InText(subject string, units []string) bool {
	texts := append([]string{subject}, units...)
	return slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(q.phases, func(p string) bool { return token(Fold(text), p) })
	})
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
