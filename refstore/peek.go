package refstore

import (
	"bytes"
	"context"
	"fmt"
)

// Peek asks the remote where it has a dos ref, "" when it has none, and brings
// nothing here: neither an object nor a ref of this repository changes.
func (a *Remote) Peek(ctx context.Context, ref string) (OID, error) {
	name := a.ServerRef(ref)
	from, err := a.source(ctx)
	if err != nil {
		return "", err
	}
	out, err := a.run.Output(ctx, "ls-remote", "--quiet", from, name)
	if err != nil {
		return "", a.unreachable(ctx, ref, err)
	}
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		id, found, _ := bytes.Cut(line, []byte("\t"))
		if string(found) != name {
			continue // a pattern of ls-remote also matches the end of other names
		}
		oid, ok := ParseOID(string(id))
		if !ok {
			return "", fmt.Errorf("%w: %s on %s names no object", ErrBroken, name, a.name)
		}
		return oid, nil
	}
	return "", nil
}

// PeekHead asks the remote which branch its HEAD names, "" when it does not
// say, and whether it has no branch at all. It brings nothing here.
func (a *Remote) PeekHead(ctx context.Context) (branch string, empty bool, err error) {
	from, err := a.source(ctx)
	if err != nil {
		return "", false, err
	}
	out, err := a.run.Output(ctx, "ls-remote", "--quiet", "--symref", from, "HEAD", "refs/heads/*")
	if err != nil {
		return "", false, a.unreachable(ctx, "", err)
	}
	empty = true
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		what, name, _ := bytes.Cut(line, []byte("\t"))
		target, symbolic := bytes.CutPrefix(what, []byte("ref: "))
		switch {
		case symbolic && string(name) == "HEAD" && bytes.HasPrefix(target, []byte("refs/heads/")):
			branch = string(target)
		case bytes.HasPrefix(name, []byte("refs/heads/")):
			empty = false
		}
	}
	return branch, empty, nil
}

func (a *Remote) unreachable(ctx context.Context, ref string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &OutcomeError{a.name, Outcome{Result: Offline, Ref: ref, Words: firstLine(err), Err: err}}
}
