// Package receive judges a push where it arrives: in a repository that others push
// to, before any ref has moved.
//
// The refs of git-dos move there by the steps that package lease knows, and nothing
// else of them: no deletion, no rewind, no commit made by hand. The trunk moves over
// a held tree only with that lane's lease. What is needed to judge is read with git,
// so that objects in quarantine are seen; nothing is written before the push has
// landed. Whatever cannot be read refuses the push: it is never "nothing wrong".
//
// A push is taken whole or not at all. Somebody who keeps the repository can let one
// token through, once, and that is recorded; see [Override].
package receive

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// Tokens of what is wrong with a push, beside those of package lease.
const (
	NotAnEntry  = "NOT_AN_ENTRY" // a commit that no git-dos made
	NewerFormat = "NEWER_FORMAT" // one that a newer git-dos made, which is not guessed at
	BadRecord   = "BAD_RECORD"   // an entry that does not say what its chain says
	Deletion    = "DELETION"
	Rewind      = "REWIND"            // what is pushed does not build on what is there
	FormatFixed = "FORMAT_FIXED"      // meta/format is made once
	BadPolicy   = "BAD_POLICY"        // a dos.toml by which no later push could be judged
	UnknownRef  = refstore.UnknownRef // a ref that nobody keeps on a server
	ForgedPast  = "FORGED_PAST"       // a checkpoint packs other rows than those before it
)

// A Finding is one thing that refuses a push, or that a policy only warns of.
type Finding struct {
	Token  string `json:"token"`
	Ref    string `json:"ref,omitempty"`
	Path   string `json:"path,omitempty"`
	Reason string `json:"reason"`
	Fix    string `json:"fix"`
}

// A Report is what a push comes to.
type Report struct {
	Refused  []Finding // by the law of the refs of git-dos, and of the fence
	Warned   []Finding
	Gated    Gated
	Override *Override // what let through all that there was to refuse
	Trunk    string    // full name, "" where it is not known
	Policy   string    // digest of the dos.toml that it was judged by, "" without one
	Fence    string    // what LEASE_FENCE came to, where the push is taken
}

// Refusing are the tokens of all that refuses the push, those of gates last.
func (r Report) Refusing() (tokens []string) {
	for _, f := range r.Refused {
		tokens = append(tokens, f.Token)
	}
	for _, g := range r.Gated.Results {
		if g.Outcome == hooks.Refused {
			tokens = append(tokens, string(g.Findings[0].Token))
		}
	}
	return tokens
}

// A Request is a push that has arrived.
type Request struct {
	Hook    string // pre-receive, or update: then one ref is seen and not the others
	Updates []hooks.Update
	Gates   Gates // nil for none
}

// Judge judges a push that has arrived in a repository. What cannot be read is a
// finding of CANNOT_JUDGE; so is a panic of its own.
func Judge(ctx context.Context, repo *refstore.Repo, req Request) (r Report) {
	defer func() {
		if crash := recover(); crash != nil {
			r.Refused = append(r.Refused, unjudged("", fmt.Errorf("judging it crashed: %v", crash)))
		}
		r = overridden(repo, r)
	}()
	rules, err := rulesOf(ctx, repo)
	if err != nil {
		r.Refused = []Finding{unjudged("", err)}
		return r
	}
	r.Trunk, r.Policy, r.Fence = rules.trunk, rules.digest, hooks.Clean
	j := &judge{repo: repo, rules: rules, hook: req.Hook, entries: repo.Entries(), lanes: map[string][]chainEntry{}}
	defer j.entries.Close()
	others := j.own(ctx, req.Updates)
	gated := rules.ask(ctx, req.Gates, hooks.Push{Hook: req.Hook, Trunk: rules.trunk, Updates: others, Riding: j.riding})
	if err := j.law(ctx, others); err != nil {
		j.refuse(unjudged("", err))
	}
	r.Refused, r.Warned, r.Gated = j.refused, j.warned, gated()
	switch {
	case j.mode() == policy.GateOff:
		r.Fence = hooks.Off
	case len(j.warned) > 0:
		r.Fence = hooks.Warned
	}
	return r
}

// A judge holds what is known of one push.
type judge struct {
	repo    *refstore.Repo
	rules   rules
	hook    string
	entries *refstore.Entries

	riding  []hooks.Update
	lanes   map[string][]chainEntry // by local name of the ref
	order   []chainEntry
	refused []Finding
	warned  []Finding
}

func (j *judge) refuse(found ...Finding) { j.refused = append(j.refused, found...) }

// blind reports whether only one ref of the push is seen.
func (j *judge) blind() bool { return j.hook == hooks.UpdateHook }

func unjudged(ref string, err error) Finding {
	return Finding{Token: lease.CannotJudge, Ref: ref, Reason: err.Error(), Fix: "git dos doctor in the repository that is pushed to looks for it"}
}

// own judges the refs of git-dos one by one and returns the others.
func (j *judge) own(ctx context.Context, updates []hooks.Update) (others []hooks.Update) {
	sorted := slices.Clone(updates)
	slices.SortFunc(sorted, func(a, b hooks.Update) int { return compare(a.Ref, b.Ref) })
	for _, u := range sorted {
		if !u.Own(j.rules.prefix) {
			others = append(others, u)
			continue
		}
		j.riding = append(j.riding, u)
		if f := j.one(ctx, u); f != nil {
			f.Ref = u.Ref
			j.refuse(*f)
		}
	}
	return others
}
