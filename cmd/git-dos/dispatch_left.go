package main

import (
	"slices"
	"strings"

	"github.com/git-dos/git-dos/internal/worktree"
)

// withLeft adds to the record at name those that a dead process of the same run wrote
// and did not come to commit. stem is what the names of all of them begin with. Where
// they cannot be told, the record goes alone.
func (s *dispatching) withLeft(stem, name string) []string {
	names := []string{name}
	if !s.goesOn {
		return names
	}
	t, err := worktree.Open(s.c.Context, s.desk.Repo)
	if err != nil {
		return names
	}
	own := func(path string, _ bool) bool {
		rest, ok := strings.CutPrefix(path, stem)
		return ok && strings.HasSuffix(rest, ".json") && strings.ContainsAny(rest[:1], "-.")
	}
	left, err := t.Uncommitted(s.c.Context, own)
	if err != nil {
		return names
	}
	for _, l := range left {
		if own(l.Path, false) && !slices.Contains(names, l.Path) {
			names = append(names, l.Path)
		}
	}
	return names
}
