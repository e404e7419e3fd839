package queue

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// Rung is what a lane was guessed by.
type Rung string

// The rungs, the strongest first. A task that none of them reaches is unrouted,
// which is an answer: it is never put anywhere for want of a better place.
const (
	ByPath    Rung = "path"    // a path in its text, which the trunk has, lies in that lane alone
	ByScope   Rung = "scope"   // the title begins with the lane's name: "api: ..." or "fix(api): ..."
	ByAlias   Rung = "alias"   // or with an alias of it
	ByLabel   Rung = "label"   // a label is its name or alias, as in "area/api"
	ByKeyword Rung = "keyword" // a word of the title is
	ByHint    Rung = "hint"    // a line of the body says "Lane: api"
)

var rungs = []Rung{ByHint, ByKeyword, ByLabel, ByAlias, ByScope, ByPath}

// A Route is a lane that a task was guessed to belong to, and where that was
// found.
type Route struct {
	Lane     string   `json:"lane"`
	Rung     Rung     `json:"rung"`
	Strength int      `json:"strength"` // of the rung, 6 to 1
	Found    string   `json:"found"`
	Conflict []string `json:"conflict,omitempty"` // other lanes that its paths lie in
}

func (r *Route) check() error {
	switch {
	case r == nil:
		return nil
	case r.Strength < 1 || r.Strength > len(rungs) || rungs[r.Strength-1] != r.Rung:
		return fmt.Errorf("a guess by %q of strength %d", verdict.Clip(string(r.Rung)), r.Strength)
	case len(r.Conflict) > maxList:
		return fmt.Errorf("a guess with %d conflicts", len(r.Conflict))
	}
	for _, name := range append([]string{r.Lane}, r.Conflict...) {
		if canonical, err := lane.Canonical(name); err != nil || canonical != name {
			return fmt.Errorf("a guess of lane %q", verdict.Clip(name))
		}
	}
	return checkLine("place of the guess", r.Found, maxText)
}

// A Router guesses lanes.
type Router struct {
	trees map[string]lane.Scope // of the lanes that may be guessed
	words map[string]string     // alias to lane
	roll  map[string]bool       // all that are declared
}

// NewRouter reads a taxonomy. Exclusive and reserved lanes are never guessed.
func NewRouter(t lane.Taxonomy) (Router, error) {
	if _, err := t.Roster(); err != nil {
		return Router{}, err
	}
	r := Router{trees: map[string]lane.Scope{}, words: map[string]string{}, roll: map[string]bool{}}
	for _, name := range slices.Concat(t.Concurrent, t.Exclusive, t.Autopick, slices.Collect(maps.Keys(t.Trees))) {
		r.roll[lane.CanonicalOr(name)] = true
	}
	alone := map[string]bool{}
	for _, name := range t.Exclusive {
		alone[lane.CanonicalOr(name)] = true
	}
	for _, name := range slices.Concat(t.Concurrent, t.Autopick, slices.Collect(maps.Keys(t.Trees))) {
		if n := lane.CanonicalOr(name); !alone[n] && !lane.Reserved(n) {
			r.trees[n] = lane.Scope{}
		}
	}
	for name, tree := range t.Trees {
		if n := lane.CanonicalOr(name); !alone[n] && !lane.Reserved(n) {
			r.trees[n] = lane.NewScope(tree)
		}
	}
	for word := range t.Aliases {
		if to, err := t.Canonical(word); err == nil {
			r.words[lane.CanonicalOr(word)] = to
		}
	}
	return r, nil
}

// Declares reports whether a lane is declared, be it one that is had alone.
func (r Router) Declares(name string) bool { return r.roll[name] }

// Declared are the lanes that are declared, by name.
func (r Router) Declared() []string { return slices.Sorted(maps.Keys(r.roll)) }

// Knows reports whether a lane is one that tasks may be guessed to belong to.
func (r Router) Knows(name string) bool {
	_, ok := r.trees[name]
	return ok
}

// Route guesses the lane of a task; nil is unrouted. has reports whether the
// trunk has a file, or a folder, of that path; a file that it lacks counts where
// it has the folder.
func (r Router) Route(t Task, has func(path string) bool) *Route {
	weaker := r.weaker(t)
	paths := r.byPath(t, has)
	if len(paths) == 0 {
		return weaker
	}
	lanes := slices.Sorted(maps.Keys(paths))
	pick := lanes[0]
	if weaker != nil && weaker.Strength >= strength(ByLabel) && slices.Contains(lanes, weaker.Lane) {
		pick = weaker.Lane
	}
	others := slices.DeleteFunc(lanes, func(l string) bool { return l == pick })
	return routeTo(pick, ByPath, paths[pick], others[:min(len(others), maxList)])
}

func routeTo(name string, by Rung, found string, conflict []string) *Route {
	if len(conflict) == 0 {
		conflict = nil
	}
	if checkLine("", found, maxText) != nil {
		found = string(by)
	}
	return &Route{Lane: name, Rung: by, Strength: strength(by), Found: found, Conflict: conflict}
}

func strength(by Rung) int { return slices.Index(rungs, by) + 1 }

// byPath maps each lane to a path that lies in it and in no other.
func (r Router) byPath(t Task, has func(string) bool) map[string]string {
	found := map[string]string{}
	for _, path := range PathWords(t) {
		if folder := FolderOfNew(path); !has(path) && (folder == "" || !has(folder)) {
			continue
		}
		var in []string
		for name, tree := range r.trees {
			if tree.Contains(path) {
				in = append(in, name)
			}
		}
		if len(in) == 1 && found[in[0]] == "" {
			found[in[0]] = path
		}
	}
	return found
}

// weaker goes through the rungs below the paths.
func (r Router) weaker(t Task) *Route {
	if m := scopeOfTitle().FindStringSubmatch(t.Title); m != nil {
		word := m[1] + m[2]
		if n := lane.CanonicalOr(word); r.Knows(n) {
			return routeTo(n, ByScope, word, nil)
		}
		if to, ok := r.lane(word); ok {
			return routeTo(to, ByAlias, word, nil)
		}
	}
	for _, try := range []struct {
		rung Rung
		from []string
	}{{ByLabel, labelWords(t.Labels)}, {ByKeyword, titleWords(t.Title)}, {ByHint, hints(t.Body)}} {
		if route := r.only(try.rung, try.from); route != nil {
			return route
		}
	}
	return nil
}

// only is the lane that words name, where they name one and no second.
func (r Router) only(by Rung, from []string) *Route {
	var route *Route
	for _, word := range from {
		to, ok := r.lane(word)
		switch {
		case !ok:
		case route == nil:
			route = routeTo(to, by, word, nil)
		case route.Lane != to:
			return nil
		}
	}
	return route
}

// lane is the lane of a name or an alias.
func (r Router) lane(word string) (string, bool) {
	n := lane.CanonicalOr(word)
	if to, ok := r.words[n]; ok {
		n = to
	}
	return n, r.Knows(n)
}

var (
	scopeOfTitle = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[A-Za-z]+\(([^()]+)\)!?|([\w./-]+)):\s`) })
	hintLine     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?im)^[ \t]*lane:[ \t]*(\S+)[ \t]*\r?$`) })
)

func hints(body string) (all []string) {
	for _, m := range hintLine().FindAllStringSubmatch(body, -1) {
		all = append(all, m[1])
	}
	return all
}

// titleWords are the words of a title, but for those of paths.
func titleWords(title string) (all []string) {
	for field := range strings.FieldsSeq(title) {
		if !strings.Contains(field, "/") {
			all = append(all, strings.FieldsFunc(field, func(r rune) bool { return !wordRune(r) })...)
		}
	}
	return all
}

// labelWords are the labels, and what stands behind the sign of an area.
func labelWords(labels []string) (all []string) {
	for _, l := range labels {
		all = append(all, l)
		if head, rest, ok := strings.Cut(l, "/"); ok && slices.Contains(areas, strings.ToLower(head)) {
			all = append(all, rest)
		}
		if head, rest, ok := strings.Cut(l, ":"); ok && slices.Contains(areas, strings.ToLower(strings.TrimSpace(head))) {
			all = append(all, strings.TrimLeft(rest, ": "))
		}
	}
	return all
}

var areas = []string{"lane", "area", "component", "module", "scope", "package", "pkg", "team"}

// mostPaths bounds how many words of one text are looked up.
const mostPaths = 100

// PathWords are the words of a task's text that may be paths of the
// repository, each once.
func PathWords(t Task) []string {
	var all []string
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(t.Title+"\n"+t.Body, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`\"'()[]{}<>,;|=*", r)
	}) {
		word = pathWord(word)
		if word == "" || seen[word] {
			continue
		}
		if seen[word] = true; len(all) == mostPaths {
			break
		}
		all = append(all, word)
	}
	return all
}

// FolderOfNew is the folder that a file to be made would lie in, "" for a path
// that does not look like a file in a folder: it has no ending.
func FolderOfNew(path string) string {
	i := strings.LastIndexByte(path, '/')
	if dot := strings.LastIndexByte(path, '.'); i < 1 || dot < i+2 || dot == len(path)-1 {
		return ""
	}
	return path[:i]
}

// pathWord is a word as a path from the top of the repository, "" for one that
// is none.
func pathWord(word string) string {
	if strings.Contains(word, "://") || len(word) > maxWord {
		return ""
	}
	word, _, _ = strings.Cut(word, ":") // a line number
	folder := strings.HasSuffix(word, "/")
	word = strings.TrimPrefix(strings.TrimRight(word, ".!?/"), "./")
	if word == "" || !folder && !strings.ContainsAny(word, "./") || strings.HasPrefix(word, "/") || strings.Contains("/"+word+"/", "/../") {
		return ""
	}
	return word
}
