package gitdos_test

import (
	"regexp"
	"strings"
	"testing"
)

// Every command of the first hour is one that its script runs, in that order.
func TestFirstHourIsItsScript(t *testing.T) {
	script, _, _ := strings.Cut(document(t, "testdata/scripts/new_user_first_hour.txtar"), "\n-- ")
	var ran []string
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		ran = append(ran, regexp.MustCompile(`^(exec|exits \d+) `).ReplaceAllString(line, ""))
	}
	at, seen := 0, 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(document(t, "docs/tutorial-first-hour.md"), -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSpace(line)
			from := at
			for at < len(ran) && ran[at] != line {
				at++
			}
			if at == len(ran) {
				t.Fatalf("the script does not run %q after its line %d", line, from)
			}
			seen++
		}
	}
	if seen < 25 {
		t.Errorf("%d commands seen: the test looks in the wrong place", seen)
	}
}
