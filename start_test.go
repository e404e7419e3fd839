package gitdos_test

import (
	"regexp"
	"strings"
	"testing"
)

// What a package makes ready before main runs is paid by every process, and most of
// them never ask for it: a pattern or a template is made when it is first asked for.
func TestNothingIsCompiledBeforeItIsAskedFor(t *testing.T) {
	eager := regexp.MustCompile(`(?m)^var \w+ = (?:regexp\.MustCompile|template\.Must)\(`)
	seen := 0
	goFiles(t, func(folder, file, source string) {
		if strings.HasSuffix(file, "_test.go") || folder == "bench" || folder == "packaging" { // which are other programs
			return
		}
		seen++
		if m := eager.FindString(source); m != "" {
			t.Errorf("%s: %s", file, strings.TrimSpace(m))
		}
	})
	if seen < 300 {
		t.Errorf("%d files seen: the test looks in the wrong place", seen)
	}
}
