// Package verdict defines the one shape every kernel answer takes.
//
// A kernel package judges Evidence with a pure function and returns a Verdict:
// plain data that names its outcome, gives its reason in one sentence, and
// knows the exit status that carries it to a shell. Nothing below kernel/
// prints, exits, reads a clock or opens a repository; those facts arrive as
// evidence.
package verdict

import "errors"

// A Verdict is an answer the kernel stands behind.
type Verdict interface {
	// ExitCode is the process status that carries the answer. The zero value
	// of every verdict type answers NoVerdict: what nobody decided must never
	// read as yes.
	ExitCode() int

	// String is the form for people. Machines read the JSON encoding of the
	// concrete type.
	String() string
}

// Exit statuses with one meaning in every verb. Each verb gives the remaining
// statuses to outcomes of its own and lists them in its help.
const (
	Yes         = 0   // the affirmative outcome
	No          = 1   // the negative outcome of a yes-or-no question
	NoVerdict   = 2   // the question was malformed or could not be judged
	FirstOwned  = 3   // the lowest status a verb may give a meaning of its own
	Interrupted = 130 // a signal ended the verb before it could answer
)

// Err is why an answer has no outcome, which is its reason, and nil where it has one.
func Err[Outcome ~string](outcome Outcome, reason string) error {
	switch {
	case outcome != "":
		return nil
	case reason == "":
		return errors.New("nothing was decided")
	}
	return errors.New(reason)
}
