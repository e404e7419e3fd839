//go:build unix

package main

import (
	"os"
	"syscall"
)

// becomes makes this process another program. It returns only where that fails.
func becomes(path string, words []string) error { return syscall.Exec(path, words, os.Environ()) }
