package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Standard error has failures, warnings and, of a hook that takes long, one line
// whatever it is connected to. Nothing else writes there: no verb draws progress,
// and git is never told to show its own where it would see no terminal.
func TestNothingWritesProgressButASlowHook(t *testing.T) {
	writers := regexp.MustCompile(`io\.WriteString\([^\n]*ErrWriter|Fprint\w*\([^\n]*(ErrWriter|os\.Stderr)`)
	var found []string
	for _, top := range []string{".", "../../internal", "../../refstore", "../../kernel", "../../hooks"} {
		err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), `"--progress"`) {
				t.Errorf("%s has git show its progress", path)
			}
			if writers.Match(text) {
				found = append(found, filepath.ToSlash(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"../../internal/leakrules/main.go", "errors.go", "hook_agent_say.go", "hook_answer.go", "hook_progress.go"}
	if slices.Sort(found); !slices.Equal(found, want) {
		t.Errorf("standard error is written by %q,\nwant %q", found, want)
	}
}
