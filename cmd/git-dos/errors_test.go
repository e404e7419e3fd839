package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestErrorsAreReported(t *testing.T) {
	tests := []struct {
		claim string
		err   error
		code  int
		text  string
		json  string
	}{
		{"an error no verb classified is the environment's", errors.New("no such file"), 2,
			"git-dos: verify: no such file\n",
			`{"error":{"kind":"environment","verb":"verify","message":"no such file"}}`},
		{"a wrapped classification is found", fmt.Errorf("read lane api: %w", errorf(kindConflict, "lost 16 races").hint("run it again")), 2,
			"git-dos: verify: read lane api: lost 16 races\nhint: run it again\n",
			`{"error":{"kind":"conflict","verb":"verify","message":"read lane api: lost 16 races","hint":"run it again"}}`},
		{"an error may choose its status", &cmdError{Kind: kindStore, Message: "down", Exit: 4}, 4,
			"git-dos: verify: down\n",
			`{"error":{"kind":"store","verb":"verify","message":"down"}}`},
		{"a usage error always says where help is", usagef("want PLAN"), 2,
			"git-dos: verify: want PLAN\nhint: run: git dos verify -h\n",
			`{"error":{"kind":"usage","verb":"verify","message":"want PLAN","hint":"run: git dos verify -h"}}`},
		{"a hostile message cannot add lines or drive the terminal", errors.New("remote: \x1b[2J\r\nhint: run: rm -rf & \u009b \u202e \xff"), 2,
			"git-dos: verify: remote: " + `\x1b[2J\x0d\nhint: run: rm -rf & \x9b \u202e \xff` + "\n",
			`{"error":{"kind":"environment","verb":"verify","message":"remote: \\x1b[2J\\x0d\\nhint: run: rm -rf & \\x9b \\u202e \\xff"}}`},
	}
	for _, tt := range tests {
		action := func(*cli.Context) error { return tt.err }
		if r := runAction("verify", action); r != (result{tt.code, "", tt.text}) {
			t.Errorf("%s: %+v, want status %d and %q", tt.claim, r, tt.code, tt.text)
		}
		if r := runAction("verify --json", action); r != (result{tt.code, "", tt.json + "\n"}) {
			t.Errorf("%s: %+v, want status %d and %s", tt.claim, r, tt.code, tt.json)
		}
	}
}

func TestACauseStaysReachable(t *testing.T) {
	if err := environmentf("open dos.toml: %w", fs.ErrNotExist); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v has lost its cause", err)
	}
}

// The status of a program we ran, usually git, is not our status. urfave/cli
// would end the process with it.
func TestAChildsStatusIsNotOurs(t *testing.T) {
	err := exec.Command("git", "no-such-command").Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("git no-such-command: %v", err)
	}
	r := runAction("verify", func(*cli.Context) error { return err })
	if r.code != 2 || r.out != "" || !strings.HasPrefix(r.err, "git-dos: verify: exit status ") {
		t.Errorf("%+v", r)
	}
}

func TestStoreStatus(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int
	}{
		{fmt.Errorf("read: %w", errorf(kindStore, "down")), 4},
		{environmentf("no git"), 2},
		{usagef("want LANE"), 2},
		{errors.New("other"), 2},
		{answered(3), 3},
		{nil, 0},
	} {
		if r := runAction("verify", storeStatus(4, func(*cli.Context) error { return tt.err })); r.code != tt.code {
			t.Errorf("%v: exit %d, want %d", tt.err, r.code, tt.code)
		}
	}
}

// An interrupt outranks what the verb says about it, but not an answer.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		err  error
		code int
		text string
	}{
		{context.Canceled, 130, "git-dos: verify: interrupted\n"},
		{usagef("want PLAN"), 130, "git-dos: verify: interrupted: want PLAN\n"},
		{&cmdError{Kind: kindStore, Message: "still held", Hint: "release it", Exit: 4}, 130, "git-dos: verify: interrupted: still held\nhint: release it\n"},
		{answered(3), 3, ""},
		{nil, 0, ""},
	}
	for _, tt := range tests {
		var out, stderr bytes.Buffer
		s := streams{out: &out, err: &stderr}
		code := runApp(ctx, testApp(s, func(*cli.Context) error { return tt.err }), []string{"git-dos", "verify"}, s)
		if code != tt.code || stderr.String() != tt.text {
			t.Errorf("%v: exit %d, stderr %q; want %d, %q", tt.err, code, &stderr, tt.code, tt.text)
		}
	}
}

func TestPrintable(t *testing.T) {
	tests := []struct {
		claim, in, line, lines string
	}{
		{"plain text stays", "größer & <b> 日本", "größer & <b> 日本", "größer & <b> 日本"},
		{"line breaks stay only where lines are wanted", "a\n\tb", `a\n\x09b`, "a\n\tb"},
		{"a carriage return never stays", "a\rb", `a\x0db`, `a\x0db`},
		{"escape sequences are defused", "\x1b]0;x\x07", `\x1b]0;x\x07`, `\x1b]0;x\x07`},
		{"the other control range is defused", "\u009b2J\x7f", `\x9b2J\x7f`, `\x9b2J\x7f`},
		{"direction marks and separators are shown", "\u202e\u2028", `\u202e\u2028`, `\u202e\u2028`},
		{"stray bytes are shown", "a\xff\xc3", `a\xff\xc3`, `a\xff\xc3`},
	}
	for _, tt := range tests {
		if got := printable(tt.in, false); got != tt.line {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.line)
		}
		if got := printable(tt.in, true); got != tt.lines {
			t.Errorf("%s: %q, want %q", tt.claim, got, tt.lines)
		}
	}
	if got := printable(strings.Repeat("a", 1<<20), false); len(got) > maxLine+10 {
		t.Errorf("a line of %d bytes", len(got))
	}
}

// Escaping what a terminal might obey changes no value.
func TestJSONIsSafeToLookAt(t *testing.T) {
	in := "a&<b> \x1b \u009b \u202e \U000e0001 日本"
	var out bytes.Buffer
	if err := writeJSON(&out, in); err != nil {
		t.Fatal(err)
	}
	want := `"a&<b> \u001b \u009b \u202e \udb40\udc01 日本"` + "\n"
	if out.String() != want {
		t.Errorf("%s, want %s", &out, want)
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != in {
		t.Errorf("%q, %v; want %q", back, err, in)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"acquire", "release", "renew", "show", "--json", "-C"}
	for in, want := range map[string]string{
		"acq": "acquire", "aqcuire": "acquire", "relase": "release", "shwo": "show", "--jason": "--json",
		"x": "", "": "", "--": "", "-c": "", "demolish": "", strings.Repeat("a", 1000): "",
	} {
		if got := nearest(in, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
