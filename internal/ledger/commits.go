package ledger

import (
	"context"

	"github.com/git-dos/git-dos/refstore"
)

// commits reads entries, all of them through one git that is started when it is
// first needed.
type commits struct {
	repo    *refstore.Repo
	entries *refstore.Entries
}

func (c *commits) open() *refstore.Entries {
	if c.entries == nil {
		c.entries = c.repo.Entries()
	}
	return c.entries
}

func (c *commits) close() {
	if c.entries != nil {
		c.entries.Close()
	}
}

// entry reads the entry of a ref that a commit holds; a checkpoint is one.
func (c *commits) entry(ctx context.Context, ref string, id refstore.OID) (refstore.Tip, error) {
	return c.open().Entry(ctx, ref, id)
}

// commit returns the bytes of a commit.
func (c *commits) commit(ctx context.Context, id refstore.OID) ([]byte, error) {
	return c.open().Commit(ctx, id)
}
