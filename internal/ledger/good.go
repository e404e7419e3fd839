package ledger

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// A Good is an entry below an unreadable one.
type Good struct {
	ID  refstore.OID
	Seq uint64

	// Sure is false for the newest entry that was found by looking through the
	// repository's newest objects: that one may have lost a race and never have
	// been in the ledger.
	Sure bool
}

// How far to look for a good entry.
const (
	maxBack  = 100  // unreadable entries passed on the way down
	maxLoose = 4096 // newest objects looked through
)

// nodeError names what of a node cannot be read and what still can.
func (c *commits) nodeError(ctx context.Context, src source, err error) *NodeError {
	e := &NodeError{Node: src.node, Ref: src.tips[0].Ref, Err: err}
	above := uint64(math.MaxUint64)
	var at *chainError
	if errors.As(err, &at) {
		e.ID, e.Err, e.Rows = at.id, at.err, at.rows
		if at.above > 0 {
			above = at.above
		}
	}
	var gap *gapError
	switch {
	case errors.Is(err, ErrForked):
	case errors.As(err, &gap) && c.numbered(ctx, e.Ref, gap.lower.ID):
		e.ID, e.Good = gap.upper.ID, &Good{ID: gap.lower.ID, Seq: gap.lower.Seq, Sure: true}
		if gap.upper.Op != refstore.OpCheckpoint {
			e.Rows--
		}
	default:
		e.Good = c.lastGood(ctx, src, e, above)
	}
	return e
}

// numbered reports whether the place of an entry follows that of the one below
// it: what stands on it is wrong then, where the two do not agree.
func (c *commits) numbered(ctx context.Context, ref string, id refstore.OID) bool {
	tip, err := c.entry(ctx, ref, id)
	if err == nil {
		_, err = c.lastOf(ctx, tip)
	}
	return err == nil
}

// lastGood looks for the newest good entry below one that has a place lower
// than above.
func (c *commits) lastGood(ctx context.Context, src source, e *NodeError, above uint64) *Good {
	id := e.ID
	for range maxBack {
		parent, known := c.parent(ctx, id)
		if id = parent; !known {
			break
		}
		if id == "" {
			return nil // it is the first
		}
		if g := c.good(ctx, e.Ref, id); g != nil {
			g.Sure = true
			return g
		}
	}
	var best *Good
	if name, _ := refstore.SplitRef(e.Ref); name.Kind == journalKind { // only its entries are numbered
		best = c.newestLoose(ctx, e.Ref, above-1)
	}
	for _, p := range src.tips {
		if p.Err != nil || p.ID == e.ID {
			continue
		}
		if g := c.good(ctx, e.Ref, p.ID); g != nil && g.Seq < above-1 && (best == nil || best.Seq <= g.Seq) {
			g.Sure, best = true, g
		}
	}
	return best
}

// good is an entry that can be read, nil for one that cannot.
func (c *commits) good(ctx context.Context, ref string, id refstore.OID) *Good {
	t, err := c.entry(ctx, ref, id)
	if err != nil {
		return nil
	}
	if name, _ := refstore.SplitRef(ref); name.Kind != journalKind {
		return &Good{ID: id}
	}
	en, err := entryOf(t)
	if err != nil || en.Op == refstore.OpCheckpoint && c.whole(ctx, ref, en) != nil {
		return nil
	}
	return &Good{ID: id, Seq: en.Seq}
}

// parent is the first parent of a commit, whatever its message, "" for one that
// has none. Of an object cut short the beginning may be left.
func (c *commits) parent(ctx context.Context, id refstore.OID) (parent refstore.OID, known bool) {
	if id == "" {
		return "", false
	}
	body, err := c.commit(ctx, id)
	if err != nil {
		body = c.beginning(id)
	}
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		if s, ok := bytes.CutPrefix(line, []byte("parent ")); ok {
			parent, ok := refstore.ParseOID(string(s))
			return parent, ok && len(parent) == len(id)
		}
		if bytes.HasPrefix(line, []byte("author ")) {
			return "", true // parents stand before it
		}
	}
	return "", false
}

// beginning is what can be had of a damaged loose commit: whole lines.
func (c *commits) beginning(id refstore.OID) []byte {
	if len(id) < 40 {
		return nil
	}
	f, err := os.Open(filepath.Join(c.repo.Objects, string(id[:2]), string(id[2:])))
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return nil
	}
	b, _ := io.ReadAll(io.LimitReader(z, 512)) // as far as it goes
	kind, body, ok := bytes.Cut(b, []byte{0})
	end := bytes.LastIndexByte(body, '\n')
	if !ok || end < 0 || !bytes.HasPrefix(kind, []byte("commit ")) {
		return nil
	}
	return body[:end]
}

// newestLoose is the entry of a ref with the highest place below a given one
// among the newest objects of the repository. Of two with one place neither is more likely, and
// the one below both is taken.
func (c *commits) newestLoose(ctx context.Context, ref string, below uint64) *Good {
	var best *Good
	var parent refstore.OID
	for _, id := range c.loose() {
		t, err := c.entry(ctx, ref, id)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			continue
		}
		g := c.good(ctx, ref, id)
		switch {
		case g == nil || g.Seq >= below || best != nil && g.Seq < best.Seq:
		case best != nil && g.Seq == best.Seq:
			best = c.good(ctx, ref, parent)
		default:
			best, parent = g, t.Parent
		}
	}
	return best
}

// loose lists the newest loose objects.
func (c *commits) loose() []refstore.OID {
	type object struct {
		id refstore.OID
		at time.Time
	}
	var all []object
	dirs, _ := os.ReadDir(c.repo.Objects)
	for _, d := range dirs {
		if len(d.Name()) != 2 {
			continue
		}
		files, _ := os.ReadDir(filepath.Join(c.repo.Objects, d.Name()))
		for _, f := range files {
			id, ok := refstore.ParseOID(strings.ToLower(d.Name() + f.Name()))
			if st, err := f.Info(); ok && err == nil && st.Size() > 0 {
				all = append(all, object{id, st.ModTime()})
			}
		}
	}
	slices.SortFunc(all, func(a, b object) int { return cmp.Compare(b.at.UnixNano(), a.at.UnixNano()) })
	var ids []refstore.OID
	for _, o := range all[:min(len(all), maxLoose)] {
		ids = append(ids, o.id)
	}
	return ids
}
