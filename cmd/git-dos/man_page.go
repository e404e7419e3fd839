package main

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/manual"
)

// manName is the name of the page about git-dos as a whole; those of verbs
// begin with it.
const manName = "git-dos"

// manPages are all pages, made from the commands.
func manPages(app *cli.App, table exitCodeTable) []manual.Page {
	pages := []manual.Page{manMain(app)}
	for _, c := range app.Commands {
		if !c.Hidden {
			pages = append(pages, manVerbPage(app, c, table))
		}
	}
	source, date := manSource(debug.ReadBuildInfo())
	for i := range pages {
		pages[i].Source, pages[i].Date = source, date
	}
	return pages
}

func manMain(app *cli.App) manual.Page {
	p := manual.Page{
		Name: manName, Summary: app.Usage, Synopsis: []string{"git dos VERB [FLAGS] [ARGUMENTS]", "git dos VERB -h"},
		Description: "Each verb has a page of its own. Flags may stand anywhere on the line up to --, after which\n" +
			"everything is an argument. Standard output carries the answer alone.",
		Options: []manual.List{{Entries: manFlags(app.Flags)}},
		Statuses: []manual.List{{Entries: []manual.Entry{
			{Word: "0", Text: "the affirmative answer of the verb, and nothing else"},
			{Word: "1, 3 and up", Text: "another answer, as the page of the verb has it"},
			{Word: "2", Text: "no verdict: the request was malformed or could not be judged"},
			{Word: "130", Text: "interrupted before it could answer"},
		}}},
		Environment: manVariables(variables()),
		SeeAlso:     []string{"git(1)"},
	}
	for _, c := range app.Commands {
		if !c.Hidden {
			p.Commands = append(p.Commands, manual.Entry{Word: c.Name, Text: c.Usage})
			p.SeeAlso = append(p.SeeAlso, manName+"-"+c.Name+"(1)")
			p.Examples = append(p.Examples, manExamples()[c.Name]...)
		}
	}
	return p
}

func manVerbPage(app *cli.App, c *cli.Command, table exitCodeTable) manual.Page {
	p := manual.Page{
		Name: manName + "-" + c.Name, Summary: c.Usage, Description: manDescription(c),
		SeeAlso: []string{manName + "(1)", "git(1)"}, Examples: manExamples()[c.Name],
	}
	if len(c.Subcommands) == 0 {
		p.Options = append(p.Options, manual.List{Title: "Of this verb", Entries: manFlags(c.Flags)})
	}
	manLeaves([]*cli.Command{c}, func(path []*cli.Command) {
		leaf, name := path[len(path)-1], pathName(path)
		p.Synopsis = append(p.Synopsis, usageLine(path))
		title := ""
		if len(path) > 1 {
			title = pathName(path[1:])
			p.Parts = append(p.Parts, manual.Part{Title: title, Synopsis: usageLine(path), Description: leaf.Usage + "\n\n" + manDescription(leaf), Options: manFlags(leaf.Flags)})
		}
		p.Statuses = append(p.Statuses, manual.List{Title: title, Entries: manStatuses(table, name)})
		p.Environment = append(p.Environment, manVariables(variablesIn(manText(leaf)))...)
	})
	if len(p.Options) > 0 && len(p.Options[0].Entries) == 0 {
		p.Options = nil
	}
	p.Options = append(p.Options, manual.List{Title: "Of every verb", Entries: manFlags(app.Flags)})
	p.Environment = manOnce(append(p.Environment, manVariables(variablesIn("GIT_DOS_WORKSPACE NO_COLOR"))...))
	p.Beside = manName + "(1) lists every variable that git-dos reads."
	return p
}

// manLeaves calls f for every visible command below the last of path that can
// be run.
func manLeaves(path []*cli.Command, f func(path []*cli.Command)) {
	last := path[len(path)-1]
	if len(last.Subcommands) == 0 {
		f(path)
	}
	for _, sub := range last.Subcommands {
		if !sub.Hidden {
			manLeaves(append(path[:len(path):len(path)], sub), f)
		}
	}
}

// manDescription is what a command says of itself after its exit statuses.
func manDescription(c *cli.Command) string {
	first, rest, _ := strings.Cut(c.Description, "\n")
	if !strings.HasPrefix(first, "Exit status: ") {
		return c.Description
	}
	return strings.TrimSpace(rest)
}

// manText is all that a command says, for what it names.
func manText(c *cli.Command) string {
	text := c.Description
	for _, row := range flagRows(c.Flags) {
		text += " " + row[1]
	}
	return text
}

func manFlags(flags []cli.Flag) []manual.Entry {
	var list []manual.Entry
	for _, row := range flagRows(flags) {
		list = append(list, manual.Entry{Word: row[0], Text: row[1]})
	}
	return list
}

func manStatuses(table exitCodeTable, name string) []manual.Entry {
	var list []manual.Entry
	for _, r := range table.ExitCodes {
		if r.Verb == name {
			list = append(list, manual.Entry{Word: fmt.Sprint(r.Status), Note: r.Outcome, Text: r.Meaning})
		}
	}
	return list
}

func manVariables(list []variable) []manual.Entry {
	var entries []manual.Entry
	for _, v := range list {
		entries = append(entries, manual.Entry{Word: strings.Join(v.Names, ", "), Text: v.Means})
	}
	return entries
}

// manOnce drops entries that stand there already.
func manOnce(list []manual.Entry) []manual.Entry {
	seen := map[manual.Entry]bool{}
	var once []manual.Entry
	for _, e := range list {
		if !seen[e] {
			seen[e] = true
			once = append(once, e)
		}
	}
	return once
}

var pseudoTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[.-](\d{14})-[0-9a-f]{12}(\+|$)`)
})

// manSource is the version that the pages are of, and the day of the commit
// that it was built from: the same program makes the same pages on any day.
// Where the build does not tell the day, it is that of the epoch.
func manSource(info *debug.BuildInfo, ok bool) (source, date string) {
	source, date = "git-dos", "1970-01-01"
	if !ok {
		return source, date
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		source += " " + v
		if m := pseudoTime().FindStringSubmatch(v); m != nil {
			if at, err := time.Parse("20060102150405", m[1]); err == nil {
				date = at.Format(time.DateOnly)
			}
		}
	}
	for _, s := range info.Settings {
		if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			date = at.UTC().Format(time.DateOnly)
		}
	}
	return source, date
}
