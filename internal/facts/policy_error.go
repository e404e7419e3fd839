package facts

import (
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
)

// A PolicyError is a dos.toml with problems, and where it stands.
type PolicyError struct {
	Source string        // a path or a commit and a path, ending in dos.toml
	Remote string        // with Branch: it is the copy on this branch of this remote, "" for one here
	Branch string        // without refs/heads/
	Errors policy.Errors // what is wrong with it
}

// Error names the file once, with the place in it.
func (e *PolicyError) Error() string {
	return e.Source + strings.TrimPrefix(e.Errors.Error(), policyFile)
}

func (e *PolicyError) Unwrap() error { return e.Errors }

// NamePolicy says of which dos.toml the problems are that policy.Parse found.
// Any other error, nil included, stays as it is.
func NamePolicy(source string, err error) error { return namePolicy(source, nil, err) }

// onTrunk is the branch of a remote that a copy of dos.toml stands on.
type onTrunk struct{ remote, branch string }

func namePolicy(source string, at *onTrunk, err error) error {
	problems, ok := err.(policy.Errors)
	if !ok {
		return err
	}
	e := &PolicyError{Source: source, Errors: problems}
	if at != nil {
		e.Remote, e.Branch = at.remote, at.branch
	}
	return e
}
