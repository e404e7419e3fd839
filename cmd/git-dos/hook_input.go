package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/hooks"
)

// hookPatience is how long a hook waits for more of its input. Git writes all of
// it at once.
const hookPatience = 10 * time.Second

// hookInput reads the standard input of a hook. Input that is not git's is an
// error and never an empty one: a hook manager that passes none on would
// otherwise have every push pass.
func hookInput(c *cli.Context, name string) ([]byte, error) {
	if f, ok := c.App.Reader.(*os.File); ok {
		st, err := f.Stat()
		switch {
		case err != nil:
			return nil, &hooks.ProtocolError{Hook: name, What: fmt.Sprintf("standard input is closed: %v", err)}
		case st.Mode()&os.ModeCharDevice != 0:
			return nil, &hooks.ProtocolError{Hook: name, What: "standard input is a terminal or closed, and not what git writes"}
		}
	}
	return hookRead(c.Context, name, c.App.Reader, hookPatience)
}

// hookRead reads to the end, up to a byte more than there may be. Whoever keeps
// the input open and writes nothing is awaited for a while.
func hookRead(ctx context.Context, name string, r io.Reader, patience time.Duration) ([]byte, error) {
	type piece struct {
		data []byte
		err  error
	}
	pieces := make(chan piece)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			buf := make([]byte, 64<<10)
			n, err := r.Read(buf)
			select {
			case pieces <- piece{buf[:n], err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var all []byte
	for {
		select {
		case p := <-pieces:
			all = append(all, p.data...)
			switch {
			case p.err == io.EOF, len(all) > hooks.MaxInput:
				return all, nil
			case p.err != nil:
				return nil, environmentf("%s: read standard input: %w", name, p.err)
			}
		case <-time.After(patience):
			return nil, &hooks.ProtocolError{Hook: name, What: fmt.Sprintf("standard input stayed open and nothing came for %s", patience)}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
