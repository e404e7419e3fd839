package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/manual"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// manInWay is the status of a folder that has pages of others under our names.
const manInWay = verdict.FirstOwned

func manVerb() verb {
	return verb{
		command: &cli.Command{
			Name:      "man",
			Usage:     "print a manual page, or install all of them",
			ArgsUsage: "[VERB | install]",
			Description: "Prints the page of VERB, or of git-dos as a whole, as man reads it: git dos man VERB | man -l -\n" +
				"With install in place of a verb it writes every page, so that git dos --help and git help dos find\n" +
				"theirs: to the share/man/man1 that belongs to the folder git-dos is in, where man looks by itself,\n" +
				"or to --dir. Pages that it wrote before and that are of no verb any more go. A file of such a name\n" +
				"that was not made here is left alone, and then nothing is written. A subcommand has a section in\n" +
				"the page of its verb.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "dir", Usage: "with install: the folder `DIR` of the pages, made when it is missing"},
				&cli.BoolFlag{Name: "remove", Usage: "with install: remove the pages instead"},
			},
			Action: func(c *cli.Context) error { return man(c, tableOf(allVerbs())) },
		},
		statuses: map[string][]status{"man": {
			{Code: verdict.Yes, Outcome: "PRINTED", Meaning: "the page is printed"},
			{Code: verdict.Yes, Outcome: "INSTALLED", Meaning: "every page is in its place"},
			{Code: verdict.Yes, Outcome: "REMOVED", Meaning: "no page that was made here is left"},
			{Code: manInWay, Outcome: "FOREIGN", Meaning: "a file that was not made here has the name of a page; nothing was changed"},
		}},
	}
}

func man(c *cli.Context, table exitCodeTable) error {
	pages := manPages(newApp(streams{}), table)
	words := c.Args().Slice()
	if len(words) == 1 && words[0] == "install" {
		return writes(func(c *cli.Context) error { return manInstall(c, pages) })(c)
	}
	if c.IsSet("dir") || c.Bool("remove") {
		return usagef("--dir and --remove belong to git dos man install")
	}
	name := manName
	if len(words) > 0 {
		name += "-" + strings.TrimPrefix(words[0], manName+"-")
	}
	var verbs []string
	for _, p := range pages {
		if p.Name == name && len(words) < 2 {
			return answer(c, manPrinted{Outcome: "PRINTED", Page: p.File(), Roff: string(p.Roff())})
		}
		verbs = append(verbs, strings.TrimPrefix(p.Name, manName+"-"))
	}
	if len(words) > 1 {
		return usagef("unexpected argument %q", words[1]).hint("a subcommand is a section in the page of its verb: git dos man %s", words[0])
	}
	return didYouMean(usagef("there is no page about %q", words[0]), nearest(words[0], verbs))
}

// A manPrinted answers man.
type manPrinted struct {
	Outcome string `json:"outcome"`
	Page    string `json:"page"`
	Roff    string `json:"roff"`
}

func (p manPrinted) ExitCode() int  { return verdict.Yes }
func (p manPrinted) String() string { return p.Roff }

// A manChange answers man install.
type manChange struct {
	Outcome string `json:"outcome"`
	manual.Change
}

func manInstall(c *cli.Context, pages []manual.Page) error {
	dir, err := manDir(c)
	if err != nil {
		return err
	}
	v := manChange{Outcome: "INSTALLED"}
	if c.Bool("remove") {
		v.Outcome = "REMOVED"
		v.Change, err = manual.Remove(dir, manName)
	} else {
		v.Change, err = manual.Install(dir, manName, pages)
	}
	if err != nil {
		return environmentf("manual pages in %s: %w", dir, err).hint("name a folder that you may write with --dir")
	}
	if len(v.Foreign) > 0 {
		v.Outcome = "FOREIGN"
	}
	return answer(c, v)
}

// manDir is the folder of the pages. man looks in share/man beside each folder
// bin of the PATH.
func manDir(c *cli.Context) (string, error) {
	dir := c.String("dir")
	switch {
	case c.IsSet("dir") && dir == "":
		return "", usagef("--dir is empty").hint("name a folder, or leave the flag out")
	case dir == "":
		exe, err := exec.LookPath(manName)
		if err != nil {
			exe, err = os.Executable()
		}
		if err != nil {
			return "", environmentf("where git-dos is cannot be told: %w", err).hint("name a folder with --dir")
		}
		dir = filepath.Join(filepath.Dir(exe), "..", "share", "man", "man1")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", environmentf("--dir: %w", err)
	}
	return dir, nil
}

func (v manChange) ExitCode() int {
	if v.Outcome == "FOREIGN" {
		return manInWay
	}
	return verdict.Yes
}

func (v manChange) String() string {
	var b strings.Builder
	if v.Outcome == "FOREIGN" {
		fmt.Fprintf(&b, "%s %s: not made by git dos man, so nothing was changed: %s", v.Outcome, v.Dir, someOf(v.Foreign))
		return b.String()
	}
	fmt.Fprintf(&b, "%s %s: %d written, %d as they were, %d removed\n", v.Outcome, v.Dir, len(v.Written), len(v.Same), len(v.Removed))
	for _, name := range v.Removed {
		fmt.Fprintf(&b, "removed %s\n", name)
	}
	return strings.TrimRight(b.String(), "\n")
}
