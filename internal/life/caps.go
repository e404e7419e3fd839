package life

import (
	"context"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
)

// Caps are the newest rows about accounts that are used up, one for each account
// that the ledgers of all nodes tell of. Unknown says why there may be others that
// still hold.
func (b *Book) Caps(ctx context.Context) (rows []journal.Row, unknown []string, err error) {
	if err := b.Read(ctx, AskCaps()); err != nil {
		return nil, nil, err
	}
	since := b.Desk.Now().Add(-journal.MaxCap)
	v := b.view()
	if forgot := v.ForgotCaps(); !forgot.IsZero() && forgot.After(since) {
		unknown = append(unknown, fmt.Sprintf("caps of accounts up to %s had to be dropped for want of room", forgot.UTC().Format(time.RFC3339)))
	}
	return v.Caps(), append(unknown, b.dark(func(h journal.Hidden) bool { return h.Cap(since) })...), nil
}
