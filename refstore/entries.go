package refstore

import (
	"context"
	"fmt"
)

// Entries reads entries one at a time, all of them through one git. Unlike
// [Repo.Chain] it returns checkpoints, so that who wants the present can stop at
// one without reading what is packed behind it. It is not safe for concurrent use.
type Entries struct{ objects *objectReader }

// Entries is a reader of this repository's entries. It is to be closed.
func (r *Repo) Entries() *Entries { return &Entries{r.objects()} }

// Close ends the git child, if there is one.
func (e *Entries) Close() { e.objects.Close() }

// Entry is the entry of ref that a commit holds, with its parent. The error wraps
// [ErrBroken] or [ErrFormat].
func (e *Entries) Entry(ctx context.Context, ref string, id OID) (Tip, error) {
	t, _, err := e.objects.entry(ctx, ref, id)
	return t, err
}

// Commit is the bytes of a commit.
func (e *Entries) Commit(ctx context.Context, id OID) ([]byte, error) {
	kind, body, err := e.objects.get(ctx, string(id))
	if err == nil && kind != "commit" {
		err = fmt.Errorf("%s is a %s, not a commit", id, kind)
	}
	return body, err
}
