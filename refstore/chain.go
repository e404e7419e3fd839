package refstore

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// OpCheckpoint marks an entry whose tree holds all rows before it. Its payload
// is the state its writer folded; it is not a row itself.
const OpCheckpoint = "CHECKPOINT"

// A row is one entry inside a segment.
type row struct {
	ID      OID             `json:"id"`
	Parent  OID             `json:"parent,omitempty"`
	Op      string          `json:"op"`
	Gen     uint64          `json:"gen"`
	At      int64           `json:"at"`
	Attempt string          `json:"attempt"`
	Payload json.RawMessage `json:"payload"`
}

func rowOf(t Tip) row {
	return row{t.ID, t.Parent, t.Entry.Op, t.Entry.Gen, t.Entry.At.Unix(), t.Entry.Attempt, t.Entry.Payload}
}

func (w row) tip(ref string) Tip {
	e := Entry{Op: w.Op, Gen: w.Gen, Payload: w.Payload, At: time.Unix(w.At, 0).UTC(), Attempt: w.Attempt}
	return Tip{Ref: ref, ID: w.ID, Parent: w.Parent, Entry: e}
}

// Chain calls visit with every entry of the chain of ref that ends at tip,
// newest first, until visit returns false. Checkpoints are read through: the
// entries before one come from its segments, in one read each, and are the
// same as the commits they stand for. Memory does not grow with the chain.
func (r *Repo) Chain(ctx context.Context, ref string, tip OID, visit func(Tip) bool) error {
	objects := r.objects()
	defer objects.Close()
	for tip != "" {
		t, tree, err := objects.entry(ctx, ref, tip)
		if err != nil {
			return err
		}
		if t.Entry.Op == OpCheckpoint {
			return objects.segments(ctx, ref, tree, visit)
		}
		if !visit(t) {
			return nil
		}
		tip = t.Parent
	}
	return nil
}

// entry reads one commit of a chain.
func (o *objectReader) entry(ctx context.Context, ref string, id OID) (t Tip, tree OID, err error) {
	c, err := o.commit(ctx, id)
	if err != nil {
		return t, "", fmt.Errorf("%w: %s at %s: %w", ErrBroken, ref, id, err)
	}
	if len(c.parents) > 1 {
		return t, "", fmt.Errorf("%w: %s at %s is a merge", ErrBroken, ref, id)
	}
	t = Tip{Ref: ref, ID: id}
	if len(c.parents) == 1 {
		t.Parent = c.parents[0]
	}
	var external bool
	if t.Entry, external, err = parseMessage(ref, c.message); err != nil {
		return t, "", err
	}
	t.Entry.At = c.at
	if external {
		t.Entry.Payload, err = o.payload(ctx, ref, c.tree)
	}
	return t, c.tree, err
}

// packed reads a zstd blob that expands to at most limit bytes.
func (o *objectReader) packed(ctx context.Context, name string, limit int) ([]byte, error) {
	kind, body, err := o.get(ctx, name)
	if err == nil && kind != "blob" {
		err = fmt.Errorf("%s is a %s", name, kind)
	}
	if err == nil {
		body, err = unpack(body, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return body, nil
}

// segments visits the rows of a checkpoint's tree, newest first.
func (o *objectReader) segments(ctx context.Context, ref string, tree OID, visit func(Tip) bool) error {
	files, err := o.segmentFiles(ctx, tree)
	if err != nil {
		return err
	}
	for i := len(files) - 1; i >= 0; i-- {
		body, err := o.packed(ctx, string(files[i].blob), maxSegmentRead)
		if err != nil {
			return fmt.Errorf("%s of %s: %w", files[i].name, ref, err)
		}
		lines := bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
		for j := len(lines) - 1; j >= 0; j-- {
			w, err := parseRow(lines[j])
			if err != nil {
				return fmt.Errorf("%w: row %d of %s of %s: %w", ErrBroken, j, files[i].name, ref, err)
			}
			if !visit(w.tip(ref)) {
				return nil
			}
		}
	}
	return nil
}

func parseRow(line []byte) (w row, err error) {
	if err = json.Unmarshal(line, &w); err != nil {
		return w, err
	}
	if _, ok := ParseOID(string(w.ID)); !ok || w.Payload == nil {
		return w, errors.New("row without an id or a payload")
	}
	return w, nil
}

// segmentFiles lists a checkpoint's segments, oldest first. There is at least
// one, and none is missing in between.
func (o *objectReader) segmentFiles(ctx context.Context, tree OID) ([]treeFile, error) {
	kind, body, err := o.get(ctx, string(tree))
	if err != nil || kind != "tree" {
		return nil, fmt.Errorf("%w: checkpoint without a tree: %w", ErrBroken, errors.Join(err))
	}
	all, err := decodeTree(body, len(tree)/2)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	var files []treeFile
	for _, f := range all {
		if !strings.HasPrefix(f.name, "seg-") {
			continue
		}
		if f.name != segmentName(len(files)) {
			return nil, fmt.Errorf("%w: checkpoint without its segment %d", ErrBroken, len(files))
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: checkpoint without segments", ErrBroken)
	}
	return files, nil
}

// decodeTree splits a tree object; ids take idLen bytes.
func decodeTree(body []byte, idLen int) ([]treeFile, error) {
	var files []treeFile
	for len(body) > 0 {
		head, rest, ok := bytes.Cut(body, []byte{0})
		_, name, ok2 := bytes.Cut(head, []byte(" "))
		if !ok || !ok2 || len(rest) < idLen {
			return nil, errors.New("malformed tree")
		}
		files = append(files, treeFile{string(name), OID(hex.EncodeToString(rest[:idLen]))})
		body = rest[idLen:]
	}
	return files, nil
}
