package ledger

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// large fills a ledger with rows whose state has parts, and puts a checkpoint
// over them.
func large(t *testing.T, r *refstore.Repo, from, to int) refstore.OID {
	t.Helper()
	var rows []Row
	for n := from; n <= to; n++ {
		rows = append(rows, attempt(n))
	}
	enter(t, r, -1, rows...)
	id, err := Compact(t.Context(), r, "n1", at, StateFold(t.Context(), r, "n1", at))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// stateOf is the state of a ledger and the checkpoint that it begins with.
func stateOf(t *testing.T, r *refstore.Repo) (s *journal.State, checkpoint refstore.OID) {
	t.Helper()
	s = journal.New("n1")
	if _, err := Read(t.Context(), r, Query{Nodes: []string{"n1"}, Oldest: true}, func(e Entry) bool {
		if e.Op == refstore.OpCheckpoint {
			checkpoint = e.ID
		}
		s.Fold(e.Op, e.At, e.Payload)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return s, checkpoint
}

// partBlob is the object that holds a part of a table of a checkpoint.
func partBlob(t *testing.T, r *refstore.Repo, id refstore.OID) refstore.OID {
	t.Helper()
	return idOf(t, r, string(id)+":part-table-000-000.zst")
}

func TestALargeStateIsKeptInPartsAndLosesNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	first := large(t, r, 1, 120)
	enter(t, r, -1, attempt(121))
	large(t, r, 122, 130)
	enter(t, r, -1, attempt(131))
	s, id := stateOf(t, r)
	if id == first || len(s.Lacks(journal.Everything)) == 0 {
		t.Fatalf("%s lacks %v", id, s.Lacks(journal.Everything))
	}
	f := NewFiller(r)
	defer f.Close()
	if err := f.Fill(t.Context(), s, id, journal.Everything); err != nil {
		t.Fatal(err)
	}
	knows(t, journal.Merge(s), 131)
	if err := f.Fill(t.Context(), s, "", journal.Everything); err != nil {
		t.Errorf("a state that lacks nothing: %v", err)
	}
	knows(t, folded(t, r, true), 131)
}

func TestAPartThatCannotBeReadIsAnUnreadableLedgerUntilItIsCompacted(t *testing.T) {
	t.Parallel()
	for claim, n := range map[string]int64{"lost": -1, "cut off": 20} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			id := large(t, r, 1, 120)
			below := idOf(t, r, string(id)+"^")
			enter(t, r, -1, attempt(121))
			tip := idOf(t, r, "refs/dos/journal/n1")
			damage(t, r, partBlob(t, r, id), n)
			s, _ := stateOf(t, r)
			f := NewFiller(r)
			defer f.Close()
			err := f.Fill(t.Context(), s, id, journal.Everything)
			var node *NodeError
			if !errors.As(err, &node) || !errors.Is(err, refstore.ErrBroken) || !strings.Contains(err.Error(), "table-000-000") {
				t.Fatalf("%v", err)
			}
			if node.Node != "n1" || node.ID != id || node.Good == nil || node.Good.ID != below || node.Good.Seq != 120 || !node.Good.Sure {
				t.Errorf("%+v, %+v, want %s", node, node.Good, below)
			}
			if !node.Part {
				t.Error("it is not told that rows have what is missing")
			}
			if _, err := Compact(t.Context(), r, "n1", at, StateFold(t.Context(), r, "n1", at)); err != nil {
				t.Fatal(err)
			}
			knows(t, folded(t, r, true), 121)
			if err := f.Fill(t.Context(), s, id, journal.Everything); err != nil {
				t.Errorf("the part is not there again: %v", err)
			}
			if now := idOf(t, r, "refs/dos/journal/n1^"); now != tip {
				t.Errorf("made on top of %s", now)
			}
		})
	}
}

// A row below that is lost too leaves nothing to make a checkpoint of.
func TestNoCheckpointIsMadeOfFewerRowsThanTheLastStandsFor(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	id := large(t, r, 1, 120)
	enter(t, r, -1, attempt(121))
	tip := idOf(t, r, "refs/dos/journal/n1")
	damage(t, r, partBlob(t, r, id), -1)
	damage(t, r, idOf(t, r, string(id)+":seg-000000.jsonl.zst"), -1)
	if _, err := Compact(t.Context(), r, "n1", at, StateFold(t.Context(), r, "n1", at)); !errors.Is(err, refstore.ErrBroken) || !strings.Contains(err.Error(), "table-000-000") {
		t.Errorf("%v", err)
	}
	if now := idOf(t, r, "refs/dos/journal/n1"); now != tip {
		t.Errorf("moved to %s", now)
	}
}

func TestAPartOfAnotherCheckpointIsNotTakenUp(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	id := large(t, r, 1, 120)
	s, _ := stateOf(t, r)
	second := large(t, r, 121, 250)
	f := NewFiller(r)
	defer f.Close()
	if err := f.Fill(t.Context(), s, second, journal.Everything); !errors.Is(err, journal.ErrRow) && !errors.Is(err, refstore.ErrBroken) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var node *NodeError
	late := NewFiller(r)
	defer late.Close()
	if err := late.Fill(ctx, s, id, journal.Everything); !errors.Is(err, context.Canceled) || errors.As(err, &node) {
		t.Errorf("a look that was given up: %v", err)
	}
}

// A checkpoint is good only with all of its parts.
func TestTheLastGoodEntryIsNoCheckpointThatLacksAPart(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	const ref = "refs/dos/journal/n1"
	id := large(t, r, 1, 120)
	plant(t, r, ref, "ACK", `{"v":2,"op":"ACK","seq":121}`)
	good := func() *Good {
		_, err := Read(t.Context(), r, Query{}, func(Entry) bool { return true })
		var unread *UnreadError
		if !errors.As(err, &unread) {
			t.Fatal(err)
		}
		return unread.Nodes[0].Good
	}
	if g := good(); g == nil || g.ID != id {
		t.Errorf("%+v, want the checkpoint %s", g, id)
	}
	damage(t, r, partBlob(t, r, id), -1)
	if g := good(); g == nil || g.ID != idOf(t, r, string(id)+"^") {
		t.Errorf("%+v, want the row below %s", g, id)
	}
}
