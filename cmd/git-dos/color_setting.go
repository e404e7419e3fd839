package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/refstore/git"
)

// gitWantsColor is git's word on colours on a terminal: dos.color, else color.dos as
// git names such a setting, else color.ui. Where git cannot be asked it has nothing
// against them.
func gitWantsColor(c *cli.Context) bool {
	out, err := git.Runner{Dir: workspace(c)}.Output(c.Context, "config", "-z", "--get-regexp", `^(dos\.color|color\.(dos|ui))$`)
	return err != nil || colorSetting(string(out))
}

// colorSetting decides by what git config prints. Its last color.ui is the one
// that our own calls of git are made with, and says nothing.
func colorSetting(config string) bool {
	values := map[string][]string{}
	for record := range strings.SplitSeq(config, "\x00") {
		if key, value, stated := strings.Cut(record, "\n"); stated {
			values[key] = append(values[key], value)
		} else if record != "" {
			values[key] = append(values[key], "true") // a key alone is true
		}
	}
	said := values["dos.color"]
	if len(said) == 0 {
		said = values["color.dos"]
	}
	if ui := values["color.ui"]; len(said) == 0 && len(ui) > 0 {
		said = ui[:len(ui)-1]
	}
	if len(said) == 0 {
		return true
	}
	switch strings.ToLower(said[len(said)-1]) {
	case "never", "false", "no", "off", "0", "":
		return false
	}
	return true
}
