//go:build !windows

package worktree

import (
	"errors"
	"syscall"
)

func notADirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
