package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// warmUp is how many rounds run before any is counted.
const warmUp = 2

// An arm is one side of a comparison: it does its work and says how long the
// part that counts took.
type arm func() (time.Duration, error)

// pairs runs the arms in turn, round by round, and returns the median of each.
func (b *bench) pairs(usual int, arms ...arm) ([]time.Duration, error) {
	n := usual
	if b.count > 0 {
		n = b.count
	}
	if b.fewest == 0 || n < b.fewest {
		b.fewest = n
	}
	samples := make([][]time.Duration, len(arms))
	for round := range warmUp + n {
		for i, a := range arms {
			took, err := a()
			if err != nil {
				return nil, err
			}
			if b.ctx.Err() != nil {
				return nil, b.ctx.Err()
			}
			if round >= warmUp {
				samples[i] = append(samples[i], took)
			}
		}
	}
	medians := make([]time.Duration, len(arms))
	for i := range samples {
		medians[i] = median(samples[i])
	}
	return medians, nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	n := len(d)
	return (d[(n-1)/2] + d[n/2]) / 2
}

// timed runs one process in dir and returns how long it took from start to
// end. Nobody reads its output at the time, as a pipe would cost a reader; the
// product's is kept in a file to explain a failure.
func (b *bench) timed(dir string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(b.ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stderr = dir, b.words
	if args[0] == b.dos {
		cmd.Stdout = b.words
	}
	took := b.meter()
	err := cmd.Run()
	spent := took()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, b.lastWords())
	}
	return spent, err
}

// meter starts to measure, and returns what tells how much was taken since: time, or
// the processor time of all processes that have ended since.
func (b *bench) meter() func() time.Duration {
	if b.processor {
		began := ofChildren()
		return func() time.Duration { return ofChildren() - began }
	}
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}

// process is an arm that runs one process.
func (b *bench) process(dir string, args ...string) arm {
	return func() (time.Duration, error) { return b.timed(dir, args...) }
}

// sum is an arm that runs others one after the other.
func sum(arms ...arm) arm {
	return func() (total time.Duration, err error) {
		for _, a := range arms {
			took, err := a()
			if err != nil {
				return 0, err
			}
			total += took
		}
		return total, nil
	}
}

// output runs a process and returns what it printed, without the last newline.
func (b *bench) output(dir, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(b.ctx, args[0], args[1:]...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(stdin), &out, b.words
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, b.lastWords())
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// quiet runs commands whose time does not matter.
func (b *bench) quiet(dir string, commands ...[]string) error {
	for _, c := range commands {
		if _, err := b.timed(dir, c...); err != nil {
			return err
		}
	}
	return nil
}
