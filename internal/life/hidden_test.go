package life

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/kernel/runid"
)

// unreadable appends a row of an op to a node's ledger that cannot be read and names
// no run.
func (f *field) unreadable(node, op string, at time.Time) {
	f.t.Helper()
	f.forge(node, `{"v":1,"op":"`+op+`","at":"`+at.Format(time.RFC3339)+`","gen":"x"}`)
}

func minted(t *testing.T, at time.Time) string {
	t.Helper()
	r, err := runid.Mint(at.UnixMilli(), 7, runid.Lineage{Process: "loop"})
	if err != nil {
		t.Fatal(err)
	}
	return r.RunID
}

func TestAnUnreadableRowCountsForRunsThatWereAtWorkOnItsNode(t *testing.T) {
	t.Parallel()
	hour := noon.Add(time.Hour)
	young, old := minted(t, hour), minted(t, noon)
	for claim, c := range map[string]struct {
		id   string
		does func(f *field, id string)
		op   string
		at   time.Time
		want bool   // the run cannot be gone on with
		asks string // which node, "" for box
	}{
		"of the node of its lease": {old, func(f *field, id string) {
			f.add(id, intentOf(f.head(), "one"))
			f.node = "other"
			f.take("api", id)
		}, "INTENT", hour, true, ""},
		"of another node than it was on": {old, func(f *field, id string) {
			f.take("api", id)
			f.add(id, intentOf(f.head(), "one"))
		}, "INTENT", hour, false, ""},
		"of the node that asks and on which it was not": {old, func(f *field, id string) {
			f.add(id, intentOf(f.head(), "one"))
		}, "INTENT", hour, false, "other"},
		"of a node that declared it": {old, func(f *field, id string) {
			f.node = "other"
			f.add(id, intentOf(f.head(), "one"))
		}, "INTENT", hour, true, ""},
		"of a node that wrote under its lease": {old, func(f *field, id string) {
			f.add(id, intentOf(f.head(), "one"))
			f.forge("other", `{"v":1,"op":"STEP_CLAIMED","at":"2026-01-02T12:00:00Z","run_id":"`+id+`","step_id":"one","sha":"`+strings.Repeat("a", 40)+`","lane":"api","nonce":"n"}`)
		}, "INTENT", hour, true, ""},
		"of a node that only looked at it": {old, func(f *field, id string) {
			f.add(id, intentOf(f.head(), "one"))
			f.forge("other", `{"v":1,"op":"STEP_CLAIMED","at":"2026-01-02T12:00:00Z","run_id":"`+id+`","step_id":"one","sha":"`+strings.Repeat("a", 40)+`","lane":"api"}`)
		}, "INTENT", hour, false, ""},
		"that is no row of a run": {old, func(f *field, id string) {
			f.node = "other"
			f.add(id, intentOf(f.head(), "one"))
		}, "REFUSE", hour, false, ""},
		"older than the run": {young, func(f *field, id string) {
			f.node, f.now = "other", hour
			f.add(id, intentOf(f.head(), "one"))
		}, "INTENT", noon, false, ""},
		"as young as the run": {young, func(f *field, id string) {
			f.node, f.now = "other", hour
			f.add(id, intentOf(f.head(), "one"))
		}, "INTENT", hour, true, ""},
		"older than the run by a clock that wrote of it before it was made": {young, func(f *field, id string) {
			f.node, f.now = "other", noon.Add(time.Minute)
			f.add(id, intentOf(f.head(), "one"))
		}, "INTENT", noon, true, ""},
		"older than a run that was admitted before it was made": {young, func(f *field, id string) {
			f.add(id, intentOf(f.head(), "one"))
			f.node, f.now = "other", noon.Add(time.Minute)
			f.take("api", id)
		}, "INTENT", noon, true, ""},
	} {
		f := newField(t)
		if c.at.Equal(noon) { // so that no row below it tells a later time
			f.unreadable("other", c.op, c.at)
		}
		c.does(f, c.id)
		if !c.at.Equal(noon) {
			f.unreadable("other", c.op, c.at)
		}
		f.now, f.node = hour, "box"
		if c.asks != "" {
			f.node = c.asks
		}
		r := f.run(c.id)
		if r.Intent.Unreadable() != c.want || r.Doubts("other") != c.want || r.Known() != nil || r.Sure() != nil {
			t.Errorf("%s: unreadable %v, want %v; %v, %v", claim, r.Intent.Unreadable(), c.want, r.Known(), r.Sure())
		}
	}
}

func TestAnUnreadableRowMayBeTheDeclarationOfARunThatHasNone(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.unreadable("other", "INTENT", noon)
	old, young := minted(t, noon), minted(t, noon.Add(time.Hour))
	var store *admit.StoreError
	if _, err := f.book().Run(t.Context(), old); !errors.As(err, &store) || !strings.Contains(err.Error(), "node other: 1 row that cannot be read: row 1") {
		t.Errorf("a run that nothing else names: %v", err)
	}
	var unknown *UnknownRunError
	if _, err := f.book().Run(t.Context(), young); !errors.As(err, &unknown) {
		t.Errorf("one made later: %v", err)
	}
	if r := f.run(old); !errors.As(r.Known(), &store) || !errors.As(r.Sure(), &store) || r.Intent.Unreadable() {
		t.Errorf("one without a lease: %v, %v", r.Known(), r.Sure())
	}
	if r := f.run(young); r.Known() != nil || r.Sure() != nil {
		t.Errorf("one made later: %v, %v", r.Known(), r.Sure())
	}
	f.take("api", old)
	if r := f.run(old); r.Known() != nil || !errors.As(r.Sure(), &store) {
		t.Errorf("one with a lease: %v, %v", r.Known(), r.Sure())
	}
	f.add(old, intentOf(f.head(), "one"))
	if r := f.run(old); r.Known() != nil || r.Sure() != nil || f.plan(old).Outcome != resume.Resumable {
		t.Errorf("one that declared something: %v, %v", r.Known(), r.Sure())
	}
	f.node = "other"
	if r := f.run("run-9"); !r.Intent.Unreadable() || !r.Doubts("other") {
		t.Error("a run of which nothing is known may be the asking node's")
	}
}

func TestARowThatNamesARunIsAboutThatRunAlone(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.add("run-1", intentOf(f.head(), "one"))
	f.add("run-2", intentOf(f.head(), "one"))
	f.forge("other", `{"v":1,"op":"HALT","at":"2026-01-02T12:00:00Z","run_id":"run-1","gen":"x"}`)
	f.forge("other", `{"v":1,"op":"HALT","at":"2026-01-02T12:00:00Z","gen":"x"}`)
	if r := f.run("run-1"); !r.Intent.Unreadable() || !r.Doubts("other") || r.Doubts("box") {
		t.Error("the run that it names")
	}
	r := f.run("run-2")
	if r.Intent.Unreadable() || r.Doubts("other") || r.Sure() != nil {
		t.Errorf("another: %v", r.Sure())
	}
	err := UnreadableRows(r.Story.Hidden...)
	if !strings.Contains(err.Error(), "2 rows that cannot be read: row 2: ") {
		t.Errorf("%v", err)
	}
}

func TestAnUnreadableRowOfALaterVersionSaysSo(t *testing.T) {
	t.Parallel()
	f := newField(t)
	s := journal.New("box")
	s.Fold(journal.OpIntent, noon, []byte(`{"v":2}`))
	r := f.run("run-1")
	r.Story = journal.Merge(s).Story("run-1")
	r.weigh()
	if v := resume.Decide(resume.Evidence{State: r.Intent}); !v.Unreadable || !strings.Contains(v.Reason, "newer version") {
		t.Errorf("%s", v)
	}
}
