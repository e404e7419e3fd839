package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// attempt is a row that a state remembers.
func attempt(n int) Row {
	return journal.Row{Op: journal.OpAttempt, At: at.Add(time.Duration(n) * time.Second), Unit: fmt.Sprintf("U/%d", n), Outcome: "blocked"}
}

func enter(t *testing.T, r *refstore.Repo, keep int, rows ...Row) Appended {
	t.Helper()
	done, err := Record(t.Context(), r, "n1", policy.Retention{JournalMaxEntries: keep}, at, rows...)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// tipOp is the op of the newest entry.
func tipOp(t *testing.T, r *refstore.Repo) (op string) {
	t.Helper()
	if err := present(t.Context(), r, "n1", func(e Entry) bool {
		op = e.Op
		return false
	}); err != nil {
		t.Fatal(err)
	}
	return op
}

// folded is the state of the ledger as a reader of the present has it.
func folded(t *testing.T, r *refstore.Repo, history bool) journal.View {
	t.Helper()
	s := journal.New("n1")
	_, err := Read(t.Context(), r, Query{Nodes: []string{"n1"}, Oldest: true, History: history}, func(e Entry) bool {
		s.Fold(e.Op, e.At, e.Payload)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return journal.Merge(s)
}

func knows(t *testing.T, v journal.View, n int) {
	t.Helper()
	all, forgot := v.Attempts()
	for i := 1; i <= n; i++ {
		is := func(a journal.Attempt) bool { return a.Unit == fmt.Sprintf("U/%d", i) }
		if at := slices.IndexFunc(all, is); at < 0 || slices.ContainsFunc(all[at+1:], is) || !forgot.IsZero() {
			t.Errorf("attempt %d: %v, forgot %v", i, all, forgot)
		}
	}
	if d := v.Doubts(); len(d) > 0 {
		t.Errorf("doubts: %+v", d)
	}
}

func TestRowThatFillsTheLedgerBringsACheckpoint(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for i, want := range []string{"ATTEMPT", "ATTEMPT", refstore.OpCheckpoint, "ATTEMPT", "ATTEMPT", refstore.OpCheckpoint} {
		if done := enter(t, r, 3, attempt(i+1)); done.Last != uint64(i+1) || tipOp(t, r) != want {
			t.Errorf("row %d: %+v under a %s, want a %s", i+1, done, tipOp(t, r), want)
		}
	}
	if enter(t, r, 3, attempt(7), attempt(8), attempt(9), attempt(10)); tipOp(t, r) != refstore.OpCheckpoint {
		t.Error("four rows at once, the third of which fills it, bring none")
	}
	if enter(t, r, -1, attempt(11)); tipOp(t, r) != "ATTEMPT" {
		t.Error("without a limit a checkpoint was made")
	}
	if enter(t, r, -1); tipOp(t, r) != "ATTEMPT" {
		t.Error("no row brought a checkpoint")
	}
	if enter(t, r, 0, attempt(12)); tipOp(t, r) != refstore.OpCheckpoint {
		t.Error("a limit of none did not make one with each row")
	}
	knows(t, folded(t, r, false), 12)
	knows(t, folded(t, r, true), 12)
}

func TestCheckpointWithoutAStateIsTakenForItsRows(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for i := range 5 {
		enter(t, r, -1, attempt(i+1))
	}
	// As they were made before there was a state: with the last row as payload.
	_, err := r.Compact(t.Context(), r.Local(), refstore.Ref("journal", "n1"), at, func(tip refstore.Tip) refstore.Folded {
		return refstore.Folded{Payload: tip.Entry.Payload}
	})
	if err != nil {
		t.Fatal(err)
	}
	if done := enter(t, r, -1, attempt(6)); done.Last != 6 {
		t.Fatalf("the row above it is %+v", done)
	}
	if _, err := Compact(t.Context(), r, "n1", at, StateFold(t.Context(), r, "n1", at)); err != nil {
		t.Fatal(err)
	}
	knows(t, folded(t, r, false), 6)
	knows(t, folded(t, r, true), 6)
}

func TestNoCheckpointIsMadeOfRowsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for i := range 5 {
		enter(t, r, -1, attempt(i+1))
	}
	ctx, cancel := context.WithCancel(t.Context())
	fold := StateFold(ctx, r, "n1", at)
	bare := Entry{Node: "n1", Op: refstore.OpCheckpoint, Seq: 9, Payload: []byte(`{"v":1,"op":"ATTEMPT","seq":9,"at":"2026-01-02T12:00:00Z","unit":"U"}`)}
	if err := present(t.Context(), r, "n1", func(e Entry) bool {
		bare.ID = e.ID
		return false
	}); err != nil {
		t.Fatal(err)
	}
	rows := func(yield func(Entry) bool) { yield(bare) }
	if _, _, err := fold(rows); !errors.Is(err, refstore.ErrBroken) {
		t.Errorf("a checkpoint that stands for more rows than there are: %v", err)
	}
	bare.ID = refstore.OID("0123456789012345678901234567890123456789")
	if _, _, err := fold(rows); !errors.Is(err, refstore.ErrBroken) {
		t.Errorf("a checkpoint that is not there: %v", err)
	}
	cancel()
	if _, _, err := fold(rows); err == nil {
		t.Error("a checkpoint that could not be looked at was passed over")
	}
}
