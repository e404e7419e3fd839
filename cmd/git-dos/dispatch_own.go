package main

import (
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/cherry"
	"github.com/git-dos/git-dos/internal/replan"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// recordSubject is that of the commit of a record of the run.
func (s *dispatching) recordSubject() string { return s.recordSubjectOf(s.run) }

func (s *dispatching) recordSubjectOf(run string) string {
	return strings.NewReplacer("{run_id}", run, "{lane}", s.lease.Lane).Replace(s.desk.Rules.Policy.Archive.Subject)
}

// straySubject is that of a commit of what a worker of the run left.
func (s *dispatching) straySubject() string { return s.straySubjectOf(s.run) }

func (s *dispatching) straySubjectOf(run string) string {
	return "dos: uncommitted work of run " + run + " on " + s.lease.Lane
}

// takeOver notes the commits that earlier runs on this lane made in this work tree, and
// did not come to push: those that name their run and say what only a dispatch says.
// The trunk may have one as it was made anew there; that is none of them.
func (s *dispatching) takeOver() error {
	if s.tookOver {
		return nil
	}
	head, err := ancestry.Resolve(s.c.Context, s.desk.Repo.Git, "HEAD")
	if err != nil {
		return scopeError(err)
	}
	trunk := s.desk.Rules.Trunk.ID
	var left []ancestry.Commit // newest first
	for c, err := range ancestry.Range(s.desk.Repo.Git, trunk, head).Commits(s.c.Context) {
		if err != nil {
			return scopeError(err)
		}
		if s.left(c) && len(c.Parents) == 1 && !slices.Contains(s.own, c.ID) {
			left = append(left, c)
		}
	}
	s.tookOver = true
	if len(left) == 0 {
		return nil
	}
	there := map[string]bool{}
	for c, err := range ancestry.Range(s.desk.Repo.Git, head, trunk).Commits(s.c.Context) {
		if err != nil {
			return scopeError(err)
		}
		there[sameCommit(c)] = true
	}
	for _, c := range left {
		if !there[sameCommit(c)] {
			s.own, s.earlier = append([]refstore.OID{c.ID}, s.own...), append(s.earlier, c.ID)
		}
	}
	return nil
}

// sameCommit tells commits from each other, wherever they stand.
func sameCommit(c ancestry.Commit) string {
	return c.AuthorTime.UTC().String() + "\n" + c.CommitTime.UTC().String() + "\n" + string(c.Message)
}

// left reports whether a commit is a dispatch's own, of this run or of an earlier one
// on this lane.
func (s *dispatching) left(c ancestry.Commit) bool {
	run, token := trailerOf(c, "Dos-Run"), trailerOf(c, "Dos-Lease")
	name, _, _ := strings.Cut(token, "@")
	switch subject := c.Subject(); {
	case run == "" || token != "" && name != s.lease.Lane && subject != replan.Message:
		return false
	case subject == replan.Message:
		return run == s.lease.RunID && s.goesOn || name == s.lease.Lane
	default:
		return subject == s.recordSubjectOf(run) || subject == s.straySubjectOf(run) || run == s.lease.RunID && (subject == s.recordSubject() || subject == s.straySubject())
	}
}

// trailerOf is the value of a trailer, "" where there is none or more than one.
func trailerOf(c ancestry.Commit, key string) (value string) {
	n := 0
	for _, t := range c.Trailers() {
		if strings.EqualFold(t.Key, key) {
			value, n = t.Value, n+1
		}
	}
	if n != 1 {
		return ""
	}
	return value
}

// drop leaves a commit of an earlier run where it is, so that it stands in no other's
// way. It reports whether it was one, and others are left.
func (s *dispatching) drop(why *cherry.ConflictError) bool {
	rest := slices.DeleteFunc(slices.Clone(s.own), func(own refstore.OID) bool { return own == why.Commit })
	if !slices.Contains(s.earlier, why.Commit) || len(rest) == 0 {
		return false
	}
	s.own = rest
	warn(s.c, "a commit of an earlier run on lane %s stays here: %v", verdict.Show(s.lease.Lane), why)
	return true
}
