package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// nullFlag has a verb print names for scripts, which is answered by answerNames.
func nullFlag(names string) cli.Flag {
	return &cli.BoolFlag{Name: "null", Aliases: []string{"z"}, Usage: "for scripts: print " + names + " alone, as they are, each ended by a NUL"}
}

// oneFormat refuses -z together with --json.
func oneFormat(c *cli.Context) error {
	if c.Bool("null") && c.Bool("json") {
		return usagef("-z and --json are two formats").hint("leave one of them out")
	}
	return nil
}

// answerNames is answer with these names in place of the text. The exit status
// is the verdict's either way, and a verdict nobody decided names nothing.
func answerNames(c *cli.Context, v verdict.Verdict, names []string) error {
	code, err := decided(v)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name + "\x00")
	}
	if !c.Bool("quiet") {
		if err := writeOut(c.App.Writer, []byte(b.String())); err != nil {
			return err
		}
	}
	return ended(code)
}
