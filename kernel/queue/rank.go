package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Is answers a question that evidence may leave open.
type Is int

// The answers. The zero Is is no answer.
const (
	Unknown Is = iota
	No
	Yes
)

// A Proof is what history says of a task being done.
type Proof struct {
	Done   Is
	Commit string
	Reason string
}

// A Claim is a lease that has a task.
type Claim struct {
	Lane  string `json:"lane"`
	Owner string `json:"owner,omitempty"`
	Node  string `json:"node,omitempty"`
	RunID string `json:"run_id,omitempty"`
}

// Evidence is everything Rank may know.
type Evidence struct {
	Now      time.Time
	Queue    *Fold
	Router   Router
	MaxSteps int

	// Proofs are what history says, by id: of a task that is missing, nothing
	// is known. Closed tasks need none.
	Proofs map[string]Proof

	// Claims are the units that live leases name. Dark are the lanes whose
	// leases cannot be read: what they have is not known.
	Claims map[string]Claim
	Dark   []string
}

// Status is how a task stands: its state, or what evidence says beyond that.
type Status string

// The statuses that are no states.
const (
	Done      Status = "done"
	Claimed   Status = "claimed"
	Uncertain Status = "unknown" // whether it is done cannot be told
)

// A Term is one part of a score.
type Term struct {
	Name   string `json:"term"`
	Points int    `json:"points"`
	Why    string `json:"why"`
}

// An Item is a task in the order of the queue.
type Item struct {
	Task
	Status Status `json:"status"`
	Score  int    `json:"score"`
	Terms  []Term `json:"terms,omitempty"` // with them explained
	Ready  bool   `json:"ready"`

	// Waits says what keeps it from being ready.
	Waits []Wait `json:"waits,omitempty"`

	In    string `json:"in_lane,omitempty"` // the lane it is to be done in, "" unrouted
	Unit  string `json:"claim_unit"`        // what an admission claims it by
	Held  *Claim `json:"claimed_by,omitempty"`
	Proof string `json:"proof,omitempty"` // why it is done, or why that cannot be told
	SHA   string `json:"sha,omitempty"`
}

// A Wait is one thing that keeps a task from being dispatched.
type Wait struct {
	For   WaitFor `json:"for"`
	What  string  `json:"what"`
	Other string  `json:"task,omitempty"` // the task waited for
}

// WaitFor is the closed list of what keeps a task.
type WaitFor string

// What a task may wait for.
const (
	ForEvidence  WaitFor = "evidence"   // whether it is done cannot be told
	ForCondition WaitFor = "done_when"  // it does not say when it is done
	ForOperator  WaitFor = "held"       // it is held
	ForHolder    WaitFor = "claimed"    // somebody has it
	ForTask      WaitFor = "dependency" // another is to be done first
	ForTwin      WaitFor = "twin"       // another has the same target, and is fresher
	ForSplit     WaitFor = "split"      // it is an epic, or takes too many steps
	ForTriage    WaitFor = "triage"     // its labels say that nobody has looked at it
	ForLane      WaitFor = "lane"       // it is unrouted, or its lane is not declared
)

// Rank puts all tasks in the one order of the queue: by score, then the oldest
// first, then by id.
func Rank(ev Evidence) []Item {
	all := ev.Queue.Tasks()
	fresh := freshest(all, ev.Proofs)
	items := make([]Item, 0, len(all))
	for _, t := range all {
		items = append(items, ev.item(t, fresh))
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return items
}

func (ev Evidence) item(t Task, fresh map[string]string) Item {
	i := Item{Task: t, Status: Status(t.State), Unit: t.Claim(), In: ev.lane(t)}
	proof := ev.Proofs[t.ID]
	claim, claimed := ev.Claims[i.Unit]
	if claimed {
		i.Held = &claim
	}
	switch {
	case t.State.Closed():
	case proof.Done == Yes:
		i.Status, i.Proof, i.SHA = Done, proof.Reason, proof.Commit
	case proof.Done != No:
		i.Status, i.Proof = Uncertain, cmp.Or(proof.Reason, "history was not asked")
	case claimed && t.State == Open:
		i.Status = Claimed
	}
	i.Terms = ev.terms(t, claimed)
	for _, term := range i.Terms {
		i.Score += term.Points
	}
	if i.Status != Done && !t.State.Closed() {
		i.Waits = ev.waits(i, fresh)
		i.Ready = len(i.Waits) == 0
	}
	return i
}

// lane is where a task belongs: where whoever added it said, else as guessed,
// as long as tasks may go there.
func (ev Evidence) lane(t Task) string {
	switch {
	case t.Lane != "":
		return t.Lane
	case t.Guess != nil && ev.Router.Knows(t.Guess.Lane):
		return t.Guess.Lane
	}
	return ""
}

const day = 24 * time.Hour

// terms are the parts of a task's score.
func (ev Evidence) terms(t Task, claimed bool) []Term {
	urgent := t.Priority == "P0" || t.Priority == "P1"
	idle := max(0, int(ev.Now.Sub(t.Updated)/day))
	list := []Term{priorityTerm(t.Priority)}
	if assigned := t.Source != nil && t.Source.Assigned; urgent && !claimed && !assigned && !t.State.Closed() {
		list = append(list, Term{"orphan", 300, "urgent, and nobody has it"})
	}
	switch t.Kind {
	case Bug:
		list = append(list, Term{"bug", 40, "it is a bug"})
	case Docs:
		list = append(list, Term{"docs", -20, "it is documentation"})
	}
	if idle > 0 {
		list = append(list, Term{"idle", min(idle, 90), fmt.Sprintf("nothing happened to it for %d days", idle)})
	}
	if t.Kind == Question && idle < 30 {
		list = append(list, Term{"question", -200, "a question that somebody may still answer"})
	}
	return list
}

func priorityTerm(p string) Term {
	points, ok := map[string]int{"P0": 1000, "P1": 400, "P2": 150}[p]
	switch {
	case ok:
		return Term{"priority", points, p}
	case p == "":
		return Term{"priority", 60, "it has none"}
	}
	return Term{"priority", 60, p + ", like none"}
}

// triage are labels that say that nobody has looked at an issue yet.
var triage = []string{"triage", "needs-triage", "needs triage", "untriaged", "needs-info", "needs info", "status: triage", "status/triage"}

// waits says what keeps a task.
func (ev Evidence) waits(i Item, fresh map[string]string) (list []Wait) {
	wait := func(is bool, on WaitFor, what, other string) {
		if is {
			list = append(list, Wait{on, what, other})
		}
	}
	wait(i.Status == Uncertain, ForEvidence, i.Proof, "")
	wait(i.State == Draft, ForCondition, "nothing says when it is done", "")
	wait(i.State == Held, ForOperator, i.Why, "")
	wait(i.Held != nil, ForHolder, "a lease has it", "")
	for _, id := range i.Deps {
		dep, _ := ev.Queue.Task(id)
		wait(ev.Proofs[id].Done != Yes || dep.State.Closed(), ForTask, dep.Title, id)
	}
	if best := fresh[target(i.Task)]; best != "" && best != i.ID {
		twin, _ := ev.Queue.Task(best)
		wait(true, ForTwin, twin.Title, best)
	}
	wait(i.Kind == Epic, ForSplit, "it is an epic: add its parts", "")
	wait(ev.MaxSteps > 0 && i.Steps > ev.MaxSteps, ForSplit, fmt.Sprintf("%d steps, at most %d", i.Steps, ev.MaxSteps), "")
	for _, label := range i.Labels {
		wait(slices.Contains(triage, strings.ToLower(label)), ForTriage, label, "")
	}
	wait(i.In == "" && len(i.Tree) == 0, ForLane, "it is unrouted: no lane could be guessed", "")
	wait(i.Lane != "" && !ev.Router.Declares(i.Lane) && len(i.Tree) == 0, ForLane, "lane "+i.Lane+" is not declared", "")
	wait(i.In != "" && slices.Contains(ev.Dark, i.In), ForHolder, "the lease of lane "+i.In+" cannot be read", "")
	return list
}

// freshest maps a target that several tasks have to the one that changed last.
// Somebody may be at work on that: an older one is no way round it.
func freshest(tasks []Task, proofs map[string]Proof) map[string]string {
	best := map[string]Task{}
	for _, t := range tasks {
		key := target(t)
		if key == "" || t.State.Closed() || proofs[t.ID].Done == Yes {
			continue
		}
		old, had := best[key]
		if !had || t.Updated.After(old.Updated) || t.Updated.Equal(old.Updated) && t.ID > old.ID {
			best[key] = t
		}
	}
	ids := map[string]string{}
	for key, t := range best {
		ids[key] = t.ID
	}
	return ids
}
