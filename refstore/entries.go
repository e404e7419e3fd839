package refstore

import (
	"context"
	"errors"
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

// Bare is Entry with the names of the files in the entry's tree, none of them for
// most entries.
func (e *Entries) Bare(ctx context.Context, ref string, id OID) (t Tip, files []string, err error) {
	t, tree, err := e.objects.entry(ctx, ref, id)
	if err != nil || tree == SHA1.EmptyTree() || tree == SHA256.EmptyTree() {
		return t, nil, err
	}
	kind, body, err := e.objects.get(ctx, string(tree))
	if err != nil || kind != "tree" {
		return t, nil, fmt.Errorf("%w: %s at %s has no tree: %w", ErrBroken, ref, id, errors.Join(err))
	}
	all, err := decodeTree(body, len(tree)/2)
	if err != nil {
		return t, nil, fmt.Errorf("%w: %s at %s: %w", ErrBroken, ref, id, err)
	}
	for _, f := range all {
		files = append(files, f.name)
	}
	return t, files, nil
}
