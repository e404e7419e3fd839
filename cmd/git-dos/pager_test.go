package main

import (
	"slices"
	"testing"
)

func TestGitsSettingOfPagers(t *testing.T) {
	for config, want := range map[string]struct {
		command string
		on      bool
	}{
		"pager.dos\nfalse\x00": {"", false}, "pager.dos\nNo\x00": {"", false}, "pager.dos\n\x00": {"", false}, "pager.dos\n0\x00": {"", false},
		"pager.dos\ntrue\x00": {"", true}, "pager.dos\x00": {"", true}, "pager.dos\nmost -s\x00": {"most -s", true},
		"pager.dos\nfalse\x00pager.dos\nmost\x00": {"most", true}, "pager.dos\nmost\x00pager.dos\noff\x00": {"", false},
	} {
		if command, on := pagerSetting(config); command != want.command || on != want.on {
			t.Errorf("%q: %q, %v", config, command, on)
		}
	}
}

func TestAPagerHasGitsDefaults(t *testing.T) {
	t.Setenv("GIT_PAGER_IN_USE", "true")
	t.Setenv("LV", "-a")
	for _, none := range []string{"", " ", "cat"} {
		if pagerCommand(none) != nil {
			t.Errorf("%q is a pager", none)
		}
	}
	cmd := pagerCommand("less -S")
	if cmd == nil {
		t.Skip("there is no sh on the path")
	}
	for said, want := range map[string]bool{"LV=-c": false, "LV=-a": true, "GIT_PAGER_IN_USE=true": false} {
		if slices.Contains(cmd.Env, said) != want {
			t.Errorf("%s: %v", said, !want)
		}
	}
}
