package resume

import (
	"slices"
	"strconv"
	"strings"
)

// declare takes in a list of steps. Of lists of which each begins with the one
// before, the longest stands, whichever was read first; others contradict each
// other, and one of them is kept to be shown.
func (s *State) declare(steps []string) {
	if !extends(s.declared, steps) && !extends(steps, s.declared) {
		s.contradicted = true
	}
	if c := len(steps) - len(s.declared); c > 0 || c == 0 && slices.Compare(steps, s.declared) > 0 {
		s.declared = slices.Clone(steps)
	}
}

// extends reports whether to is from, or from and more steps after it.
func extends(from, to []string) bool {
	return len(from) <= len(to) && slices.Equal(from, to[:len(from)])
}

// bound takes in the region of a step, which a step has once.
func (s *State) bound(step string, globs []string) {
	globs = slices.Compact(slices.Sorted(slices.Values(globs)))
	old, ok := s.regions[step]
	if ok && !slices.Equal(old, globs) {
		s.contradicted = true
	}
	if !ok || slices.Compare(globs, old) > 0 {
		s.regions[step] = globs
	}
}

// Run is the id of the run.
func (s State) Run() string { return s.run }

// HasIntent reports whether any row says what the run is to do. A phase or a
// start alone does not.
func (s State) HasIntent() bool {
	return s.goal.value != "" || s.plan.value != "" || len(s.declared) > 0
}

// Suspended reports whether the run was parked and not taken up since.
func (s State) Suspended() bool { return s.sinceIntent(OpSuspend, "") }

// Suspensions are the rows that parked the run since it was last taken up: the last
// of each node, and last the one that counts.
func (s State) Suspensions() []Row {
	var last []stamped
	for node := range s.nodes {
		if t, ok := s.last[place{node, OpSuspend, ""}]; ok && t.at.round >= s.intent {
			last = append(last, t)
		}
	}
	slices.SortFunc(last, func(a, b stamped) int {
		if a.at.before(b.at) {
			return -1
		}
		return 1
	})
	var rows []Row
	for _, t := range last {
		rows = append(rows, t.row)
	}
	return rows
}

// Unreadable reports whether rows of the run could not be read, or contradict
// each other, so that nobody may add to them or end it for what they say.
func (s State) Unreadable() bool { return s.newer > 0 || s.corrupt > 0 || s.contradicted }

// Goal, Plan, Phase and Start are what the last INTENT that had one said.
func (s State) Goal() string  { return s.goal.value }
func (s State) Plan() string  { return s.plan.value }
func (s State) Phase() string { return s.phase.value }
func (s State) Start() string { return s.start.value }

// Starts are all starts that were ever declared, sorted. A commit is younger
// than the run when it is younger than each of them.
func (s State) Starts() []string {
	starts := []string{}
	for sha := range s.starts {
		starts = append(starts, sha)
	}
	slices.Sort(starts)
	return starts
}

// Declared are the steps of the run, in order.
func (s State) Declared() []string { return append([]string{}, s.declared...) }

// Region is the part of the tree that a step's commit must touch; nil when it
// may touch any.
func (s State) Region(step string) []string { return slices.Clone(s.regions[step]) }

// Round is the number of the last INTENT.
func (s State) Round() uint64 { return s.intent }

// proposed reports whether this was proposed since the last INTENT.
func (s State) proposed(sha string, residual []string) bool {
	return s.sinceIntent(OpResumeProposed, proposalKey(sha, residual))
}

// sinceIntent reports whether a row about something came after the last INTENT.
func (s State) sinceIntent(op, about string) bool {
	last, ok := s.lastOf(op, about)
	return ok && last.at.round >= s.intent
}

// proposalKey tells proposals apart: by where to go on from and what is left.
func proposalKey(sha string, residual []string) string {
	parts := []string{foldSha(sha)}
	for _, item := range residual {
		parts = append(parts, strconv.Quote(item))
	}
	return strings.Join(parts, " ")
}
