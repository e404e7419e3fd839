package ledger

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func TestOldestFirstHoldsLittle(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	for _, c := range []struct {
		claim       string
		rows, bytes int
		fails       error
		stop        int
		walks       int
	}{
		{"a few rows are walked once", 5, 100, nil, 0, 1},
		{"more than is held goes through a file", 5, heldBytes / 3, nil, 0, 2},
		{"a checkpoint alone", 0, 0, nil, 0, 1},
		{"whoever has enough hears no more", 5, 100, nil, 2, 1},
		{"nothing is visited of a walk that fails", 5, 100, bad, 0, 1},
		{"nor of a long one", 5, heldBytes / 3, bad, 0, 2},
	} {
		walks := 0
		walk := func(visit func(Entry) bool) error {
			walks++
			for n := c.rows; n > 0; n-- {
				if !visit(Entry{Seq: uint64(n), Op: "HALT", Payload: make([]byte, c.bytes)}) {
					return nil
				}
			}
			visit(Entry{Op: refstore.OpCheckpoint, Payload: make([]byte, 2*heldBytes)})
			return c.fails
		}
		var got, want []uint64
		err := oldestFirst(t.Context(), walk, func(e Entry) bool {
			got = append(got, e.Seq)
			return len(got) != c.stop
		})
		for n := 0; n <= c.rows && c.fails == nil && (c.stop == 0 || n < c.stop); n++ {
			want = append(want, uint64(n))
		}
		if !slices.Equal(got, want) || !errors.Is(err, c.fails) || walks != c.walks {
			t.Errorf("%s: %v, %v after %d walks, want %v after %d", c.claim, got, err, walks, want, c.walks)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	one := func(visit func(Entry) bool) error { visit(Entry{}); return nil }
	if err := oldestFirst(ctx, one, func(Entry) bool { t.Error("visited"); return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
