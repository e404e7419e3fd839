package facts

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// Holds are what the plan documents of a commit say stands in the way of units.
type Holds struct {
	Ref   string
	RefID string // "" when the branch has no commit yet
	Units []UnitHolds
}

// UnitHolds are those of one unit. The texts say where each is written, and are
// "" for what is not.
type UnitHolds struct {
	Unit    Unit
	Listed  []plan.Place
	Draft   string
	Gated   string
	Soaking string
	Unclear string // what cannot be understood of it
	Needs   []Unit // the units that it depends on, each once
}

// A holdsDoc is a document that was read.
type holdsDoc struct {
	path   string
	text   plan.Document
	rows   []plan.Row
	missed []plan.Unread
}

// A CycleError means that units depend on each other in a round, so that none
// of them can ever be first.
type CycleError struct{ Round []Unit }

func (e *CycleError) Error() string {
	var words []string
	for _, u := range append(e.Round, e.Round[0]) {
		words = append(words, u.Plan+"/"+u.Phase)
	}
	return "units depend on each other: " + strings.Join(words, " on ")
}

// ReadHolds reads what the plan documents at the trunk say of units, out of its
// commit and never out of the work tree. Units whose dependencies go round are a
// *CycleError; a document that cannot be read is a *PlanFileError, a history
// that is not all here ancestry.ErrMissing.
func ReadHolds(ctx context.Context, repo *refstore.Repo, units []Unit) (Holds, error) {
	at, err := walkedRef(ctx, repo, "")
	if err != nil {
		return Holds{}, err
	}
	h := Holds{Ref: at.name, RefID: string(at.id)}
	docs, err := holdsDocs(ctx, repo, at)
	if err != nil {
		return h, err
	}
	s := holdsSearch{docs: docs, known: map[string]*UnitHolds{}}
	for _, u := range units {
		if _, err := ship.NewQuery(u.Plan, u.Phase, policy.Stamp{}); err != nil {
			return h, &ShipRequestError{err}
		}
		if round := s.round(u); round != nil {
			return h, &CycleError{round}
		}
		h.Units = append(h.Units, *s.of(u))
	}
	return h, nil
}

func holdsDocs(ctx context.Context, repo *refstore.Repo, at walked) (docs []*holdsDoc, err error) {
	if at.id == "" {
		return nil, nil
	}
	blobs, err := planBlobs(ctx, repo, at.id, lane.NewScope([]string{at.policy.Paths.PlansGlob}).Contains)
	if err != nil {
		return nil, err
	}
	rows, unread := 0, 0
	err = readPlanBlobs(ctx, repo, blobs, func(b planBlob, text []byte) error {
		d := plan.Parse(text)
		doc := &holdsDoc{path: b.path, text: d, rows: d.Rows()}
		if rows += len(doc.rows); rows > maxPlanRows {
			return &PlanFileError{Path: b.path, err: fmt.Errorf("brings the plans to more than %d phases", maxPlanRows)}
		}
		doc.missed, _ = d.Unread(max(0, maxPlanUnread-unread))
		unread += len(doc.missed)
		docs = append(docs, doc)
		return nil
	})
	return docs, err
}

// A holdsSearch looks units up in documents, each once.
type holdsSearch struct {
	docs  []*holdsDoc
	known map[string]*UnitHolds
}

func unitKey(u Unit) string { return ship.Fold(u.Plan) + "\x00" + ship.Fold(u.Phase) }

func (s *holdsSearch) of(u Unit) *UnitHolds {
	if h, ok := s.known[unitKey(u)]; ok {
		return h
	}
	h := &UnitHolds{Unit: u}
	s.known[unitKey(u)] = h
	q, err := ship.NewQuery(u.Plan, u.Phase, policy.Stamp{})
	if err != nil {
		h.Unclear = err.Error()
		return h
	}
	for _, doc := range s.docs {
		for _, r := range doc.rows {
			if q.Is(r.Plan, r.Phase) {
				h.Listed = append(h.Listed, planPlace(doc.path, r))
				h.add(doc, r)
			}
		}
	}
	if len(h.Listed) == 0 {
		s.missed(h)
	}
	return h
}

// missed looks for a unit that no document lists among what was not read.
func (s *holdsSearch) missed(h *UnitHolds) {
	for _, doc := range s.docs {
		for _, u := range doc.missed {
			if u.Mentions(h.Unit.Phase) && h.Unclear == "" {
				u.File = doc.path
				h.Unclear = "it may be what is not read at " + u.String()
			}
		}
	}
}

func (h *UnitHolds) add(doc *holdsDoc, r plan.Row) {
	c := doc.text.Conditions(r)
	where := fmt.Sprintf("%s:%d", doc.path, r.Line)
	set := func(is bool, text *string, says string) {
		if is && *text == "" {
			*text = where + " " + says
		}
	}
	set(c.Draft, &h.Draft, "says that it is a draft")
	set(c.Gated, &h.Gated, "says that it waits")
	set(c.Soaking, &h.Soaking, "says that it soaks")
	if len(c.Unread) > 0 {
		set(true, &h.Unclear, fmt.Sprintf("depends on %q, which names no unit", c.Unread[0]))
	}
	for _, n := range c.Needs {
		u := Unit{n.Plan, n.Phase}
		if u.Plan == "" {
			u.Plan = r.Plan
		}
		if _, err := ship.NewQuery(u.Plan, u.Phase, policy.Stamp{}); err != nil {
			set(true, &h.Unclear, fmt.Sprintf("depends on %s/%s: %v", u.Plan, u.Phase, err))
			continue
		}
		h.need(u)
	}
}

func (h *UnitHolds) need(u Unit) {
	for _, old := range h.Needs {
		if unitKey(old) == unitKey(u) {
			return
		}
	}
	h.Needs = append(h.Needs, u)
}

// round is a round of dependencies that a unit leads to, nil where there is
// none.
func (s *holdsSearch) round(u Unit) (round []Unit) {
	key := func(n plan.Name) string { return unitKey(Unit(n)) }
	for _, n := range plan.Cycle(plan.Name(u), key, func(n plan.Name) (all []plan.Name) {
		for _, need := range s.of(Unit(n)).Needs {
			all = append(all, plan.Name(need))
		}
		return all
	}) {
		round = append(round, Unit(n))
	}
	return round
}
