//go:build unix

package hookset

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/refstore"
)

// pushed is a repository with a remote to push to.
func pushed(t *testing.T) *refstore.Repo {
	t.Helper()
	repo := newRepo(t)
	hub := filepath.Join(t.TempDir(), "hub.git")
	githome.Git(t, repo.WorkTree, "init", "-q", "--bare", hub)
	githome.Git(t, repo.WorkTree, "remote", "add", "origin", hub)
	return repo
}

func push(t *testing.T, dir string, branch string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", "push", "origin", "HEAD:refs/heads/"+branch)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, errNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

// recording is a hook of another tool that writes down how it was called.
const recording = `{ printf 'argv'; printf ' <%s>' "$@"; echo; printf 'input '; cat; echo; } >> "$PWD/other"
exit "$(cat "$PWD/other-status" 2>/dev/null || echo 0)"
`

func TestBothHooksGetWhatGitSays(t *testing.T) {
	for _, first := range []string{"#!/bin/sh\n", "#!/usr/bin/env sh\n# $0\n", "#!/bin/sh -e\n# $0\n", ""} {
		for _, order := range []Order{First, Last} {
			repo, program := pushed(t), fakeProgram(t)
			writeFile(t, filepath.Join(repo.CommonDir, "hooks", "pre-push"), first+recording, 0o755)
			install(t, repo, Request{Program: program, Order: order, Hooks: []string{"pre-push"}})
			if out, err := push(t, repo.WorkTree, "a"); err != nil {
				t.Fatalf("%q %s: %v\n%s", first, order, err, out)
			}
			head := githome.Git(t, repo.WorkTree, "rev-parse", "HEAD")
			url := githome.Git(t, repo.WorkTree, "remote", "get-url", "origin")
			line := "input HEAD " + head + " refs/heads/a " + strings.Repeat("0", 40) + "\n\n"
			if got, want := read(t, filepath.Join(repo.WorkTree, "other")), "argv <origin> <"+url+">\n"+line; got != want {
				t.Errorf("%q %s: the other hook was told %q, want %q", first, order, got, want)
			}
			if got, want := read(t, filepath.Join(filepath.Dir(program), "calls")), "argv <hook> <pre-push> <--> <origin> <"+url+">\n"+line; got != want {
				t.Errorf("%q %s: git-dos was told %q, want %q", first, order, got, want)
			}
		}
	}
}

func TestTheFirstStatusThatIsNotZeroCounts(t *testing.T) {
	tests := []struct {
		order              Order
		other, own         string
		want               int
		otherRuns, ownRuns bool
	}{
		{First, "0", "0", 0, true, true},
		{First, "7", "3", 7, true, false},
		{First, "0", "3", 3, true, true},
		{Last, "7", "3", 3, false, true},
		{Last, "7", "0", 7, true, true},
	}
	for _, test := range tests {
		repo, program := pushed(t), fakeProgram(t)
		writeFile(t, filepath.Join(repo.CommonDir, "hooks", "pre-push"), "#!/bin/sh\n"+recording, 0o755)
		writeFile(t, filepath.Join(repo.WorkTree, "other-status"), test.other, 0o644)
		writeFile(t, filepath.Join(filepath.Dir(program), "status"), test.own, 0o644)
		install(t, repo, Request{Program: program, Order: test.order})
		cmd := exec.Command(filepath.Join(repo.CommonDir, "hooks", "pre-push"), "origin", "url")
		cmd.Dir, cmd.Stdin = repo.WorkTree, strings.NewReader("a line\n")
		_ = cmd.Run()
		other, own := read(t, filepath.Join(repo.WorkTree, "other")) != "", read(t, filepath.Join(filepath.Dir(program), "calls")) != ""
		if got := cmd.ProcessState.ExitCode(); got != test.want || other != test.otherRuns || own != test.ownRuns {
			t.Errorf("%+v: status %d, the other ran: %v, git-dos ran: %v", test, got, other, own)
		}
		if out, err := push(t, repo.WorkTree, "a"); (err == nil) != (test.want == 0) {
			t.Errorf("%+v: the push ends with %v\n%s", test, err, out)
		}
	}
}

func TestWhatGitNeverRanIsNotRun(t *testing.T) {
	repo, program := pushed(t), fakeProgram(t)
	hook := filepath.Join(repo.CommonDir, "hooks", "pre-push")
	writeFile(t, hook, "#!/bin/sh\nexit 9\n", 0o644)
	install(t, repo, Request{Program: program})
	if out, err := push(t, repo.WorkTree, "a"); err != nil {
		t.Errorf("a hook without the right to be executed was run: %s", out)
	}
	if err := os.Remove(hook + savedSuffix); err != nil {
		t.Fatal(err)
	}
	if out, err := push(t, repo.WorkTree, "b"); err != nil || !strings.Contains(out, "is gone, so only git-dos is run") {
		t.Errorf("the other hook is gone: %v\n%s", err, out)
	}
	if h := hookOf(t, see(t, repo), "pre-push"); !h.Armed || h.Note == "" {
		t.Errorf("the other hook is gone: %+v", h)
	}
}

func TestAHookNeverRunsItself(t *testing.T) {
	repo, program := pushed(t), fakeProgram(t)
	hook := filepath.Join(repo.CommonDir, "hooks", "pre-push")
	writeFile(t, hook, "#!/bin/sh\n", 0o755)
	install(t, repo, Request{Program: program})
	writeFile(t, hook+savedSuffix, read(t, hook), 0o755)
	if out, err := push(t, repo.WorkTree, "a"); err != nil || !strings.Contains(out, "calls git-dos itself") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWithoutTheProgramEverythingIsRefused(t *testing.T) {
	repo, program := pushed(t), fakeProgram(t)
	install(t, repo, Request{Program: program})
	if err := os.Rename(program, program+".away"); err != nil {
		t.Fatal(err)
	}
	out, err := push(t, repo.WorkTree, "a")
	if err == nil || strings.Count(out, "git-dos") == 0 || !strings.Contains(out, "install it again") || !strings.Contains(out, "--no-verify") {
		t.Errorf("%v\n%s", err, out)
	}
	if h := hookOf(t, see(t, repo), "pre-push"); h.Armed || h.Reason != NoProgram {
		t.Errorf("%+v", h)
	}
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := os.Rename(program+".away", program); err != nil {
		t.Fatal(err)
	}
	install(t, repo, Request{Program: "/nowhere/git-dos"})
	if out, err := push(t, repo.WorkTree, "a"); err != nil {
		t.Errorf("the program on PATH was not called: %s", out)
	}
	if h := hookOf(t, see(t, repo), "pre-push"); !h.Armed || h.Program != program {
		t.Errorf("%+v", h)
	}
}

func TestInputThatNeverBeginsIsNotAwaited(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	c := Chain{Hook: "pre-push", Zero: "hooks/pre-push", Chained: "/nowhere/x", Order: First, Program: "/nowhere/y", Patience: 20 * time.Millisecond, In: r}
	if _, err := c.Run(context.Background()); !errors.Is(err, ErrNoInput) {
		t.Errorf("%v, want %v", err, ErrNoInput)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c.Patience = time.Hour
	if _, err := c.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

func TestInputThatIsNotGitsIsPassedOnAsItIs(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "git-dos")
	writeFile(t, program, "#!/bin/sh\n[ -c /dev/stdin ]\n", 0o755)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	c := Chain{Hook: "pre-push", Zero: filepath.Join(dir, "pre-push"), Chained: "/nowhere/x", Order: First, Program: program, Patience: time.Minute, In: null, Err: io.Discard}
	if code, err := c.Run(context.Background()); code != 0 || err != nil {
		t.Errorf("the null device reached git-dos as something else: %d, %v", code, err)
	}
	c.In = strings.NewReader("")
	if code, err := c.Run(context.Background()); code != 1 || err != nil {
		t.Errorf("an empty pipe reached git-dos as something else: %d, %v", code, err)
	}
}

func TestLargeInputReachesAHookThatReadsNoneOfIt(t *testing.T) {
	program := fakeProgram(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "pre-push.dos-prev"), "#!/bin/sh\nexit 0\n", 0o755)
	writeFile(t, filepath.Join(dir, "pre-push"), "", 0o755)
	text := strings.Repeat("refs/heads/x\x00\xff\n", 100_000)
	var out, words bytes.Buffer
	c := Chain{Hook: "pre-push", Zero: filepath.Join(dir, "pre-push"), Chained: "pre-push.dos-prev", Order: First, Program: program,
		Args: []string{"-x", "--", "$(false)"}, Patience: time.Minute, In: strings.NewReader(text), Out: &out, Err: &words}
	if code, err := c.Run(context.Background()); code != 0 || err != nil {
		t.Fatalf("%d, %v: %s", code, err, words.String())
	}
	if got, want := read(t, filepath.Join(filepath.Dir(program), "calls")), "argv <hook> <pre-push> <--> <-x> <--> <$(false)>\ninput "+text+"\n"; got != want {
		t.Errorf("%d bytes arrived, want %d", len(got), len(want))
	}
	c.In = io.LimitReader(zeros{}, MaxInput+2)
	if _, err := c.Run(context.Background()); err == nil {
		t.Error("input without end is taken in")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestScriptsThatAskForTheirNameAreReadUnderIt(t *testing.T) {
	tests := map[string][]string{
		"#!/bin/sh\necho $0\n":                         {"/bin/sh"},
		"#!/usr/bin/env bash\necho ${0##*/}\n":         {"bash"},
		"#! /bin/bash -eu\necho \"$0\"\n":              {"/bin/bash", "-eu"},
		"#!/bin/sh\necho no\n":                         nil,
		"#!/usr/bin/env -S sh -e\necho $0\n":           nil,
		"#!/usr/bin/env sh -e\necho $0\n":              nil,
		"#!/bin/bash\n[ \"$BASH_SOURCE\" = \"$0\" ]\n": nil,
		"#!/usr/bin/python3\n'$0'\n":                   nil,
		"#!/bin/sh;rm\necho $0\n":                      nil,
		"echo $0\n":                                    nil,
		"\x7fELF\x00$0":                                nil,
	}
	for text, want := range tests {
		path := filepath.Join(t.TempDir(), "pre-push.dos-prev")
		writeFile(t, path, text, 0o755)
		if got := sourcedBy(path); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The shape of husky's hooks: which script is run goes by the name in $0, and
// under an unknown one nothing is run at all.
func TestAHookThatGoesByItsOwnNameIsRun(t *testing.T) {
	repo, program := pushed(t), fakeProgram(t)
	hooks := filepath.Join(repo.WorkTree, ".husky", "_")
	writeFile(t, filepath.Join(hooks, "h"), "s=$(dirname \"$(dirname \"$0\")\")/$(basename \"$0\")\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n", 0o644)
	writeFile(t, filepath.Join(hooks, "pre-push"), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", 0o755)
	writeFile(t, filepath.Join(repo.WorkTree, ".husky", "pre-push"), recording, 0o644)
	githome.Git(t, repo.WorkTree, "config", "core.hooksPath", ".husky/_")
	install(t, repo, Request{Program: program})
	if out, err := push(t, repo.WorkTree, "a"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := read(t, filepath.Join(repo.WorkTree, "other")); !strings.Contains(got, "argv <origin> <") || !strings.Contains(got, "input HEAD ") {
		t.Errorf("it was told %q", got)
	}
}

func TestAHookThatWritesOverOursIsTold(t *testing.T) {
	repo, program := pushed(t), fakeProgram(t)
	hook := filepath.Join(repo.CommonDir, "hooks", "pre-push")
	writeFile(t, hook, "#!/bin/sh\nrm -f .git/hooks/pre-push\nprintf '#!/bin/sh\\n' > .git/hooks/pre-push\n", 0o755)
	install(t, repo, Request{Program: program})
	out, err := push(t, repo.WorkTree, "a")
	if err != nil || !strings.Contains(out, "will not run git-dos again: git dos hooks install") {
		t.Errorf("%v\n%s", err, out)
	}
	if calls := read(t, filepath.Join(filepath.Dir(program), "calls")); !strings.Contains(calls, "<pre-push>") {
		t.Errorf("git-dos was called with %q", calls)
	}
}
