package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/refstore"
)

// Who waits for a look that does not end is told, and does not wait for good.
func TestTheWaitForAnotherLookIsBounded(t *testing.T) {
	was := replanPatience
	t.Cleanup(func() { replanPatience = was })
	replanPatience = 50 * time.Millisecond
	dir := t.TempDir()
	gitIn(t, dir, append(os.Environ(), "HOME="+dir), "init", "--quiet")
	repo, err := refstore.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	c := cli.NewContext(cli.NewApp(), nil, nil)
	c.Context = t.Context()
	unlock, err := replanLock(c, repo)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replanLock(c, repo); err == nil || !strings.Contains(err.Error(), "another git dos replan has been at it") {
		t.Errorf("%v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	c.Context = over
	if _, err := replanLock(c, repo); err == nil || strings.Contains(err.Error(), "another") {
		t.Errorf("interrupted: %v", err)
	}
	c.Context = t.Context()
	unlock()
	for range 100 { // what had given up lets go of it as soon as it comes
		if unlock, err = replanLock(c, repo); err == nil {
			unlock()
			return
		}
	}
	t.Error(err)
}
