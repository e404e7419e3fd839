package refstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// WriteEntry stores e as a commit on top of parent ("" for a first entry) and
// returns its id. No ref moves. Every call makes a new object, even for an
// equal entry. Where git config dos.sign asks for it the commit is signed. The
// payload must be one line of JSON; it is stored without the blanks between its
// tokens, which a checkpoint would not keep either.
func (r *Repo) WriteEntry(ctx context.Context, ref string, parent OID, e Entry) (OID, error) {
	return r.writeEntry(ctx, ref, parent, e, nil)
}

// writeEntry is WriteEntry with further files for the entry's tree.
func (r *Repo) writeEntry(ctx context.Context, ref string, parent OID, e Entry, files []treeFile) (OID, error) {
	e.Attempt = newAttempt()
	limit := maxInline
	if name, _ := SplitRef(ref); name.Kind == "order" {
		limit = maxInlineOrder
	}
	if len(e.Payload) > maxPayload {
		return "", fmt.Errorf("entry for %s: payload of %d bytes, at most %d", ref, len(e.Payload), maxPayload)
	}
	if !oneLine(e.Payload) {
		return "", fmt.Errorf("entry for %s: payload is not one line of JSON", ref)
	}
	var tight bytes.Buffer
	if err := json.Compact(&tight, e.Payload); err != nil {
		return "", fmt.Errorf("entry for %s: %w", ref, err)
	}
	e.Payload = tight.Bytes()
	external := len(e.Payload) > limit || string(e.Payload) == payloadMarker
	if external {
		packed, err := pack(e.Payload)
		if err != nil {
			return "", err
		}
		blob, err := r.writeObject("blob", packed)
		if err != nil {
			return "", err
		}
		files = append(slices.Clone(files), treeFile{payloadFile, blob})
	}
	msg, err := e.message(ref, external)
	if err != nil {
		return "", fmt.Errorf("entry for %s: %w", ref, err)
	}
	treeBytes, err := r.Format.encodeTree(files)
	if err != nil {
		return "", err
	}
	tree, err := r.writeObject("tree", treeBytes)
	if err != nil {
		return "", err
	}
	signs, err := r.signs(ctx)
	if err != nil {
		return "", err
	}
	if signs {
		return r.signedCommit(ctx, tree, parent, e.At, msg)
	}
	commit, err := r.Format.encodeCommit(tree, parent, e.At, msg)
	if err != nil {
		return "", err
	}
	return r.writeObject("commit", commit)
}
