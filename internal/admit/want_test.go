package admit

import (
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

func recordOfNode(t *testing.T, d *Desk) ledger.Node {
	t.Helper()
	nodes, _, err := ledger.Nodes(t.Context(), d.Repo, []string{d.Node}, nil)
	if err != nil || len(nodes) != 1 {
		t.Fatalf("%d records: %v", len(nodes), err)
	}
	return nodes[0]
}

func TestWantsAndBeatsKeepEachOther(t *testing.T) {
	t.Parallel()
	d := open(t, localRepo(t))
	if err := d.EnsureNode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.writeWants(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if nodes, _, err := ledger.Nodes(t.Context(), d.Repo, nil, nil); err != nil || len(nodes) != 0 {
		t.Fatalf("a node that wants nothing wrote %d records: %v", len(nodes), err)
	}
	beat := ledger.Beat{At: time.Unix(1_700_000_000, 0), RunID: "RID-1"}
	if _, err := ledger.RecordBeat(t.Context(), d.Repo, d.Node, "supervise", beat); err != nil {
		t.Fatal(err)
	}
	want := []lease.Want{{Lane: "api", Node: "other"}}
	for i := range 2 { // the second says what is there already
		d.Now = func() time.Time { return time.Unix(1_700_000_000+int64(i)*60, 0) }
		if err := d.writeWants(t.Context(), want); err != nil {
			t.Fatal(err)
		}
	}
	first := recordOfNode(t, d)
	if ops := opsOf(t, d.Repo.WorkTree, refstore.Ref("node", d.Node)); ops != "WANT BEAT" && ops != "BEAT WANT" {
		t.Errorf("entries: %s", ops)
	}
	if _, err := ledger.RecordBeat(t.Context(), d.Repo, d.Node, "nightly", beat); err != nil {
		t.Fatal(err)
	}
	n := recordOfNode(t, d)
	if got, err := wantsOf(n.Payload); err != nil || len(got) != 1 || got[0] != want[0] {
		t.Errorf("wants: %v, %v", got, err)
	}
	if len(n.Beats) != 2 || n.Beats["supervise"].RunID != "RID-1" || len(first.Beats) != 1 {
		t.Errorf("beats: %v, before %v", n.Beats, first.Beats)
	}
	if err := d.writeWants(t.Context(), []lease.Want{}); err != nil {
		t.Fatal(err)
	}
	n = recordOfNode(t, d)
	if got, err := wantsOf(n.Payload); err != nil || len(got) != 0 || len(n.Beats) != 2 {
		t.Errorf("wants nothing any more: %v, %v, beats %v", got, err, n.Beats)
	}
}

func TestRowOfTheJournalIsOfNowUnlessItSaysWhen(t *testing.T) {
	t.Parallel()
	d := open(t, localRepo(t))
	d.Node = "n1"
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d.Now = func() time.Time { return at.Add(time.Hour) }
	d.Rules.Policy.Retention.JournalMaxEntries = -1
	if err := d.Journal(t.Context(), journal.Row{Op: journal.OpRefuse, Lane: "api"}, journal.Row{Op: journal.OpHalt, Handle: "7", At: at}); err != nil {
		t.Fatal(err)
	}
	var got []string
	_, err := ledger.Read(t.Context(), d.Repo, ledger.Query{Oldest: true}, func(e ledger.Entry) bool {
		r, err := journal.Decode(e.Payload)
		if err != nil {
			t.Error(err)
		}
		got = append(got, r.Op+" "+r.At.Format(time.TimeOnly))
		return true
	})
	if err != nil || strings.Join(got, ", ") != "REFUSE 04:04:05, HALT 03:04:05" {
		t.Errorf("%v, %v", got, err)
	}
	if err := d.Journal(t.Context(), journal.Row{Op: "CHECKPOINT"}); err == nil {
		t.Error("a checkpoint was written by hand")
	}
}
