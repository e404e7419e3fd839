package queue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const gh = `[{"number":7,"title":"Crash in api/x.go","body":"it crashes","state":"OPEN","url":"https://github.com/o/r/issues/7",
"labels":[{"id":"x","name":"bug","color":"d73a4a"},{"name":"P1"}],"assignees":[{"login":"ann"}],"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-12-01T00:00:00Z"}]`

const rest = `[{"url":"https://api.github.com/repos/o/r/issues/7","html_url":"https://github.com/o/r/issues/7","number":7,"title":"Crash in api/x.go",
"body":null,"state":"open","labels":[{"name":"enhancement"}],"assignee":null,"assignees":[],"created_at":"2025-01-01T00:00:00Z","updated_at":"2025-12-01T00:00:00Z"},
{"html_url":"https://github.com/o/r/pull/8","number":8,"title":"a request","state":"open","pull_request":{"url":"x"}}]`

const gitlab = `[{"id":9,"iid":7,"title":"Crash","description":"it crashes","state":"opened","web_url":"https://gitlab.com/o/r/-/issues/7",
"labels":["priority::high","documentation"],"assignees":[],"assignee":null,"created_at":"2025-01-01T00:00:00.123+02:00","updated_at":"2025-12-01T00:00:00.123Z","milestone":{"x":1}}]`

func issues(t *testing.T, text string) ([]Issue, int) {
	t.Helper()
	list, requests, err := ReadIssues([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return list, requests
}

func prepared(t *testing.T, x Export) Prepared {
	t.Helper()
	if x.At.IsZero() {
		x.At = t0
	}
	p, err := Prepare(x, Machine{})
	if err != nil {
		t.Fatal(err)
	}
	p.Route(router(t), func(path string) bool { return path == "api/x.go" })
	return p
}

func imported(t *testing.T, f *Fold, x Export) (Import, []Entry) {
	t.Helper()
	v, entries, err := DecideImport(f, prepared(t, x))
	if err != nil {
		t.Fatal(err)
	}
	return v, entries
}

func TestTheShapesOfForges(t *testing.T) {
	for claim, tt := range map[string]struct {
		text     string
		requests int
		want     Task
	}{
		"gh issue list": {gh, 0, Task{Title: "Crash in api/x.go", Body: "it crashes", Kind: Bug, Priority: "P1", Labels: []string{"bug", "P1"},
			Source: &Source{URL: "https://github.com/o/r/issues/7", Number: 7, Assigned: true, Rev: "2025-12-01T00:00:00Z"}}},
		"REST of GitHub": {rest, 1, Task{Title: "Crash in api/x.go", Kind: Feature, Labels: []string{"enhancement"},
			Source: &Source{URL: "https://github.com/o/r/issues/7", Number: 7, Rev: "2025-12-01T00:00:00Z"}}},
		"REST of GitLab": {gitlab, 0, Task{Title: "Crash", Body: "it crashes", Kind: Docs, Priority: "P1", Labels: []string{"priority::high", "documentation"},
			Source: &Source{URL: "https://gitlab.com/o/r/-/issues/7", Number: 7, Rev: "2025-12-01T00:00:00.123Z"}}},
	} {
		list, requests := issues(t, tt.text)
		if len(list) != 1 || requests != tt.requests {
			t.Errorf("%s: %d issues, %d requests", claim, len(list), requests)
			continue
		}
		got := list[0].task(Machine{}, t0)
		tt.want.ID, tt.want.State, tt.want.Until, tt.want.Created, tt.want.Updated = got.ID, Open, &Until{Issue: 7}, got.Created, got.Updated
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(tt.want)
		if string(a) != string(b) || got.Updated.Format(time.DateOnly) != "2025-12-01" || got.Check() != nil {
			t.Errorf("%s:\n%s, want\n%s", claim, a, b)
		}
	}
}

func TestWhatIsNoExport(t *testing.T) {
	one := func(bend string) string {
		return `[{"title":"a","url":"https://h/o/r/issues/1"},{"title":"b","url":"https://h/o/r/issues/2",` + bend + `}]`
	}
	for text, want := range map[string]string{
		"":                                      "no JSON array",
		"null":                                  "no JSON array",
		"{}":                                    "no JSON array of issues: it is object",
		"[]\n[]":                                "something follows",
		"[1]":                                   "issue [0]: it is no object",
		"[null]":                                "issue [0]: it is no object",
		"[\"\xff\"]":                            "not UTF-8",
		one(`"number":"2"`):                     "issue [1]: number is not a number",
		one(`"number":1.5`):                     "issue [1]: number is no number",
		one(`"number":-1`):                      "issue [1]: number is no number",
		one(`"title":7`):                        "issue [1]: title is not a text",
		one(`"title":" "`):                      "issue [1]: it has no title",
		one(`"state":"merged"`):                 "issue [1]: state merged",
		one(`"labels":"bug"`):                   "issue [1]: labels is not a list",
		one(`"labels":[7]`):                     "issue [1]: labels holds what is no label",
		one(`"createdAt":"monday"`):             "issue [1]: createdAt is no time",
		one(`"url":"https://h/o/r/issues/1"`):   "issue [1]: it is issue [0] again",
		one(`"url":"https://H/o/r/issues/1/"`):  "issue [1]: it is issue [0] again",
		one(`"url":"https://h/2?token=ghp_x"`):  "issue [1]: its address has what looks like a key, a token or a password: https://h/2",
		one(`"url":"https://h/2#x&api_key=x"`):  "issue [1]: its address has what looks",
		one(`"url":"https://u:p@h/o/r/issues"`): "issue [1]: its address",
		one(`"url":"javascript:alert(1)"`):      "issue [1]: its address",
		`[{"title":"a"}]`:                       "issue [0]: it has none of html_url",
		`[{"title":"a","url":null}]`:            "issue [0]: it has none of html_url",
		`[` + strings.Repeat(`{},`, maxIssues) + `{}]`: "at most",
	} {
		if _, _, err := ReadIssues([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %q", text, err, want)
		}
	}
	if _, _, err := ReadIssues([]byte(one(`"url":"https://u:hunter2@h/o/r/issues"`))); strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error says the password: %v", err)
	}
	if _, _, err := ReadIssues([]byte(one(`"url":"https://h/2?token=ghp_x"`))); strings.Contains(err.Error(), "ghp_x") {
		t.Errorf("the error says the token: %v", err)
	}
	if list, _ := issues(t, one(`"url":"https://h.corp/show_bug.cgi?id=2&key="`)); len(list) != 2 {
		t.Errorf("%v", list)
	}
	if list, _ := issues(t, "[]"); len(list) != 0 {
		t.Errorf("%v", list)
	}
}

// Whoever imports is screened as the texts are.
func TestThePathOfAnImporter(t *testing.T) {
	if _, err := Prepare(Export{By: "/home/ann/x"}, Machine{}); err == nil || strings.Contains(err.Error(), "ann") {
		t.Errorf("%v", err)
	}
}

func TestCompletenessIsProven(t *testing.T) {
	one, _ := issues(t, gh)
	for claim, tt := range map[string]struct {
		Export
		want Outcome
	}{
		"nothing is said":                {Export{Issues: one}, Incomplete},
		"all that the forge counts":      {Export{Issues: one, Total: 1}, Imports},
		"fewer":                          {Export{Issues: one, Total: 2}, Incomplete},
		"more":                           {Export{Issues: append(slices.Clone(one), Issue{URL: "https://h/o/2", Title: "b"}), Total: 1}, Incomplete},
		"below the limit":                {Export{Issues: one, Limit: 2}, Imports},
		"at the limit":                   {Export{Issues: one, Limit: 1}, Incomplete},
		"at the limit with the requests": {Export{Issues: one, Requests: 1, Limit: 2}, Incomplete},
		"an empty one below the limit":   {Export{Limit: 2}, Imports},
	} {
		v, entries := imported(t, &Fold{}, tt.Export)
		if v.Outcome != tt.want || v.Complete != (tt.want == Imports) || len(entries) != 1 {
			t.Errorf("%s: %+v, %d entries", claim, v, len(entries))
		}
	}
}

func TestImportAgain(t *testing.T) {
	list, _ := issues(t, gh)
	x := Export{Issues: list, Total: 1}
	v, entries := imported(t, &Fold{}, x)
	f := foldOf(t, entries...)
	only := f.Tasks()[0]
	if v.New != 1 || only.Guess == nil || only.Guess.Lane != "api" || only.Source.URL != list[0].URL {
		t.Fatalf("%+v, %+v", v, only)
	}
	x.At = t0.Add(30 * day)
	if v, entries := imported(t, f, x); v.Outcome != Unchanged || v.Same != 1 || entries != nil {
		t.Errorf("the same again: %+v, %d entries", v, len(entries))
	}
	if v, entries := imported(t, f, Export{Issues: list, Total: 2}); v.Outcome != Incomplete || len(entries) != 1 || entries[0].Tasks != nil {
		t.Errorf("with more elsewhere: %+v, %d entries", v, len(entries))
	}

	// What was decided here stays, and what the forge says moves.
	f = foldOf(t, append(entries, Entry{Op: OpHold, ID: only.ID, Why: "vendor", At: t0.Add(time.Hour)})...)
	list[0].Title, list[0].Rev, list[0].Updated, list[0].Closed = "Crash again", "2026-01-03T00:00:00Z", t0.Add(day), true
	x.Issues = list
	v, more := imported(t, f, x)
	f = foldOf(t, append(entries, append([]Entry{{Op: OpHold, ID: only.ID, Why: "vendor", At: t0.Add(time.Hour)}}, more...)...)...)
	got, _ := f.Task(only.ID)
	if v.Updated != 1 || got.Title != "Crash again" || got.State != Held || got.Why != "vendor" || !got.Updated.Equal(t0.Add(day)) || !got.Source.Closed {
		t.Errorf("%+v, %+v", v, got)
	}
	if !slices.Equal(v.ClosedIn, []string{only.ID}) || got.State.Closed() {
		t.Errorf("closed at the forge: %+v", v)
	}
	if v, entries := imported(t, f, Export{Limit: 5}); v.Absent != 1 || len(entries) != 1 || entries[0].Tasks != nil {
		t.Errorf("an export without it: %+v, %+v", v, entries)
	}
}

func TestWhatAnImportLeavesOut(t *testing.T) {
	long := strings.Repeat("é", importBody)
	list := []Issue{
		{URL: "https://h/o/1", Number: 1, Title: "closed", Closed: true},
		{URL: "https://h/o/2", Number: 2, Title: "crash in /home/ann/x", Body: "token=abcdefgh12345678"},
		{URL: "https://h/o/3", Title: "no\nnumber\x1b[2J", Body: long + "\x00"},
		{URL: "https://h/o/4", Number: 4, Title: "no number and a crash", Labels: []string{"/home/ann", "bug"}},
	}
	v, entries := imported(t, &Fold{}, Export{Issues: list})
	f := foldOf(t, entries...)
	if v.New != 3 || v.ClosedOut != 1 || len(v.Withheld) != 2 || f.Len() != 3 || v.Unrouted != 3 {
		t.Errorf("%+v", v)
	}
	two, _ := f.Task(idOf("https://h/o/2"))
	if two.Title != "crash in [withheld]" || two.Body != "" || !slices.Equal(two.Withheld, []Rule{MachinePath, Credential}) {
		t.Errorf("%+v", two)
	}
	three, _ := f.Task(idOf("https://h/o/3"))
	if three.Title != "no number[2J" || three.State != Draft || !three.Cut || len(three.Body) != importBody {
		t.Errorf("%+v, %d bytes", three.Title, len(three.Body))
	}
	four, _ := f.Task(idOf("https://h/o/4"))
	if !slices.Equal(four.Labels, []string{"bug"}) || four.Kind != Bug {
		t.Errorf("%+v", four)
	}
	if len(v.Twins) != 0 {
		t.Errorf("%+v", v.Twins)
	}
}

func TestPriorityLabels(t *testing.T) {
	for label, want := range map[string]string{
		"P0": "P0", "p3": "P3", "priority: P1": "P1", "priority/high": "P1", "Priority::Critical": "P0", "prio-low": "P3", "severity: medium": "P2",
		"P4": "", "high": "", "p": "", "top1": "",
	} {
		if got := priorityOf([]string{"x", label}); got != want {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
	}
	if got := priorityOf([]string{"P2", "P1"}); got != "P1" {
		t.Errorf("of two: %s", got)
	}
}

// Many issues go in as few entries, and together or not at all.
func TestManyIssues(t *testing.T) {
	var list []Issue
	for n := range 5000 {
		list = append(list, Issue{URL: fmt.Sprintf("https://h/o/%d", n+1), Number: n + 1, Title: fmt.Sprintf("thing %d", n), Body: strings.Repeat("word ", 300)})
	}
	v, entries := imported(t, &Fold{}, Export{Issues: list, Total: 5000})
	if v.New != 5000 || len(entries) > maxBatches || len(entries) < 2 {
		t.Errorf("%d new in %d entries", v.New, len(entries))
	}
	f := foldOf(t, entries...)
	if f.Len() != 5000 || f.Imported() == nil || !f.Imported().Complete {
		t.Errorf("%d tasks, %+v", f.Len(), f.Imported())
	}
	list = list[:1500]
	for i := range list {
		list[i].Title, list[i].Body = fmt.Sprint("x", i), strings.Repeat("\x01", importBody)
	}
	if _, _, err := DecideImport(&Fold{}, prepared(t, Export{Issues: list})); err == nil {
		t.Error("a queue that no checkpoint could hold")
	}
}
