// Command bench measures what git-dos costs next to the git commands that
// would do the same, and prints the ratios with the figure each is held to.
//
// Product and git run in turn, process by process, in repositories made for
// the occasion, so that a busy machine slows both. What a process of these
// packages costs before it does anything is measured beside them, with a
// build of the same command that exits at once, and is taken off the product's
// side. A ratio is one of medians; it says nothing about another run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// A line is one thing to measure. Its rows share their setting.
type line struct {
	name    string
	measure func(*bench) ([]row, error)
}

func lines() []line {
	return []line{
		{"read", readVerbs},
		{"read-mirror", readMirror},
		{"read-50", readConcurrent},
		{"ledgers", readLedgers},
		{"ledgers-50", readLedgersAtOnce},
		{"hook-agent", hookAgent},
		{"local", localLease},
		{"start", startLibraries},
		{"history", historyLease},
		{"append", appendMany},
		{"supervise-tick", superviseTick},
		{"fleet-file", func(b *bench) ([]row, error) { return fleetLease(b, "file", serveFile) }},
		{"fleet-http", func(b *bench) ([]row, error) { return fleetLease(b, "http", serveHTTP) }},
		{"fleet-ssh", func(b *bench) ([]row, error) { return fleetLease(b, "ssh", serveSSH) }},
		{"delegated", delegatedLease},
		{"race", raceClones},
		{"verify", verifyHistory},
		{"audit", auditHistory},
		{"units", everyUnit},
		{"prepush", prePush},
		{"prereceive", preReceive},
		{"truth-100k", func(b *bench) ([]row, error) { return truthGenerated(b, 100_000, b.verifyRows, b.auditRows) }},
		{"verify-500k", func(b *bench) ([]row, error) { return truthGenerated(b, 500_000, b.verifyRows) }},
		{"audit-500k", func(b *bench) ([]row, error) { return truthGenerated(b, 500_000, b.auditRows) }},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	only := flags.String("only", "", "measure these lines alone, comma-separated (those of 500k run only when named): "+strings.Join(names(), ", "))
	pairs := flags.Int("pairs", 0, "how many pairs each line takes, at least 5; 0 for what suits the line")
	processor := flags.Bool("cpu", false, "measure processor time in place of time: for a machine that others use too")
	lines := flags.String("json", "", "write the rows to this file as well, a line of JSON each")
	history := flags.String("history", os.Getenv("GITDOS_HISTORY"), "a git fast-export stream, packed with xz, to import (GITDOS_HISTORY)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if *pairs != 0 && *pairs < 5 {
		return fmt.Errorf("--pairs %d is too few for a median, want at least 5", *pairs)
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	b, err := newBench(ctx, *pairs, *history)
	if err != nil {
		return err
	}
	defer b.close()
	if b.processor = *processor; b.processor && !measuresProcessor {
		return errors.New("--cpu: this system does not tell the processor time of children")
	}
	to, err := newReport(out, *lines, b.processor)
	if err != nil {
		return err
	}
	return errors.Join(measureAll(b, chosen, to), to.close())
}

// measureAll measures one line after the other and reports each as it is there.
func measureAll(b *bench, chosen []line, to *report) error {
	for _, l := range chosen {
		b.fewest = 0
		rows, err := l.measure(b)
		var skip skipped
		switch {
		case errors.As(err, &skip):
			to.skip(l.name, string(skip))
		case err != nil:
			return fmt.Errorf("%s: %w", l.name, err)
		}
		for _, r := range rows {
			to.row(l.name, r, b.fewest)
		}
	}
	return nil
}

func names() (all []string) {
	for _, l := range lines() {
		all = append(all, l.name)
	}
	return all
}

// usual are the lines measured unasked: all but those that take minutes.
func usual() []line {
	return slices.DeleteFunc(lines(), func(l line) bool { return strings.HasSuffix(l.name, "-500k") })
}

func choose(only string) ([]line, error) {
	if only == "" {
		return usual(), nil
	}
	var out []line
	for name := range strings.SplitSeq(only, ",") {
		i := slices.Index(names(), name)
		if i < 0 {
			return nil, fmt.Errorf("no line named %q; there are %s", name, strings.Join(names(), ", "))
		}
		out = append(out, lines()[i])
	}
	return out, nil
}

// skipped says why a line could not be measured here.
type skipped string

func (s skipped) Error() string { return string(s) }
