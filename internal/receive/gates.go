package receive

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// Rules are what a push is judged by: the trunk and its policy as they stand before
// the push.
type Rules struct {
	Trunk  string       // full name of the branch, "" where it is not known
	Tip    refstore.OID // "" where it is not there yet
	Policy policy.Policy
}

// Gates judge what a push brings beside the refs of git-dos, while those are judged.
// What they cannot read is a result that refuses.
type Gates func(ctx context.Context, by Rules, p hooks.Push) Gated

// A Gated is what the gates came to, and what they were asked about.
type Gated struct {
	Results []hooks.Result
	Commits int                     // that the push brings
	Base    []string                // the commits that those stand on
	Tips    map[string]hooks.Commit // of each ref that brings some, where it is to point
}

// maxBase bounds the commits that a receipt can name.
const maxBase = 500

// tip is the commit of a ref whose receipt says that gates judged what it brings.
func (g Gated) tip(ref string) (tip hooks.Commit, ok bool) {
	tip, ok = g.Tips[ref]
	return tip, ok && len(g.Base) <= maxBase
}

// outcomes is what each gate came to, as a row has it.
func (r Report) outcomes() map[string]string {
	all := map[string]string{string(hooks.LeaseFence): r.Fence}
	for _, g := range r.Gated.Results {
		all[string(g.Token)] = g.Outcome
	}
	return all
}

// ask has gates judge a push while the law does; what it returns waits for them. Gates
// that panic have judged nothing.
func (r rules) ask(ctx context.Context, gates Gates, p hooks.Push) func() Gated {
	if gates == nil || len(p.Updates) == 0 {
		return func() Gated { return Gated{} }
	}
	done := make(chan Gated, 1)
	go func() {
		defer func() {
			if crash := recover(); crash != nil {
				done <- Gated{Results: []hooks.Result{hooks.CannotJudgeAll(fmt.Errorf("the gates crashed: %v", crash), nil)}}
			}
		}()
		done <- gates(ctx, r.told(), r.standing(p))
	}()
	return func() Gated { return <-done }
}

func (r rules) told() Rules { return Rules{r.trunk, r.tip, r.policy} }

// standing is the push as of where the trunk is: the pusher's word for it is read by
// git alone, which refuses a move from anywhere else.
func (r rules) standing(p hooks.Push) hooks.Push {
	p.Updates = slices.Clone(p.Updates)
	for i, u := range p.Updates {
		if u.Ref == r.trunk {
			p.Updates[i].Old = string(r.tip)
		}
	}
	return p
}
