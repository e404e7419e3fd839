package hooks

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Arrival is a file that came to the trunk a short while ago and is there
// still.
type Arrival struct {
	Commits []string // that added it, each as its first parent's differs; not empty
	Blob    string   // what it holds now
}

// FreshWindow is how many of the newest commits of the trunk count as a short
// while.
const FreshWindow = 50

// A Newcomers is what FRESH_DELETION must know.
type Newcomers interface {
	// Arrivals tells of the paths those that one of the FreshWindow newest commits
	// of the trunk added, as it stood before the push, and that it still has.
	Arrivals(ctx context.Context, p Push, paths []string) (map[string]Arrival, error)
	// Moved tells which paths a commit, "" for the one that is being made, leaves
	// for another whose content is alike.
	Moved(ctx context.Context, commit string) (map[string]bool, error)
}

// FreshDeletionGate refuses to delete what has only just come to the trunk,
// unless the commit's message names it: by its path, by its file name, by a
// folder above it, or by the commit that added it, as git revert does. A file
// that the same commit adds elsewhere, as it was or much like it, is moved, not
// deleted. Before there is a message there is nothing to judge.
func FreshDeletionGate(n Newcomers) Gate {
	return Gate{FreshDeletion, func(ctx context.Context, p Push, h History) (found []Finding, err error) {
		if p.Hook == PreCommit {
			return nil, nil
		}
		deleted, err := deletions(ctx, h)
		if err != nil || len(deleted) == 0 {
			return nil, err
		}
		var paths []string
		for _, d := range deleted {
			paths = append(paths, d.path)
		}
		fresh, err := n.Arrivals(ctx, p, paths)
		if err != nil {
			return nil, err
		}
		moved := movedBy{n, map[string]map[string]bool{}}
		for _, d := range deleted {
			came, ok := fresh[d.path]
			if !ok || d.moved[came.Blob] || names(d.message, d.path, came.Commits) {
				continue
			}
			if alike, err := moved.alike(ctx, d); err != nil {
				return nil, err
			} else if alike {
				continue
			}
			found = append(found, Finding{Commit: d.commit, Path: d.path,
				Reason: fmt.Sprintf("it came to the trunk with %.12s, among the last %d commits, and the message does not say that it goes", came.Commits[0], FreshWindow),
				Fix:    "put it back, or name it in the message of the commit that deletes it"})
		}
		return found, nil
	}}
}

// A deletion is a path that a commit deletes.
type deletion struct {
	commit, path, message string
	moved                 map[string]bool // the contents that the commit adds
}

func deletions(ctx context.Context, h History) (all []deletion, err error) {
	for c, err := range h.Commits(ctx) {
		if err != nil {
			return nil, err
		}
		added := map[string]bool{}
		for _, ch := range c.Changes {
			if ch.Status == 'A' {
				added[ch.Blob] = true
			}
		}
		for _, ch := range c.Changes {
			if ch.Status == 'D' {
				all = append(all, deletion{c.ID, ch.Path, c.Message, added})
			}
		}
	}
	return all, nil
}

// movedBy asks once for each commit what it moves, and only of one that would be
// refused otherwise.
type movedBy struct {
	n     Newcomers
	known map[string]map[string]bool
}

func (m movedBy) alike(ctx context.Context, d deletion) (bool, error) {
	if len(d.moved) == 0 {
		return false, nil // it adds nothing
	}
	if m.known[d.commit] == nil {
		paths, err := m.n.Moved(ctx, d.commit)
		if err != nil {
			return false, err
		}
		m.known[d.commit] = paths
	}
	return m.known[d.commit][d.path], nil
}

// names reports whether a message names a path or a commit that added it.
func names(message, deleted string, added []string) bool {
	if mentions(message, deleted) || mentions(message, path.Base(deleted)) {
		return true
	}
	for dir := path.Dir(deleted); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if mentions(message, dir+"/") || strings.Contains(dir, "/") && mentions(message, dir) {
			return true
		}
	}
	const leastID = 7
	for word := range strings.FieldsFuncSeq(message, func(r rune) bool { return !unicode.Is(unicode.ASCII_Hex_Digit, r) }) {
		begins := func(id string) bool { return strings.HasPrefix(id, strings.ToLower(word)) }
		if len(word) >= leastID && slices.ContainsFunc(added, begins) {
			return true
		}
	}
	return false
}

// mentions reports whether a text has a name that is not a part of a longer one.
func mentions(text, name string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 || name == "" {
			return false
		}
		begin, end := from+at, from+at+len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, more := utf8.DecodeRuneInString(text[end:])
		if after == '.' { // of a sentence, or of a longer name
			after, _ = utf8.DecodeRuneInString(text[end+more:])
		}
		if !inName(before, begin > 0) && !inName(after, end < len(text)) {
			return true
		}
		from = begin + 1
	}
}

func inName(r rune, there bool) bool {
	return there && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-/.", r))
}
