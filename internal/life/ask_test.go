package life

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/refstore"
)

// record adds rows to the ledger of a node.
func (f *field) record(node string, rows ...journal.Row) {
	f.t.Helper()
	var all []ledger.Row
	for _, r := range rows {
		if r.At.IsZero() {
			r.At = noon
		}
		all = append(all, r)
	}
	if _, err := ledger.Append(f.t.Context(), f.desk().Repo, node, all...); err != nil {
		f.t.Fatal(err)
	}
}

// compact puts a checkpoint over the ledger of a node.
func (f *field) compact(node string) refstore.OID {
	f.t.Helper()
	repo := f.desk().Repo
	id, err := ledger.Compact(f.t.Context(), repo, node, noon, ledger.StateFold(f.t.Context(), repo, node, noon))
	if err != nil {
		f.t.Fatal(err)
	}
	return id
}

// large fills the ledger of a node with a state that has parts, and returns the
// checkpoint.
func (f *field) large(node string) refstore.OID {
	f.t.Helper()
	var rows []journal.Row
	for i := range 40 {
		id := fmt.Sprintf("%s-%02d", node, i)
		at := noon.Add(time.Duration(i-40) * time.Hour)
		rows = append(rows,
			journal.Row{Op: journal.OpIntent, RunID: id, Goal: strings.Repeat("g", 300), DeclaredSteps: []string{"one"}, At: at},
			journal.Row{Op: journal.OpSpawn, RunID: id, Lane: "api", Reason: strings.Repeat("s", 300), At: at},
			journal.Row{Op: journal.OpHalt, RunID: id, Reason: strings.Repeat("h", 300), At: at})
	}
	f.record(node, rows...)
	return f.compact(node)
}

// part is the file of a part of a checkpoint.
func (f *field) part(id refstore.OID, name string) string {
	f.t.Helper()
	blob := f.git("rev-parse", string(id)+":part-"+name+".zst")
	return filepath.Join(f.dir, ".git", "objects", blob[:2], blob[2:])
}

func TestABookReadsOfALargeLedgerWhatItIsAskedFor(t *testing.T) {
	t.Parallel()
	f := newField(t)
	id := f.large("box")
	f.large("hut")
	f.record("box", journal.Row{Op: journal.OpIntent, RunID: "box-07", DeclaredSteps: []string{"two"}})
	if lacks := f.book().states["box"].Lacks(journal.Everything); len(lacks) < 5 {
		t.Fatalf("a book that was asked nothing lacks %v", lacks)
	}
	// All parts but those of one run are away: nothing else may be read for it.
	keep := f.book().states["box"].Lacks(journal.NeedRuns("box-07"))
	for _, name := range f.book().states["box"].Lacks(journal.Everything) {
		if !slices.Contains(keep, name) {
			if err := os.Remove(f.part(id, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for run, steps := range map[string]int{"box-07": 2, "hut-39": 1, "nobody": 0} {
		b := f.book()
		story, err := b.Story(t.Context(), run)
		if err != nil || !story.Complete || len(story.Rows) != steps || len(b.Unread) > 0 {
			t.Errorf("%s: %d rows, complete %t, unread %v, %v", run, len(story.Rows), story.Complete, b.UnreadNodes(), err)
		}
	}
}

func TestAllQuestionsAreAnsweredFromParts(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.large("box")
	f.record("box", journal.Row{Op: journal.OpIntent, RunID: "box-03"}, journal.Row{Op: journal.OpAck, ID: "i", Seen: map[string]uint64{"x": 1}},
		journal.Row{Op: journal.OpVerdict, Verb: "v", Subject: "s"}, journal.Row{Op: journal.OpExit, Unit: "A/A1"})
	f.compact("box")
	b := f.book()
	told, err := b.Alerts(t.Context())
	if err != nil || len(told.Alerts) != 40 || len(told.Acks) != 1 || !told.Forgot.IsZero() {
		t.Errorf("%d alerts, %d acks, forgot %s, %v", len(told.Alerts), len(told.Acks), told.Forgot, err)
	}
	spawns, err := b.Spawns(t.Context())
	if err != nil || len(spawns) != 40 {
		t.Errorf("%d spawns, %v", len(spawns), err)
	}
	answers, exits, forgot, err := b.Answers(t.Context())
	if err != nil || len(answers) != 1 || len(exits) != 1 || exits[0].Unit != "A/A1" || !forgot.IsZero() {
		t.Errorf("%d answers, %d exits, forgot %s, %v", len(answers), len(exits), forgot, err)
	}
	count, err := b.Counts(t.Context())
	if err != nil || count("SPAWN", noon.Add(-5*time.Hour), noon) != 5 {
		t.Errorf("%d spawns of five hours, %v", count("SPAWN", noon.Add(-5*time.Hour), noon), err)
	}
	v, err := f.book().Everything(t.Context())
	if err != nil || len(v.Runs()) != 40 || len(v.Spawns()) != 40 || !v.Story("box-39").Complete {
		t.Errorf("of everything %d runs, %d spawns, %v", len(v.Runs()), len(v.Spawns()), err)
	}
}

// A resumption is answered by the run, whose rows stand in another ledger.
func TestWhetherARunDidWhatWasAskedIsReadWithTheAlerts(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.record("box", journal.Row{Op: journal.OpResumeProposed, RunID: "hut-07", At: noon.Add(-50 * time.Hour)})
	f.large("hut")
	b := f.book()
	told, err := b.Alerts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(told.Alerts, func(a journal.Alert) bool { return a.Op == journal.OpResumeProposed })
	if i < 0 || !told.Alerts[i].Answered {
		t.Errorf("%+v", told.Alerts)
	}
}

func TestAWorkerIsPendingOnceForEachRequest(t *testing.T) {
	t.Parallel()
	f := newField(t)
	start := func(at time.Duration, key string) journal.Row {
		return journal.Row{Op: journal.OpSpawn, Lane: "api", Key: key, RunID: "r" + key, At: noon.Add(at)}
	}
	f.record("box", start(-30*time.Hour, "again"))
	f.large("box")
	f.record("box", start(-time.Minute, "again"), start(-time.Minute, ""), start(-2*time.Minute, "new"))
	pending, err := f.book().Pending(t.Context(), noon, 10*time.Minute)
	var keys []string
	for _, r := range pending {
		keys = append(keys, r.Key)
	}
	if slices.Sort(keys); err != nil || !slices.Equal(keys, []string{"", "new"}) {
		t.Errorf("%q, %v", keys, err)
	}
	b := f.book()
	if _, err := b.Pending(t.Context(), noon.Add(time.Hour), 10*time.Minute); err != nil || len(b.states["box"].Lacks(journal.NeedSpawns(time.Time{}))) == 0 {
		t.Errorf("for nobody all spawns were read, %v", err)
	}
}

func TestANodeWhosePartIsLostCannotBeRead(t *testing.T) {
	t.Parallel()
	f := newField(t)
	id := f.large("box")
	f.large("hut")
	names := f.book().states["box"].Lacks(journal.NeedRuns("box-07"))
	if err := os.Remove(f.part(id, names[0])); err != nil {
		t.Fatal(err)
	}
	b := f.book()
	if r, err := b.Run(t.Context(), "hut-07"); err != nil || len(b.Unread) > 0 || r.Known() != nil {
		t.Errorf("a run of another node: %v, %v", err, b.Unread)
	}
	_, err := b.Run(t.Context(), "box-07")
	if err == nil || !b.IsUnread("box") || b.IsUnread("hut") || b.Unread[0].ID != id || b.Unread[0].Good == nil || !strings.Contains(err.Error(), names[0]) {
		t.Errorf("%v, unread %v", err, b.Unread)
	}
	if _, known := b.Ledgers()["box"]; known {
		t.Error("the node is taken for read")
	}
	r, err := f.book().Adding(t.Context(), "box-07")
	if err != nil || r.Sure() == nil {
		t.Errorf("%v: what the run declared is taken for known", err)
	}
	if b, err = Open(t.Context(), f.desk(), false, AskRuns("box-07")); err != nil || !b.IsUnread("box") {
		t.Errorf("asked at once: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.book().Story(ctx, "hut-07"); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that was given up: %v", err)
	}
}

// Rows above a checkpoint are kept up to a bound; past it the ledger is read in
// full, or it is not read.
func TestManyRowsAboveACheckpointAreFoldedOntoAllOfIt(t *testing.T) {
	t.Parallel()
	f := newField(t)
	id := f.large("box")
	var rows []journal.Row
	for i := range maxAbove/(15<<10) + 2 {
		rows = append(rows, journal.Row{Op: journal.OpVerdict, Verb: "v", Subject: fmt.Sprint(i), Detail: strings.Repeat("d", 15<<10)})
	}
	f.record("box", append(rows, journal.Row{Op: journal.OpIntent, RunID: "box-07"})...)
	b := f.book()
	if s := b.states["box"]; len(s.Lacks(journal.Everything)) > 0 || s.Later() > 0 {
		t.Errorf("lacks %v, keeps %d bytes", s.Lacks(journal.Everything), s.Later())
	}
	if story, err := b.Story(t.Context(), "box-07"); err != nil || len(story.Rows) != 2 || !story.Complete {
		t.Errorf("%+v, %v", story, err)
	}
	if err := os.Remove(f.part(id, "windows")); err != nil {
		t.Fatal(err)
	}
	if b = f.book(); !b.IsUnread("box") || len(b.Ledgers()) > 0 {
		t.Errorf("unread %v, read %v", b.Unread, b.Ledgers())
	}
}
