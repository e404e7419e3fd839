package ship

import (
	"slices"
	"strings"
)

// byFiles reports whether a commit ships the unit by what it changed: at least
// two of the files that its plan names, one of them no hub; or the only one,
// when its subject names the plan. A merge, a bookkeeping or unfinished
// subject and one that speaks of another plan ship nothing so.
func (q Query) byFiles(c Candidate, live []PlanFile) bool {
	s := Fold(c.Subject)
	if len(c.Touches) == 0 || c.Merge || withdraws(s) || q.refuses(c.Subject, s) != "" || q.takenBack(c.Body) || q.otherPlan(s) {
		return false
	}
	own := slices.ContainsFunc(live, func(f PlanFile) bool { return !f.Hub && slices.Contains(c.Touches, f.Path) })
	if len(live) == 1 {
		return own && token(s, q.plan)
	}
	return own && len(c.Touches) >= 2
}

// otherPlan reports whether a folded subject is the stamp of another plan, or
// a release line that names one.
func (q Query) otherPlan(subject string) bool {
	if m := stampHead().FindStringSubmatch(subject); m != nil {
		inDir, plan, colon, phase := m[1], m[2], m[3], m[4]
		named := colon != "" && !slices.Contains(types, plan) || strings.HasPrefix(phase, plan)
		if inDir != "" && inDir != q.plan || plan != "" && plan != q.plan && named {
			return true
		}
	}
	if at := q.opening(subject); at > 0 {
		for _, word := range strings.FieldsFunc(subject[at:], func(r rune) bool { return !inToken(r) }) {
			if phaseID().MatchString(word) && !q.isPhase(word) && !strings.HasPrefix(word, q.plan) {
				return true
			}
		}
	}
	return false
}

// stampHead is the head of a stamp whatever its plan: a directory and a plan
// before a colon, or a plan and a phase that begins with it.
var stampHead = pattern(`^[0-9a-z_.-]+/([^/: \t]+):|^([0-9a-z_.-]+)(:?)[ \t]+([a-z]+[0-9])`)

// types are what may stand before the colon of a title and is no plan.
var types = []string{"build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "style", "test"}

var phaseID = pattern(`^[a-z]+[0-9][0-9a-z.'-]*$`)
