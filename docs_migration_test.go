package gitdos_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docs/migration.md names verbs that there are, and for each difference a test
// or script that is there.
func TestMigrationDocument(t *testing.T) {
	text, verbs := document(t, "docs/migration.md"), commands(t)
	said := regexp.MustCompile("`git dos ([a-z-]+)((?: [a-z-]+)?)").FindAllStringSubmatch(text, -1)
	for _, m := range said {
		if !verbs[m[1]] && m[1] != "exit-codes" {
			t.Errorf("git dos %s is no verb", m[1])
		}
		if hasSub := regexp.MustCompile(`^(lease|queue|wave|super|account|hooks|journal)$`); hasSub.MatchString(m[1]) && !verbs[m[1]+m[2]] {
			t.Errorf("git dos %s%s is no verb", m[1], m[2])
		}
	}
	tests := map[string]bool{}
	goFiles(t, func(_, _, source string) {
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(source, -1) {
			tests[m[1]] = true
		}
	})
	rows := 0
	tableRows(text, "| before | now | shown by |", func(cell []string) {
		rows++
		shown := unquoted(cell[len(cell)-1])
		_, err := os.Stat("testdata/scripts/" + shown)
		if len(cell) != 3 || !tests[shown] && (!strings.HasSuffix(shown, ".txtar") || err != nil) {
			t.Errorf("%q: nothing is called %q", cell[0], shown)
		}
	})
	for _, m := range regexp.MustCompile("`(\\w+\\.txtar)`").FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat("testdata/scripts/" + m[1]); err != nil {
			t.Error(err)
		}
	}
	if rows < 70 || len(said) < 60 {
		t.Errorf("%d differences, %d verbs: the test looks in the wrong place", rows, len(said))
	}
}

// The statuses that the table of verbs states of today are those of the first verb
// it names, besides 2 and 130.
func TestMigrationDocumentStatuses(t *testing.T) {
	golden := map[string]map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+(?: [a-z-]+)?) {2,}([0-9]+) `).FindAllStringSubmatch(document(t, "cmd/git-dos/testdata/exit-codes.golden"), -1) {
		if golden[m[1]] == nil {
			golden[m[1]] = map[string]bool{}
		}
		if m[2] != "2" && m[2] != "130" {
			golden[m[1]][m[2]] = true
		}
	}
	checked := 0
	tableRows(document(t, "docs/migration.md"), "| before | now | statuses before | statuses now |", func(cell []string) {
		stated, _, _ := strings.Cut(cell[3], ";")
		numbers := statuses(t, stated)
		m := regexp.MustCompile("`git dos ([a-z-]+(?: [a-z]+)?)").FindStringSubmatch(cell[1])
		if m == nil || len(numbers) == 0 {
			return
		}
		want := golden[m[1]]
		if want == nil {
			verb := strings.Fields(m[1])[0]
			if want = golden[verb]; want == nil {
				want = golden[verb+" list"] // what such a verb is without a subcommand
			}
		}
		checked++
		for n := range want {
			if !numbers[n] {
				t.Errorf("%s: status %s is not stated", m[1], n)
			}
		}
		for n := range numbers {
			if !want[n] {
				t.Errorf("%s: it has no status %s", m[1], n)
			}
		}
	})
	if checked < 35 {
		t.Errorf("%d rows checked: the test looks in the wrong place", checked)
	}
}

// statuses are the numbers in a cell, a range as all of its.
func statuses(t *testing.T, cell string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`\b(\d+)(?:-(\d+))?\b`).FindAllStringSubmatch(cell, -1) {
		first, err := strconv.Atoi(m[1])
		last := first
		if m[2] != "" {
			last, err = strconv.Atoi(m[2])
		}
		if err != nil {
			t.Fatal(err)
		}
		for n := first; n <= last; n++ {
			all[strconv.Itoa(n)] = true
		}
	}
	return all
}
