//go:build unix

package git

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
	"testing/iotest"
	"time"
)

// fakeGit puts a shell script named git first on the PATH.
func fakeGit(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func repository(t *testing.T) Runner {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "worker", "GIT_AUTHOR_EMAIL": "worker@example.com",
		"GIT_COMMITTER_NAME": "worker", "GIT_COMMITTER_EMAIL": "worker@example.com",
	} {
		t.Setenv(name, value)
	}
	r := Runner{Dir: t.TempDir()}
	mustGit(t, r, "init", "-q", "-b", "main")
	return r
}

func mustGit(t *testing.T, r Runner, args ...string) string {
	t.Helper()
	out, err := r.Output(context.Background(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestHowAGitEndsIsTold(t *testing.T) {
	fakeGit(t, `echo answer; echo "warning: more" >&2; echo "fatal: words" >&2; exit 7`)
	out, words, err := Runner{}.Run(context.Background(), Call{Args: []string{"some-command"}})
	var g *Error
	if !errors.As(err, &g) || g.Code != 7 || string(out) != "answer\n" || words != "warning: more\nfatal: words\n" {
		t.Fatalf("%q, %q, %v", out, words, err)
	}
	for _, args := range [][]string{{"some-command"}, {"-c", "a.b=c", "-c", "d.e=f", "some-command"}} {
		g.Args = args
		if want := "git some-command: fatal: words"; g.Error() != want {
			t.Errorf("%q of %q, want %q", g.Error(), args, want)
		}
	}

	fakeGit(t, `kill -9 $$`)
	if _, err := (Runner{}).Output(context.Background(), "x"); !errors.As(err, &g) || g.Code != -1 {
		t.Errorf("a killed git: %v; want code -1", err)
	}

	t.Setenv("PATH", t.TempDir())
	if _, err := (Runner{}).Output(context.Background(), "x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("without git: %v; want ErrNotFound", err)
	}
}

// A git that is told to stop gets to remove its lock files. What it started is
// asked to end once git is gone.
func TestCancelledGitCleansUp(t *testing.T) {
	fakeGit(t, `trap '>cleaned; wait; exit 1' TERM
(trap '>stopped; exit' TERM; >began; for i in $(seq 100); do sleep 0.1; done) 2>/dev/null &
wait`)
	dir := t.TempDir()
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("the caller left")
	go func() {
		for range 1000 {
			if _, err := os.Stat(filepath.Join(dir, "began")); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		cancel(why)
	}()
	began := time.Now()
	_, err := Runner{Dir: dir}.Output(ctx, "x")
	if !errors.Is(err, why) {
		t.Errorf("%v, want the cause of the cancelling", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
	for name, claim := range map[string]string{"cleaned": "git", "stopped": "what it had started"} {
		there := false
		for range 100 {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				there = true
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if !there {
			t.Errorf("%s was not asked to end", claim)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	b := &bounded{limit: 10}
	for range 3 {
		if n, err := b.Write([]byte("123456")); n != 6 || err != nil {
			t.Fatalf("%d, %v: a full buffer must go on accepting", n, err)
		}
	}
	if string(b.kept) != "1234561234" || !b.over {
		t.Errorf("%q, over %v", b.kept, b.over)
	}
	words := &bounded{limit: 3, quiet: true}
	if _, _ = words.Write([]byte("1234")); words.over || string(words.kept) != "123" {
		t.Errorf("%q, over %v: words for people are cut without an error", words.kept, words.over)
	}
}

// What comes through a pipe is copied by ReadFrom and not by Write.
func TestWhatIsCopiedIsBounded(t *testing.T) {
	for _, c := range []struct {
		claim, in, kept string
		limit           int
		quiet, over     bool
	}{
		{claim: "less than the limit is kept", in: "12345", limit: 6, kept: "12345"},
		{claim: "the limit is no excess", in: "123456", limit: 6, kept: "123456"},
		{claim: "more is cut and told", in: "1234567", limit: 6, kept: "123456", over: true},
		{claim: "words for people are cut without an error", in: "1234567", limit: 6, quiet: true, kept: "123456"},
		{claim: "it grows with what comes", in: strings.Repeat("x", 5000), limit: 1 << 20, kept: strings.Repeat("x", 5000)},
	} {
		b := &bounded{limit: c.limit, quiet: c.quiet}
		if n, err := io.Copy(b, iotest.OneByteReader(strings.NewReader(c.in))); n != int64(len(c.in)) || err != nil {
			t.Errorf("%s: copied %d of %d, %v", c.claim, n, len(c.in), err)
		}
		if string(b.kept) != c.kept || b.over != c.over {
			t.Errorf("%s: kept %d bytes, over %v", c.claim, len(b.kept), b.over)
		}
	}
	torn := errors.New("torn")
	if _, err := io.Copy(&bounded{limit: 10}, iotest.ErrReader(torn)); !errors.Is(err, torn) {
		t.Errorf("a pipe that cannot be read: %v", err)
	}

	fakeGit(t, `head -c 200000 /dev/zero | tr '\0' x >&2; echo answer`)
	out, words, err := Runner{}.Run(context.Background(), Call{Args: []string{"x"}})
	if string(out) != "answer\n" || len(words) != 64<<10 || err != nil {
		t.Errorf("a git that talks too much: %q, %d bytes of words, %v", out, len(words), err)
	}
}

// What git leaves behind may keep its output open for as long as it likes.
func TestAGitThatHasEndedIsNotAwaitedForItsOutput(t *testing.T) {
	fakeGit(t, `sleep 8 & echo answer`)
	began := time.Now()
	out, _, _ := Runner{}.Run(context.Background(), Call{Args: []string{"x"}})
	if took := time.Since(began); took > 2*killGrace+time.Second || string(out) != "answer\n" {
		t.Errorf("%q after %s", out, took)
	}
}

// A git that was found is not the one of another PATH.
func TestGitIsLookedUpOncePerPath(t *testing.T) {
	for _, says := range []string{"first", "second", "third"} {
		fakeGit(t, "echo "+says)
		for range 2 {
			if out, err := (Runner{}).Output(context.Background(), "x"); string(out) != says+"\n" || err != nil {
				t.Errorf("%q, %v; want the git that is first on PATH: %s", out, err, says)
			}
		}
	}
}

func TestEveryGitHasTheSameSurroundings(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	t.Setenv("GIT_NO_REPLACE_OBJECTS", "")
	t.Setenv("GIT_GRAFT_FILE", "mine")
	env := Runner{Env: []string{"GIT_TERMINAL_PROMPT=1"}}.environ()
	for name, want := range map[string]string{
		"LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.DevNull, "SSH_ASKPASS_REQUIRE": "never",
		"GIT_TERMINAL_PROMPT": "1", // what the caller adds wins
	} {
		if got := last(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// last is the value a child sees: that of the last setting.
func last(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

func TestAnotherRepositoryIsNotTheCallers(t *testing.T) {
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_QUARANTINE_PATH"} {
		t.Setenv(name, "callers")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", "users")
	t.Setenv("GIT_SSH_COMMAND", "users")
	own, foreign := Runner{}.environ(), Runner{Foreign: true}.environ()
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_QUARANTINE_PATH"} {
		if last(own, name) == "" || last(foreign, name) != "" {
			t.Errorf("%s: %q for the caller's own repository, %q for another", name, last(own, name), last(foreign, name))
		}
	}
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_SSH_COMMAND"} {
		if last(foreign, name) != "users" {
			t.Errorf("%s is the user's and was dropped", name)
		}
	}
}

// Neither a graft nor a replace ref makes one commit an ancestor of another,
// and no advice about them is mixed into what git says.
func TestHistoryIsWhatTheObjectsSay(t *testing.T) {
	r := repository(t)
	tree := mustGit(t, r, "mktree", "--missing")
	tip := mustGit(t, r, "commit-tree", "-m", "tip", tree)
	other := mustGit(t, r, "commit-tree", "-m", "other", tree)
	replacement := mustGit(t, r, "commit-tree", "-m", "tip", "-p", other, tree)
	if err := os.WriteFile(filepath.Join(r.Dir, ".git", "info", "grafts"), []byte(tip+" "+other+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ask := []string{"merge-base", "--is-ancestor", other, tip}
	plain := exec.Command("git", ask...)
	plain.Dir = r.Dir
	if err := plain.Run(); err != nil {
		t.Fatalf("the forgery does not work on plain git, so the test proves nothing: %v", err)
	}
	for _, forgery := range []string{"a graft", "a replace ref"} {
		_, words, err := r.Run(context.Background(), Call{Args: ask})
		var g *Error
		if !errors.As(err, &g) || g.Code != 1 || words != "" {
			t.Errorf("%s: %v, %q; want exit 1 in silence", forgery, err, words)
		}
		mustGit(t, r, "replace", "-f", tip, replacement)
	}
}

// A namespace would hide every ref, and a switch for pathspecs would read the
// names of files as something else.
func TestRefsAndPathsAreWhatTheyAreCalled(t *testing.T) {
	r := repository(t)
	mustGit(t, r, "commit", "-q", "--allow-empty", "-m", "x")
	tip := mustGit(t, r, "rev-parse", "refs/heads/main")
	for _, name := range []string{"GIT_NAMESPACE", "GIT_ICASE_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_LITERAL_PATHSPECS"} {
		t.Setenv(name, "1")
		for _, foreign := range []bool{false, true} {
			if got := last(Runner{Foreign: foreign}.environ(), name); got != "" {
				t.Errorf("%s is %q in a child", name, got)
			}
		}
		if got := last(Runner{Env: []string{name + "=mine"}}.environ(), name); got != "mine" {
			t.Errorf("%s, added by the caller, is %q", name, got)
		}
	}
	if out := mustGit(t, r, "ls-remote", ".", "refs/heads/main"); out != tip+"\trefs/heads/main" {
		t.Errorf("the remote shows %q, want %s", out, tip)
	}
}

// What a child inherits stays open in it as long as it lives.
func TestInheritedFilesReachTheChild(t *testing.T) {
	fakeGit(t, `cat <&3`)
	f, err := os.Open(filepath.Join("git.go"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, _, err := Runner{}.Run(context.Background(), Call{Args: []string{"x"}, Inherit: []*os.File{f}})
	if err != nil || !bytes.HasPrefix(out, []byte("// Package git")) {
		t.Errorf("%.40q, %v", out, err)
	}
}
