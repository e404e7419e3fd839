package life

import (
	"context"
	"slices"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/resume"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// Resume gathers what the plan to go on with the run is made of. forced says that
// the operator takes the lane to have gone on without it.
func (r Run) Resume(ctx context.Context, forced bool) (resume.Evidence, error) {
	ev, err := r.done(ctx)
	if err == nil && ev.Facts != nil && !ev.Started {
		err = r.unseen()
	}
	if err == nil && ev.Facts != nil {
		ev.Lane, err = r.laneSince(ctx, ev.Anchor(), ev.Facts)
	}
	ev.Lane.Forced = forced
	return ev, err
}

// Progress is Resume for who asks which steps are done, and not whether others went
// on: the evidence says that nobody did.
func (r Run) Progress(ctx context.Context) (resume.Evidence, error) {
	ev, err := r.done(ctx)
	ev.Lane = resume.Lane{Since: ev.Anchor(), Counted: true}
	return ev, err
}

// An UnseenError means that history is cut off here before the run's start.
type UnseenError struct{ Start string }

func (e *UnseenError) Error() string {
	return "history is cut off here, and the start of the run, " + e.Start + ", may lie beyond"
}

// unseen is why it cannot be told that the start of the run is in no history, nil
// when it can.
func (r Run) unseen() error {
	if r.book.Desk.Repo.Shallow && r.Intent.Start() != "" {
		return &UnseenError{r.Intent.Start()}
	}
	return nil
}

// done gathers which steps are done. There are no facts about a run that cannot be
// gone on with.
func (r Run) done(ctx context.Context) (resume.Evidence, error) {
	ev := resume.Evidence{State: r.Intent}
	if r.Intent.Unreadable() || !r.Intent.HasIntent() {
		return ev, nil
	}
	if start, ok := refstore.ParseOID(r.Intent.Start()); ok {
		p, err := r.after(ctx, start)
		if err != nil {
			return ev, err
		}
		if ev.Started = p.reached; p.cut && !p.reached {
			if ev.Started, err = r.inHistory(ctx, start); err != nil {
				return ev, err
			}
		}
	}
	facts, err := r.facts(ctx, r.Intent.Asks())
	ev.Facts = append([]resume.Fact{}, facts...)
	return ev, err
}

// Step gathers what is asked about one step's commit, beside the evidence of all
// others. ok is false when nobody claims one.
func (r Run) Step(ctx context.Context, step string) (ev resume.Evidence, f resume.Fact, ok bool, err error) {
	if ev, err = r.Resume(ctx, false); err != nil {
		return ev, f, false, err
	}
	ask, ok := r.Intent.Claim(step)
	if !ok {
		return ev, f, false, nil
	}
	all, err := r.facts(ctx, []resume.Ask{ask})
	if err != nil {
		return ev, f, false, err
	}
	return ev, all[0], true, nil
}

// facts asks history about commits.
func (r Run) facts(ctx context.Context, asks []resume.Ask) ([]resume.Fact, error) {
	pasts, err := r.pasts(ctx)
	if err != nil {
		return nil, err
	}
	full, err := r.expand(ctx, asks)
	if err != nil {
		return nil, err
	}
	var facts []resume.Fact
	for _, a := range asks {
		f := resume.Fact{Step: a.Step, Sha: a.Sha, Commit: string(full[a.Sha]), Apart: r.apart(a.Step)}
		if id := full[a.Sha]; id != "" {
			if err := r.fill(ctx, &f, id, a.Region, pasts); err != nil {
				return nil, err
			}
		}
		facts = append(facts, f)
	}
	return facts, nil
}

// pasts is what came after each start of the run. Of a run that declared none it
// is what came after its admission.
func (r Run) pasts(ctx context.Context) (all []*past, err error) {
	starts := r.Intent.Starts()
	if len(starts) == 0 {
		starts = []string{string(r.Start)}
	}
	for _, s := range starts {
		id, ok := refstore.ParseOID(s)
		if !ok {
			return nil, nil // a start that is no commit: nothing is younger than it
		}
		p, err := r.after(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// fill says what history has of one commit.
func (r Run) fill(ctx context.Context, f *resume.Fact, id refstore.OID, region []string, pasts []*past) error {
	var c *commit
	f.Younger = len(pasts) > 0
	for _, p := range pasts {
		in := p.byID[id]
		if c == nil {
			c = in
		}
		f.Younger = f.Younger && in != nil && in.after
	}
	if c == nil {
		var err error
		f.Ancestor, err = r.inHistory(ctx, id)
		return err // it is not younger than the run, so that nothing else matters
	}
	f.Ancestor = true
	whole, err := r.diff(ctx, []*commit{c})
	if err != nil {
		return err
	}
	f.Touches = whole && len(c.paths) > 0 && (len(region) == 0 || c.touches(lane.NewScope(region)))
	f.Foreign = c.foreign(r.ID)
	return nil
}

// inHistory reports whether a commit is in the history that counts.
func (r Run) inHistory(ctx context.Context, id refstore.OID) (bool, error) {
	if in, known := r.seen.in[id]; known {
		return in, nil
	}
	tips, err := r.tips(ctx)
	if err != nil {
		return false, err
	}
	if r.seen.in == nil {
		r.seen.in = map[refstore.OID]bool{}
	}
	r.seen.in[id] = false
	if slices.Contains(tips, id) {
		r.seen.in[id] = true
		return true, nil
	}
	for _, tip := range tips {
		if in, err := r.book.Desk.Repo.IsAncestor(ctx, id, tip); err == nil && in {
			r.seen.in[id] = true
			return true, nil
		}
		if ctx.Err() != nil {
			delete(r.seen.in, id)
			return false, context.Cause(ctx)
		}
	}
	return false, nil
}

// expand completes the ids that rows have of commits, which anybody may have
// written.
func (r Run) expand(ctx context.Context, asks []resume.Ask) (map[string]refstore.OID, error) {
	full := map[string]refstore.OID{}
	var short []string
	for _, a := range asks {
		if id, ok := refstore.ParseOID(a.Sha); ok {
			full[a.Sha] = id
		} else {
			short = append(short, a.Sha)
		}
	}
	if len(short) == 0 {
		return full, nil
	}
	found, err := ancestry.Expand(ctx, r.book.Desk.Repo.Git, short)
	if err != nil {
		return nil, storeError(err)
	}
	for sha, ids := range found {
		if len(ids) == 1 {
			full[sha] = ids[0]
		}
	}
	return full, nil
}

// apart are the steps whose region cannot share a file with that of a step.
func (r Run) apart(step string) []string {
	region := r.Intent.Region(step)
	if len(region) == 0 {
		return nil
	}
	g := lane.Algebra(r.book.Desk.Rules.Policy.Overlap.Policy)
	var apart []string
	for _, other := range r.Intent.Declared() {
		theirs := r.Intent.Region(other)
		if other == step || len(theirs) == 0 {
			continue
		}
		if _, _, overlap := g.Overlap(region, theirs); !overlap {
			apart = append(apart, other)
		}
	}
	return apart
}

// maxOthers is how many commits of others an answer names.
const maxOthers = 20

// laneSince counts what others did on the lane's tree after the anchor.
func (r Run) laneSince(ctx context.Context, anchor string, facts []resume.Fact) (resume.Lane, error) {
	out := resume.Lane{Since: anchor}
	since, ok := refstore.ParseOID(anchor)
	if i := slices.IndexFunc(facts, func(f resume.Fact) bool { return f.Sha == anchor }); !ok && i >= 0 {
		since, ok = refstore.ParseOID(facts[i].Commit)
	}
	if !ok {
		return out, nil
	}
	p, err := r.after(ctx, since)
	if err != nil || !p.whole {
		return out, err
	}
	var others []*commit
	for _, c := range p.commits {
		if !c.own(r.ID) {
			others = append(others, c)
		}
	}
	whole, err := r.diff(ctx, others)
	if err != nil || !whole {
		return out, err
	}
	tree := lane.NewScope(r.tree())
	for _, c := range others { // the oldest first, along each line of history
		if !c.touches(tree) {
			continue
		}
		out.Others++
		if len(out.Shas) < maxOthers {
			out.Shas = append(out.Shas, string(c.ID))
		}
	}
	out.Counted = true
	return out, nil
}

// everywhere is the tree of a run of which no lane is known.
var everywhere = []string{"**"}

// tree is where the run was at work: as its lease says, else as the policy has its
// lane, else anywhere.
func (r Run) tree() []string {
	for _, l := range []*lease.Record{r.Lease, r.Under} {
		if l != nil && len(l.Tree) > 0 {
			return l.Tree
		}
	}
	if name, err := r.book.Desk.CanonicalLane(r.Lane); err == nil {
		if tree := r.book.Desk.Rules.Policy.Lanes.Trees[name]; len(tree) > 0 {
			return tree
		}
	}
	return everywhere
}
