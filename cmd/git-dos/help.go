package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// printHelp writes the help of a command, or of the app when path is empty. It
// needs no repository.
func printHelp(w io.Writer, app *cli.App, path []*cli.Command) error {
	var b strings.Builder
	if len(path) == 0 {
		appHelp(&b, app)
	} else {
		commandHelp(&b, path)
	}
	section(&b, "Common flags, anywhere on the line", flagRows(app.Flags))
	return writeOut(w, []byte(b.String()))
}

func appHelp(b *strings.Builder, app *cli.App) {
	fmt.Fprintf(b, "git dos: %s\n\nUsage: git dos VERB [FLAGS] [ARGUMENTS]\n", app.Usage)
	section(b, "Verbs", commandRows(app.Commands))
	b.WriteString("\n\"git dos VERB -h\" explains a verb, \"git dos exit-codes\" lists every exit status.\n")
}

func commandHelp(b *strings.Builder, path []*cli.Command) {
	c := path[len(path)-1]
	fmt.Fprintf(b, "git dos %s: %s\n\nUsage: %s\n\n%s\n", pathName(path), c.Usage, usageLine(path), c.Description)
	section(b, "Subcommands", commandRows(c.Subcommands))
	section(b, "Flags", flagRows(c.Flags))
}

// usageLine says how the last command of path is written.
func usageLine(path []*cli.Command) string {
	c := path[len(path)-1]
	if c.UsageText != "" {
		return c.UsageText
	}
	usage := "git dos " + pathName(path)
	switch {
	case listOf(c) != nil:
		usage += " [SUBCOMMAND]"
	case len(c.Subcommands) > 0:
		usage += " SUBCOMMAND"
	}
	usage += " [FLAGS]"
	if c.ArgsUsage != "" {
		usage += " " + c.ArgsUsage
	}
	return usage
}

func commandRows(commands []*cli.Command) [][2]string {
	var rows [][2]string
	for _, c := range commands {
		if !c.Hidden {
			rows = append(rows, [2]string{strings.Join(c.Names(), ", "), c.Usage})
		}
	}
	return rows
}

// flagRows spells each flag as it is written, with the word its usage puts in
// backquotes standing for the value.
func flagRows(flags []cli.Flag) [][2]string {
	var rows [][2]string
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if v, can := f.(cli.VisibleFlag); !ok || can && !v.IsVisible() {
			continue
		}
		var names []string
		for _, n := range f.Names() {
			names = append(names, dashed(n))
		}
		left, usage := strings.Join(names, ", "), d.GetUsage()
		if d.TakesValue() {
			left += " " + placeholder(usage)
		}
		rows = append(rows, [2]string{left, strings.ReplaceAll(usage, "`", "")})
	}
	return rows
}

func placeholder(usage string) string {
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
		return parts[1]
	}
	return "VALUE"
}

// section prints rows in two columns under a title, or nothing.
func section(b *strings.Builder, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, r := range rows {
		fmt.Fprintf(b, "  %-*s  %s\n", width, r[0], r[1])
	}
}
