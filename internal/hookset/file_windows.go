package hookset

import "syscall"

// errNotDir is what a path through a file ends in.
var errNotDir error = syscall.ERROR_PATH_NOT_FOUND
