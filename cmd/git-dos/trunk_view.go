package main

import (
	"context"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A trunkView is a fleet's trunk as it is known here. Without a fleet, and for a
// ref that is not the trunk, there is nothing to look at afresh.
type trunkView struct{ desk *admit.Desk }

// viewTrunk opens the view of a verb that reads ref, "" for the trunk.
func viewTrunk(ctx context.Context, repo *refstore.Repo, ref string) (trunkView, error) {
	full := ""
	if ref != "" {
		if full = ancestry.FullName(ctx, repo.Git, ref); !strings.HasPrefix(full, "refs/remotes/") {
			return trunkView{}, nil
		}
	}
	remote, err := facts.FleetRemote(ctx, repo)
	if err != nil || remote == "" {
		return trunkView{}, err
	}
	desk, err := admit.Open(ctx, repo, time.Now)
	if err != nil || ref != "" && full != desk.Rules.Trunk.Ref {
		return trunkView{}, err
	}
	return trunkView{desk}, nil
}

// fleet reports whether there is a remote to look at.
func (w trunkView) fleet() bool { return w.desk != nil }

// fresh reports whether the trunk was seen within the fleet's interval. A time
// that has not come yet is no proof of that.
func (w trunkView) fresh() bool {
	age := time.Since(w.desk.AsOf(true))
	return age >= 0 && age < w.desk.Rules.Policy.Fleet.Interval
}

// refresh looks at the remote afresh. The error satisfies admit.Unreachable
// where it does not answer.
func (w trunkView) refresh(ctx context.Context) error { return w.desk.Refresh(ctx, true) }

// again is what to do where the remote did not answer.
func (w trunkView) again() string { return lookAgain(w.desk.Remote()) }

func lookAgain(remote string) string {
	return "see that git fetch " + remote + " works and ask again; --cached answers from what is here"
}

// unseen is the error of a verb that has no answer without a look.
func (w trunkView) unseen(why error) error {
	return errorf(kindIndeterminate, "%s could not be asked: %w", w.desk.Remote(), why).hint("%s", w.again())
}

// seen dates an answer.
func (w trunkView) seen() trunkSeen {
	if w.desk == nil {
		return trunkSeen{}
	}
	s := trunkSeen{from: w.desk.Remote()}
	if at := w.desk.AsOf(true); !at.IsZero() {
		s.AsOf = &at
	}
	return s
}

// trunkSeen is the part of an answer that says as of when it is known to hold.
type trunkSeen struct {
	AsOf *time.Time `json:"as_of,omitempty"`

	from string // the fleet's remote, "" without one
}

// line is the last line of the text, "" outside a fleet.
func (s trunkSeen) line() string {
	switch {
	case s.from == "":
		return ""
	case s.AsOf == nil:
		return "as of a time not on record on " + s.from + "\n"
	}
	return "as of " + s.AsOf.Format(time.RFC3339) + " on " + s.from + "\n"
}
