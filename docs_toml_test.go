package gitdos_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
)

// docs/dos.toml.md has each key once, as the schema has it, and no other; the
// verbs that read a key are verbs.
func TestPolicyDocument(t *testing.T) {
	rows := map[string][]string{}
	for _, line := range strings.Split(document(t, "docs/dos.toml.md"), "\n") {
		cell := strings.Split(strings.Trim(line, "| "), " | ")
		if key := strings.Trim(cell[0], "`"); strings.HasPrefix(line, "| `") {
			if len(cell) != 5 || rows[key] != nil {
				t.Errorf("%s: %d columns, or a row already", key, len(cell))
				continue
			}
			rows[key] = cell
		}
	}
	verbs := map[string]bool{"lease": true, "verify --plan-doc": true}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+(?: [a-z-]+)?) {2,}[0-9]`).FindAllStringSubmatch(document(t, "cmd/git-dos/testdata/exit-codes.golden"), -1) {
		verbs[m[1]] = true
	}
	for _, k := range policy.Keys() {
		row := rows[k.Key]
		delete(rows, k.Key)
		if row == nil {
			t.Errorf("no row for %s", k.Key)
			continue
		}
		value := "none"
		if k.Default != "" {
			value = "`" + k.Default + "`"
		}
		for i, want := range []string{k.Type, value, k.Doc} {
			if row[i+1] != want {
				t.Errorf("%s: got %q, want %q", k.Key, row[i+1], want)
			}
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[4], -1) {
			if !verbs[m[1]] && m[1] != "--lane" {
				t.Errorf("%s: %s is no verb", k.Key, m[1])
			}
		}
	}
	for key := range rows {
		t.Errorf("%s is no key", key)
	}
	if len(verbs) < 20 {
		t.Errorf("%d verbs seen: the test looks in the wrong place", len(verbs))
	}
}
