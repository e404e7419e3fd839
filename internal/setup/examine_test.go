package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// examineWith examines an empty folder with a git of the test's on the path:
// a shell script, "" for none.
func examineWith(t *testing.T, git string) Examination {
	t.Helper()
	bin := t.TempDir()
	if git != "" {
		if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+git+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	x, err := Examine(context.Background(), t.TempDir(), time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestExamineFindsTheGitWanting(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("the stand-in for git is a shell script")
	}
	const owner = `for a; do [ "$a" = version ] && echo git version 2.45.1 && exit; done
echo "fatal: detected dubious ownership in repository at '/x'" >&2; exit 128`
	tests := []struct{ claim, git, id, detail string }{
		{"no git at all", "", "GIT", "not installed"},
		{"a git that is too old", "echo git version 2.30.9", "GIT", "older than 2.31"},
		{"a git that does not say", "echo hello", "GIT", "answers"},
		{"a git that fails", "exit 1", "GIT", "answers"},
		{"a repository of somebody else's", owner, "UNSAFE_DIRECTORY", "dubious ownership"},
	}
	for _, tt := range tests {
		x := examineWith(t, tt.git)
		last := x.Checks[len(x.Checks)-1]
		if x.Errors != 1 || last.ID != tt.id || last.Severity != Error || last.Remedy == "" || !strings.Contains(last.Detail, tt.detail) {
			t.Errorf("%s: %+v, want an error %s with %q and a remedy", tt.claim, x.Checks, tt.id, tt.detail)
		}
	}
}

func TestExamineAdvisesANewerGit(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("the stand-in for git is a shell script")
	}
	x := examineWith(t, "echo git version 2.36.6")
	if c := x.Checks[0]; c.ID != "GIT" || c.Severity != Info || c.Remedy == "" {
		t.Errorf("%+v, want advice", c)
	}
}

func TestOlderThan(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"2.30.9", "2.31", true}, {"2.31", "2.31", false}, {"2.31.0", "2.31", false}, {"2.39.5.windows.1", "2.37", false},
		{"2.4", "2.31", true}, {"3.0", "2.37", false}, {"1.99", "2.31", true}, {"2", "2.31", true}, {"2.x", "2.31", true}, {"next", "2.31", true},
	} {
		if got := olderThan(tt.a, tt.b); got != tt.want {
			t.Errorf("%s older than %s: %v", tt.a, tt.b, got)
		}
	}
}

func TestOverwritesRefs(t *testing.T) {
	for spec, want := range map[string]bool{
		"+refs/heads/*:refs/remotes/origin/*":    false,
		"+refs/dos/*:refs/dos/*":                 true,
		"+refs/dos/lane/api:refs/dos/lane/api":   true,
		"+refs/dos/*:refs/dos/at/origin/*":       false,
		"+refs/*:refs/*":                         true,
		"refs/heads/main:refs/heads/main":        false,
		"+refs/heads/main":                       false,
		"^refs/heads/tmp":                        false,
		"+refs/dosage/*:refs/dosage/*":           false,
		"+refs/heads/dos/*:refs/dos/order/*":     true,
		"+refs/heads/*:refs/d*":                  true,
		"refs/tags/*:refs/dos/at/x/*":            false,
		"+refs/heads/dos/*:refs/remotes/o/dos/*": false,
	} {
		if got := overwritesRefs(spec); got != want {
			t.Errorf("%s: %v, want %v", spec, got, want)
		}
	}
}

func TestEscapedMatchesItself(t *testing.T) {
	for _, s := range []string{"+refs/*:refs/*", `a\b.c(d)[e]{f}|^$?`} {
		if ok, err := regexp.MatchString("^"+escaped(s)+"$", s); err != nil || !ok {
			t.Errorf("%q as %q: %v, %v", s, escaped(s), ok, err)
		}
	}
}

func TestExaminationAnswers(t *testing.T) {
	tests := []struct {
		claim      string
		severities []Severity
		plain      int
		strict     int
	}{
		{"nothing looked at is no verdict", nil, 2, 2},
		{"all in order is yes", []Severity{OK, Info}, 0, 0},
		{"warnings are not errors", []Severity{Warn}, 0, 0},
		{"an error answers only a question", []Severity{OK, Error}, 0, 1},
	}
	for _, tt := range tests {
		var x examiner
		for _, s := range tt.severities {
			x.add(Check{ID: "X", Severity: s, Detail: "d"})
		}
		if plain, strict := x.ExitCode(), x.Strict().ExitCode(); plain != tt.plain || strict != tt.strict {
			t.Errorf("%s: %d and %d, want %d and %d", tt.claim, plain, strict, tt.plain, tt.strict)
		}
	}
}

func TestFindingsAreCountedBoundedAndOneLine(t *testing.T) {
	var x examiner
	x.unknown("X", errors.New("a\nok     REFS  all fine"))
	if x.Errors != 1 || strings.Count(x.String(), "\n") != 1 {
		t.Errorf("%d errors in %q", x.Errors, x)
	}
	for range maxChecks {
		x.add(Check{ID: "X", Severity: Warn})
	}
	if len(x.Checks) != maxChecks || x.Warnings != maxChecks-1 {
		t.Errorf("%d checks, %d warnings", len(x.Checks), x.Warnings)
	}
}
