package hooks

import (
	"context"
	"testing"
)

type receipts struct {
	commits []Commit
	unread  []string
	err     error
}

func (r receipts) Ungated(context.Context) ([]Commit, []string, error) {
	return r.commits, r.unread, r.err
}

func TestWhatWentPastTheGatesIsSaid(t *testing.T) {
	two := receipts{commits: []Commit{{ID: idA, Subject: "one"}, {ID: idB, Subject: "two"}}}
	want := "the trunk has it, and no receipt of its gates is known here: one; the trunk has it, and no receipt of its gates is known here: two"
	if got := reasons(t, UngatedGate(two), Push{}, given{}); got != want {
		t.Errorf("%q", got)
	}
	if got := reasons(t, UngatedGate(receipts{}), Push{}, given{}); got != "" {
		t.Errorf("nothing: %q", got)
	}
	if got := reasons(t, UngatedGate(receipts{two.commits, nil, errGiven}), Push{}, given{}); got != "error: cannot be read" {
		t.Errorf("no ledger can be read: %q", got)
	}
	if got := reasons(t, UngatedGate(receipts{unread: []string{"ledger of x"}}), Push{}, given{}); got != "receipts may be in what cannot be read: ledger of x" {
		t.Errorf("one ledger cannot be read: %q", got)
	}
}
