package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exitStatusDocument is docs/exit-status.md, made from the table that
// exit-codes prints.
func exitStatusDocument(t exitCodeTable) string {
	var b strings.Builder
	b.WriteString("# Exit status\n\n" +
		"The exit status of a verb is its verdict. 0 is the affirmative answer and nothing else; 1, and 3 upward, are other\n" +
		"answers, and `outcome` under `--json` tells apart those that share one. A status that is not listed means failure.\n\n" +
		"This page is made from the commands, as is `git dos exit-codes`:\n" +
		"`go test ./cmd/git-dos -run Golden -update` writes it anew.\n\n" +
		"In every verb:\n\n| status | meaning |\n|---|---|\n")
	for _, s := range withShared(nil) {
		fmt.Fprintf(&b, "| %d | %s |\n", s.Code, s.Meaning)
	}
	b.WriteString("\nAnd in each:\n\n| verb | status | outcome | meaning |\n|---|---|---|---|\n")
	for _, r := range t.ExitCodes {
		if slices.Contains(withShared(nil), status{r.Status, r.Outcome, r.Meaning}) {
			continue
		}
		outcome := ""
		if r.Outcome != "" {
			outcome = "`" + r.Outcome + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", r.Verb, r.Status, outcome, strings.ReplaceAll(r.Meaning, "|", `\|`))
	}
	return b.String()
}

func TestExitStatusDocumentGolden(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "exit-status.md")
	want := exitStatusDocument(tableOf(allVerbs()))
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the commands make of it (%v): go test ./cmd/git-dos -run Golden -update", file, err)
	}
	for _, r := range tableOf(allVerbs()).ExitCodes {
		if !strings.Contains(want, "| "+r.Meaning+" |\n") && !strings.Contains(r.Meaning, "|") {
			t.Errorf("%s %d is not in the document: %s", r.Verb, r.Status, r.Meaning)
		}
	}
}
