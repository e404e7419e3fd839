//go:build unix

package hookset

import "syscall"

// errNotDir is what a path through a file ends in.
var errNotDir error = syscall.ENOTDIR
