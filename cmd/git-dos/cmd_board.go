package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/board"
	"github.com/git-dos/git-dos/internal/wholefile"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func boardVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "board",
			Usage: "a page of what the fleet did: who had which lane, verdicts, decisions, throughput",
			Description: "Makes one HTML file that needs nothing beside itself and asks no network: how every lane stands and\n" +
				"who had it, what was recorded of launches, claims, ships and refusals, and what waits for a person,\n" +
				"with the command that answers it. Facts stand on it without a script; with one, the time shown can\n" +
				"be narrowed and rows be filtered. For the same refs and --now it is the same, byte for byte.\n\n" +
				"--serve shows it to the browsers of this machine instead, until it is interrupted, and keeps it up to\n" +
				"date there. Whoever has an account on this machine can read it meanwhile.\n\n" +
				"Times are those that the writers of entries recorded. What could not be read is named at the top,\n" +
				"and nothing follows from its absence below.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Value: "-", Usage: "write the page to `FILE`, whole or not at all; - is standard output"},
				&cli.StringFlag{Name: "since", Value: "24h", Usage: "look back for `DURATION`, 10m to 366d"},
				&cli.BoolFlag{Name: "serve", Usage: "show the page on this machine, and print its address"},
				&cli.StringFlag{Name: "addr", Value: "127.0.0.1:0", Usage: "with --serve: listen on `HOST:PORT`, a loopback address; port 0 is any that is free"},
				pulseCached(),
			},
			Action: boardPage,
		},
		statuses: map[string][]status{"board": {{Code: verdict.Yes, Meaning: "the page is written, or was served until that was interrupted; what could not be read is named on it"}}},
	}
}

// A boardAnswer answers board: with --json all that is on the page, else where it is.
type boardAnswer struct {
	board.Data
	path string
}

func (boardAnswer) ExitCode() int { return verdict.Yes }

func (a boardAnswer) String() string {
	text := fmt.Sprintf("%s  %s, %s, %s, since %s", verdict.Show(a.path), verdict.Count(len(a.Lanes), "lane"), verdict.Count(len(a.Events), "event"),
		verdict.Count(len(a.Decisions), "decision"), a.Since.Format(time.RFC3339))
	for _, u := range a.Unread {
		text += "\nnot read: " + u
	}
	return text
}

func boardPage(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	since, err := boardSince(c)
	if err != nil {
		return err
	}
	out := c.String("out")
	switch {
	case c.Bool("serve"):
		return boardServe(c, since)
	case c.IsSet("addr"):
		return usagef("--addr goes with --serve")
	case out == "":
		return usagef("--out is empty").hint("name a file, or - for standard output")
	case c.Bool("json") && c.IsSet("out"):
		return usagef("--out is for the page, and --json prints its data").hint("leave one of them out")
	case out == "-" && !c.Bool("json") && isTerminal(c.App.Writer):
		return usagef("a page is nothing to read in a terminal").hint("git dos board --out board.html, or git dos top for a screen")
	case out != "-":
		if err := boardTarget(out); err != nil {
			return err
		}
	}
	d, err := panelDesk(c)
	if err != nil {
		return err
	}
	data, err := boardOf(c, d, since)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return answer(c, boardAnswer{data, out})
	}
	var page bytes.Buffer
	if err := board.Render(&page, data, false); err != nil {
		return err
	}
	if out == "-" {
		return writeOut(c.App.Writer, page.Bytes())
	}
	if err := boardWrite(out, page.Bytes()); err != nil {
		return environmentf("write the page: %w", err).hint("name a file in a folder that can be written")
	}
	return answer(c, boardAnswer{data, out})
}

func boardSince(c *cli.Context) (time.Duration, error) {
	since, err := policy.ParseDuration(c.String("since"))
	if err != nil || since < 10*time.Minute || since > 366*24*time.Hour {
		return 0, usagef("--since %q is not between 10m and 366d", c.String("since")).hint("write it like 6h or 7d")
	}
	return since, nil
}

// boardTarget refuses what is no place for a page before anything is gathered.
func boardTarget(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return environmentf("look at --out: %w", err)
	case !info.Mode().IsRegular():
		return usagef("--out %q is no file", path).hint("name a file")
	}
	return nil
}

// boardWrite writes a file whole, over a file of its name or what a link of it leads to.
func boardWrite(path string, data []byte) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	return wholefile.Write(path, data, 0o644)
}
