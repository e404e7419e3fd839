package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lease"
)

// TestMain holds the clock at GIT_DOS_NOW and the one that leases are watched by
// at GIT_DOS_MONOTONIC (a duration since the boot GIT_DOS_BOOT), and has a loop wait
// no longer than GIT_DOS_PAUSE and finds GIT_DOS_FREE_MB free on the disk, which only
// a test binary reads, and
// puts git-dos on the path of every script, so that "exec git dos" is found by
// git as it would be on a user's machine.
func TestMain(m *testing.M) {
	testClock = func() (time.Time, bool) {
		t, err := time.Parse(time.RFC3339, os.Getenv("GIT_DOS_NOW"))
		return t, err == nil
	}
	testInstant = func() (lease.Instant, bool) {
		at, err := time.ParseDuration(os.Getenv("GIT_DOS_MONOTONIC"))
		boot := os.Getenv("GIT_DOS_BOOT")
		if boot == "" {
			boot = "boot-of-the-test"
		}
		return lease.Instant{Boot: boot, At: int64(at)}, err == nil
	}
	testPause = func(d time.Duration) time.Duration {
		if most, err := time.ParseDuration(os.Getenv("GIT_DOS_PAUSE")); err == nil {
			return min(d, most)
		}
		return d
	}
	testHost = func(h *supervise.Host) {
		if mb, err := strconv.ParseInt(os.Getenv("GIT_DOS_FREE_MB"), 10, 64); err == nil {
			h.DiskMB = &mb
		}
	}
	testscript.Main(m, map[string]func(){
		"git-dos": main,
		"git-dos-test-supervise": func() {
			os.Exit(withSignals(func(ctx context.Context) int { return superviseTester(ctx, os.Args) }))
		},
		"git-dos-test-wait": func() {
			os.Exit(withSignals(func(ctx context.Context) int { return runWaiter(ctx, os.Args) }))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "scripts"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               isolate,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"fleet":  fleet,
			"direct": direct,
			"keep":   keep,
			"json":   jsonValue,
		},
	})
}

const gitconfig = `[init]
	defaultBranch = main
[protocol "file"]
	allow = always
[core]
	autocrlf = false
`

// isolate gives a script a home, a clock and an identity of its own. The
// environment of the test is not passed on in any case.
func isolate(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	for name, value := range map[string]string{
		"HOME":                home,
		"USERPROFILE":         home,
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_TERMINAL_PROMPT": "0",
		"GIT_DOS_NOW":         "2026-01-02T12:00:00Z",
		"GIT_DOS_MONOTONIC":   "1000s",
		"GIT_PROGRESS_DELAY":  "3600",
		"GIT_AUTHOR_NAME":     "worker",
		"GIT_AUTHOR_EMAIL":    "worker@example.com",
		"GIT_AUTHOR_DATE":     "2026-01-02T12:00:00Z",
		"GIT_COMMITTER_NAME":  "worker",
		"GIT_COMMITTER_EMAIL": "worker@example.com",
		"GIT_COMMITTER_DATE":  "2026-01-02T12:00:00Z",
		"NO_COLOR":            "1",
		"LC_ALL":              "C",
	} {
		env.Setenv(name, value)
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitconfig), 0o600)
}

// exits runs a command and checks its exact status: exits 3 git dos ...
// "! exec" accepts any failure, which would let a crash pass for a verdict.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// fleet makes a bare remote and a clone of it for each worker, named after the
// worker: fleet hub.git alice bob. The remote holds one commit with a file in
// each of api/, web/ and docs/. With GITDOS_SERVER_HOOKS set it judges what is
// pushed to it: then a story ends otherwise where somebody in it pushes over a held
// tree by hand, or moves the refs of git-dos back, and nowhere else.
func fleet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fleet REMOTE CLONE...")
	}
	git := func(args ...string) { ts.Check(ts.Exec("git", args...)) }
	hub, first := args[0], args[1]
	git("init", "--quiet", "--bare", hub)
	if os.Getenv("GITDOS_SERVER_HOOKS") != "" {
		ts.Check(ts.Exec("git-dos", "hooks", "install", "--server", hub))
		ts.Check(os.Remove(ts.MkAbs(filepath.Join(hub, "hooks", "post-receive")))) // whose ledger is one ref more
	}
	git("clone", "--quiet", hub, first)
	for _, dir := range []string{"api", "web", "docs"} {
		ts.Check(os.MkdirAll(ts.MkAbs(filepath.Join(first, dir)), 0o755))
		ts.Check(os.WriteFile(ts.MkAbs(filepath.Join(first, dir, "README")), []byte(dir+"\n"), 0o644))
	}
	git("-C", first, "add", ".")
	git("-C", first, "commit", "--quiet", "-m", "root")
	git("-C", first, "push", "--quiet", "origin", "HEAD")
	for _, clone := range args[2:] {
		git("clone", "--quiet", hub, clone)
	}
}

// direct has every lane of a fleet decided on its remote, in the dos.toml that init
// has just written: direct CLONE.
func direct(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: direct CLONE")
	}
	inFleet(ts, args[0], "lanes", "all")
}

// keep has the nodes of a fleet keep what they have: keep CLONE DURATION.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keep CLONE DURATION")
	}
	inFleet(ts, args[0], "keep", args[1])
}

// inFleet adds a setting to the [fleet] table that init has just written at the end
// of a clone's dos.toml.
func inFleet(ts *testscript.TestScript, clone, key, value string) {
	path := filepath.Join(clone, "dos.toml")
	ts.Check(os.WriteFile(ts.MkAbs(path), fmt.Appendf(nil, "%s%s = %q\n", ts.ReadFile(path), key, value), 0o644))
}

// jsonValue checks one value of the JSON on standard output by its dotted
// path: json lease.lane api. List elements go by index, strings are compared
// without quotes and all else in its JSON form; an absent key has no value, so
// "! json KEY" holds for it.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if neg && len(args) != 1 || !neg && len(args) != 2 {
		ts.Fatalf("usage: json KEY VALUE, or ! json KEY")
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		ts.Fatalf("standard output is not JSON: %v", err)
	}
	got, found := lookUp(doc, args[0])
	switch {
	case neg && found:
		ts.Fatalf("%s is %s, want it absent", args[0], got)
	case !neg && !found:
		ts.Fatalf("%s is absent, want %s", args[0], args[1])
	case !neg && got != args[1]:
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

func lookUp(doc any, path string) (string, bool) {
	for _, key := range strings.Split(path, ".") {
		switch v := doc.(type) {
		case map[string]any:
			next, ok := v[key]
			if !ok {
				return "", false
			}
			doc = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return "", false
			}
			doc = v[i]
		default:
			return "", false
		}
	}
	if s, ok := doc.(string); ok {
		return s, true
	}
	text, err := json.Marshal(doc)
	return string(text), err == nil
}

func TestLookUp(t *testing.T) {
	var doc any
	if err := json.Unmarshal([]byte(`{"a":{"b":["x",{"c":true}]},"n":null}`), &doc); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a.b.0": "x", "a.b.1.c": "true", "n": "null", "a.b.2": "none", "a.z": "none", "a.b.0.c": "none",
	} {
		got, found := lookUp(doc, path)
		if !found {
			got = "none"
		}
		if fmt.Sprint(got) != want {
			t.Errorf("lookUp(%s) = %s, want %s", path, got, want)
		}
	}
}
