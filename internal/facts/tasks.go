package facts

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/closes"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/queue"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// taskTrailer is the trailer by which a commit says that it does a task.
const taskTrailer = "Dos-Task"

// ProveTasks asks the history of a scope's ref which tasks are done: those whose
// unit shipped, whose issue a commit closes, or whose id a commit has in a
// trailer Dos-Task. Such a commit counts as one that closes an issue does: if its
// audit is clean and nothing took it back. Each task gets an answer; where
// evidence is out of sight it is [queue.Unknown].
func ProveTasks(ctx context.Context, repo *refstore.Repo, tasks []queue.Task, scope ShipScope) (map[string]queue.Proof, error) {
	proofs := map[string]queue.Proof{}
	if len(tasks) == 0 {
		return proofs, nil
	}
	at, err := walkedRef(ctx, repo, scope.Ref)
	switch {
	case errors.Is(err, ancestry.ErrMissing):
		for _, t := range tasks {
			proofs[t.ID] = queue.Proof{Reason: Gap(err)}
		}
		return proofs, nil
	case err != nil:
		return nil, err
	}
	if err := proveByCommits(ctx, repo, at, tasks, proofs); err != nil {
		return nil, err
	}
	scope.Ref = string(at.id)
	return proofs, proveByUnits(ctx, repo, tasks, scope, proofs)
}

// proveByCommits goes by the commits that close issues, and those that name
// tasks. Package closes judges both: tasks have numbers that no issue has.
func proveByCommits(ctx context.Context, repo *refstore.Repo, at walked, tasks []queue.Task, proofs map[string]queue.Proof) error {
	number := func(i int) int { return closes.MaxNumber + 1 + i }
	s := closesSearch{repo: repo, tip: at.id, wanted: map[int]bool{}, tasks: map[string]int{}}
	s.ev = closes.Evidence{Ref: at.name, RefID: string(at.id), Mention: map[int]string{}}
	for i, t := range tasks {
		s.tasks[t.ID] = number(i)
		s.ev.Asked = append(s.ev.Asked, number(i))
		if t.Until != nil && t.Until.Issue > 0 {
			s.ev.Asked = append(s.ev.Asked, t.Until.Issue)
		}
	}
	for _, n := range s.ev.Asked {
		s.wanted[n] = true
	}
	ev, err := s.evidence(ctx)
	if err != nil {
		return err
	}
	found := map[int]closes.Issue{}
	for _, issue := range closes.Decide(ev).Issues {
		found[issue.Number] = issue
	}
	for i, t := range tasks {
		p := proofOf(found[number(i)])
		if t.Until != nil && t.Until.Issue > 0 {
			p = stronger(p, proofOf(found[t.Until.Issue]))
		}
		proofs[t.ID] = p
	}
	return nil
}

// proofOf is what the state of an issue proves.
func proofOf(i closes.Issue) queue.Proof {
	p := queue.Proof{Done: queue.No, Commit: i.Commit, Reason: i.Reason}
	switch i.State {
	case closes.Closed, closes.ClosedByData:
		p.Done = queue.Yes
	case closes.Indeterminate, "":
		p.Done = queue.Unknown
	}
	return p
}

// stronger is what two proofs show together: one yes is enough, and one that is
// not known keeps the other from being a no.
func stronger(a, b queue.Proof) queue.Proof {
	for _, is := range []queue.Is{queue.Yes, queue.Unknown} {
		for _, p := range []queue.Proof{a, b} {
			if p.Done == is {
				return p
			}
		}
	}
	return a
}

// proveByUnits asks verify's question about the units, at the very commit.
func proveByUnits(ctx context.Context, repo *refstore.Repo, tasks []queue.Task, scope ShipScope, proofs map[string]queue.Proof) error {
	var units []Unit
	var ids []string
	for _, t := range tasks {
		if t.Until == nil || t.Until.Unit == "" {
			continue
		}
		i := strings.LastIndexByte(t.Until.Unit, '/')
		u := Unit{Plan: t.Until.Unit[:max(i, 0)], Phase: t.Until.Unit[i+1:]}
		if _, err := queries([]Unit{u}, policy.Stamp{}); err != nil {
			proofs[t.ID] = stronger(proofs[t.ID], queue.Proof{Reason: err.Error()})
			continue
		}
		units, ids = append(units, u), append(ids, t.ID)
	}
	if len(units) == 0 {
		return nil
	}
	evidence, err := Ships(ctx, repo, units, scope)
	if err != nil {
		return err
	}
	for i, ev := range evidence {
		v := ship.Decide(ev)
		p := queue.Proof{Done: queue.Unknown, Commit: v.Sha, Reason: v.Reason}
		switch v.Outcome {
		case ship.Shipped:
			p.Done = queue.Yes
		case ship.NotShipped:
			p.Done = queue.No
		}
		proofs[ids[i]] = stronger(proofs[ids[i]], p)
	}
	return nil
}

// trailed are the numbers of the tasks that the trailers of a commit name.
func (s *closesSearch) trailed(c ancestry.Commit) (numbers []int) {
	if len(s.tasks) == 0 || !bytes.Contains(bytes.ToLower(c.Message), []byte(strings.ToLower(taskTrailer))) {
		return nil
	}
	for _, t := range c.Trailers() {
		n, ok := s.tasks[strings.ToLower(t.Value)]
		if ok && strings.EqualFold(t.Key, taskTrailer) && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// TrunkHas reports which of the words are paths of files or folders of the
// trunk, by one listing of it.
func TrunkHas(ctx context.Context, repo *refstore.Repo, words []string) (map[string]bool, error) {
	has, asked := map[string]bool{}, map[string]bool{}
	for _, w := range words {
		asked[w] = true
	}
	if len(asked) == 0 {
		return has, nil
	}
	at, err := walkedRef(ctx, repo, "")
	if err != nil || at.id == "" {
		return has, err
	}
	for path, err := range ancestry.Files(ctx, repo.Git, at.id) {
		if err != nil {
			return nil, err
		}
		for {
			if asked[path] {
				has[path] = true
			}
			i := strings.LastIndexByte(path, '/')
			if i < 0 {
				break
			}
			path = path[:i]
		}
	}
	return has, nil
}
