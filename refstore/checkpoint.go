package refstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// maxSegment is the size at which a segment is closed, before compression.
const maxSegment = 4 << 20

// maxSegmentRead bounds a segment read back: one that was nearly full before
// its last row, which may hold the largest payload and a row's other fields.
const maxSegmentRead = maxSegment + maxPayload + 64<<10

func segmentName(n int) string { return fmt.Sprintf("seg-%06d.jsonl.zst", n) }

// A Folded is what a CHECKPOINT says of the rows before it.
type Folded struct {
	Gen     uint64
	Payload []byte
	Parts   []Part
}

// Compact appends a CHECKPOINT to ref: an entry whose tree holds every row
// before it as zstd segments, so that readers need not walk the commits. fold
// turns the tip it is decided on into what the checkpoint says itself; for a
// lane that is the lease record, so the lane's state is unchanged. Segments of
// an earlier checkpoint are reused as they are. A chain with no new rows is
// left alone.
func (r *Repo) Compact(ctx context.Context, a Authority, ref string, at time.Time, fold func(Tip) Folded) (Update, error) {
	name, ok := SplitRef(ref)
	if !ok {
		return Update{}, fmt.Errorf("%q is not a ref of git-dos", ref)
	}
	return r.Update(ctx, a, Query{Kinds: []string{name.Kind}}, func(s Snapshot) ([]Write, error) {
		tip := s.Tip(ref)
		if tip.Err != nil || tip.ID == "" {
			return nil, tip.Err
		}
		files, err := r.rows(ctx, ref, tip.ID)
		if err != nil || files == nil {
			return nil, err
		}
		f := fold(tip)
		parts, err := r.writeParts(f.Parts)
		if err != nil {
			return nil, fmt.Errorf("checkpoint of %s: %w", ref, err)
		}
		e := Entry{Op: OpCheckpoint, Gen: f.Gen, Payload: f.Payload, At: at}
		return []Write{{Ref: ref, Entry: e, files: append(files, parts...)}}, nil
	})
}

// rows writes the entries since the last checkpoint as segments and returns
// them after the segments of that checkpoint; nil when there are none.
func (r *Repo) rows(ctx context.Context, ref string, tip OID) ([]treeFile, error) {
	objects := r.objects()
	defer objects.Close()
	var fresh []row
	var files []treeFile
	for tip != "" {
		t, tree, err := objects.entry(ctx, ref, tip)
		if err != nil {
			return nil, err
		}
		if t.Entry.Op == OpCheckpoint {
			if files, err = objects.segmentFiles(ctx, tree); err != nil {
				return nil, err
			}
			break
		}
		fresh = append(fresh, rowOf(t))
		tip = t.Parent
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	slices.Reverse(fresh)
	for len(fresh) > 0 {
		n, blob, err := r.writeSegment(fresh)
		if err != nil {
			return nil, err
		}
		files = append(files, treeFile{segmentName(len(files)), blob})
		fresh = fresh[n:]
	}
	return files, nil
}

// writeSegment stores as many leading rows as fit and says how many.
func (r *Repo) writeSegment(rows []row) (n int, blob OID, err error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for n < len(rows) && b.Len() < maxSegment {
		if err := enc.Encode(rows[n]); err != nil {
			return 0, "", err
		}
		n++
	}
	packed, err := pack(b.Bytes())
	if err != nil {
		return 0, "", err
	}
	blob, err = r.writeObject("blob", packed)
	return n, blob, err
}
