package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// testApp has a group, a verb with flags of several types and a plain verb.
func testApp(s streams, action cli.ActionFunc) *cli.App {
	return assemble(s, []verb{
		{
			command: &cli.Command{Name: "lease", Usage: "hold a lane", Subcommands: []*cli.Command{{
				Name: "acquire", Aliases: []string{"take"}, Usage: "take a lane", Action: action,
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "owner"},
					&cli.StringSliceFlag{Name: "tree"},
					&cli.DurationFlag{Name: "ttl"},
					&cli.BoolFlag{Name: "force"},
				},
			}}},
		},
		{command: &cli.Command{Name: "verify", Usage: "did it ship", Action: action}},
	})
}

func TestParse(t *testing.T) {
	tests := []struct{ claim, in, want string }{
		{"flags may follow arguments", "lease acquire src --force", "lease acquire --force -- src"},
		{"a flag takes its value along", "lease acquire src --ttl 1m x", "lease acquire --ttl=1m -- src x"},
		{"a value may be attached", "lease acquire --ttl=1m src", "lease acquire --ttl=1m -- src"},
		{"one dash is as good as two", "lease acquire -ttl 1m", "lease acquire --ttl=1m"},
		{"common flags move to the front", "lease acquire src --json -C dir", "--json --C=dir lease acquire -- src"},
		{"common flags may stand between command names", "lease --json acquire", "--json lease acquire"},
		{"an alias means its command", "lease take src", "lease acquire -- src"},
		{"a value may be named like a verb", "-C lease verify A B", "--C=lease verify -- A B"},
		{"an argument may be named like a verb", "verify lease verify", "verify -- lease verify"},
		{"an argument may be named help", "verify help h", "verify -- help h"},
		{"nothing moves from after --", "verify A -- --json -h", "verify -- A --json -h"},
		{"a lone dash is an argument", "verify - --json", "--json verify -- -"},
		{"a value may begin with a dash", "lease acquire --owner -x", "lease acquire --owner=-x"},
		{"a flag for several values may be repeated", "lease acquire --tree a --tree=b", "lease acquire --tree=a --tree=b"},
		{"a value may contain =", "lease acquire --owner a=b", "lease acquire --owner=a=b"},
		{"an attached value may look like a flag", "lease acquire --owner=--json", "lease acquire --owner=--json"},
		{"--version is the verb version", "--json --version", ""},
	}
	for _, tt := range tests {
		app := testApp(streams{}, nil)
		inv, err := parse(app, append([]string{"git-dos"}, strings.Fields(tt.in)...))
		if tt.want == "" {
			if err == nil || !strings.Contains(err.Error(), `unknown verb "version"`) {
				t.Errorf("%s: %v", tt.claim, err)
			}
			continue
		}
		if want := strings.Fields("git-dos " + tt.want); err != nil || !slices.Equal(inv.args, want) {
			t.Errorf("%s: parse(%q) = %q, %v; want %q", tt.claim, tt.in, inv.args, err, want)
		}
	}
}

func TestParseHelp(t *testing.T) {
	tests := []struct{ in, path string }{
		{"", ""},
		{"-h", ""},
		{"--help", ""},
		{"help", ""},
		{"help lease", "lease"},
		{"help lease acquire", "lease acquire"},
		{"lease help acquire", "lease acquire"},
		{"lease -h", "lease"},
		{"-h lease acquire", "lease acquire"},
		{"lease acquire src --ttl 1m --help", "lease acquire"},
		{"help verify A B", "verify"},
	}
	for _, tt := range tests {
		inv, err := parse(testApp(streams{}, nil), append([]string{"git-dos"}, strings.Fields(tt.in)...))
		if err != nil || !inv.help || pathName(inv.path) != tt.path {
			t.Errorf("parse(%q): help %v of %q, %v; want help of %q", tt.in, inv.help, pathName(inv.path), err, tt.path)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ in, want string }{
		{"nosuch", `unknown verb "nosuch"`},
		{"verfy A B", `unknown verb "verfy"; did you mean verify?`},
		{"help nosuch", `unknown verb "nosuch"`},
		{"-- verify", `verb "verify" stands after --, where only arguments do`},
		{"--json", "want a verb: lease, verify"},
		{"lease", "want a subcommand: acquire"},
		{"lease acquier", `unknown subcommand "acquier"; did you mean acquire?`},
		{"lease acq", `unknown subcommand "acq"; did you mean acquire?`},
		{"lease acquire --tll 1m", `unknown flag "--tll"; did you mean --ttl?`},
		{"lease acquire --zzzzzz=1", `unknown flag "--zzzzzz"`},
		{"lease --owner x acquire", `unknown flag "--owner"`},
		{"verify --owner x", `unknown flag "--owner"`},
		{"verify --=x", `unknown flag "--"`},
		{"verify ---json", `unknown flag "---json"; did you mean --json?`},
		{"lease acquire --owner", "flag --owner needs a value"},
		{"lease acquire --owner --json", "flag --owner needs a value, but --json follows"},
		{"verify -C", "flag -C needs a value"},
		{"lease acquire --owner a --owner b", `flag --owner is given twice, as "a" and as "b", and takes one value`},
		{"lease acquire --owner= --owner=b", `flag --owner is given twice, as "" and as "b", and takes one value`},
		{"-C x verify --workspace y", `flag --workspace is given twice, as "x" and as "y", and takes one value`},
		{"take src", `unknown verb "take"; did you mean git dos lease acquire?`},
		{"aquire src", `unknown verb "aquire"; did you mean git dos lease acquire?`},
	}
	for _, tt := range tests {
		_, err := parse(testApp(streams{}, nil), append([]string{"git-dos"}, strings.Fields(tt.in)...))
		if e := asCmdError(err); e == nil || e.Kind != kindUsage || e.Message != tt.want {
			t.Errorf("parse(%q) = %v, want usage error %q", tt.in, err, tt.want)
		}
	}
}

func TestWantsJSON(t *testing.T) {
	for in, want := range map[string]bool{
		"git-dos --json nosuch": true, "git-dos v -json": true, "git-dos v --json=true": true,
		"git-dos v": false, "git-dos v -- --json": false, "--json": false, "": false,
	} {
		if got := wantsJSON(strings.Fields(in)); got != want {
			t.Errorf("wantsJSON(%q) = %v", in, got)
		}
	}
}

// FuzzParse: no command line makes parse panic, and what it passes on is the
// command line's own words.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"lease acquire src --ttl 1m --json", "--", "-", "--=", "verify -- -h", "help help", "-C"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		inv, err := parse(testApp(streams{}, nil), append([]string{"git-dos"}, strings.Split(line, " ")...))
		if err == nil && !inv.help && len(inv.path) == 0 {
			t.Errorf("%q was accepted without a verb", line)
		}
	})
}
