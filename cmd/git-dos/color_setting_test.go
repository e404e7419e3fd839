package main

import (
	"os/exec"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestGitsSettingOfColours(t *testing.T) {
	const own = "color.ui\nfalse\x00"
	for config, want := range map[string]bool{
		own: true, "color.ui\nfalse\x00" + own: false, "color.ui\nauto\x00" + own: true, "color.ui\x00" + own: true, "color.ui\nnever\x00" + own: false,
		"color.ui\nfalse\x00color.dos\nauto\x00" + own: true, "color.dos\nNo\x00" + own: false, "dos.color\nnever\x00color.dos\nauto\x00" + own: false, "color.dos\nnever\x00dos.color\x00" + own: true, "color.dos\ntrue\x00color.dos\nfalse\x00" + own: false, "": true,
	} {
		if got := colorSetting(config); got != want {
			t.Errorf("%q: %v", config, got)
		}
	}
}

func TestColoursAreAskedOfGit(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("XDG_CONFIG_HOME", "")
	ask := func() (wants bool) {
		app := newApp(streams{})
		app.Commands = []*cli.Command{{Name: "ask", Action: func(c *cli.Context) error { wants = gitWantsColor(c); return nil }}}
		if err := app.Run([]string{"git-dos", "ask"}); err != nil {
			t.Fatal(err)
		}
		return wants
	}
	set := func(key, value string) {
		if out, err := exec.Command("git", "config", "--global", key, value).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if !ask() {
		t.Error("git says nothing, and there are no colours")
	}
	if set("color.ui", "never"); ask() {
		t.Error("color.ui is never")
	}
	if set("color.dos", "auto"); !ask() {
		t.Error("color.dos is stronger than color.ui")
	}
	if set("dos.color", "never"); ask() {
		t.Error("dos.color is stronger than color.dos")
	}
}
