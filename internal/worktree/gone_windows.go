package worktree

// notADirectory is what Windows reports as a path that does not exist.
func notADirectory(error) bool { return false }
