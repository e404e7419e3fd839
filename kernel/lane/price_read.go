package lane

import (
	"fmt"
	"strconv"
)

// Where the tree of a worker comes from.
const (
	SourceInput   = "input"   // the partition
	SourceLane    = "lane"    // the lane's declared tree, or the ridden lease's
	SourceUnknown = "unknown" // nowhere: it may touch anything
)

// read reads every worker against the taxonomy, or the ridden lane.
func (ev PriceEvidence) read() (pricing, error) {
	p := pricing{ridden: ev.Within != nil}
	if !p.ridden {
		p.budgets = foldBudgets(ev.Budgets)
	}
	roster, err := ev.Lanes.roster()
	if err != nil {
		return p, err
	}
	within, err := ev.Within.clean()
	if err != nil {
		return p, err
	}
	if p.ridden {
		p.lane = within.Lane
	}
	names, entries := priceNames(ev.Workers), 0
	for i, in := range ev.Workers {
		w := priced{PricedWorker: PricedWorker{Name: names[i], LeaseID: in.LeaseID, Mode: "exclusive"}}
		if in.Mode == Shared {
			w.Mode = Shared
		}
		if p.ridden {
			err = w.readWithin(in, roster, *within)
		} else {
			err = w.readLane(in, roster)
		}
		if err != nil {
			return p, fmt.Errorf("worker %s: %w", show(w.Name), err)
		}
		if entries += len(w.Tree); entries > maxPriceEntries {
			return p, fmt.Errorf("the workers have more than %d tree entries between them: name directories, or price in parts", maxPriceEntries)
		}
		w.settle(ev, p.budgets)
		p.workers = append(p.workers, w)
	}
	return p, nil
}

// priceNames gives every worker a name of its own. The first to come keeps a
// name; the next is called <name>-2, and so on past names that are taken.
func priceNames(workers []PriceWorker) []string {
	names := make([]string, len(workers))
	taken := make(map[string]bool, len(workers))
	next := map[string]int{}
	for i, w := range workers {
		base := w.Name
		if base == "" {
			base = "agent-" + strconv.Itoa(i+1)
		}
		name := base
		for n := max(2, next[base]); taken[name]; n++ {
			name, next[base] = base+"-"+strconv.Itoa(n), n+1
		}
		names[i], taken[name] = name, true
	}
	return names
}

// readLane reads a worker as acquire would read its request.
func (w *priced) readLane(in PriceWorker, r roster) error {
	w.Source, w.kind = SourceInput, Keyword
	tree, err := CleanTree(in.Tree)
	if err != nil {
		return err
	}
	if len(tree) == 0 {
		w.Source = SourceLane
	}
	if in.Lane == "" {
		if w.Tree = tree; len(tree) == 0 {
			w.Source = SourceUnknown
		}
		return nil
	}
	asked, err := r.plead(Request{Lane: in.Lane, Tree: tree})
	if err != nil {
		return err
	}
	w.Lane, w.Tree, w.kind = asked.Lane, asked.Tree, asked.Kind
	w.alone, w.nowhere = asked.Exclusive, Reserved(asked.Lane)
	switch {
	case asked.no.Outcome == "":
	case len(tree) == 0:
		w.Source, w.Tree = SourceUnknown, tree
	default:
		w.Tree = tree
		w.blocked = &PriceBlocked{ReasonClass: asked.no.ReasonClass, Reason: asked.no.Reason, Advice: AdviceNarrowToLane}
	}
	return nil
}

// canonical is the canonical name of a lane, aliases resolved.
func (r roster) canonical(word string) (string, error) {
	name, err := Canonical(word)
	if target, ok := r.aliases[name]; ok && err == nil {
		name = target
	}
	return name, err
}

// readWithin reads a worker of a ridden lane. It may name that lane or none.
func (w *priced) readWithin(in PriceWorker, r roster, within Ridden) error {
	w.Lane, w.Source, w.Tree = within.Lane, SourceLane, within.Tree
	if in.Lane != "" {
		name, err := r.canonical(in.Lane)
		if err != nil {
			return err
		}
		if name != within.Lane {
			return fmt.Errorf("its lane is %s, and lane %s is the one divided", show(name), show(within.Lane))
		}
	}
	tree, err := CleanTree(in.Tree)
	if err != nil || len(tree) == 0 {
		return err
	}
	w.Source, w.Tree = SourceInput, tree
	if !NewScope(within.Tree).holdsAll(tree) {
		w.blocked = &PriceBlocked{
			ReasonClass: TreeOutsideLane, Advice: AdviceNarrowToLane,
			Reason: fmt.Sprintf("tree %s is not within lane %s, which is %s", showAll(tree), show(within.Lane), showAll(within.Tree)),
		}
	}
	return nil
}

// clean is the ridden lane in canonical form; nil for none.
func (l *Ridden) clean() (*Ridden, error) {
	if l == nil {
		return nil, nil
	}
	name, err := Canonical(l.Lane)
	if err != nil {
		return nil, err
	}
	tree, err := CleanTree(l.Tree)
	if err != nil {
		return nil, fmt.Errorf("lane %s: %w", show(name), err)
	}
	if len(tree) == 0 {
		return nil, fmt.Errorf("lane %s has no tree to divide", show(name))
	}
	return &Ridden{Lane: name, Tree: tree}, nil
}

// settle fills in what does not depend on where the worker came from: its
// lease id, its region, and whether anything but another worker refuses it.
func (w *priced) settle(ev PriceEvidence, budgets map[string]int) {
	if w.LeaseID == "" {
		w.LeaseID = w.Lane
		if w.Lane == "" || ev.Within != nil {
			w.LeaseID = w.Name
		}
	}
	w.region = ev.Algebra.region(w.Tree)
	if w.blocked != nil {
		w.blocked.Name = w.Name
		return
	}
	if w.unknown() || w.nowhere {
		return
	}
	if hits := ev.Algebra.SelfModifyHits(w.Tree, ev.SelfModify); len(hits) > 0 {
		w.blocked = &PriceBlocked{Name: w.Name, ReasonClass: SelfModify, Advice: AdviceLeaveProtected,
			Reason: "tree " + showAll(w.Tree) + " holds what decides admission: " + showAll(hits)}
	}
	if most, bounded := budgets[w.kind]; bounded && most == 0 && w.blocked == nil {
		w.blocked = &PriceBlocked{Name: w.Name, ReasonClass: ClassBudgetExhausted, Advice: AdviceRaiseBudget,
			Reason: "the class budget admits no lease of kind " + show(w.kind)}
	}
}
