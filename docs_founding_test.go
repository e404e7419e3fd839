package gitdos_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// commands are the verbs, and each with its subcommands, as the golden list of
// exit codes has them.
func commands(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+)( [a-z-]+)? {2,}[0-9]`).FindAllStringSubmatch(document(t, "cmd/git-dos/testdata/exit-codes.golden"), -1) {
		known[m[1]], known[m[1]+m[2]] = true, true
	}
	if len(known) < 60 {
		t.Fatalf("%d verbs seen: the test looks in the wrong place", len(known))
	}
	return known
}

// Every command line of the founding documents has its twin, a line of a script
// that states its exit status.
func TestEveryFoundingCommandHasItsTwin(t *testing.T) {
	verbs := commands(t)
	lines := map[string]map[string]bool{}
	rows, statuses, documents := 0, 0, map[string]int{}
	for line := range strings.Lines(document(t, "testdata/founding.tsv")) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		cell := strings.Split(line, "\t")
		if len(cell) != 5 {
			t.Fatalf("%d columns, want 5: %s", len(cell), line)
		}
		script, twin := cell[3], cell[4]
		if lines[script] == nil {
			lines[script] = map[string]bool{}
			body, _, _ := strings.Cut(document(t, "testdata/scripts/"+script), "\n-- ")
			for l := range strings.Lines(body) {
				lines[script][strings.TrimSuffix(l, "\n")] = true
			}
		}
		if !lines[script][twin] {
			t.Errorf("%s %s, %s: %s has no line %q", cell[0], cell[1], cell[2], script, twin)
		}
		if m := regexp.MustCompile(`git dos ([a-z-]+)`).FindStringSubmatch(twin); m != nil && !verbs[m[1]] {
			t.Errorf("%s %s: %q is no verb", cell[0], cell[1], m[1])
		}
		if regexp.MustCompile(`^exits \d+ `).MatchString(twin) {
			statuses++
		}
		rows++
		documents[cell[0]]++
	}
	for _, name := range []string{"dos-dispatch", "dos-dispatch-loop", "dos-supervise-loop", "super-loop"} {
		if documents[name] < 20 {
			t.Errorf("%s has %d rows", name, documents[name])
		}
	}
	if rows-statuses > 5 {
		t.Errorf("%d of %d twins state no exit status", rows-statuses, rows)
	}
	found, err := os.ReadDir("testdata/scripts")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if strings.HasPrefix(f.Name(), "founding_") && lines[f.Name()] == nil {
			t.Errorf("%s is the twin of nothing", f.Name())
		}
	}
}
