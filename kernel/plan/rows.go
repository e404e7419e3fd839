package plan

import (
	"slices"
	"strings"
)

// A Row is one phase as a document lists it.
type Row struct {
	Plan  string // "" where no plan heading stands above a bullet
	Phase string
	Claim Claim
	Line  int // from 1
	Title string
}

// Rows lists the phases of a document in its order.
//
// A heading of level 2 to 4 "N. PLAN PHASE —" opens a plan. It is open up to
// the next heading of its level or a higher one. A phase that a document lists
// twice is listed twice.
func (d Document) Rows() []Row { return slices.Clone(d.list) }

// Loose lists the bullets that look like phases and stand under no plan
// heading, so that they belong to no unit.
func (d Document) Loose() []Row { return slices.Clone(d.loose) }

func (d Document) rows() (rows, loose []Row) {
	var open [7]string // the plan each level of heading opened
	for i, m := range d.marks {
		r := Row{Line: m.line}
		var ok bool
		if m.level > 0 {
			clear(open[m.level:])
			r.Plan, r.Phase, r.Title, ok = planHeading(m, d.label(m))
			open[m.level] = r.Plan
		} else {
			r.Plan = innermost(open)
			r.Phase, r.Title, ok = phaseAndTitle(d.label(m))
		}
		switch {
		case !ok:
			continue
		case r.Plan == "":
			loose = append(loose, r)
			continue
		}
		r.Claim = rowClaim(d.upTo(i, d.isRow))
		rows = append(rows, r)
	}
	return rows, loose
}

func innermost(open [7]string) string {
	for _, plan := range slices.Backward(open[:]) {
		if plan != "" {
			return plan
		}
	}
	return ""
}

// isRow reports whether a mark ends the text of the row before it: any
// heading, or the bullet of another phase.
func (d Document) isRow(m mark) bool {
	if m.level > 0 {
		return true
	}
	_, _, ok := phaseAndTitle(d.label(m))
	return ok
}

func phaseAndTitle(text string) (phase, titled string, ok bool) {
	phase, rest, ok := phaseAt(text)
	if !ok {
		return "", "", false
	}
	titled, ok = title(rest)
	return phase, titled, ok
}

// planHeading reads "N. PLAN PHASE — title".
func planHeading(m mark, label string) (plan, phase, titled string, ok bool) {
	if m.level < 2 || m.level > 4 {
		return "", "", "", false
	}
	number, rest := nextWord(label)
	digits, dotted := strings.CutSuffix(strings.Trim(number, "*"), ".")
	if !dotted || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", "", "", false
	}
	word, rest := nextWord(rest)
	if plan = names(word); !isPlan(plan) {
		return "", "", "", false
	}
	if phase, titled, ok = phaseAndTitle(rest); !ok {
		return "", "", "", false
	}
	return plan, phase, titled, true
}
