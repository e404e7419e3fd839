package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// The table calls every verb what it calls itself, and once: a verb is found by its
// one name before it is made.
func TestEveryVerbIsMadeByItsName(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range verbTable() {
		c := m.make().command
		if c.Name != m.name || len(c.Aliases) > 0 || seen[m.name] {
			t.Errorf("%s in the table is %s, also %v; twice: %v", m.name, c.Name, c.Aliases, seen[m.name])
		}
		seen[m.name] = true
	}
	if len(seen) < 60 {
		t.Errorf("%d verbs", len(seen))
	}
}

// A line that names a command makes its verb alone, wherever the flags stand.
func TestAnAppOfOneVerb(t *testing.T) {
	commands := 0
	for _, v := range allVerbs() {
		leaves(v.command, v.command.Name, func(_ *cli.Command, path string) {
			for _, line := range []string{path, "--json " + path, "-C there " + path + " -q", path + " -h", "help " + path} {
				app := appFor(streams{}, strings.Fields("git-dos "+line))
				if len(app.Commands) != 1 || app.Commands[0].Name != v.command.Name {
					t.Errorf("%s makes %d verbs, the first is %s", line, len(app.Commands), app.Commands[0].Name)
				}
			}
			commands++
		})
	}
	if commands < 100 {
		t.Errorf("%d commands", commands)
	}
}

// Whatever the line is, the app that is made for it understands it as the app of
// every verb does.
func TestAnAppOfOneVerbUnderstandsTheSame(t *testing.T) {
	for _, line := range []string{
		"", "-h", "help", "--version", "-q --version", "--json help", "verifi", "verify -h", "help verify", "verify help",
		"-C status", "-C status verify D/A", "-C verify lease", "-C verify leese", "--workspace=lease lease live", "--now status",
		"lease", "lease liv", "lease renew --lane a", "lease acquire --lane", "lease --lane a acquire", "acquire lease",
		"acquire", "status --nope", "--nope status", "-- status", "status -- verify", "verify verify", "log --json=maybe",
		"leese status", "help leese status", "queue", "queue --json", "queue list", "queue -- list", "-C -C status", "-C status -h",
	} {
		args := strings.Fields("git-dos " + line)
		app := appFor(streams{}, args)
		one, err := parse(app, args)
		all, want := parse(newApp(streams{}), args)
		if said(err) != said(want) || !slices.Equal(one.args, all.args) || pathName(one.path) != pathName(all.path) || one.help != all.help {
			t.Errorf("%q: %q %v %v %q; with every verb: %q %v %v %q", line,
				one.args, pathName(one.path), one.help, said(err), all.args, pathName(all.path), all.help, said(want))
		}
		if len(one.path) == 0 && len(app.Commands) != len(verbTable()) {
			t.Errorf("%q names no verb, and %d are known", line, len(app.Commands))
		}
	}
}

// said is what a user is told of an error.
func said(err error) string {
	if e := asCmdError(err); e != nil {
		return e.Message + "; " + e.Hint
	}
	return fmt.Sprint(err)
}
