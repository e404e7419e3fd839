package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// result is what a run left behind.
type result struct {
	code     int
	out, err string
}

// runLine runs a line of words on the real app.
func runLine(line string) result {
	return runWith(newApp, line)
}

// runAction runs a line on testApp with action behind every verb.
func runAction(line string, action cli.ActionFunc) result {
	return runWith(func(s streams) *cli.App { return testApp(s, action) }, line)
}

func runWith(app func(streams) *cli.App, line string) result {
	var out, err bytes.Buffer
	s := streams{in: strings.NewReader(""), out: &out, err: &err}
	code := runApp(context.Background(), app(s), append([]string{"git-dos"}, strings.Fields(line)...), s)
	return result{code, out.String(), err.String()}
}

// Every command documents itself: statuses first, a usage line, help that
// needs no repository, and no flag that urfave/cli would complain about on
// standard output or that hides a common one.
func TestEveryCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	n := 0
	var walk func(c *cli.Command, path string)
	walk = func(c *cli.Command, path string) {
		n++
		if !strings.HasPrefix(c.Description, "Exit status: ") || !strings.Contains(c.Description, "2 ") {
			t.Errorf("%s: description %q does not start with its exit statuses", path, c.Description)
		}
		if c.Usage == "" {
			t.Errorf("%s: no usage", path)
		}
		if len(c.Subcommands) == 0 && c.Action == nil {
			t.Errorf("%s: neither an action nor subcommands", path)
		}
		for _, f := range c.Flags {
			checkFlag(t, path, f)
		}
		for _, line := range []string{path + " -h", path + " --help", "help " + path, path + " -h --json"} {
			if r := runLine(line); r.code != 0 || r.err != "" || !strings.Contains(r.out, c.Description) {
				t.Errorf("%s: %+v; want its help and status 0", line, r)
			}
		}
		for _, sub := range c.Subcommands {
			walk(sub, path+" "+sub.Name)
		}
	}
	for _, c := range newApp(streams{}).Commands {
		walk(c, c.Name)
	}
	if n < 5 {
		t.Errorf("%d commands, want at least the 5 of the skeleton", n)
	}
}

func checkFlag(t *testing.T, path string, f cli.Flag) {
	t.Helper()
	if r, ok := f.(cli.RequiredFlag); ok && r.IsRequired() {
		t.Errorf("%s %s: Required prints help on standard output; check the flag in the action", path, f)
	}
	for _, name := range append(f.Names(), "") {
		if named(commonFlags(), name) != nil {
			t.Errorf("%s: --%s hides a common flag", path, name)
		}
	}
	if d, ok := f.(cli.DocGenerationFlag); !ok || d.GetUsage() == "" {
		t.Errorf("%s --%s: no usage", path, f.Names()[0])
	}
}

// Every command that can be run says what its statuses mean, once each, and
// nothing is said about commands that do not exist.
func TestEveryStatus(t *testing.T) {
	n := 0
	table := tableOf(allVerbs())
	seen := map[string]bool{}
	for _, r := range table.ExitCodes {
		key := fmt.Sprint(r.Verb, " ", r.Status, " ", r.Outcome)
		if seen[key] || r.Meaning == "" || r.Status < 0 || r.Status > verdict.Interrupted {
			t.Errorf("%s: stated twice, out of range or without a meaning", key)
		}
		seen[key] = true
	}
	for _, v := range allVerbs() {
		leaves(v.command, v.command.Name, func(_ *cli.Command, path string) {
			n++
			for _, code := range []int{verdict.Yes, verdict.NoVerdict, verdict.Interrupted} {
				found := false
				for _, r := range table.ExitCodes {
					found = found || r.Verb == path && r.Status == code
				}
				if !found {
					t.Errorf("%s: status %d has no meaning", path, code)
				}
			}
		})
	}
	for _, v := range allVerbs() {
		known := map[string]bool{}
		leaves(v.command, v.command.Name, func(_ *cli.Command, path string) { known[path] = true })
		for path := range v.statuses {
			if !known[path] {
				t.Errorf("%s has statuses but is no command", path)
			}
		}
	}
	if n == 0 {
		t.Error("no commands")
	}
}

func TestExitCodesGolden(t *testing.T) {
	golden := filepath.Join("testdata", "exit-codes.golden")
	got := runLine("exit-codes")
	if *update {
		if err := os.WriteFile(golden, []byte(got.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.code != 0 || got.err != "" || got.out != string(want) {
		t.Errorf("exit-codes: %+v\nwant %s\nif the change is meant: go test ./cmd/git-dos -run ExitCodesGolden -update", got, want)
	}
	var table exitCodeTable
	if err := json.Unmarshal([]byte(runLine("exit-codes --json").out), &table); err != nil || table.String() != got.out {
		t.Errorf("the JSON says something else: %v\n%s", err, table)
	}
}

func TestNoVerbIsHelp(t *testing.T) {
	for _, line := range []string{"", "-h", "--help", "help"} {
		if r := runLine(line); r.code != 0 || r.err != "" || !strings.Contains(r.out, "\nVerbs:\n") {
			t.Errorf("%q: %+v", line, r)
		}
	}
}

// A run that reaches no verdict exits 2, says why on standard error in one
// line and a hint, and leaves standard output empty.
func TestNoVerdict(t *testing.T) {
	tests := []struct{ line, want string }{
		{"nosuch", "git-dos: unknown verb \"nosuch\"\nhint: run: git dos -h\n"},
		{"--json=true --quiet", `{"error":{"kind":"usage","message":"want a verb:`},
		{"run-id", "git-dos: run-id: want a subcommand: mint, decode\nhint: run: git dos run-id -h\n"},
		{"run-id mnit", "git-dos: run-id: unknown subcommand \"mnit\"; did you mean mint?\nhint: run: git dos run-id -h\n"},
		{"run-id mint loop --rot x", "git-dos: run-id mint: unknown flag \"--rot\"; did you mean --root?\nhint: run: git dos run-id mint -h\n"},
		{"version --workspace", "git-dos: version: flag --workspace needs a value\nhint: run: git dos version -h\n"},
		{"version --workspace=", "git-dos: --workspace is empty\n"},
		{"version --now soon", "git-dos: --now \"soon\" is neither"},
		{"version --now 0", "git-dos: --now \"0\" is neither"},
		{"version --now -5", "git-dos: --now \"-5\" is neither"},
		{"version --now 99999999999999999", "is neither"},
		{"version --now-ms 1 --now 2", "git-dos: version: flag --now is given twice, as \"1\" and as \"2\", and takes one value\n"},
		{"version --color red", "git-dos: --color \"red\" is not"},
		{"version --quiet=maybe", `--quiet "maybe" is neither true nor false`},
		{"version x", "git-dos: version: unexpected argument \"x\"\n"},
		{"exit-codes x", "git-dos: exit-codes: unknown verb \"x\"\nhint: git dos exit-codes lists all of them\n"},
		{"exit-codes leases", "unknown verb \"leases\""},
		{"exit-codes lease aquire", "unknown verb \"lease aquire\"; did you mean lease acquire?"},
		{"acquire --lane api", "git-dos: unknown verb \"acquire\"; did you mean git dos lease acquire?\nhint: run: git dos -h\n"},
		{"renew", "did you mean git dos lease heartbeat?"},
		{"lease release --lane a --lane b", "git-dos: lease release: flag --lane is given twice, as \"a\" and as \"b\", and takes one value\n"},
		{"-C a version --workspace=b", "flag --workspace is given twice, as \"a\" and as \"b\""},
		{"version x --json", `{"error":{"kind":"usage","verb":"version","message":"unexpected argument \"x\"","hint":"run: git dos version -h"}}` + "\n"},
		{"nosuch --json", `{"error":{"kind":"usage","message":"unknown verb \"nosuch\"","hint":"run: git dos -h"}}` + "\n"},
	}
	for _, tt := range tests {
		r := runLine(tt.line)
		if r.code != 2 || r.out != "" || !strings.Contains(r.err, strings.TrimPrefix(tt.want, "git-dos: --")) {
			t.Errorf("%s: %+v; want status 2, no output and %q", tt.line, r, tt.want)
		}
		if n := strings.Count(r.err, "\n"); n > 2 || strings.Contains(tt.line, "--json") && n != 1 {
			t.Errorf("%s: %d lines on standard error", tt.line, n)
		}
	}
}

// A value that a flag cannot hold is told in words of this tool, with the flag as it
// was written.
func TestBadFlagValue(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"lease acquire src --ttl soon", `git-dos: lease acquire: --ttl "soon" is no length of time, such as 90s or 15m`},
		{"lease acquire src --ttl=", `git-dos: lease acquire: --ttl "" is no length of time`},
		{"lease acquire src --force=maybe", `git-dos: lease acquire: --force "maybe" is neither true nor false`},
		{"lease acquire src -1", `git-dos: lease acquire: unknown flag "-1"` + "\nhint: an argument that begins with a dash stands after --\n"},
	} {
		r := runAction(c.line, nil)
		if r.code != 2 || r.out != "" || !strings.HasPrefix(r.err, c.want) || !strings.Contains(r.err, "\nhint: ") {
			t.Errorf("%s: %+v", c.line, r)
		}
	}
	for value, want := range map[string]string{
		"3": "", "-3": "", "0x10": "", "3.5": "is no whole number", "NaN": "is no whole number", "": "is no whole number", "9" + strings.Repeat("0", 30): "is too large a number",
	} {
		err := convertible(&cli.IntFlag{}, "--target="+value, value)
		if (err == nil) != (want == "") || err != nil && err.Error() != fmt.Sprintf("--target %q %s", value, want) {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestAVerbSeesFlagsAndArguments(t *testing.T) {
	r := runAction("lease take a help --tree x,y -C dir --tree=z --force -- --json", func(c *cli.Context) error {
		got := fmt.Sprintln(c.Args().Slice(), c.StringSlice("tree"), c.Bool("force"), workspace(c), c.Bool("json"))
		if want := "[a help --json] [x,y z] true dir false\n"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		return nil
	})
	if r != (result{}) {
		t.Errorf("%+v", r)
	}
}

func TestWorkspace(t *testing.T) {
	tests := []struct{ claim, line, own, legacy, want string }{
		{"the current directory is the default", "verify", "", "", "."},
		{"the old variable counts", "verify", "", "b", "b"},
		{"our variable counts more", "verify", "a", "b", "a"},
		{"the flag counts most", "verify -C c", "a", "b", "c"},
		{"the flag may come first", "--workspace c verify", "a", "", "c"},
	}
	for _, tt := range tests {
		t.Setenv("GIT_DOS_WORKSPACE", tt.own)
		t.Setenv("DISPATCH_WORKSPACE", tt.legacy)
		runAction(tt.line, func(c *cli.Context) error {
			if got := workspace(c); got != tt.want {
				t.Errorf("%s: workspace %q, want %q", tt.claim, got, tt.want)
			}
			return nil
		})
	}
}

func TestNow(t *testing.T) {
	t.Setenv("GIT_DOS_NOW", "2026-01-02T13:00:00+01:00")
	tests := []struct{ line, want string }{
		{"verify", "2026-01-02T12:00:00Z"},
		{"verify --now 2020-01-01T02:00:00+02:00", "2020-01-01T00:00:00Z"},
		{"verify --now-ms 1577836800000", "2020-01-01T00:00:00Z"},
	}
	for _, tt := range tests {
		runAction(tt.line, func(c *cli.Context) error {
			if got := now(c).Format(time.RFC3339); got != tt.want {
				t.Errorf("%s: now is %s, want %s", tt.line, got, tt.want)
			}
			return nil
		})
	}
}

// The product has no way to be told a false time: without a test binary's
// clock the environment is not read.
func TestTheEnvironmentCannotSetTheClock(t *testing.T) {
	saved, savedInstant := testClock, testInstant
	testClock, testInstant = nil, nil
	defer func() { testClock, testInstant = saved, savedInstant }()
	t.Setenv("GIT_DOS_NOW", "2001-01-01T00:00:00Z")
	t.Setenv("GIT_DOS_MONOTONIC", "99h")
	t.Setenv("GIT_DOS_BOOT", "other")
	real := lease.Instant{Boot: "machine", At: 7}
	if got := instant(func() lease.Instant { return real })(); got != real {
		t.Errorf("leases are watched at %+v", got)
	}
	runAction("verify", func(c *cli.Context) error {
		if age := time.Since(now(c)); age > time.Minute || age < 0 {
			t.Errorf("now is %s", now(c))
		}
		return nil
	})
}

func TestAWritingVerbRefusesNow(t *testing.T) {
	wrote := false
	write := writes(func(*cli.Context) error { wrote = true; return nil })
	if r := runAction("verify --now 1", write); r.code != 2 || wrote || !strings.Contains(r.err, "--now") {
		t.Errorf("%+v, wrote %v", r, wrote)
	}
	if r := runAction("verify", write); r.code != 0 || !wrote {
		t.Errorf("%+v, wrote %v", r, wrote)
	}
}

// brokenWriter fails as a full disk or a departed reader does.
type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestAnAnswerThatDidNotArrive(t *testing.T) {
	tests := []struct {
		claim  string
		fault  error
		stderr string
	}{
		{"a full disk is an error", errors.New("disk full"), "git-dos: verify: write the answer: disk full\n"},
		{"a reader that has left is not told", io.ErrClosedPipe, ""},
	}
	for _, tt := range tests {
		for _, line := range []string{"verify", "verify --json", "verify -h"} {
			var stderr bytes.Buffer
			s := streams{out: brokenWriter{tt.fault}, err: &stderr}
			app := testApp(s, func(c *cli.Context) error { return answer(c, yes{"DONE", 0}) })
			code := runApp(context.Background(), app, append([]string{"git-dos"}, strings.Fields(line)...), s)
			if want := tt.stderr; code != 2 || line == "verify" && stderr.String() != want || want == "" && stderr.Len() > 0 {
				t.Errorf("%s: %s: exit %d, stderr %q", tt.claim, line, code, &stderr)
			}
		}
	}
}
