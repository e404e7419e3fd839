package main

import (
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"
)

// hookQuiet is how long a hook may take without a word. Test binaries set it.
var hookQuiet = 2 * time.Second

// hookProgress says once that gates are still at work. What it returns stops it,
// and comes back when nothing more will be said.
func hookProgress(c *cli.Context, name string, after time.Duration) (stop func()) {
	done, silent := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(silent)
		select {
		case <-done:
		case <-time.After(after):
			if !c.Bool("quiet") {
				io.WriteString(c.App.ErrWriter, fmt.Sprintf("git-dos: %s: the gates are still at work\n", name))
			}
		}
	}()
	return func() {
		close(done)
		<-silent
	}
}
