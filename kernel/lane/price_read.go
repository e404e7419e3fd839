package lane

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// Where the tree of a worker comes from.
const (
	SourceInput   = "input"   // the partition
	SourceLane    = "lane"    // the lane's declared tree, or the ridden lease's
	SourceUnknown = "unknown" // nowhere: it may touch anything
)

// read reads every worker against the taxonomy, or the ridden lane.
func (ev PriceEvidence) read() (pricing, error) {
	p := pricing{ridden: ev.Within != nil, most: ev.Most}
	if !p.ridden {
		p.budgets = foldBudgets(ev.Budgets)
	}
	roster, err := ev.Lanes.Roster()
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
	protected := ev.Algebra.patterns(ev.SelfModify)
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
			return p, fmt.Errorf("worker %s: %w", verdict.Show(w.Name), err)
		}
		if entries += len(w.Tree); entries > maxPriceEntries {
			return p, fmt.Errorf("the workers have more than %d tree entries between them: name directories, or price in parts", maxPriceEntries)
		}
		w.complete(&p, ev, protected)
		p.workers = append(p.workers, w)
	}
	return p, nil
}

// readLane reads a worker as acquire would read its request.
func (w *priced) readLane(in PriceWorker, r Roster) error {
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
		w.why = "lane " + verdict.Show(w.Lane) + " has no tree, and "
		if asked.no.ReasonClass == UnknownLane {
			w.why = "lane " + verdict.Show(w.Lane) + " is not declared, and "
		}
	default:
		w.Tree = tree
		w.block(asked.no, AdviceNarrowToLane)
	}
	return nil
}

// complete fills in what does not depend on where the worker came from: its
// lease id, its region, and whether anything but another worker refuses it. A
// shared worker takes no lease that could be refused or counted.
func (w *priced) complete(p *pricing, ev PriceEvidence, protected []pattern) {
	if w.LeaseID == "" {
		w.LeaseID = w.Lane
		if w.Lane == "" || p.ridden {
			w.LeaseID = w.Name
		}
	}
	w.region = ev.Algebra.region(w.Tree)
	if w.Mode == Shared {
		w.blocked, w.kind = nil, ""
	}
	if w.blocked != nil || w.unknown() || w.nowhere || w.Mode == Shared {
		return
	}
	if !p.budgets.room(w.kind, 0) {
		w.block(refuse(ClassBudgetExhausted, "the class budget admits no lease of kind "+verdict.Show(w.kind)), AdviceRaiseBudget)
	} else if hits := w.region.hits(protected); len(hits) > 0 {
		w.block(selfModifying(w.Tree, hits), AdviceLeaveProtected)
	}
}

// block says what refuses the worker whatever else lives.
func (w *priced) block(no Verdict, advice string) {
	w.blocked = &PriceBlocked{Name: w.Name, ReasonClass: no.ReasonClass, Reason: no.Reason, Advice: advice}
}
