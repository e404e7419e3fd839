package queue

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// idOf is the id of the task of an issue: the same for everybody who imports
// it.
func idOf(url string) string {
	sum := sha256.Sum256([]byte(url))
	return fmt.Sprintf("%x", sum[:6])
}

// An Export is what is to be imported.
type Export struct {
	Issues   []Issue
	Requests int // pull requests among them, which are no issues
	Total    int // how many issues the forge counts, as whoever exported says; 0 unknown
	Limit    int // how many the export was allowed to bring; 0 unknown
	At       time.Time
	By       string
}

// whole says whether an export is proven to be all that the forge has.
func (x Export) whole() (bool, string) {
	n := len(x.Issues)
	all := n + x.Requests
	switch {
	case x.Total > 0 && n == x.Total:
		return true, fmt.Sprintf("the forge counts %s, and all are here", verdict.Count(n, "issue"))
	case x.Total > 0:
		return false, fmt.Sprintf("the forge counts %s, and %d are here", verdict.Count(x.Total, "issue"), n)
	case x.Limit > 0 && all < x.Limit:
		return true, fmt.Sprintf("%d came where %d could have", all, x.Limit)
	case x.Limit > 0:
		return false, fmt.Sprintf("%d came, and no more than %d could: there may be others", all, x.Limit)
	}
	return false, fmt.Sprintf("nothing says that these %d are all: state --total or --limit", all)
}

// An Import is the answer to an import.
type Import struct {
	Outcome   Outcome    `json:"outcome"`
	Reason    string     `json:"reason"`
	Issues    int        `json:"issues"`
	Requests  int        `json:"pull_requests"` // which are no issues
	New       int        `json:"new"`
	Updated   int        `json:"updated"`
	Same      int        `json:"same"`
	ClosedOut int        `json:"closed_left_out"` // closed at the forge, and not in the queue
	ClosedIn  []string   `json:"closed_at_source"`
	Absent    int        `json:"absent"` // tasks of earlier imports that this export does not have
	Unrouted  int        `json:"unrouted"`
	Withheld  []Withheld `json:"withheld"`
	Twins     []TwinPair `json:"twins"`
	TwinTotal int        `json:"twins_total"`
	Complete  bool       `json:"complete"`
	Why       string     `json:"complete_because"`
}

// Withheld says which issue's text was left out, and why.
type Withheld struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Rules []Rule `json:"rules"`
}

// A TwinPair is a new task and one that it is likely the same as.
type TwinPair struct {
	ID   string `json:"id"`
	Twin Twin   `json:"twin"`
}

// mostPairs bounds a list that is advice.
const mostPairs = 50

var _ verdict.Verdict = Import{}

// ExitCode implements verdict.Verdict.
func (v Import) ExitCode() int { return v.Outcome.exit() }

// String implements verdict.Verdict.
func (v Import) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", v.Outcome, v.Reason)
	fmt.Fprintf(&b, "  %s: %d new, %d updated, %d as they were, %d closed and left out, %d pull requests\n",
		verdict.Count(v.Issues, "issue"), v.New, v.Updated, v.Same, v.ClosedOut, v.Requests)
	if v.Complete {
		fmt.Fprintf(&b, "  complete: %s\n", v.Why)
	}
	if v.Absent > 0 {
		fmt.Fprintf(&b, "  %s of earlier imports not among them\n", verdict.Count(v.Absent, "task"))
	}
	if n := len(v.ClosedIn); n > 0 {
		fmt.Fprintf(&b, "  closed at the forge, and open here until evidence says otherwise: %s\n", verdict.Count(n, "task"))
	}
	if v.Unrouted > 0 {
		fmt.Fprintf(&b, "  unrouted: %s of these\n", verdict.Count(v.Unrouted, "task"))
	}
	for _, w := range v.Withheld[:min(len(v.Withheld), 10)] {
		fmt.Fprintf(&b, "  text withheld from %s (%s)\n", w.ID, words(w.Rules))
	}
	if more := len(v.Withheld) - 10; more > 0 {
		fmt.Fprintf(&b, "  text withheld from %d more\n", more)
	}
	for _, p := range v.Twins[:min(len(v.Twins), 10)] {
		fmt.Fprintf(&b, "  likely twins: %s and %s %s\n", p.ID, p.Twin.ID, verdict.Show(p.Twin.Title))
	}
	if v.TwinTotal > 10 {
		fmt.Fprintf(&b, "  likely twins: %d in all\n", v.TwinTotal)
	}
	return b.String()
}

// Prepared are the issues of an export as tasks.
type Prepared struct {
	Export
	Tasks []Task
}

// Prepare makes tasks of an export, which belong to no lane yet.
func Prepare(x Export, m Machine) (Prepared, error) {
	p := Prepared{Export: x}
	if leaks := m.leaksOf([][2]string{{ownerField, x.By}}); len(leaks) > 0 {
		return p, fmt.Errorf("the owner gives away what is this machine's: %s", words(Rules(leaks)))
	}
	for _, i := range x.Issues {
		t := i.task(m, x.At)
		if err := t.Check(); err != nil {
			return p, fmt.Errorf("issue %s: %w", verdict.Show(i.URL), err)
		}
		p.Tasks = append(p.Tasks, t)
	}
	return p, nil
}

// Route guesses the lane of each task.
func (p Prepared) Route(r Router, has func(path string) bool) {
	for i := range p.Tasks {
		p.Tasks[i].Guess = r.Route(p.Tasks[i], has)
	}
}

// DecideImport takes an export over: issues that the queue does not have, and
// what has changed of those that it has. An issue that is closed at the forge
// brings no task, and closes none that is there.
func DecideImport(f *Fold, p Prepared) (Import, []Entry, error) {
	v := Import{Issues: len(p.Issues), Requests: p.Requests, ClosedIn: []string{}, Withheld: []Withheld{}, Twins: []TwinPair{}}
	var put []Task
	at := map[string]bool{}
	twins := newIndex(f.Tasks())
	for _, t := range p.Tasks {
		at[t.ID] = true
		old, had := f.Task(t.ID)
		if had && (old.Source == nil || old.Source.URL != t.Source.URL) {
			return v, nil, badRequest("issue %s would be task %s, which is another", t.Source.URL, t.ID)
		}
		if !had && t.Source.Closed {
			v.ClosedOut++
			continue
		}
		t = t.over(old, had)
		v.note(t)
		switch {
		case !had:
			v.New++
			v.pair(t, twins)
		case reflect.DeepEqual(old, t):
			v.Same++
			continue
		default:
			v.Updated++
		}
		put = append(put, t)
	}
	for id, t := range f.tasks {
		if t.Source != nil && !at[id] && !t.State.Closed() {
			v.Absent++
		}
	}
	return v.end(f, p, put)
}

// over is a task as an import makes it of the one that is there: what was
// decided here stays.
func (t Task) over(old Task, had bool) Task {
	if !had {
		return t
	}
	t.State, t.Why, t.Of, t.By = old.State, old.Why, old.Of, old.By
	t.Lane, t.Tree, t.Deps, t.Steps = old.Lane, old.Tree, old.Deps, old.Steps
	t.Created = old.Created
	if !old.Until.Empty() {
		t.Until = old.Until
	}
	if t.Updated.Before(old.Updated) || t.Source.Rev == old.Source.Rev {
		t.Updated = old.Updated
	}
	return t
}

func (v *Import) note(t Task) {
	if t.Source.Closed && !t.State.Closed() {
		v.ClosedIn = append(v.ClosedIn, t.ID)
	}
	if len(t.Withheld) > 0 {
		v.Withheld = append(v.Withheld, Withheld{t.ID, t.Source.URL, t.Withheld})
	}
	if t.Guess == nil && t.Lane == "" {
		v.Unrouted++
	}
}

func (v *Import) pair(t Task, twins *index) {
	for _, w := range twins.twins(t) {
		if v.TwinTotal++; len(v.Twins) < mostPairs {
			v.Twins = append(v.Twins, TwinPair{t.ID, w})
		}
	}
	twins.add(t)
}

// end finds the outcome, and the entries: none where nothing has changed.
func (v Import) end(f *Fold, p Prepared, put []Task) (Import, []Entry, error) {
	v.Complete, v.Why = p.whole()
	imported := &Imported{At: p.At.UTC().Truncate(time.Second), Issues: len(p.Issues), Complete: v.Complete, Why: v.Why}
	had := f.Imported()
	v.Outcome, v.Reason = Imports, "taken over"
	if len(put) == 0 && had != nil && had.Complete == v.Complete && had.Issues == imported.Issues {
		v.Outcome, v.Reason, imported = Unchanged, "the queue has all of it already", nil
	}
	if !v.Complete {
		v.Outcome, v.Reason = Incomplete, v.Why
	}
	if imported == nil {
		return v, nil, nil
	}
	entries, err := batches(put, imported, p.At, p.By)
	if err == nil {
		err = f.fits(entries)
	}
	return v, entries, err
}

// Bounds of what one import writes: entries go in together, or not at all.
const (
	batchBytes = 4 << 20
	maxBatches = 4
)

// batches puts tasks into as few entries as they fit in.
func batches(tasks []Task, imported *Imported, at time.Time, by string) ([]Entry, error) {
	list := []Entry{{Op: OpImport, At: at, By: by}}
	size := 0
	for _, t := range tasks {
		b, err := Entry{Tasks: []Task{t}}.Encode()
		if err != nil {
			return nil, err
		}
		if size += len(b); size > batchBytes {
			list = append(list, Entry{Op: OpImport, At: at, By: by})
			size = len(b)
		}
		last := &list[len(list)-1]
		last.Tasks = append(last.Tasks, t)
	}
	list[len(list)-1].Imported = imported
	if len(list) > maxBatches {
		return nil, badRequest("the issues need %d entries of %d bytes, at most %d: import a part of them at a time", len(list), batchBytes, maxBatches)
	}
	return list, nil
}
