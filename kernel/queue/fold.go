package queue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Ops of the entries.
const (
	OpAdd     = "ADD"
	OpImport  = "IMPORT"  // puts tasks, new ones and known ones
	OpHold    = "HOLD"    // makes a task wait for what Why names
	OpRelease = "RELEASE" // makes it open again, where it says when it is done
	OpClose   = "CLOSE"   // an operator's, after a proposal
	OpAll     = "CHECKPOINT"
)

// Errors of an entry that cannot be used. The queue is then unreadable, and not
// without what the entry may have said.
var (
	ErrEntry   = errors.New("unreadable entry of the queue")
	ErrVersion = errors.New("entry of the queue by a newer git-dos")
)

// An Entry is one change of the queue, or, as a CHECKPOINT, all that the
// entries below it make.
type Entry struct {
	V     int       `json:"v"`
	Op    string    `json:"op"`
	At    time.Time `json:"at"`
	Node  string    `json:"node,omitempty"`
	By    string    `json:"by,omitempty"` // for people
	Tasks []Task    `json:"tasks,omitempty"`

	// Of HOLD, RELEASE and CLOSE.
	ID       string `json:"id,omitempty"`
	State    State  `json:"state,omitempty"` // that CLOSE brings about
	Why      string `json:"why,omitempty"`
	Of       string `json:"duplicate_of,omitempty"`
	Decision string `json:"decision,omitempty"` // the proposal that an operator followed
	Until    *Until `json:"done_when,omitempty"`

	// Of IMPORT and CHECKPOINT.
	Imported *Imported `json:"imported,omitempty"`
}

// Imported says what the last import was, and whether it is proven to have been
// all that its source has.
type Imported struct {
	At       time.Time `json:"at"`
	Issues   int       `json:"issues"`
	Complete bool      `json:"complete"`
	Why      string    `json:"why"`
}

// Encode is the entry as it is written.
func (e Entry) Encode() ([]byte, error) {
	e.V, e.At = Version, e.At.UTC().Truncate(time.Second)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode reads an entry whose ref says that it is an op.
func Decode(op string, payload []byte) (Entry, error) {
	var head struct {
		V  *int   `json:"v"`
		Op string `json:"op"`
	}
	err := json.Unmarshal(payload, &head)
	switch {
	case err != nil:
		return Entry{}, fmt.Errorf("%w: %w", ErrEntry, err)
	case head.V == nil || *head.V < 1:
		return Entry{}, fmt.Errorf("%w: it has no version", ErrEntry)
	case *head.V > Version:
		return Entry{}, fmt.Errorf("%w: version %d, this one knows %d", ErrVersion, *head.V, Version)
	case head.Op != op:
		return Entry{}, fmt.Errorf("%w: a %s that says %q", ErrEntry, op, verdict.Clip(head.Op))
	}
	var e Entry
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return Entry{}, fmt.Errorf("%w: %w", ErrEntry, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Entry{}, fmt.Errorf("%w: something follows it", ErrEntry)
	}
	if e.At.IsZero() {
		return Entry{}, fmt.Errorf("%w: it has no time", ErrEntry)
	}
	return e, nil
}

// A Fold is the queue as its entries make it. The zero Fold is empty.
type Fold struct {
	tasks    map[string]Task
	imported *Imported
}

// Len is how many tasks there are.
func (f *Fold) Len() int { return len(f.tasks) }

// Task is the task of an id.
func (f *Fold) Task(id string) (Task, bool) {
	t, ok := f.tasks[id]
	return t, ok
}

// Tasks are all tasks, the oldest first.
func (f *Fold) Tasks() []Task {
	return slices.SortedFunc(maps.Values(f.tasks), func(a, b Task) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
}

// Imported is the last import, nil where there was none.
func (f *Fold) Imported() *Imported { return f.imported }

// Clone is a fold that can be added to while this one stays.
func (f *Fold) Clone() *Fold { return &Fold{maps.Clone(f.tasks), f.imported} }

// mostRead bounds what a fold keeps in memory of a queue that others wrote.
const mostRead = 2 * maxTasks

// Add folds one entry more. Entries come in the order of their chain; a
// CHECKPOINT only first. After an error the fold is of no use.
func (f *Fold) Add(e Entry) error {
	if f.tasks == nil {
		f.tasks = map[string]Task{}
	}
	var err error
	switch e.Op {
	case OpAdd:
		err = f.put(e.Tasks, false)
	case OpImport:
		err = f.put(e.Tasks, true)
		f.imported = cmp.Or(e.Imported, f.imported)
	case OpAll:
		if len(f.tasks) > 0 {
			err = errors.New("a checkpoint above other entries")
			break
		}
		err, f.imported = f.put(e.Tasks, false), e.Imported
	case OpHold, OpRelease, OpClose:
		err = f.change(e)
	default:
		return fmt.Errorf("%w: op %q", ErrVersion, verdict.Clip(e.Op))
	}
	if err != nil {
		return fmt.Errorf("%w: %s of %s: %w", ErrEntry, e.Op, e.At.Format(time.RFC3339), err)
	}
	return nil
}

// put adds tasks, and in place of known ones where known is set.
func (f *Fold) put(tasks []Task, known bool) error {
	for i, t := range tasks {
		if err := t.Check(); err != nil {
			return fmt.Errorf("task %d: %w", i+1, err)
		}
		if _, had := f.tasks[t.ID]; had && !known {
			return fmt.Errorf("task %s stands already", t.ID)
		}
		f.tasks[t.ID] = t
	}
	if len(f.tasks) > mostRead {
		return fmt.Errorf("more than %d tasks", mostRead)
	}
	return nil
}

// change folds an entry about one task.
func (f *Fold) change(e Entry) error {
	t, ok := f.tasks[e.ID]
	if !ok {
		return fmt.Errorf("there is no task %q", verdict.Clip(e.ID))
	}
	t.Why, t.Of, t.By, t.Updated = e.Why, "", e.By, e.At
	switch e.Op {
	case OpHold:
		t.State = Held
	case OpRelease:
		t.State = Open
		if !e.Until.Empty() {
			t.Until = e.Until
		}
	case OpClose:
		if !e.State.Closed() {
			return fmt.Errorf("a task closed as %q", verdict.Clip(string(e.State)))
		}
		if t.State, t.Of = e.State, e.Of; e.Decision == "" {
			return errors.New("a task closed without a decision")
		}
	}
	if err := t.Check(); err != nil {
		return fmt.Errorf("task %s: %w", t.ID, err)
	}
	f.tasks[t.ID] = t
	return nil
}

// Whole checks what only all entries together show: that what tasks depend on
// is there, and that none depends on itself in a circle.
func (f *Fold) Whole() error {
	for _, t := range f.tasks {
		for _, id := range append(slices.Clone(t.Deps), t.Of) {
			if _, ok := f.tasks[id]; !ok && id != "" {
				return fmt.Errorf("%w: task %s names %s, which is not there", ErrEntry, t.ID, id)
			}
		}
	}
	if id := f.circle(); id != "" {
		return fmt.Errorf("%w: task %s depends on itself in a circle", ErrEntry, id)
	}
	return nil
}

// circle is a task in a circle of dependencies, the least id of those that no
// order can hold; "" when there is none.
func (f *Fold) circle() string {
	waits, after := map[string]int{}, map[string][]string{}
	var free []string
	for id, t := range f.tasks {
		if waits[id] = len(t.Deps); len(t.Deps) == 0 {
			free = append(free, id)
		}
		for _, dep := range t.Deps {
			after[dep] = append(after[dep], id)
		}
	}
	for len(free) > 0 {
		id := free[len(free)-1]
		free = free[:len(free)-1]
		delete(waits, id)
		for _, next := range after[id] {
			if waits[next]--; waits[next] == 0 {
				free = append(free, next)
			}
		}
	}
	if len(waits) == 0 {
		return ""
	}
	return slices.Min(slices.Collect(maps.Keys(waits)))
}

// Checkpoint is the entry that stands for all entries that were folded.
func (f *Fold) Checkpoint(at time.Time) Entry {
	return Entry{V: Version, Op: OpAll, At: at.UTC().Truncate(time.Second), Tasks: f.Tasks(), Imported: f.imported}
}

// fits says why entries cannot be added for want of room.
func (f *Fold) fits(more []Entry) error {
	g := f.Clone()
	for _, e := range more {
		if err := g.Add(e); err != nil {
			return err
		}
	}
	if len(g.tasks) > maxTasks {
		return badRequest("the queue would have %d tasks, at most %d", len(g.tasks), maxTasks)
	}
	b, err := g.Checkpoint(time.Unix(1, 0)).Encode()
	if err == nil && len(b) > maxState {
		err = badRequest("the queue would have %d bytes, at most %d: bring in fewer issues, or shorter ones", len(b), maxState)
	}
	return err
}
