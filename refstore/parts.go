package refstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Part is a piece of what an entry says that stands beside its payload, in the
// entry's tree. Readers that do not ask for it do not read it. Names are of
// lower-case letters, digits and dashes, at most 60. Equal parts of two entries
// are one object.
type Part struct {
	Name string
	Data []byte
}

// Bounds of the parts of an entry. All together have no more bytes than a payload
// may have: maxPayload.
const (
	maxParts    = 4096
	maxPartName = 60
)

func partFile(name string) string { return "part-" + name + ".zst" }

func validPart(name string) bool {
	return name != "" && len(name) <= maxPartName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// writeParts stores the parts of an entry and returns its files.
func (r *Repo) writeParts(parts []Part) ([]treeFile, error) {
	if len(parts) > maxParts {
		return nil, fmt.Errorf("%d parts, at most %d", len(parts), maxParts)
	}
	var files []treeFile
	size := 0
	for _, p := range parts {
		file := partFile(p.Name)
		size += len(p.Data)
		switch {
		case !validPart(p.Name):
			return nil, fmt.Errorf("illegal name of a part: %.80q", p.Name)
		case size > maxPayload:
			return nil, fmt.Errorf("%d bytes up to part %s, at most %d", size, p.Name, maxPayload)
		case slices.ContainsFunc(files, func(f treeFile) bool { return f.name == file }):
			return nil, fmt.Errorf("two parts %s", p.Name)
		}
		packed, err := pack(p.Data)
		if err != nil {
			return nil, err
		}
		blob, err := r.writeObject("blob", packed)
		if err != nil {
			return nil, err
		}
		files = append(files, treeFile{file, blob})
	}
	return files, nil
}

// WriteParts stores the objects of parts that an entry has and that may be lost.
func (r *Repo) WriteParts(parts ...Part) error {
	_, err := r.writeParts(parts)
	return err
}

// Parts reads parts of the entry of ref that a commit holds, in the order in which
// they are named. A part that is not there or is damaged is an error that names it
// and wraps [ErrBroken], and so is the first that is more, with those before it,
// than an entry's parts may have: no more is expanded.
func (e *Entries) Parts(ctx context.Context, ref string, id OID, names ...string) ([]Part, error) {
	parts, err := e.parts(ctx, id, names)
	if err != nil {
		return nil, fmt.Errorf("%s at %s: %w", ref, id, err)
	}
	return parts, nil
}

func (e *Entries) parts(ctx context.Context, id OID, names []string) ([]Part, error) {
	blobs, err := e.partFiles(ctx, id)
	if err != nil {
		return nil, err
	}
	parts := make([]Part, 0, len(names))
	size := 0
	for _, name := range names {
		blob, ok := blobs[partFile(name)]
		if !ok || !validPart(name) {
			return nil, fmt.Errorf("%w: no part %.80q", ErrBroken, name)
		}
		data, err := e.objects.packed(ctx, string(blob), maxPayload)
		if err != nil {
			return nil, fmt.Errorf("part %s: %w", name, err)
		}
		if size += len(data); size > maxPayload {
			return nil, fmt.Errorf("%w: %d bytes up to part %s, at most %d", ErrBroken, size, name, maxPayload)
		}
		parts = append(parts, Part{name, data})
	}
	return parts, nil
}

// partFiles are the files of an entry, by name.
func (e *Entries) partFiles(ctx context.Context, id OID) (map[string]OID, error) {
	c, err := e.objects.commit(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	kind, body, err := e.objects.get(ctx, string(c.tree))
	if err != nil || kind != "tree" {
		return nil, fmt.Errorf("%w: no tree: %w", ErrBroken, errors.Join(err))
	}
	all, err := decodeTree(body, len(id)/2)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	blobs := make(map[string]OID, len(all))
	for _, f := range all {
		blobs[f.name] = f.blob
	}
	return blobs, nil
}
