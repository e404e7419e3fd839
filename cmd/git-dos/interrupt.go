package main

import (
	"context"
	"io"
	"os"

	"github.com/urfave/cli/v2"
)

// unlessInterrupted runs what looks at no context. When ctx ends it is left
// behind: it holds nothing, and the process ends next.
func unlessInterrupted[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// readInput reads from in, and of what is longer than most a byte more than
// that. A person at a terminal is told that it waits.
func readInput(c *cli.Context, in io.Reader, most int64) ([]byte, error) {
	if f, ok := in.(*os.File); ok && isTerminal(f) {
		warn(c, "reading standard input, up to its end")
	}
	return unlessInterrupted(c.Context, func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, most+1)) })
}
