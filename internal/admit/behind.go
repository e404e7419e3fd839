package admit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// readAgain is how long a reader waits before it looks once more at lanes that
// do not agree with the order: long enough for an admission to end.
const readAgain = 250 * time.Millisecond

// A view is what one look at an authority has shown.
type view struct {
	snapshot refstore.Snapshot
	table    lease.Table
	order    error // why the order could not be read; then nothing is known to be behind it
}

// behind lists, in name order, the chains that do not show what the order says of
// them: an admission, or the end that an operator's force has made of one. What
// such a chain holds must not be shown as free, as held or as never leased.
func (v view) behind() []string {
	if v.order != nil {
		return nil
	}
	return v.table.Torn()
}

// viewOf reads the lanes of a snapshot for a reader, who shows what the chains say
// also where the order cannot be read.
func (d *Desk) viewOf(ctx context.Context, s refstore.Snapshot) (view, error) {
	t, err := d.table(ctx, s)
	if ctx.Err() != nil {
		return view{}, context.Cause(ctx)
	}
	return view{s, t, err}, nil
}

// settledView looks, and looks once more while something is behind that about
// picks.
func (d *Desk) settledView(ctx context.Context, v view, cached bool, about func(chain string) bool) (view, error) {
	if cached || !slices.ContainsFunc(v.behind(), about) {
		return v, nil
	}
	select {
	case <-time.After(readAgain):
	case <-ctx.Done():
		return v, context.Cause(ctx)
	}
	if err := d.Refresh(ctx, false); err != nil {
		return v, err
	}
	s, err := d.look(ctx, true)
	if err != nil {
		return v, err
	}
	return d.viewOf(ctx, s)
}

// errBehind is why a chain behind the order is not shown.
var errBehind = errors.New("it is behind the order of admissions: its last admission is half done, or what was written there is gone")

func behindError(chain string) error {
	return &StoreError{
		Err:  fmt.Errorf("%s: %w", lease.ChainName(chain), errBehind),
		Hint: "ask again in a moment; git dos lease acquire repairs what was cut off and names what is lost",
	}
}
