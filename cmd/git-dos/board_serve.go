package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/board"
	"github.com/git-dos/git-dos/internal/pageserver"
)

// boardFresh is after how long a page that is looked at is made anew though no ref
// moved: who holds a lane and is silent shows by the time that passes.
const boardFresh = 30 * time.Second

// boardServe shows the page on this machine until it is interrupted.
func boardServe(c *cli.Context, since time.Duration) error {
	switch {
	case c.IsSet("out"), c.Bool("json"):
		return usagef("--serve excludes --out and --json")
	case c.IsSet("now"):
		return usagef("--serve is for people, at the real time").hint("git dos board --now makes the page of then")
	}
	if _, err := panelDesk(c); err != nil {
		return err
	}
	l, err := pageserver.Listen(c.String("addr"))
	if err != nil {
		return boardAddr(err)
	}
	if err := writeOut(c.App.Writer, fmt.Appendf(nil, "http://%s/\n", l.Addr())); err != nil {
		_ = l.Close()
		return err
	}
	s := pageserver.Site{
		Policy: board.Policy(true),
		Tag:    func(ctx context.Context) (string, error) { return boardTag(ctx, c) },
		Page: func(ctx context.Context) ([]byte, error) {
			var page bytes.Buffer
			d, err := panelDesk(c)
			if err != nil {
				return nil, err
			}
			data, err := boardOf(c, d, since)
			if err != nil {
				return nil, err
			}
			err = board.Render(&page, data, true)
			return page.Bytes(), err
		},
	}
	if err := s.Serve(c.Context, l); err != nil {
		return environmentf("serve the page: %w", err)
	}
	return nil
}

// boardAddr is why an address cannot be listened on.
func boardAddr(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return environmentf("--addr: %w", err).hint("--addr 127.0.0.1:0 takes a port that is free")
	}
	return usagef("--addr: %w", err).hint("write it like 127.0.0.1:8080; a board is shown on this machine alone")
}

// boardTag tells of what a page would be made: where the refs stand, and the time.
func boardTag(ctx context.Context, c *cli.Context) (string, error) {
	repo, err := openRepo(c)
	if err != nil {
		return "", err
	}
	refs, err := repo.Git.Output(ctx, "for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil {
		return "", environmentf("look where the refs stand: %w", err)
	}
	return fmt.Sprintf("%d %s", now(c).Unix()/int64(boardFresh/time.Second), refs), nil
}
