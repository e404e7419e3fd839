package scope

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// State says in which way a path is not committed.
type State string

// The states.
const (
	InIndex   State = "staged"
	InFile    State = "unstaged"
	InBoth    State = "staged and unstaged"
	Untracked State = "untracked"
	Unmerged  State = "unmerged"
)

// An Uncommitted is one path whose content no commit has. Dir is set for an
// untracked directory that git does not look into: a repository of its own.
type Uncommitted struct {
	Path  string
	State State
	Dir   bool
}

// CleanEvidence is everything DecideClean may know: all that is uncommitted in
// the worktree, ignored files left out.
type CleanEvidence struct {
	Lane        string
	Tree        []string // not empty
	Scratch     []string // globs of untracked files that are no work
	Uncommitted []Uncommitted
}

// CleanOutcome is the closed vocabulary of the verdict.
type CleanOutcome string

// The outcomes.
const (
	Clean CleanOutcome = "clean" // nothing in the lane is uncommitted
	Dirty CleanOutcome = "dirty" // something is
)

// A CleanVerdict answers "is uncommitted work left in the lane?".
type CleanVerdict struct {
	Outcome CleanOutcome `json:"outcome"`
	Lane    string       `json:"lane"`
	Tree    []string     `json:"tree"`
	Paths   []Left       `json:"paths"`
	Scratch int          `json:"scratch"` // untracked paths of the lane that are no work
	Outside int          `json:"outside"` // uncommitted paths outside the lane
	Reason  string       `json:"reason"`
	Next    string       `json:"next,omitempty"`
}

// A Left is one path with uncommitted work.
type Left struct {
	Path  string `json:"path"`
	State State  `json:"state"`
}

var _ verdict.Verdict = CleanVerdict{}

// DecideClean judges what is uncommitted. Only an untracked file can be
// scratch: what git tracks was put there on purpose. Work outside the lane is
// counted and decides nothing. Without a tree there is no verdict.
func DecideClean(ev CleanEvidence) CleanVerdict {
	if len(ev.Tree) == 0 {
		return CleanVerdict{}
	}
	v := CleanVerdict{Outcome: Clean, Lane: ev.Lane, Tree: ev.Tree, Paths: []Left{}}
	tree, scratch := lane.NewScope(ev.Tree), lane.NewScope(ev.Scratch)
	for _, u := range ev.Uncommitted {
		switch {
		case !ev.touches(tree, u):
			v.Outside++
		case u.State == Untracked && scratch.Contains(u.Path):
			v.Scratch++
		default:
			v.Paths = append(v.Paths, Left{Shown(u.Path), u.State})
		}
	}
	v.Reason = "nothing in the lane is uncommitted"
	if len(v.Paths) > 0 {
		v.Outcome = Dirty
		v.Reason = count(len(v.Paths), "path") + " in the lane not committed"
		v.Next = "git dos commit --lane " + ev.Lane + " -m MESSAGE PATH..."
	}
	if v.Outside > 0 {
		v.Reason += fmt.Sprintf("; outside it %s", count(v.Outside, "path"))
	}
	return v
}

// touches reports whether a path lies in the tree, or is a directory of
// unknown contents that reaches into it.
func (ev CleanEvidence) touches(tree lane.Scope, u Uncommitted) bool {
	return tree.Contains(u.Path) || u.Dir && !lane.Glob.Disjoint(ev.Tree, []string{u.Path + "/**"})
}

// ExitCode implements [verdict.Verdict].
func (v CleanVerdict) ExitCode() int {
	switch v.Outcome {
	case Clean:
		return verdict.Yes
	case Dirty:
		return verdict.FirstOwned
	}
	return verdict.NoVerdict
}

func (v CleanVerdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", v.Outcome, v.Lane, v.Reason)
	for i, p := range v.Paths {
		if i == maxNamed {
			fmt.Fprintf(&b, "\n  and %d more", len(v.Paths)-maxNamed)
			break
		}
		fmt.Fprintf(&b, "\n  %-9s %q", p.State, p.Path)
	}
	if v.Next != "" {
		fmt.Fprintf(&b, "\n  next: %s", v.Next)
	}
	return b.String()
}
