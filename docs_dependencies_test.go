package gitdos_test

import (
	"regexp"
	"strings"
	"testing"
)

// docs/dependencies.md reviews each module that go.mod requires directly, at
// the version that it requires, and no other.
func TestDependencyReview(t *testing.T) {
	direct, _, _ := strings.Cut(document(t, "go.mod"), "\n)")
	required := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`).FindAllStringSubmatch(direct, -1) {
		required[m[1]] = m[2]
	}
	if len(required) < 5 {
		t.Fatalf("%d modules in go.mod: the test looks in the wrong place", len(required))
	}
	page := document(t, "docs/dependencies.md")
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\S+)` \\| (v\\S+) \\| v\\S+ \\| [A-Z]").FindAllStringSubmatch(page, -1) {
		if required[m[1]] != m[2] {
			t.Errorf("the review is of %s %s, go.mod requires %q", m[1], m[2], required[m[1]])
		}
		delete(required, m[1])
	}
	for module, version := range required {
		t.Errorf("%s %s is not reviewed", module, version)
	}
	if !regexp.MustCompile(`reviewed on \d{4}-\d\d-\d\d\.`).MatchString(page) {
		t.Error("the review has no date")
	}
}
