package worktree

import (
	"os"
	"path/filepath"
	"time"
)

// leftoverAge is the age from which a scratch file was left by a process that
// was killed: no commit takes as long.
const leftoverAge = 24 * time.Hour

// sweep removes scratch files that killed processes left. One that cannot be
// removed does no harm.
func (t *Tree) sweep(state string) {
	for _, pattern := range []string{
		filepath.Join(state, messageFile+"*"), filepath.Join(state, traceFile+"*"), t.index + scratchIndex + "*",
	} {
		files, _ := filepath.Glob(pattern)
		for _, f := range files {
			if info, err := os.Lstat(f); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > leftoverAge {
				os.Remove(f)
			}
		}
	}
}

// Beginnings of the names of scratch files.
const (
	messageFile  = "commit-message."
	traceFile    = "commit-trace."
	scratchIndex = ".dos-"
)
