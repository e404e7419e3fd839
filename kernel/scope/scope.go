// Package scope judges whether changes stay where a lane allows them.
//
// Three questions are asked of the same tree. The gate asks whether a set of
// changed paths lies inside a lane. Clean asks whether uncommitted work is left
// inside it. Commit asks whether a set of paths may be committed as it is, and
// afterwards whether what landed is what was asked for.
//
// Paths are compared as package lane compares any path with a tree: whole
// segments, real wildcards, every byte as it is. There is no name that lies in
// every lane. What could not be read is never handed in as an empty list: the
// caller reports it instead of asking.
package scope

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Source says where the judged paths come from.
type Source string

// The sources.
const (
	Files  Source = "files"  // named one by one
	Staged Source = "staged" // the index against HEAD
	Range  Source = "range"  // what a commit changed since another
)

// Evidence is everything Decide may know. Paths hold both sides of every
// rename.
type Evidence struct {
	Lane   string   // one that is declared, or that somebody holds
	Tree   []string // nil when the lane has none
	Others []Region // lanes that can be taken beside it
	Policy string   // where the tree was read, for people
	Source Source
	Base   string // Range: full commit ids
	Head   string
	Paths  []string // as git stores them
	Links  []Link   // those of Paths that are symbolic links, or lie beyond one
}

// A Region is a lane with its tree.
type Region struct {
	Lane string
	Tree []string
}

// Outcome is the closed vocabulary of this verdict.
type Outcome string

// The outcomes.
const (
	InScope     Outcome = "IN_SCOPE"     // every path lies in the lane
	ScopeCreep  Outcome = "SCOPE_CREEP"  // some do and some do not
	WrongTarget Outcome = "WRONG_TARGET" // none does, or the lane has no tree
)

// A Verdict answers "do these changes stay inside the lane?".
type Verdict struct {
	Allowed      bool      `json:"allowed"`
	Outcome      Outcome   `json:"verdict"`
	Lane         string    `json:"lane"`
	Tree         []string  `json:"tree"`
	Reason       string    `json:"reason"`
	RefusedFiles []string  `json:"refused_files"`
	Scope        Footprint `json:"scope"`
	Next         string    `json:"next,omitempty"`
}

// A Footprint says what was looked at.
type Footprint struct {
	Source Source `json:"source"`
	Base   string `json:"base,omitempty"`
	Head   string `json:"head,omitempty"`
	Policy string `json:"policy"`
	Files  int    `json:"files"`
	Inside int    `json:"inside"`
}

var _ verdict.Verdict = Verdict{}

// Decide judges a set of changed paths. Rungs, first that applies:
//
//  1. the lane has no tree: WRONG_TARGET
//  2. no path lies outside: IN_SCOPE, also when nothing changed at all
//  3. no path lies inside: WRONG_TARGET
//  4. SCOPE_CREEP
//
// A symbolic link that leads out of the lane does not lie in it, nor does what
// lies beyond such a link.
func Decide(ev Evidence) Verdict {
	v := Verdict{
		Lane: ev.Lane, Tree: ev.Tree, RefusedFiles: []string{},
		Scope: Footprint{Source: ev.Source, Base: ev.Base, Head: ev.Head, Policy: ev.Policy, Files: len(ev.Paths)},
	}
	if v.Tree == nil {
		v.Tree = []string{}
	}
	if len(ev.Tree) == 0 {
		v.Outcome, v.RefusedFiles = WrongTarget, shown(ev.Paths)
		v.Reason = fmt.Sprintf("lane %s has no tree in %s", ev.Lane, ev.Policy)
		v.Next = "say under [lanes.trees] of dos.toml which files it holds"
		return v
	}
	out, links := ev.outside()
	v.Scope.Inside = len(ev.Paths) - len(out)
	v.RefusedFiles = shown(out)
	switch {
	case len(ev.Paths) == 0:
		v.Allowed, v.Outcome = true, InScope
		v.Reason = ev.nothing()
	case len(out) == 0:
		v.Allowed, v.Outcome = true, InScope
		v.Reason = fmt.Sprintf("%s, all in lane %s", verdict.Count(len(ev.Paths), "path"), ev.Lane)
	case len(out) == len(ev.Paths):
		v.Outcome = WrongTarget
		v.Reason = fmt.Sprintf("%s, none in lane %s", verdict.Count(len(out), "path"), ev.Lane)
	default:
		v.Outcome = ScopeCreep
		v.Reason = fmt.Sprintf("%d of %s not in lane %s", len(out), verdict.Count(len(ev.Paths), "path"), ev.Lane)
	}
	if links > 0 {
		v.Reason += fmt.Sprintf("; %s out of it by a symbolic link", verdict.Count(links, "path"))
	}
	if len(out) > 0 {
		v.elsewhere(ev.Others, out)
	}
	return v
}

// outside lists the paths that do not lie in the lane, and counts those of them
// that only a symbolic link leads out.
func (ev Evidence) outside() (out []string, links int) {
	tree := lane.NewScope(ev.Tree)
	escaping := map[string]bool{}
	for _, p := range escapingLinks(tree, ev.Links) {
		escaping[p] = true
	}
	for _, p := range ev.Paths {
		switch {
		case !tree.Contains(p):
			out = append(out, p)
		case escaping[p]:
			out = append(out, p)
			links++
		}
	}
	return out, links
}

// elsewhere says which lanes hold what was refused.
func (v *Verdict) elsewhere(others []Region, refused []string) {
	var lanes []string
	for _, r := range others {
		if len(outside(r.Tree, refused)) < len(refused) {
			lanes = append(lanes, r.Lane)
		}
	}
	v.Next = "leave these paths out, or have a lane made for them: git dos lease acquire --lane NAME --tree GLOB"
	switch len(lanes) {
	case 0:
		return
	case 1:
		v.Reason += fmt.Sprintf("; lane %s has such paths", lanes[0])
	default:
		v.Reason += fmt.Sprintf("; lanes %s have such paths", someOf(lanes))
	}
	v.Next = "git dos lease acquire --lane " + lanes[0]
}

// someOf joins names, not more than fit a line.
func someOf(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// nothing says that an empty footprint was looked for.
func (ev Evidence) nothing() string {
	if ev.Source == Range {
		return fmt.Sprintf("looked, and %.12s changes no path since %.12s", ev.Head, ev.Base)
	}
	return "looked at the index, and nothing is staged"
}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch {
	case v.Outcome == InScope && v.Allowed:
		return verdict.Yes
	case v.Outcome == ScopeCreep && !v.Allowed:
		return 5
	case v.Outcome == WrongTarget && !v.Allowed:
		return 6
	}
	return verdict.NoVerdict
}

func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", v.Outcome, v.Lane, v.Reason)
	named(&b, v.RefusedFiles)
	if v.Next != "" {
		fmt.Fprintf(&b, "\n  next: %s", v.Next)
	}
	return b.String()
}
