package main

import (
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// paint colours the first word of an answer, which is its outcome: green for
// yes, red for no, yellow for what a verb means by its other statuses.
func paint(c *cli.Context, text string, code int) string {
	if !wantsColor(c.String("color"), c.App.Writer, func() bool { return gitWantsColor(c) }) {
		return text
	}
	color := "33"
	switch code {
	case verdict.Yes:
		color = "32"
	case verdict.No:
		color = "31"
	}
	end := strings.IndexAny(text, " \n\t")
	if end < 0 {
		end = len(text)
	}
	return "\x1b[" + color + "m" + text[:end] + "\x1b[0m" + text[end:]
}

// wantsColor decides --color. In auto mode the usual variables count before
// the question whether w is a terminal that understands colours, and only then
// git is asked for its setting.
func wantsColor(mode string, w io.Writer, git func() bool) bool {
	if mode != "auto" {
		return mode == "always"
	}
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return os.Getenv("TERM") != "dumb" && runtime.GOOS != "windows" && isTerminal(w) && git()
}

// isTerminal reports whether a stream is a terminal. The null device is a
// character device too, whatever name it was opened under.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 || f.Name() == os.DevNull {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
