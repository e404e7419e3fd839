package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// noLocalLease refuses to hand the lanes of a repository that decides them
// itself to a remote while any is held: the remote knows nothing of such a
// lease, and would give its files, its unit and its seat to another. One that
// cannot be read may be held.
func (w *work) noLocalLease(ctx context.Context) error {
	if w.Remote == "" {
		return nil
	}
	desk, err := admit.Open(ctx, w.Repo, w.Now)
	var trunk *facts.TrunkError
	switch {
	case errors.As(err, &trunk), errors.Is(err, facts.ErrNoFleetRemote), err == nil && desk.Remote() != "":
		return nil // a remote decides already, or is to
	case err != nil:
		return err
	}
	seen, err := desk.Leases(ctx, true)
	if err != nil {
		return err
	}
	for _, u := range seen.Unread {
		return problemf("see git dos doctor", "lane %s of this repository cannot be read, and %s would not know who holds it", verdict.Show(u.Lane), w.Remote)
	}
	held := slices.DeleteFunc(seen.Lanes, func(r lease.Record) bool { return r.State == lane.Free })
	if len(held) == 0 {
		return nil
	}
	first := held[0]
	return problemf(fmt.Sprintf("git dos lease release --lane %s, or git dos lease scavenge --lane %[1]s --force --operator NAME", verdict.ShellWord(first.Lane)),
		"%s held in this repository, lane %s by %s, and would bind nobody once %s decides", isOrAre(len(held)), verdict.Show(first.Lane), verdict.Show(first.Holder.String()), w.Remote)
}

func isOrAre(lanes int) string {
	if lanes == 1 {
		return "a lane is"
	}
	return fmt.Sprintf("%d lanes are", lanes)
}
