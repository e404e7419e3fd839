package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"
)

// hookQuiet is how long a hook may take without a word, unless GIT_PROGRESS_DELAY
// has another number of seconds.
const hookQuiet = 2 * time.Second

// maxProgressDelay is a day: no hook that is still looked at takes as long.
const maxProgressDelay = 24 * 60 * 60

// progressDelay is how long a hook may take without a word. A delay that is no
// number says nothing: it is no reason to stop a push.
func progressDelay() time.Duration {
	seconds, err := strconv.ParseUint(os.Getenv("GIT_PROGRESS_DELAY"), 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return hookQuiet
	}
	return time.Duration(min(seconds, maxProgressDelay)) * time.Second
}

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
