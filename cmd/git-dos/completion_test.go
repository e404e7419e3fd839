package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// Which flags list their values, and which ones: a usage that is worded
// otherwise shows here.
func TestFlagsThatListTheirValues(t *testing.T) {
	got := map[string]string{}
	collect := func(flags []cli.Flag) {
		for _, f := range flags {
			if words := completionEnum(f.(cli.DocGenerationFlag).GetUsage()); words != nil {
				got[f.Names()[0]+": "+strings.Join(words, " ")] = f.Names()[0]
			}
		}
	}
	app := newApp(streams{})
	collect(app.Flags)
	for _, c := range app.Commands {
		leaves(c, c.Name, func(c *cli.Command, _ string) { collect(c.Flags) })
	}
	for _, want := range []string{
		"color: auto always never", "outcome: shipped drained blocked error unknown", "gate: hard soft drive", "work-kind: engineering gardening",
		"kind: task bug feature docs question chore epic", "priority: P0 P1 P2 P3", "floor: ledger signed trailer subject-in-tree subject mention",
	} {
		if got[want] == "" {
			t.Errorf("no flag lists %s", want)
		}
	}
	for line, name := range got {
		if slices.Contains([]string{"lane", "run-id", "remote", "nonce", "owner", "workspace", "now", "ttl"}, name) {
			t.Errorf("a flag of any value seems to list some: %s", line)
		}
	}
	for _, usage := range []string{"", "plain", "the `X`", "`REF` = the trunk", "the `LANE`: a declared one, an alias, or any name", "`X` = one", "`X`: $(touch x), b"} {
		if words := completionEnum(usage); words != nil {
			t.Errorf("%q: %v", usage, words)
		}
	}
}

func TestCompletionWords(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string]string{
		"completion words":                        "account",
		"completion words -- lease acq":           "acquire",
		"completion words -- help lease acq":      "acquire",
		"completion words -- -C x lease acq":      "acquire",
		"completion words -- lease --json acq":    "acquire",
		"completion words -- lease acquire --for": "--force",
		"completion words -- account --ca":        "--cached",
		"completion words -- --col":               "--color",
		"completion words -- --color al":          "always",
		"completion words -- --color=al":          "--color=always",
		"completion words -- man le":              "leak-check",
		"completion words -- completion z":        "zsh",
	} {
		r := runLine(line)
		first, _, _ := strings.Cut(r.out, "\n")
		if first, _, _ = strings.Cut(first, "\t"); r.code != 0 || r.err != "" || first != want {
			t.Errorf("%s: %+v; want %s first", line, r, want)
		}
	}
	for _, line := range []string{
		"lease acquire --lane x", "lease nosuch acq", "nosuch le", "lease acquire --owner x", "lease acquire -- --for", "status R", "version x", "worker run -- l",
		"sync --remote o", "lease acquire --nosuch=x", "--color=\xff",
	} {
		if r := runLine("completion words -- " + line); r.code != 0 || r.out != "" || r.err != "" {
			t.Errorf("%s: %+v, want silence", line, r)
		}
	}
}

func TestWordsThatALineCannotShow(t *testing.T) {
	for word, want := range map[string]bool{
		"api": true, "$(x)": true, "a b": true, "é": true, "": false, "a\nb": false, "a\tb": false, "\x1b[2J": false, "a\u202eb": false, "\xff": false, strings.Repeat("a", 201): false,
	} {
		if completionPlain(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
	if got := (candidate{"a", "b\n c"}).String(); got != "a\tb c" {
		t.Errorf("got %q", got)
	}
}
