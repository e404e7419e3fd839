package scope

import (
	"fmt"
	"slices"
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
	Deleted   State = "deleted" // staged as such or not
	Untracked State = "untracked"
	Unmerged  State = "unmerged"
)

// An Uncommitted is one path whose content no commit has. Dir is set for a
// repository of its own, of which it is not said what in it is meant.
type Uncommitted struct {
	Path  string
	State State
	Dir   bool
}

// CleanEvidence is everything DecideClean may know: all that is uncommitted in
// the worktree, ignored files left out.
type CleanEvidence struct {
	Lane        string    // its name, or several
	Tree        []string  // not empty; of all of them
	Unfinished  Operation // that the worktree is in the middle of
	Scratch     []string  // globs of untracked files that are no work
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
// scratch: what git tracks was put there on purpose, and a repository of its own
// holds more than its name says. Work outside the lane is
// counted and decides nothing. Without a tree there is no verdict, and nothing
// is clean while there are paths that Unsure lists.
func DecideClean(ev CleanEvidence) CleanVerdict {
	if len(ev.Tree) == 0 {
		return CleanVerdict{}
	}
	v := CleanVerdict{Outcome: Clean, Lane: ev.Lane, Tree: ev.Tree, Paths: []Left{}}
	unsure := 0
	for _, u := range ev.sorted() {
		switch u.place {
		case without:
			v.Outside++
		case noWork:
			v.Scratch++
		case unclear:
			unsure++
		default:
			v.Paths = append(v.Paths, Left{Shown(u.Path), u.State})
		}
	}
	if len(v.Paths) == 0 && unsure > 0 {
		return CleanVerdict{}
	}
	v.Reason = "nothing in the lane is uncommitted"
	if len(v.Paths) > 0 {
		v.Outcome, v.Next = Dirty, ev.next()
		v.Reason = verdict.Count(len(v.Paths), "path") + " in the lane not committed"
	}
	if v.Outside > 0 {
		v.Reason += fmt.Sprintf("; outside it %s", verdict.Count(v.Outside, "path"))
	}
	if unsure > 0 {
		v.Reason += fmt.Sprintf("; of %s the tree does not tell", verdict.Count(unsure, "more path"))
	}
	return v
}

// next is what ends the work that is left. While an operation is not finished,
// only git itself commits.
func (ev CleanEvidence) next() string {
	isUnmerged := func(u Uncommitted) bool { return u.State == Unmerged }
	switch {
	case ev.Unfinished.Name != "":
		return ev.Unfinished.next()
	case slices.ContainsFunc(ev.Uncommitted, isUnmerged):
		return "resolve the conflicts and git add them; git status tells how"
	case strings.Contains(ev.Lane, ", "):
		return "git dos commit --lane LANE -m MESSAGE PATH..."
	}
	return "git dos commit --lane " + ev.Lane + " -m MESSAGE PATH..."
}

// Unsure lists the uncommitted paths of which it cannot be told whether they
// lie in the tree, since an entry of it is not understood.
func (ev CleanEvidence) Unsure() []string {
	var out []string
	for _, u := range ev.sorted() {
		if u.place == unclear {
			out = append(out, Shown(u.Path))
		}
	}
	return out
}

// Matters reports whether work at a path, or with dir set somewhere below it,
// could be the lane's.
func (ev CleanEvidence) Matters() func(path string, dir bool) bool {
	tree, doubt := lane.NewScope(ev.Tree), lane.NewDoubt(ev.Tree)
	return func(p string, dir bool) bool {
		return ev.touches(tree, Uncommitted{Path: p, Dir: dir}) || doubt.Reaches(p)
	}
}

// A place is where a path stands to a lane.
type place int

const (
	within  place = iota
	noWork        // within, and scratch
	unclear       // within by an entry that is not understood, or without
	without
)

type placed struct {
	Uncommitted
	place
}

func (ev CleanEvidence) sorted() []placed {
	tree, doubt, scratch := lane.NewScope(ev.Tree), lane.NewDoubt(ev.Tree), lane.NewScope(ev.Scratch)
	var out []placed
	for _, u := range ev.Uncommitted {
		p := placed{u, within}
		isScratch := u.State == Untracked && !u.Dir && scratch.Contains(u.Path)
		switch {
		case ev.touches(tree, u):
			if isScratch {
				p.place = noWork
			}
		case doubt.Reaches(u.Path) && !isScratch:
			p.place = unclear
		default:
			p.place = without
		}
		out = append(out, p)
	}
	return out
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
