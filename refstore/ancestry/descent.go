package ancestry

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// A Descent knows which of some commits reach which of some others.
type Descent struct {
	bit   map[refstore.OID]int
	masks map[refstore.OID][]uint64 // of the earlier commits: who reaches them
}

// Descents relates commits of the history of tip, however many pairs they make,
// by one pass over it. A commit reaches itself; one that tip does not reach is
// related to none. At the edge of a shallow history what lies beyond is not.
func Descents(ctx context.Context, run git.Runner, tip refstore.OID, later, earlier []refstore.OID) (*Descent, error) {
	if err := checked(tip); err != nil {
		return nil, err
	}
	d := &Descent{bit: map[refstore.OID]int{}, masks: map[refstore.OID][]uint64{}}
	for _, id := range later {
		if _, ok := d.bit[id]; !ok {
			d.bit[id] = len(d.bit)
		}
	}
	for _, id := range earlier {
		d.masks[id] = nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := startReading(ctx, run, git.Call{Args: []string{"rev-list", "--topo-order", "--parents", "--end-of-options", string(tip), "--"}}, 256<<10)
	if err != nil {
		return nil, err
	}
	defer c.stop(cancel)
	if err := d.read(c); err != nil {
		return nil, because(ctx, err)
	}
	return d, c.end(ctx)
}

// read carries down to each parent who reaches it. Children come before
// parents, so only the line of commits still to come is kept.
func (d *Descent) read(c *child) error {
	words := (len(d.bit) + 63) / 64
	pending := map[refstore.OID][]uint64{}
	for {
		line, err := c.out.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: git rev-list stopped inside a line", ErrMissing)
		}
		ids := strings.Fields(string(line))
		if len(ids) == 0 {
			return fmt.Errorf("%w: git rev-list printed an empty line", ErrMissing)
		}
		id := refstore.OID(ids[0])
		mask := pending[id]
		delete(pending, id)
		if bit, ok := d.bit[id]; ok {
			if mask == nil {
				mask = make([]uint64, words)
			}
			mask[bit/64] |= 1 << (bit % 64)
		}
		if _, ok := d.masks[id]; ok {
			d.masks[id] = mask
		}
		if mask == nil {
			continue
		}
		for i, p := range ids[1:] {
			pending[refstore.OID(p)] = joined(pending[refstore.OID(p)], mask, i == 0 && d.masks[id] == nil)
		}
	}
}

// joined is the union of two masks. The second may be handed on as it is when
// nobody else keeps it.
func joined(a, b []uint64, own bool) []uint64 {
	if a == nil {
		if own {
			return b
		}
		return append([]uint64(nil), b...)
	}
	for i := range a {
		a[i] |= b[i]
	}
	return a
}

// Reaches reports whether one of the later commits is, or descends from, one of
// the earlier.
func (d *Descent) Reaches(later, earlier refstore.OID) bool {
	bit, ok := d.bit[later]
	mask := d.masks[earlier]
	return ok && mask != nil && mask[bit/64]&(1<<(bit%64)) != 0
}
