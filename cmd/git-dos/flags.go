package main

import (
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/lease"
)

// workspaceEnv are the variables that name the workspace, strongest first.
var workspaceEnv = []string{"GIT_DOS_WORKSPACE", "DISPATCH_WORKSPACE"}

var colorModes = []string{"auto", "always", "never"}

// testClock lets a test binary hold the time still. It is nil in the product.
var testClock func() (time.Time, bool)

// testInstant is testClock for the clock that leases are watched by.
var testInstant func() (lease.Instant, bool)

// instant reads the clock that leases are watched by; real is the machine's.
func instant(real func() lease.Instant) func() lease.Instant {
	return func() lease.Instant {
		if testInstant != nil {
			if i, ok := testInstant(); ok {
				return i
			}
		}
		return real()
	}
}

// commonFlags belong to the app and are legal anywhere on the command line.
// No command may define a flag of the same name.
func commonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "workspace", Aliases: []string{"C"}, Usage: "the repository to work in, by default `DIR` = GIT_DOS_WORKSPACE or the current directory"},
		&cli.BoolFlag{Name: "json", Usage: "print the answer, or the error, as JSON"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no text; the exit status is the answer"},
		&cli.StringFlag{Name: "now", Aliases: []string{"now-ms"}, Usage: "judge as of `TIME` (RFC 3339 or Unix milliseconds); verbs that write refuse it"},
		&cli.StringFlag{Name: "color", Value: "auto", Usage: "colour the outcome: `WHEN` = auto, always or never; auto goes by NO_COLOR, CLICOLOR_FORCE and, on a terminal, git config dos.color, color.dos or color.ui"},
	}
}

// checkCommonFlags refuses a bad common flag in every verb, also in those that
// would not look at it.
func checkCommonFlags(c *cli.Context) error {
	if c.IsSet("workspace") && c.String("workspace") == "" {
		return usagef("--workspace is empty").hint("name a directory, or leave the flag out")
	}
	if mode := c.String("color"); !slices.Contains(colorModes, mode) {
		return usagef("--color %q is not auto, always or never", mode)
	}
	_, err := parseNow(c)
	return err
}

// workspace is the directory the verb works in: the flag, else the
// environment, else the current directory.
func workspace(c *cli.Context) string {
	return firstOf(c.String("workspace"), firstEnv(workspaceEnv...), ".")
}

// firstOf is the first of these words that is not empty.
func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// firstEnv is the value of the first of these variables that is not empty.
func firstEnv(names ...string) string {
	for _, name := range names {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return ""
}

// now is the clock of every verb, in UTC. --now replays a decision at another
// time.
func now(c *cli.Context) time.Time {
	if t, err := parseNow(c); err == nil && !t.IsZero() {
		return t
	}
	if testClock != nil {
		if t, ok := testClock(); ok {
			return t.UTC()
		}
	}
	return time.Now().UTC()
}

// parseNow reads --now; the zero time means it was not given.
func parseNow(c *cli.Context) (time.Time, error) {
	if !c.IsSet("now") {
		return time.Time{}, nil
	}
	text := c.String("now")
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms > 0 && ms <= maxMillis {
		return time.UnixMilli(ms).UTC(), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil && t.UnixMilli() > 0 {
		return t.UTC(), nil
	}
	return time.Time{}, usagef("--now %q is neither RFC 3339 nor Unix milliseconds", text).
		hint("write it like 2026-01-02T15:04:05Z or 1767366245000")
}

// maxMillis is the last millisecond of the year 9999, beyond which RFC 3339
// cannot name a time.
const maxMillis = 253402300799999

// noArguments refuses arguments a verb would otherwise ignore.
func noArguments(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef("unexpected argument %q", c.Args().First())
	}
	return nil
}
