package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// errorKind says who can help: the caller (usage), the machine (environment),
// whoever keeps the refs (store), another worker by going first (conflict), or
// nobody yet because the facts are out of sight (indeterminate).
type errorKind string

const (
	kindUsage         errorKind = "usage"
	kindEnvironment   errorKind = "environment"
	kindStore         errorKind = "store"
	kindConflict      errorKind = "conflict"
	kindIndeterminate errorKind = "indeterminate"
	kindInterrupted   errorKind = "interrupted"
)

// A cmdError ends a verb without a verdict. Its message names what went wrong
// and where, in lower case and without the verb, which report puts in front.
// The hint is the next thing to do, ideally a command.
type cmdError struct {
	Kind    errorKind
	Message string
	Hint    string
	Exit    int // 0 means verdict.NoVerdict
	cause   error
}

func (e *cmdError) Error() string { return e.Message }
func (e *cmdError) Unwrap() error { return e.cause }

// hint sets the hint and returns e.
func (e *cmdError) hint(format string, args ...any) *cmdError {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

func usagef(format string, args ...any) *cmdError { return errorf(kindUsage, format, args...) }

func environmentf(format string, args ...any) *cmdError {
	return errorf(kindEnvironment, format, args...)
}

// errorf makes an error of a kind; %w in the format keeps the cause reachable.
func errorf(kind errorKind, format string, args ...any) *cmdError {
	err := fmt.Errorf(format, args...)
	return &cmdError{Kind: kind, Message: err.Error(), cause: err}
}

// asCmdError finds the cmdError in err, or returns nil.
func asCmdError(err error) *cmdError {
	var e *cmdError
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// A failure is an error ready to be reported.
type failure struct {
	verb string // full name, empty before a verb was found
	cmdError
}

// failureOf classifies err. An error no verb classified counts as the
// environment's. Once ctx is done the run was interrupted, whatever the verb
// makes of it; its message still tells what it could not undo.
func failureOf(ctx context.Context, inv invocation, err error) failure {
	f := failure{verb: pathName(inv.path), cmdError: cmdError{Kind: kindEnvironment, Message: err.Error()}}
	if e := asCmdError(err); e != nil {
		f.Kind, f.Hint, f.Exit = e.Kind, e.Hint, e.Exit
	}
	if f.Exit == 0 {
		f.Exit = verdict.NoVerdict
		if slices.Contains(hookAgentGoOn, f.verb) {
			f.Exit = hookAgentUnsure
		}
	}
	if ctx.Err() != nil {
		f.Kind, f.Exit = kindInterrupted, verdict.Interrupted
		f.Message = "interrupted"
		if err != context.Canceled {
			f.Message += ": " + err.Error()
		}
	}
	if f.Kind == kindUsage && f.Hint == "" {
		f.Hint = "run: git dos " + strings.TrimSpace(f.verb+" -h")
	}
	return f
}

// report writes the failure and returns its exit status. It is the only
// writer of standard error for failed verbs.
func report(w io.Writer, f failure, asJSON bool) int {
	message := printable(f.Message, false)
	hint := printable(f.Hint, false)
	if asJSON {
		writeJSON(w, map[string]any{"error": struct {
			Kind    errorKind `json:"kind"`
			Verb    string    `json:"verb,omitempty"`
			Message string    `json:"message"`
			Hint    string    `json:"hint,omitempty"`
		}{f.Kind, f.verb, message, hint}})
		return f.Exit
	}
	if f.verb != "" {
		message = f.verb + ": " + message
	}
	text := "git-dos: " + message + "\n"
	if hint != "" {
		text += "hint: " + hint + "\n"
	}
	io.WriteString(w, text)
	return f.Exit
}

// warn tells of a fault beside an answer that stands all the same.
func warn(c *cli.Context, format string, args ...any) {
	io.WriteString(c.App.ErrWriter, "git-dos: warning: "+printable(fmt.Sprintf(format, args...), false)+"\n")
}

// badFlagValue turns a value a flag cannot take into a usage error.
func badFlagValue(_ *cli.Context, err error, _ bool) error { return usagef("%w", err) }
