package halt

import (
	"errors"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Verdict answers "is it on record that this run be stopped?", and says what is to be
// written so that it is.
type Verdict struct {
	Outcome Outcome
	Reason  string
	Next    string // a command, or without a verdict what would help

	Park    bool // no verdict yet: the lane is to be parked first
	Row     bool // the wish is to be written
	Suspend bool // and that the run is suspended, from ResumeSha

	Already   bool // it was all on record
	Suspended bool
	Parked    bool
	ResumeSha string

	why error
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Recorded:
		return verdict.Yes
	case NotRecorded:
		return verdict.No
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v Verdict) Err() error {
	switch {
	case v.Outcome != "":
		return nil
	case v.why == nil:
		return errors.New("nothing was decided")
	}
	return v.why
}

func (v Verdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	return string(v.Outcome) + ": " + v.Reason
}
