package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/manual"
)

// Every verb has a page, with all its flags and statuses, and the same bytes
// each time.
func TestEveryVerbHasAPage(t *testing.T) {
	app := newApp(streams{})
	table := tableOf(allVerbs())
	pages, again := map[string]string{}, manPages(newApp(streams{}), table)
	for i, p := range manPages(app, table) {
		pages[p.Name] = string(p.Roff())
		if !bytes.Equal(again[i].Roff(), p.Roff()) {
			t.Errorf("%s has other bytes the second time", p.Name)
		}
	}
	for _, c := range app.Commands {
		text := pages["git-dos-"+c.Name]
		leaves(c, c.Name, func(leaf *cli.Command, path string) {
			for _, row := range flagRows(leaf.Flags) {
				if !strings.Contains(text, strings.ReplaceAll(row[0], "-", `\-`)) {
					t.Errorf("the page of %s does not have %s", path, row[0])
				}
			}
		})
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"} {
			if !strings.Contains(text, `.SH "`+section+`"`) {
				t.Errorf("the page of %s has no %s", c.Name, section)
			}
		}
		for _, r := range table.ExitCodes {
			if (r.Verb == c.Name || strings.HasPrefix(r.Verb, c.Name+" ")) && r.Outcome != "" && !strings.Contains(text, strings.ReplaceAll(r.Outcome, "-", `\-`)) {
				t.Errorf("the page of %s does not have %s", c.Name, r.Outcome)
			}
		}
	}
	if len(pages) != len(app.Commands)+1 || len(pages) < 50 {
		t.Errorf("%d pages, %d verbs", len(pages), len(app.Commands))
	}
}

func TestMandocFindsNoFault(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("there is no mandoc on the PATH")
	}
	dir := t.TempDir()
	if _, err := manual.Install(dir, manName, manPages(newApp(streams{}), tableOf(allVerbs()))); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.1"))
	out, err := exec.Command(mandoc, append([]string{"-T", "lint", "-W", "warning"}, files...)...).CombinedOutput()
	if err != nil || len(out) > 0 || len(files) < 50 {
		t.Errorf("%d pages, %v\n%s", len(files), err, out)
	}
}

// The examples in the manual are command lines that git-dos understands, of
// the verb they stand under.
func TestManualExamplesAreUnderstood(t *testing.T) {
	word := regexp.MustCompile(`'[^']*'|\S+`)
	for name, lines := range manExamples() {
		for _, line := range lines {
			_, line, _ = strings.Cut(line, "git dos ")
			line, _, _ = strings.Cut(strings.TrimSuffix(line, ")"), " >")
			line, _, _ = strings.Cut(line, " | ")
			inv, err := parse(newApp(streams{}), append([]string{"git-dos"}, word.FindAllString(line, -1)...))
			if err != nil || len(inv.path) == 0 || inv.path[0].Name != name || inv.help {
				t.Errorf("%s: %q: %v", name, line, err)
			}
		}
	}
}

// What the manual says is read from the environment is what the sources read.
func TestEveryVariableIsInTheManual(t *testing.T) {
	known := map[string]bool{
		"GIT_DOS_NOW": true, "GIT_DOS_MONOTONIC": true, "GIT_DOS_BOOT": true, "GIT_DOS_PAUSE": true, "GIT_DOS_FREE_MB": true, // of test binaries
		"GIT_DOS_LAUNCH": true, // set by supervise for its own children
	}
	for _, v := range variables() {
		for _, n := range v.Names {
			known[n] = true
		}
	}
	seen := 0
	quoted := regexp.MustCompile(`"((?:GIT_DOS|DISPATCH|CID)_[A-Z_]+)"`)
	for _, glob := range []string{"*.go", "../../internal/*/*.go", "../../hooks/*.go", "../../refstore/*.go"} {
		files, _ := filepath.Glob(glob)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range quoted.FindAllStringSubmatch(string(data), -1) {
				seen++
				if !known[m[1]] {
					t.Errorf("%s reads %s, which variables does not have", file, m[1])
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d variables seen: the test looks in the wrong place", seen)
	}
}

func TestThePageSaysWhatItIsOf(t *testing.T) {
	for claim, c := range map[string]struct {
		info         debug.BuildInfo
		source, date string
	}{
		"a build that tells nothing":     {debug.BuildInfo{}, "git-dos", "1970-01-01"},
		"a version that names no day":    {debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "git-dos v1.2.3", "1970-01-01"},
		"a version made of a commit":     {debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260102030405-0123456789ab"}}, "git-dos v0.0.0-20260102030405-0123456789ab", "2026-01-02"},
		"a build of a commit, far away":  {debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "2026-01-02T23:30:00-05:00"}}}, "git-dos", "2026-01-03"},
		"a time that is none is nothing": {debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "soon"}}}, "git-dos", "1970-01-01"},
	} {
		if source, date := manSource(&c.info, true); source != c.source || date != c.date {
			t.Errorf("%s: %s, %s", claim, source, date)
		}
	}
}
