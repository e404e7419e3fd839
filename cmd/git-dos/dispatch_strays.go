package main

import (
	"slices"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// strays commits by their paths what a worker left uncommitted in the lane, but for
// what a lease of somebody else covers, and lists all of it.
func (s *dispatching) strays(a *dispatchAnswer) error {
	left, err := s.worker().uncommitted(s.desk.Repo)
	if err != nil || len(left) == 0 {
		return err
	}
	covered, err := s.covered()
	if err != nil {
		return err
	}
	var own []string
	strays := make([]dispatchStray, len(left))
	for i, l := range left {
		strays[i] = dispatchStray{Path: l.Path, State: string(l.State)}
		if strays[i].Why = covered(l.Path); strays[i].Why == "" {
			own = append(own, l.Path)
		}
	}
	var commit, why string
	if len(own) > 0 {
		commit, why, err = s.commit(s.straySubject(), own, s.lease.Tree)
	}
	for i := range strays {
		if strays[i].Why == "" {
			strays[i].Commit, strays[i].Why = commit, why
			if err != nil {
				strays[i].Why = verdict.Clip(err.Error())
			}
		}
	}
	a.Stranded = slices.DeleteFunc(a.Stranded, func(was dispatchStray) bool { // it is found again, and told of once
		return was.Commit == "" && slices.ContainsFunc(strays, func(now dispatchStray) bool { return now.Path == was.Path })
	})
	a.Stranded = append(a.Stranded, strays...)
	return nil
}

// covered says of a path who else may have it. Where one's own lease is lost,
// nothing is one's own.
func (s *dispatching) covered() (func(path string) string, error) {
	if why := s.lost(); why != "" {
		return func(string) string { return "the lease is lost: " + why }, nil
	}
	reading, err := s.desk.Leases(s.c.Context, false)
	if err != nil {
		return nil, deskError(err)
	}
	return func(path string) string { return coveredBy(reading, s.lease, path) }, nil
}

// coveredBy is which lease beside own covers a path, "" for none. Where one cannot be
// read, that may be it, and one without a tree may cover anything.
func coveredBy(reading admit.Reading, own lease.Record, path string) string {
	if len(reading.Unread) > 0 {
		return "who covers it cannot be told: a lane cannot be read"
	}
	for _, r := range reading.Lanes {
		switch {
		case r.State == lane.Free, r.Nonce == own.Nonce, r.Lane == own.Lane, lane.Reserved(r.Lane):
		case len(r.Tree) == 0, lane.NewScope(r.Tree).Contains(path):
			return "lane " + r.Lane + " of " + r.Holder.String() + " covers it"
		}
	}
	return ""
}
