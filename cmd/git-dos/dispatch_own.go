package main

import (
	"strings"

	"github.com/git-dos/git-dos/internal/replan"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// recordSubject is that of the commit of a record of the run.
func (s *dispatching) recordSubject() string {
	return strings.NewReplacer("{run_id}", s.run, "{lane}", s.lease.Lane).Replace(s.desk.Rules.Policy.Archive.Subject)
}

// straySubject is that of a commit of what a worker of the run left.
func (s *dispatching) straySubject() string {
	return "dos: uncommitted work of run " + s.run + " on " + s.lease.Lane
}

// takeOver notes the commits that a dead process of the same run made, and did not
// come to push: those that name the run and say what only a dispatch says.
func (s *dispatching) takeOver() error {
	if !s.goesOn || s.tookOver {
		return nil
	}
	head, err := ancestry.Resolve(s.c.Context, s.desk.Repo.Git, "HEAD")
	if err != nil {
		return scopeError(err)
	}
	known := map[refstore.OID]bool{}
	for _, id := range s.own {
		known[id] = true
	}
	subjects := map[string]bool{s.recordSubject(): true, s.straySubject(): true, replan.Message: true}
	var left []refstore.OID // newest first
	for c, err := range ancestry.Range(s.desk.Repo.Git, s.desk.Rules.Trunk.ID, head).Commits(s.c.Context) {
		if err != nil {
			return scopeError(err)
		}
		if subjects[c.Subject()] && ofRun(c, s.lease.RunID) && len(c.Parents) == 1 && !known[c.ID] {
			left = append(left, c.ID)
		}
	}
	s.tookOver = true
	for _, id := range left {
		s.own = append([]refstore.OID{id}, s.own...)
	}
	return nil
}

// ofRun reports whether a commit names a run in its trailers.
func ofRun(c ancestry.Commit, run string) bool {
	for _, t := range c.Trailers() {
		if strings.EqualFold(t.Key, "Dos-Run") && t.Value == run {
			return true
		}
	}
	return false
}
