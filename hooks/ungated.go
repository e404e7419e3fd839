package hooks

import "context"

// Receipts is what UNGATED must know.
type Receipts interface {
	// Ungated lists the newest commits that the trunk has, as it is known here,
	// since gates began to judge pushes, and that no receipt is of; and what is
	// wrong with each ledger that cannot be read, where there may be more receipts.
	Ungated(ctx context.Context) (commits []Commit, unread []string, err error)
}

// UngatedGate finds what went past the gates before: commits that the trunk has
// already and that left no receipt, pushed with --no-verify, by a client that
// runs no hooks, or from a clone whose ledger is not known here. It is nothing
// that the push itself does wrong, and neither is a ledger of somebody else that
// cannot be read: that is a finding like the others, so that it stops no push
// where the gate warns.
func UngatedGate(r Receipts) Gate {
	return Gate{Ungated, func(ctx context.Context, _ Push, _ History) (found []Finding, err error) {
		commits, unread, err := r.Ungated(ctx)
		for _, wrong := range unread {
			found = append(found, Finding{
				Reason: "receipts may be in what cannot be read: " + clip(wrong),
				Fix:    "git dos journal check names each ledger that cannot be read",
			})
		}
		for _, c := range commits {
			found = append(found, Finding{
				Commit: c.ID, Reason: "the trunk has it, and no receipt of its gates is known here: " + clip(c.Subject),
				Fix: "git dos hooks audit lists all of them; git dos commit-audit " + c.ID + " compares one with its claim",
			})
		}
		return found, err
	}}
}
