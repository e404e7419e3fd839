package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// docs/formats.md has a row for what each command answers under --json. A row
// that names several names the later ones without their group.
func TestFormatsDocumentHasEveryVerb(t *testing.T) {
	data, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, answers, ok := strings.Cut(string(data), "\n## Answers under `--json`\n")
	if !ok {
		t.Fatal("docs/formats.md has no section of answers")
	}
	named, groups := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(answers) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		group := ""
		for _, m := range regexp.MustCompile("`([^`]+)`( verbs)?").FindAllStringSubmatch(cell, -1) {
			named[m[1]], named[group+m[1]] = true, true
			groups[m[1]] = groups[m[1]] || m[2] != ""
			if before, _, ok := strings.Cut(m[1], " "); ok {
				group = before + " "
			}
		}
	}
	n := 0
	for _, v := range allVerbs() {
		leaves(v.command, v.command.Name, func(_ *cli.Command, path string) {
			n++
			if !named[path] && !groups[v.command.Name] {
				t.Errorf("docs/formats.md has no row for %s", path)
			}
		})
	}
	if n < 60 || len(named) < 60 {
		t.Errorf("%d commands, %d rows: the test looks in the wrong place", n, len(named))
	}
}
