package receive

import (
	"slices"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// OverrideSetting is where whoever keeps the repository lets the findings of one
// token through, as "TOKEN: reason". It is a setting of the repository and not of the
// environment, which a pusher on the same machine brings along.
const OverrideSetting = "dos.receiveOverride"

// An Override lets the findings of one token through, once.
type Override struct {
	Token  string `json:"token"`
	Reason string `json:"reason"`
}

// maxReason bounds what is kept of an override's reason.
const maxReason = 500

// overrideOf is the override that the repository's settings state; it is not ok
// where they state none, or one without a reason.
func overrideOf(repo *refstore.Repo) (Override, bool) {
	c, err := repo.Config()
	if err != nil {
		return Override{}, false
	}
	token, reason, _ := strings.Cut(c.Get(strings.ToLower(OverrideSetting)), ":")
	o := Override{strings.TrimSpace(token), strings.TrimSpace(reason)}
	o.Reason = o.Reason[:min(len(o.Reason), maxReason)]
	return o, o.Token != "" && o.Reason != ""
}

// overridden lets a push through when all that there is to refuse has the token of
// the repository's override.
func overridden(repo *refstore.Repo, r Report) Report {
	refusing := r.Refusing()
	if len(refusing) == 0 {
		return r
	}
	o, ok := overrideOf(repo)
	if !ok || slices.ContainsFunc(refusing, func(token string) bool { return token != o.Token }) {
		return r
	}
	if len(r.Refused) > 0 && (o.Token == lease.LeaseFence || o.Token == lease.CannotJudge) {
		r.Fence = hooks.Overridden
	}
	r.Warned, r.Refused, r.Override = append(r.Warned, r.Refused...), nil, &o
	r.Gated.Results = slices.Clone(r.Gated.Results)
	for i, g := range r.Gated.Results {
		if g.Outcome == hooks.Refused {
			r.Gated.Results[i].Outcome = hooks.Overridden
		}
	}
	return r
}
