package hooks

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-dos/git-dos/kernel/policy"
)

// An Armed gate is one with the mode that the policy gives it.
type Armed struct {
	Gate
	Mode policy.GateMode
}

// What a gate came to.
const (
	Clean      = "clean"      // it found nothing
	Off        = "off"        // it was not asked
	Warned     = "warned"     // it found something, and its mode lets that pass
	Refused    = "refused"    // it found something
	Overridden = "overridden" // it found something, and a human lets that pass
)

// A Result is what one gate came to.
type Result struct {
	Token    Token     `json:"token"`
	Mode     string    `json:"mode"`
	Outcome  string    `json:"outcome"`
	Found    int       `json:"found"`
	Findings []Finding `json:"findings"` // the first MaxFindings of them
}

// MaxFindings bounds what is kept of one gate.
const MaxFindings = 100

// Judge runs the gates, each in its mode, and applies the overrides. A gate
// that ends with an error or a panic refuses with a finding of CannotJudge, in
// mode warn as well: what it would have said is not known.
func Judge(ctx context.Context, p Push, h History, gates []Armed, overrides []Override) []Result {
	results := make([]Result, 0, len(gates))
	for _, g := range gates {
		results = append(results, judgeOne(ctx, p, h, g, overrides))
	}
	return results
}

func judgeOne(ctx context.Context, p Push, h History, g Armed, overrides []Override) Result {
	r := Result{Token: g.Token, Mode: string(g.Mode), Outcome: Clean, Findings: []Finding{}}
	if g.Mode == policy.GateOff {
		r.Outcome = Off
		return r
	}
	found, err := guarded(ctx, p, h, g.Gate)
	if err != nil {
		// What was found before the error would be a part, told as the whole.
		found = []Finding{Unjudged(g.Token, err)}
	}
	r.Found, r.Findings = len(found), append(r.Findings, found[:min(len(found), MaxFindings)]...)
	switch {
	case len(found) == 0:
	case err == nil && g.Mode == policy.GateWarn:
		r.Outcome = Warned
	case overridden(found[0].Token, overrides):
		r.Outcome = Overridden
	default:
		r.Outcome = Refused
	}
	return r
}

// guarded runs a gate, a panic of which is an error.
func guarded(ctx context.Context, p Push, h History, g Gate) (found []Finding, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			found, err = nil, fmt.Errorf("the gate crashed: %v", crash)
		}
	}()
	if found, err = g.Judge(ctx, p, h); err != nil {
		return nil, err
	}
	for i := range found {
		found[i].Token = g.Token
	}
	return found, nil
}

// Unjudged is the finding of a gate that could not judge; the token is "" for
// what all gates need.
func Unjudged(token Token, err error) Finding {
	reason := err.Error()
	if token != "" {
		reason = fmt.Sprintf("%s: %s", token, reason)
	}
	return Finding{Token: CannotJudge, Reason: reason, Fix: "put right what cannot be read; git dos doctor looks for it"}
}

func overridden(token Token, overrides []Override) bool {
	return slices.ContainsFunc(overrides, func(o Override) bool { return o.Token == token })
}

// Used are the overrides that let something through.
func Used(results []Result, overrides []Override) (used []Override) {
	for _, o := range overrides {
		if slices.ContainsFunc(results, func(r Result) bool { return r.Outcome == Overridden && r.Findings[0].Token == o.Token }) {
			used = append(used, o)
		}
	}
	return used
}

// Withdraw is the results without any override: one that is not recorded does
// not count.
func Withdraw(results []Result) []Result {
	results = slices.Clone(results)
	for i := range results {
		if results[i].Outcome == Overridden {
			results[i].Outcome = Refused
		}
	}
	return results
}

// CannotJudgeAll is the result of what all gates need and cannot be read.
func CannotJudgeAll(err error, overrides []Override) Result {
	r := Result{Token: CannotJudge, Mode: string(policy.GateBlock), Outcome: Refused, Found: 1, Findings: []Finding{Unjudged("", err)}}
	if overridden(CannotJudge, overrides) {
		r.Outcome = Overridden
	}
	return r
}
