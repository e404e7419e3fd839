package facts

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/plan"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// What may be read of the plans of one commit. A file has the bound of
// ancestry.MaxFile.
const (
	maxPlanFiles = 2000
	maxPlanBytes = 64 << 20
	maxPlanRows  = 10000

	// maxPlanUnread bounds a list that is a guess, and no count.
	maxPlanUnread = 1000
)

// Plans is what the plan files of a commit list.
type Plans struct {
	Ref   string   // in full
	RefID string   // the commit they were read from, "" when the branch has none yet
	Glob  string   // that names them, "" where they were named one by one
	Files []string // that were read, in path order
	Units []plan.Unit
	Loose []plan.Place // phases that belong to no plan

	Unread      []plan.Unread // what looks like a plan or phase and is none, and files without one
	UnreadTotal int           // headings and bullets, those that Unread leaves out too
}

// A PlanFileError is a plan file that cannot be read. It is never a plan
// without phases.
type PlanFileError struct {
	Path   string
	Absent bool // it was named, and the commit has no such file
	err    error
}

func (e *PlanFileError) Error() string { return e.Path + " " + e.err.Error() }
func (e *PlanFileError) Unwrap() error { return e.err }

// ReadPlans reads the plan files at a ref, "" for the trunk, out of its commit
// and never out of the work tree: those that paths.plans_glob of the policy in
// force there names or, where some are given, just these, by their paths as git
// takes paths. Rows of one unit, told by plan and phase without regard
// to case, become one Unit in the order of their first rows.
//
// A file that cannot be read is a *PlanFileError, a history that is not all
// here ancestry.ErrMissing.
func ReadPlans(ctx context.Context, repo *refstore.Repo, ref string, files []string) (Plans, error) {
	wanted, err := planPaths(ctx, repo, files)
	if err != nil {
		return Plans{}, err
	}
	at, err := walkedRef(ctx, repo, ref)
	if err != nil {
		return Plans{}, err
	}
	p := Plans{Ref: at.name, RefID: string(at.id)}
	if len(wanted) == 0 {
		p.Glob = at.policy.Paths.PlansGlob
	}
	matches := lane.NewScope([]string{at.policy.Paths.PlansGlob}).Contains
	if len(wanted) > 0 {
		matches = func(path string) bool { return slices.Contains(wanted, path) }
	}
	var blobs []planBlob
	if at.id != "" {
		if blobs, err = planBlobs(ctx, repo, at.id, matches); err != nil {
			return Plans{}, err
		}
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(blobs, func(b planBlob) bool { return b.path == name }) {
			return Plans{}, &PlanFileError{name, true, fmt.Errorf("is no file on %s", p.Ref)}
		}
	}
	rows := planRows{plans: &p, units: map[[2]string]int{}}
	err = readPlanBlobs(ctx, repo, blobs, func(b planBlob, text []byte) error {
		p.Files = append(p.Files, b.path)
		return rows.add(b.path, plan.Parse(text))
	})
	return p, err
}

// planRows gathers the rows of documents into units.
type planRows struct {
	plans *Plans
	units map[[2]string]int // folded plan and phase to an index of plans.Units
	n     int
}

func (r *planRows) add(file string, d plan.Document) error {
	rows, loose := d.Rows(), d.Loose()
	if r.n += len(rows) + len(loose); r.n > maxPlanRows {
		return &PlanFileError{Path: file, err: fmt.Errorf("brings the plans to more than %d phases", maxPlanRows)}
	}
	r.missed(file, d, len(rows)+len(loose) == 0)
	for _, row := range loose {
		r.plans.Loose = append(r.plans.Loose, planPlace(file, row))
	}
	for _, row := range rows {
		key := [2]string{ship.Fold(row.Plan), ship.Fold(row.Phase)}
		i, ok := r.units[key]
		if !ok {
			i = len(r.plans.Units)
			r.units[key] = i
			r.plans.Units = append(r.plans.Units, plan.Unit{Plan: row.Plan, Phase: row.Phase})
		}
		r.plans.Units[i].Places = append(r.plans.Units[i].Places, planPlace(file, row))
	}
	return nil
}

// missed notes what the document has that was not read.
func (r *planRows) missed(file string, d plan.Document, silent bool) {
	p := r.plans
	list, total := d.Unread(max(0, maxPlanUnread-p.UnreadTotal))
	p.UnreadTotal += total
	for _, u := range list {
		u.File = file
		p.Unread = append(p.Unread, u)
	}
	if silent {
		p.Unread = append(p.Unread, plan.Silent(file))
	}
}

func planPlace(file string, r plan.Row) plan.Place {
	return plan.Place{File: file, Line: r.Line, Phase: r.Phase, Claim: r.Claim, Title: r.Title}
}
