package ship

import (
	"slices"
	"strings"
)

// direct reports whether a folded subject begins with a stamp: the plan, an
// optional colon, white space and the phase as a whole token, or the two
// glued together before a colon. Without declared directories one directory
// may stand in front; with them one of them must, and nothing is glued.
func (q Query) direct(subject string) bool {
	for _, text := range q.openings(subject) {
		if rest, ok := q.spaced(text, []string{q.plan}); ok {
			return !q.inProgress(rest)
		}
		if len(q.stamp.SubjectDirs) == 0 && q.glued(text) {
			return true
		}
	}
	return false
}

// openings are the readings of where the plan may begin.
func (q Query) openings(subject string) []string {
	var texts []string
	if len(q.stamp.SubjectDirs) > 0 {
		for _, dir := range q.stamp.SubjectDirs {
			if rest, ok := strings.CutPrefix(subject, dirPrefix(dir)); ok {
				texts = append(texts, rest)
			}
		}
		return texts
	}
	texts = append(texts, subject)
	if m := anyDir().FindString(subject); m != "" && !slices.Contains(unfinished, strings.TrimSuffix(m, "/")) {
		texts = append(texts, subject[len(m):])
	}
	return texts
}

var anyDir = pattern(`^[0-9A-Za-z_.-]+/`)

func dirPrefix(dir string) string { return strings.TrimSuffix(Fold(dir), "/") + "/" }

// spaced cuts "<plan>[:] <phase>" off the front of text.
func (q Query) spaced(text string, plans []string) (rest string, ok bool) {
	for _, plan := range plans {
		after, ok := strings.CutPrefix(text, plan)
		if !ok {
			continue
		}
		after = strings.TrimPrefix(after, ":")
		phase := strings.TrimLeft(after, blanks)
		if len(phase) == len(after) {
			continue
		}
		if rest, ok := afterWord(phase, q.phases); ok && !joined(rest) {
			return rest, true
		}
	}
	return "", false
}

// joined reports whether a sign right behind a phase makes something else of
// it: a setting, a revision, a sum, an address.
func joined(after string) bool {
	after = strings.TrimLeft(after, ".")
	return after != "" && strings.IndexByte(`=~+@#%^&*$\<>|`, after[0]) >= 0
}

// glued reports whether text begins with the phase and a colon, where the
// token itself names the plan: as its prefix, or because the phase id is the
// plan id and a number or suffix.
func (q Query) glued(text string) bool {
	for _, p := range q.phases {
		if strings.HasPrefix(text, q.plan+p+":") {
			return true
		}
		own, ok := strings.CutPrefix(p, q.plan)
		if ok && own != "" && strings.IndexByte("0123456789.-_'", own[0]) >= 0 && strings.HasPrefix(text, p+":") {
			return true
		}
	}
	return false
}

// parens reports whether a folded subject ends with the stamp in parentheses,
// alone but for a leading "refs", a directory and issue numbers.
func (q Query) parens(subject string) bool {
	body, ok := strings.CutSuffix(subject, ")")
	open := strings.LastIndexByte(body, '(')
	if !ok || open < 0 {
		return false
	}
	inner := strings.Trim(body[open+1:], blanks)
	if rest, ok := strings.CutPrefix(inner, "refs"); ok && strings.TrimLeft(rest, blanks) != rest {
		if q.whole(strings.TrimLeft(rest, blanks)) {
			return true
		}
	}
	return q.whole(inner)
}

// whole reports whether text is "[dir/]<plan>[:] <phase>" and issue numbers.
func (q Query) whole(text string) bool {
	texts := []string{text}
	for _, dir := range q.stamp.SubjectDirs {
		if rest, ok := strings.CutPrefix(text, dirPrefix(dir)); ok {
			texts = append(texts, rest)
		}
	}
	if m := anyDir().FindString(text); m != "" && len(q.stamp.SubjectDirs) == 0 {
		texts = append(texts, text[len(m):])
	}
	for _, t := range texts {
		if rest, ok := q.spaced(t, q.planNames()); ok && issues().MatchString(rest) {
			return true
		}
	}
	return false
}

var issues = pattern(`^([ \t]*[,;]?[ \t]*((fixes|closes|refs)[ \t]+)?#[0-9]+)*[ \t]*$`)
