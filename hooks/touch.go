package hooks

import "github.com/git-dos/git-dos/kernel/scope"

// A Touch is what a set of changes touches.
type Touch struct {
	Paths []string     // raw, both sides of a rename
	Links []scope.Link // the symbolic links among them, and where they lead
}
