package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lease"
)

func leaseAwait(c *cli.Context) error {
	most, err := waitFor(c)
	if err != nil {
		return err
	}
	return leaseKeep(c, func(d *admit.Desk, ctx context.Context, name string, id lease.Identity) (lease.Verdict, error) {
		return d.Await(ctx, name, id, most)
	})
}

func leasePark(c *cli.Context) error { return leaseParking(c, (*admit.Desk).Park) }

func leaseUnpark(c *cli.Context) error { return leaseParking(c, (*admit.Desk).Unpark) }

// leaseParking runs a verb that the holder of a lane may ask for, or an operator.
func leaseParking(c *cli.Context, verb func(d *admit.Desk, ctx context.Context, name, operator string, id lease.Identity) (lease.Verdict, error)) error {
	operator := c.String("operator")
	if err := lease.CheckWord("operator", operator); err != nil {
		return usagef("%w", err)
	}
	if c.IsSet("operator") && operator == "" {
		return usagef("--operator is empty").hint("name one, or leave the flag out")
	}
	return leaseKeep(c, func(d *admit.Desk, ctx context.Context, name string, id lease.Identity) (lease.Verdict, error) {
		return verb(d, ctx, name, operator, id)
	})
}
