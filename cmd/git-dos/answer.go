package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// answered carries a verdict's exit status out through an error return.
type answered int

func (a answered) Error() string { return fmt.Sprintf("exit status %d", int(a)) }

// errClosedOutput means whoever read our standard output has left. There is
// nobody to tell, so it is reported by the exit status alone.
var errClosedOutput = errors.New("standard output is closed")

// answer prints a verdict and turns it into the command's exit status. With
// --json it is one line of JSON; otherwise it is the verdict's text, or
// nothing with --quiet.
//
// A verdict nobody decided is not printed: it is an error.
func answer(c *cli.Context, v verdict.Verdict) error {
	return answerBy(c, v, func(write func(io.Writer) error) error { return write(c.App.Writer) })
}

// answerPaged is answer for a verdict that is a list of any length: a person at
// a terminal reads it in their pager.
func answerPaged(c *cli.Context, v verdict.Verdict) error {
	return answerBy(c, v, func(write func(io.Writer) error) error { return page(c, write) })
}

func answerBy(c *cli.Context, v verdict.Verdict, deliver func(func(io.Writer) error) error) error {
	code, err := decided(v)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	switch {
	case c.Bool("json"):
		if err := writeJSON(&out, v); err != nil {
			return fmt.Errorf("encode the verdict: %w", err)
		}
	case !c.Bool("quiet"):
		text := strings.TrimRight(printable(v.String(), true), "\n")
		out.WriteString(paint(c, text, code) + "\n")
	}
	if err := deliver(func(w io.Writer) error { return writeOut(w, out.Bytes()) }); err != nil {
		return err
	}
	return ended(code)
}

// decided is the exit status of a verdict, an error where nobody decided it.
func decided(v verdict.Verdict) (int, error) {
	code := v.ExitCode()
	if code == verdict.NoVerdict || code < 0 || code >= verdict.Interrupted {
		return code, errorf(kindIndeterminate, "no verdict was reached")
	}
	return code, nil
}

// ended carries an exit status out.
func ended(code int) error {
	if code != verdict.Yes {
		return answered(code)
	}
	return nil
}

// answerLines prints a stream: each item as a line of JSON with --json, else
// as its text. It stops at the first item it cannot deliver. The verb then
// returns nil for status 0, or ends with answer.
func answerLines[T fmt.Stringer](c *cli.Context, items []T) error {
	return linesTo(c, c.App.Writer, items)
}

// linesPaged is answerLines for a stream that is all there: a person at a
// terminal reads it in their pager.
func linesPaged[T fmt.Stringer](c *cli.Context, items []T) error {
	return page(c, func(w io.Writer) error { return linesTo(c, w, items) })
}

func linesTo[T fmt.Stringer](c *cli.Context, w io.Writer, items []T) error {
	var out bytes.Buffer
	for _, item := range items {
		if c.Bool("json") {
			if err := writeJSON(&out, item); err != nil {
				return fmt.Errorf("encode a line: %w", err)
			}
		} else if !c.Bool("quiet") {
			out.WriteString(printable(item.String(), false) + "\n")
		}
		if out.Len() < 1<<16 {
			continue
		}
		if err := writeOut(w, out.Bytes()); err != nil {
			return err
		}
		out.Reset()
	}
	return writeOut(w, out.Bytes())
}

// writeOut writes to standard output. An answer that did not arrive is an
// error, because its exit status would otherwise stand for words nobody saw.
func writeOut(w io.Writer, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	_, err := w.Write(data)
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return errClosedOutput
	case err != nil:
		return environmentf("write the answer: %w", err)
	}
	return nil
}
