package ship

import (
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
)

// releaseLine reports whether a folded subject that bundles ships names the
// phase as a token of its own. A list names each of its members; a range, as
// A1-A3, is one token and names none.
func (q Query) releaseLine(subject string) bool {
	return q.bundles(subject) && q.mentions(subject[q.opening(subject):], true)
}

// releaseBody reports whether a line of the body of such a commit names the
// phase. Bodies of other commits are not read.
func (q Query) releaseBody(subject string, body []byte) bool {
	if !q.bundles(subject) {
		return false
	}
	for line := range strings.Lines(Fold(string(body))) {
		if q.mentions(line, false) && !q.denied(line) && !tentative(strings.TrimLeft(line, bullets)) {
			return true
		}
	}
	return false
}

// bullets are what may stand before the text of a line in a list.
const bullets = " \t*+-"

// Bundles reports whether a raw subject is that of a release or of a declared
// bundle, so that its body too may name ships.
func Bundles(stamp policy.Stamp, subject string) bool {
	if len(stamp.SummaryBundlePrefixes) == 0 && !beginsFold(subject, "v") {
		return false // as nearly all do
	}
	return bundleOpening(stamp, Fold(subject)) > 0
}

func (q Query) bundles(subject string) bool { return q.opening(subject) > 0 }

func (q Query) opening(subject string) int { return bundleOpening(q.stamp, subject) }

// bundleOpening is the length of the release or bundle prefix of a folded
// subject, 0 without one.
func bundleOpening(stamp policy.Stamp, subject string) int {
	for _, prefix := range stamp.SummaryBundlePrefixes {
		if prefix != "" && strings.HasPrefix(subject, Fold(prefix)) {
			return len(Fold(prefix))
		}
	}
	return len(version().FindString(subject))
}

// mentions reports whether folded text holds the phase as a whole token. A
// phase that any plan may have ("Phase 2", a bare number) must have the plan
// in front.
func (q Query) mentions(text string, skipProgress bool) bool {
	for _, name := range q.mentionable() {
		for _, to := range occurrences(text, name) {
			if !skipProgress || !q.inProgress(text[to:]) {
				return true
			}
		}
	}
	return false
}

// mentionable are the spellings that name the phase of this plan and of no
// other.
func (q Query) mentionable() []string {
	var names []string
	for _, p := range q.phases {
		if generic().MatchString(p) {
			names = append(names, q.plan+" "+p, q.plan+": "+p)
		} else {
			names = append(names, p)
		}
	}
	return names
}

var generic = pattern(`^(phase *)?[0-9][0-9.]*$`)

// slug reports whether a folded subject of the bundle that the plan is named
// after ("docs/HYG:" for HYG) has the words of the phase side by side.
func (q Query) slug(subject string) bool {
	prefix := q.bundlePrefix()
	return prefix != "" && strings.HasPrefix(subject, prefix) && sideBySide(words(subject[len(prefix):]), words(q.phases[0]))
}

// bundlePrefix is the folded bundle prefix whose last path segment is the
// plan, "" without one.
func (q Query) bundlePrefix() string {
	for _, prefix := range q.stamp.SummaryBundlePrefixes {
		prefix = Fold(prefix)
		if lastSegment(strings.TrimRight(prefix, ": \t")) == q.plan {
			return prefix
		}
	}
	return ""
}

// subPhase reports whether a folded subject is a direct stamp of the phase
// that this one is a part of, and has the words of the part: RS4-close-out by
// "RS: RS4 close out now".
func (q Query) subPhase(subject string) bool {
	parent, part, ok := q.parent()
	return ok && parent.direct(subject) && !parent.denied(subject) && sideBySide(words(subject), words(part))
}

func (q Query) parent() (parent Query, part string, ok bool) {
	head, part, ok := strings.Cut(q.phases[0], "-")
	if !ok || !q.stamp.SubPhaseParentFallback || head == "" || len(words(part)) == 0 {
		return Query{}, "", false
	}
	parent = q
	parent.phases = spellings(q.plan, head)
	return parent, part, true
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !inToken(r) || r == '-' || r == '_' })
}

func sideBySide(text, sought []string) bool {
	for i := 0; len(sought) > 0 && i+len(sought) <= len(text); i++ {
		if slices.Equal(text[i:i+len(sought)], sought) {
			return true
		}
	}
	return false
}
