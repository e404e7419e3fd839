package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/screen"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func topVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "top",
			Usage: "one screen of everything: lanes, holders, beats, decisions, throughput",
			Description: "Each lane has one word: ADVANCING, SPINNING or STALLED by what can be seen of the run that holds it\n" +
				"(git dos status RUN looks closer), WAITING or PARKED by its lease, DELEGATED where another node has\n" +
				"it for its workers, SPAWNING where a worker was started and holds nothing yet, FREE, or UNREADABLE.\n" +
				"UNKNOWN is a run that nothing recent was seen of, where not everything could be read. Throughput\n" +
				"counts the rows of all ledgers in whole hours, the one under way included, and the commits on the\n" +
				"trunk that ship a unit by their trailer. What could not be read is named.\n\n" +
				"--watch keeps the screen up to date in a terminal: arrows and page keys scroll, / filters, s sorts the\n" +
				"lanes, p pauses, r looks again, ? tells the keys, q ends. What is wrong has a ! before it, what to look\n" +
				"at a ~. Where standard output is no terminal it prints the screen once, as without it.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "once", Usage: "print the screen and end, which is what happens without --watch"},
				&cli.BoolFlag{Name: "watch", Aliases: []string{"w"}, Usage: "keep the screen up to date"},
				&cli.StringFlag{Name: "interval", Value: "2s", Usage: "with --watch: look again after this `DURATION`, 1s to 1h"},
				pulseCached(),
			},
			Action: top,
		},
		statuses: map[string][]status{"top": {{Code: verdict.Yes, Meaning: "the screen was shown; what could not be read is named on it"}}},
	}
}

func top(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	every, err := time.ParseDuration(c.String("interval"))
	switch {
	case err != nil || every < time.Second || every > time.Hour:
		return usagef("--interval %q is not between 1s and 1h", c.String("interval"))
	case c.IsSet("interval") && !c.Bool("watch"):
		return usagef("--interval goes with --watch")
	case !c.Bool("watch"):
		return topOnce(c)
	case c.Bool("once"):
		return usagef("--once and --watch exclude each other")
	case c.Bool("json"), c.IsSet("now"):
		return usagef("--watch is for people, at the real time").hint("git dos top --json answers once")
	case !isTerminal(c.App.Writer):
		return topOnce(c)
	}
	err = screen.Show(c.Context, screen.Options{Every: every, NoColor: !wantsColor(c.String("color"), c.App.Writer, func() bool { return gitWantsColor(c) })}, func(context.Context) (screen.Frame, error) {
		a, err := topLook(c)
		if err != nil {
			return screen.Frame{}, err
		}
		return a.frame(), nil
	})
	if err != nil && c.Context.Err() == nil && asCmdError(err) == nil {
		return environmentf("%w", err).hint("git dos top --once needs no terminal")
	}
	return err
}

func topOnce(c *cli.Context) error {
	a, err := topLook(c)
	if err != nil {
		return err
	}
	return answer(c, a)
}

// frame is the screen as it is drawn: what needs looking at stands out.
func (a topAnswer) frame() screen.Frame {
	f := screen.Frame{Orders: topOrders}
	for _, l := range a.lines() {
		f.Lines = append(f.Lines, screen.Line{Text: printable(l.text, false), Tone: l.tone, Keys: l.keys})
	}
	return f
}

// A topLine is a line of the screen.
type topLine struct {
	text string
	tone screen.Tone
	keys []string // of a lane, one for each of topOrders
}

// topOrders are what the lanes of a screen can be sorted by.
var topOrders = []string{"lane", "urgency", "holder", "time"}

// keys are what a lane is sorted by: what there is none of comes last.
func (l topLane) keys() []string {
	last := "\U0010ffff"
	since := last
	if l.Since != nil && l.Chip != topFree {
		since = l.Since.UTC().Format(time.RFC3339)
	}
	return []string{l.Lane, fmt.Sprintf("%02d", slices.Index(topChips, l.Chip)), firstOf(l.Owner, l.Node, last), since}
}

func topTone(word string) screen.Tone {
	switch word {
	case "ADVANCING", "FRESH":
		return screen.Good
	case "SPINNING", "LATE", "SPAWNING", "WAITING", "UNKNOWN":
		return screen.Warn
	case "STALLED", "MISSING", "UNREADABLE":
		return screen.Bad
	}
	return screen.Plain
}

func topHead(format string, args ...any) topLine {
	return topLine{text: fmt.Sprintf(format, args...), tone: screen.Head}
}
