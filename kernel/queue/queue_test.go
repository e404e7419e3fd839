package queue

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
)

var t0 = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func id(n int) string { return fmt.Sprintf("%012x", n) }

// task is a sound task that changes may bend.
func task(n int, title string, change ...func(*Task)) Task {
	t := Task{ID: id(n), Title: title, Kind: Work, State: Open, Until: &Until{Text: "the tests pass"}, By: "w", Created: t0, Updated: t0}
	for _, c := range change {
		c(&t)
	}
	return t
}

func urgent(p string) func(*Task) { return func(t *Task) { t.Priority = p } }
func of(k Kind) func(*Task)       { return func(t *Task) { t.Kind = k } }
func unit(u string) func(*Task)   { return func(t *Task) { t.Until = &Until{Unit: u} } }
func idle(days int) func(*Task) {
	return func(t *Task) { t.Updated = t0.Add(-time.Duration(days) * day) }
}
func after(ids ...string) func(*Task) { return func(t *Task) { t.Deps = ids } }
func labels(l ...string) func(*Task)  { return func(t *Task) { t.Labels = l } }
func inLane(name string) func(*Task)  { return func(t *Task) { t.Lane = name } }
func guessed(name string) func(*Task) {
	return func(t *Task) { t.Guess = routeTo(name, ByLabel, name, nil) }
}
func made(at time.Time) func(*Task)         { return func(t *Task) { t.Created = at } }
func state(s State, why string) func(*Task) { return func(t *Task) { t.State, t.Why = s, why } }

func foldOf(t *testing.T, entries ...Entry) *Fold {
	t.Helper()
	f := &Fold{}
	for _, e := range entries {
		if e.At.IsZero() {
			e.At = t0
		}
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Whole(); err != nil {
		t.Fatal(err)
	}
	return f
}

func holding(t *testing.T, tasks ...Task) *Fold {
	t.Helper()
	return foldOf(t, Entry{Op: OpAdd, Tasks: tasks})
}

func taxonomy() lane.Taxonomy {
	return lane.Taxonomy{
		Concurrent: []string{"api", "docs", "web"}, Exclusive: []string{"global"}, Autopick: []string{"api"},
		Trees:   map[string][]string{"api": {"api/**"}, "docs": {"docs/**", "*.md"}, "web": {"web/**", "api/shared/**"}, "global": {"**/*"}},
		Aliases: map[string]string{"backend": "api", "site": "web"},
	}
}

func router(t *testing.T) Router {
	t.Helper()
	r, err := NewRouter(taxonomy())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// evidence has every task of a fold proven not to be done.
func evidence(t *testing.T, f *Fold) Evidence {
	t.Helper()
	ev := Evidence{Now: t0, Queue: f, Router: router(t), MaxSteps: 8, Proofs: map[string]Proof{}, Claims: map[string]Claim{}}
	for _, x := range f.Tasks() {
		ev.Proofs[x.ID] = Proof{Done: No, Reason: "no commit says so"}
	}
	return ev
}

func item(t *testing.T, ev Evidence, want string) Item {
	t.Helper()
	for _, i := range Rank(ev) {
		if i.ID == want {
			return i
		}
	}
	t.Fatalf("no item %s", want)
	return Item{}
}

func TestScore(t *testing.T) {
	tests := []struct {
		claim string
		task  Task
		held  bool
		want  int
	}{
		{"a P0 that nobody has", task(1, "a", urgent("P0")), false, 1300},
		{"a P0 that somebody has", task(1, "a", urgent("P0")), true, 1000},
		{"a P1 that nobody has", task(1, "a", urgent("P1")), false, 700},
		{"a P1 that the forge says somebody has", task(1, "a", urgent("P1"), func(t *Task) { t.Source = &Source{URL: "https://h/1", Assigned: true} }), false, 400},
		{"a P2 is no orphan", task(1, "a", urgent("P2")), false, 150},
		{"a P3 counts like none", task(1, "a", urgent("P3")), false, 60},
		{"none", task(1, "a"), false, 60},
		{"a bug", task(1, "a", of(Bug)), false, 100},
		{"documentation", task(1, "a", of(Docs)), false, 40},
		{"a day short", task(1, "a", func(t *Task) { t.Updated = t0.Add(-day + time.Second) }), false, 60},
		{"idle for a week", task(1, "a", idle(7)), false, 67},
		{"idle for ever", task(1, "a", idle(4000)), false, 150},
		{"changed in the future", task(1, "a", idle(-7)), false, 60},
		{"a young question", task(1, "a", of(Question), idle(29)), false, -111},
		{"an old question", task(1, "a", of(Question), idle(30)), false, 90},
	}
	for _, tt := range tests {
		ev := evidence(t, holding(t, tt.task))
		if tt.held {
			ev.Claims["task/"+id(1)] = Claim{Lane: "api"}
		}
		i := item(t, ev, id(1))
		sum := 0
		for _, term := range i.Terms {
			sum += term.Points
		}
		if i.Score != tt.want || sum != i.Score {
			t.Errorf("%s: %d, its terms %d; want %d", tt.claim, i.Score, sum, tt.want)
		}
	}
}

func TestOneOrder(t *testing.T) {
	f := holding(t,
		task(5, "young", made(t0.Add(time.Hour))), task(4, "old, larger id"), task(3, "old, smaller id"),
		task(2, "bug", of(Bug), made(t0.Add(time.Hour))), task(1, "urgent", urgent("P1"), made(t0.Add(time.Hour))))
	var got []string
	for _, i := range Rank(evidence(t, f)) {
		got = append(got, i.ID)
	}
	if want := []string{id(1), id(2), id(3), id(4), id(5)}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, view := range append(Views, Whole) { // a view leaves tasks out, and puts none elsewhere
		last := -1
		for _, i := range ListOf(evidence(t, f), view, 0, false, nil).Items {
			at := slices.Index(got, i.ID)
			if at <= last {
				t.Errorf("%s: %s is out of its place", view, i.ID)
			}
			last = at
		}
	}
}

func TestWhatATaskWaitsFor(t *testing.T) {
	api := guessed("api")
	other := task(9, "first", api)
	tests := []struct {
		claim  string
		task   Task
		bend   func(*Evidence)
		want   []WaitFor
		status Status
	}{
		{"nothing", task(1, "a", api), nil, nil, "open"},
		{"a condition", task(1, "a", api, func(t *Task) { t.State, t.Until = Draft, nil }), nil, []WaitFor{ForCondition}, "draft"},
		{"an operator", task(1, "a", api, state(Held, "the vendor")), nil, []WaitFor{ForOperator}, "held"},
		{"its holder", task(1, "a", api, unit("P/1")), func(ev *Evidence) { ev.Claims["P/1"] = Claim{Lane: "api"} }, []WaitFor{ForHolder}, Claimed},
		{"a lease that cannot be read", task(1, "a", api), func(ev *Evidence) { ev.Dark = []string{"api"} }, []WaitFor{ForHolder}, "open"},
		{"another task", task(1, "a", api, after(id(9))), nil, []WaitFor{ForTask}, "open"},
		{"no task that is done", task(1, "a", api, after(id(9))), func(ev *Evidence) { ev.Proofs[id(9)] = Proof{Done: Yes} }, nil, "open"},
		{"a task of which nothing is known", task(1, "a", api, after(id(9))), func(ev *Evidence) { delete(ev.Proofs, id(9)) }, []WaitFor{ForTask}, "open"},
		{"evidence", task(1, "a", api), func(ev *Evidence) { delete(ev.Proofs, id(1)) }, []WaitFor{ForEvidence}, Uncertain},
		{"its parts", task(1, "a", api, of(Epic)), nil, []WaitFor{ForSplit}, "open"},
		{"to be split", task(1, "a", api, func(t *Task) { t.Steps = 9 }), nil, []WaitFor{ForSplit}, "open"},
		{"nothing with eight steps", task(1, "a", api, func(t *Task) { t.Steps = 8 }), nil, nil, "open"},
		{"triage", task(1, "a", api, labels("Needs-Triage")), nil, []WaitFor{ForTriage}, "open"},
		{"a lane", task(1, "a"), nil, []WaitFor{ForLane}, "open"},
		{"a lane that is declared", task(1, "a", inLane("gone")), nil, []WaitFor{ForLane}, "open"},
		{"a guess that is still a lane", task(1, "a", guessed("gone")), nil, []WaitFor{ForLane}, "open"},
		{"no lane where it has a tree", task(1, "a", func(t *Task) { t.Tree = []string{"x/**"} }), nil, nil, "open"},
		{"nothing on a lane had alone, when stated", task(1, "a", inLane("global")), nil, nil, "open"},
		{"nothing any more", task(1, "a", api), func(ev *Evidence) { ev.Proofs[id(1)] = Proof{Done: Yes} }, nil, Done},
	}
	for _, tt := range tests {
		ev := evidence(t, holding(t, other, tt.task))
		if tt.bend != nil {
			tt.bend(&ev)
		}
		i := item(t, ev, id(1))
		var got []WaitFor
		for _, w := range i.Waits {
			got = append(got, w.For)
		}
		ready := len(tt.want) == 0 && tt.status != Done
		if !slices.Equal(got, tt.want) || i.Ready != ready || i.Status != tt.status {
			t.Errorf("waits for %s: %v, ready %v, %s; want %v, %v, %s", tt.claim, got, i.Ready, i.Status, tt.want, ready, tt.status)
		}
	}
}

// Of tasks with one target the freshest is for dispatch, and somebody at work on
// that makes no older one ready.
func TestTheFreshestOfOneTarget(t *testing.T) {
	f := holding(t, task(1, "one", guessed("api"), unit("P/1"), idle(3)), task(2, "two", guessed("api"), unit("p/1"), idle(1)))
	ev := evidence(t, f)
	if a, b := item(t, ev, id(1)), item(t, ev, id(2)); a.Ready || !b.Ready || a.Waits[0].Other != id(2) {
		t.Errorf("the older is %v, the fresher %v", a.Waits, b.Waits)
	}
	ev.Claims["p/1"] = Claim{Lane: "api"}
	if a, b := item(t, ev, id(1)), item(t, ev, id(2)); a.Ready || b.Ready {
		t.Error("a claimed winner left the older one ready")
	}
	ev.Proofs[id(2)] = Proof{Done: Yes}
	if a := item(t, ev, id(1)); !a.Ready {
		t.Errorf("with the fresher one done: %v", a.Waits)
	}
}

func TestViews(t *testing.T) {
	f := foldOf(t,
		Entry{Op: OpAdd, Tasks: []Task{
			task(1, "urgent", urgent("P1"), guessed("api")), task(2, "plain", guessed("api")), task(3, "unrouted"),
			task(4, "done", urgent("P0")), task(5, "closed", urgent("P0")),
		}},
		Entry{Op: OpClose, ID: id(5), State: WontFix, Why: "no", Decision: "d"})
	ev := evidence(t, f)
	ev.Proofs[id(4)] = Proof{Done: Yes}
	for view, want := range map[View][]string{
		Whole: {id(1), id(2), id(3)}, Urgent: {id(1)}, Ready: {id(1), id(2)}, All: {id(5), id(4), id(1), id(2), id(3)},
	} {
		l := ListOf(ev, view, 0, false, nil)
		var got []string
		for _, i := range l.Items {
			got = append(got, i.ID)
			if i.Terms != nil {
				t.Errorf("%s: terms unasked", view)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || l.Total != len(want) {
			t.Errorf("%q: %v, want %v", view, got, want)
		}
	}
	l := ListOf(ev, Whole, 1, true, nil)
	if len(l.Items) != 1 || l.Total != 3 || l.Ready != 2 || l.Unrouted != 1 || !l.Finding || len(l.Items[0].Terms) == 0 {
		t.Errorf("%+v", l)
	}
	if text := l.String(); !strings.Contains(text, "and 2 more") || !strings.Contains(text, "33 % of the tasks are unrouted") || !strings.Contains(text, "orphan") {
		t.Errorf("%s", text)
	}
}

func TestDrainedIsSaidWhenAllIsKnown(t *testing.T) {
	done := holding(t, task(1, "a"))
	ev := evidence(t, done)
	ev.Proofs[id(1)] = Proof{Done: Yes}
	drained := func(ev Evidence, unread []string) bool { return ListOf(ev, Ready, 0, false, unread).Drained }
	if !drained(ev, nil) || drained(ev, []string{"lane api"}) {
		t.Error("with all done, drained is what has been read in full")
	}
	done.imported = &Imported{At: t0, Complete: false, Why: "a page limit"}
	if drained(ev, nil) {
		t.Error("drained after an incomplete import")
	}
	ev.Proofs[id(1)] = Proof{}
	done.imported = nil
	if drained(ev, nil) {
		t.Error("drained, and what is done cannot be told")
	}
	if !drained(evidence(t, &Fold{}), nil) {
		t.Error("an empty queue is drained")
	}
}

func TestEntriesFold(t *testing.T) {
	f := foldOf(t,
		Entry{Op: OpAdd, Tasks: []Task{task(1, "a"), task(2, "b")}},
		Entry{Op: OpHold, ID: id(1), Why: "the vendor", By: "bob", At: t0.Add(time.Hour)})
	if got, _ := f.Task(id(1)); got.State != Held || got.Why != "the vendor" || got.By != "bob" || !got.Updated.Equal(t0.Add(time.Hour)) {
		t.Errorf("held: %+v", got)
	}
	f = foldOf(t, f.Checkpoint(t0), Entry{Op: OpRelease, ID: id(1), Until: &Until{Issue: 4}},
		Entry{Op: OpClose, ID: id(2), State: Duplicate, Of: id(1), Why: "same", Decision: "d"})
	a, _ := f.Task(id(1))
	b, _ := f.Task(id(2))
	if a.State != Open || a.Why != "" || a.Until.Issue != 4 || b.State != Duplicate || b.Of != id(1) || f.Len() != 2 {
		t.Errorf("%+v, %+v", a, b)
	}
}

// A prefix, folded into a checkpoint, and the rest make what all entries make.
func TestACheckpointStandsForItsEntries(t *testing.T) {
	entries := []Entry{
		{Op: OpAdd, At: t0, Tasks: []Task{task(1, "a"), task(2, "b", after(id(1)))}},
		{Op: OpImport, At: t0, Tasks: []Task{task(3, "c")}, Imported: &Imported{At: t0, Issues: 1, Complete: true, Why: "all"}},
		{Op: OpHold, At: t0.Add(time.Hour), ID: id(3), Why: "w"},
		{Op: OpImport, At: t0, Tasks: []Task{task(2, "b again")}},
		{Op: OpRelease, At: t0.Add(2 * time.Hour), ID: id(3)},
	}
	whole, err := foldOf(t, entries...).Checkpoint(t0).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for n := range entries {
		payload, err := foldOf(t, entries[:n]...).Checkpoint(t0).Encode()
		if err != nil {
			t.Fatal(err)
		}
		e, err := Decode(OpAll, payload)
		if err != nil {
			t.Fatal(err)
		}
		again, err := foldOf(t, append([]Entry{e}, entries[n:]...)...).Checkpoint(t0).Encode()
		if err != nil || string(again) != string(whole) {
			t.Errorf("after %d entries: %v\n%s\nwant\n%s", n, err, again, whole)
		}
	}
}

func TestWhatIsNoEntry(t *testing.T) {
	good, err := Entry{Op: OpAdd, At: t0, Tasks: []Task{task(1, "a")}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	text := string(good)
	tests := []struct {
		claim, op, payload string
		want               error
	}{
		{"not JSON", OpAdd, `{`, ErrEntry},
		{"no object", OpAdd, `[]`, ErrEntry},
		{"no version", OpAdd, `{"op":"ADD","at":"2026-01-02T12:00:00Z"}`, ErrEntry},
		{"version 0", OpAdd, strings.Replace(text, `"v":1`, `"v":0`, 1), ErrEntry},
		{"a newer version", OpAdd, strings.Replace(text, `"v":1`, `"v":2,"zzz":1`, 1), ErrVersion},
		{"another op than its commit says", OpHold, text, ErrEntry},
		{"an unknown key", OpAdd, strings.Replace(text, `"v":1`, `"v":1,"zzz":1`, 1), ErrEntry},
		{"an unknown key of a task", OpAdd, strings.Replace(text, `"title"`, `"tittle"`, 1), ErrEntry},
		{"no time", OpAdd, `{"v":1,"op":"ADD"}`, ErrEntry},
		{"a wrong type", OpAdd, strings.Replace(text, `"title":"a"`, `"title":1`, 1), ErrEntry},
	}
	for _, tt := range tests {
		if _, err := Decode(tt.op, []byte(tt.payload)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.claim, err, tt.want)
		}
	}
	if _, err := Decode(OpAdd, good); err != nil {
		t.Errorf("a good one: %v", err)
	}
}

func TestWhatDoesNotFold(t *testing.T) {
	one := Entry{Op: OpAdd, At: t0, Tasks: []Task{task(1, "a")}}
	tests := []struct {
		claim   string
		entries []Entry
	}{
		{"an id twice", []Entry{one, one}},
		{"a task that is not there", []Entry{{Op: OpHold, At: t0, ID: id(1), Why: "w"}}},
		{"a hold without a reason", []Entry{one, {Op: OpHold, At: t0, ID: id(1)}}},
		{"a task closed without a decision", []Entry{one, {Op: OpClose, At: t0, ID: id(1), State: WontFix, Why: "w"}}},
		{"a task closed as done", []Entry{one, {Op: OpClose, At: t0, ID: id(1), State: "done", Why: "w", Decision: "d"}}},
		{"a duplicate of nothing", []Entry{one, {Op: OpClose, At: t0, ID: id(1), State: Duplicate, Why: "w", Decision: "d"}}},
		{"a draft released without a condition", []Entry{{Op: OpAdd, At: t0, Tasks: []Task{task(1, "a", func(t *Task) { t.State, t.Until = Draft, nil })}}, {Op: OpRelease, At: t0, ID: id(1)}}},
		{"a checkpoint above entries", []Entry{one, {Op: OpAll, At: t0}}},
		{"an unknown op", []Entry{{Op: "DONE", At: t0, ID: id(1)}}},
		{"a task that is done", []Entry{{Op: OpAdd, At: t0, Tasks: []Task{task(1, "a", state("done", ""))}}}},
		{"a dependency that is not there", []Entry{{Op: OpAdd, At: t0, Tasks: []Task{task(1, "a", after(id(2)))}}}},
		{"a dependency on itself", []Entry{{Op: OpAdd, At: t0, Tasks: []Task{task(1, "a", after(id(1)))}}}},
		{"dependencies in a circle", []Entry{{Op: OpAdd, At: t0, Tasks: []Task{task(1, "a", after(id(2))), task(2, "b", after(id(3))), task(3, "c", after(id(1)))}}}},
	}
	for _, tt := range tests {
		f := &Fold{}
		var err error
		for _, e := range tt.entries {
			if err == nil {
				err = f.Add(e)
			}
		}
		if err == nil {
			err = f.Whole()
		}
		if !errors.Is(err, ErrEntry) && !errors.Is(err, ErrVersion) {
			t.Errorf("%s: %v", tt.claim, err)
		}
	}
}

func TestWhatIsNoTask(t *testing.T) {
	bend := func(f func(*Task)) Task { return task(1, "a", f) }
	for claim, x := range map[string]Task{
		"an id":                           bend(func(t *Task) { t.ID = "0123456789AB" }),
		"no title":                        bend(func(t *Task) { t.Title = " " }),
		"a long title":                    bend(func(t *Task) { t.Title = strings.Repeat("a", MaxTitle+1) }),
		"a title of two lines":            bend(func(t *Task) { t.Title = "a\nb" }),
		"a title that moves the cursor":   bend(func(t *Task) { t.Title = "a\x1b[2J" }),
		"a title out of UTF-8":            bend(func(t *Task) { t.Title = "a\xff" }),
		"a body out of UTF-8":             bend(func(t *Task) { t.Body = "a\xff" }),
		"a long body":                     bend(func(t *Task) { t.Body = strings.Repeat("a", MaxBody+1) }),
		"a kind":                          bend(of("thing")),
		"a priority":                      bend(urgent("P4")),
		"steps":                           bend(func(t *Task) { t.Steps = -1 }),
		"a lane":                          bend(inLane("API")),
		"too many labels":                 bend(labels(make([]string, maxList+1)...)),
		"a tree":                          bend(func(t *Task) { t.Tree = []string{"../x"} }),
		"an open one without a condition": bend(func(t *Task) { t.Until = nil }),
		"two conditions":                  bend(func(t *Task) { t.Until = &Until{Issue: 1, Text: "b"} }),
		"a unit":                          bend(unit("P")),
		"a held one without a reason":     bend(state(Held, "")),
		"a source with a password":        bend(func(t *Task) { t.Source = &Source{URL: "https://u:p@h/1"} }),
		"a source that is a file":         bend(func(t *Task) { t.Source = &Source{URL: "file:///etc/passwd"} }),
		"a guess":                         bend(func(t *Task) { t.Guess = &Route{Lane: "api", Rung: ByPath, Strength: 3} }),
		"a dependency twice":              bend(after(id(2), id(2))),
		"no time":                         bend(made(time.Time{})),
	} {
		if x.Check() == nil {
			t.Errorf("taken for a task with a fault: %s", claim)
		}
	}
	if err := task(1, "a").Check(); err != nil {
		t.Error(err)
	}
}

func TestExitCodes(t *testing.T) {
	for o, want := range map[Outcome]int{
		Added: 0, AddedDraft: 0, Known: 0, Leaks: 3, Holding: 0, Released: 0, ClosedNow: 0, Proposed: 3, Refused: 3,
		Imports: 0, Unchanged: 0, Incomplete: 3, Listed: 0, Shown: 0, "": 2, "DONE": 2,
	} {
		if got := (Verdict{Outcome: o}).ExitCode(); got != want {
			t.Errorf("%q: %d, want %d", o, got, want)
		}
	}
	if (List{}).ExitCode() != 2 || (Page{}).ExitCode() != 2 || (Import{}).ExitCode() != 2 {
		t.Error("what nobody decided is an answer")
	}
}
