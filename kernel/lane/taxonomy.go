package lane

import (
	"fmt"
	"slices"
)

// Kinds of a lane that are not the name of an exclusive lane.
const (
	Cluster = "cluster" // a declared lane that runs beside others
	Keyword = "keyword" // a lane asked for by its tree
	Global  = "global"  // the whole repository
)

// impliedExclusive are lanes that exist and are exclusive unless a list
// declares them.
var impliedExclusive = []string{"abi", "release", "global"}

// A Taxonomy is what the policy declares about lanes, as written there.
type Taxonomy struct {
	Concurrent []string
	Exclusive  []string
	Autopick   []string
	Trees      map[string][]string
	Aliases    map[string]string
}

// A roster is a taxonomy under canonical names.
type roster struct {
	spelled    map[string]string // canonical name to the spelling declared
	exclusive  map[string]bool
	trees      map[string][]string
	aliases    map[string]string
	concurrent []string
	autopick   []string
}

// roster folds the taxonomy. Two declared names that fold together, or an
// unusable name, make the taxonomy unusable.
func (t Taxonomy) roster() (roster, error) {
	r := roster{spelled: map[string]string{}, exclusive: map[string]bool{}, trees: map[string][]string{}, aliases: map[string]string{}}
	var alone []string
	for _, list := range []struct {
		declared []string
		to       *[]string
	}{{t.Concurrent, &r.concurrent}, {t.Exclusive, &alone}, {t.Autopick, &r.autopick}} {
		for _, name := range list.declared {
			n, err := r.declare(name)
			if err != nil {
				return r, err
			}
			*list.to = append(*list.to, n)
		}
	}
	for _, name := range alone {
		r.exclusive[name] = true
	}
	implied := slices.DeleteFunc(slices.Clone(impliedExclusive), r.declared)
	if err := r.fill(t); err != nil {
		return r, err
	}
	for _, name := range implied {
		r.spelled[name], r.exclusive[name] = name, true
	}
	return r, nil
}

// fill adds the trees and the aliases.
func (r roster) fill(t Taxonomy) error {
	for _, name := range sortedKeys(t.Trees) {
		n, err := r.declare(name)
		if err != nil {
			return err
		}
		if r.trees[n], err = CleanTree(t.Trees[name]); err != nil {
			return fmt.Errorf("declared lane %q: %w", name, err)
		}
	}
	for _, word := range sortedKeys(t.Aliases) {
		w, err := Canonical(word)
		if err != nil {
			return fmt.Errorf("alias: %w", err)
		}
		target, err := Canonical(t.Aliases[word])
		if err != nil {
			return fmt.Errorf("alias %q: %w", word, err)
		}
		if had, twice := r.aliases[w]; twice && had != target {
			return fmt.Errorf("alias %q stands for both %q and %q", w, had, target)
		}
		r.aliases[w] = target
	}
	return nil
}

func (r roster) declare(name string) (string, error) {
	n, err := Canonical(name)
	if err != nil {
		return "", fmt.Errorf("declared %w", err)
	}
	if had, ok := r.spelled[n]; ok && had != name {
		return "", fmt.Errorf("declared lanes %q and %q are one name once case is folded: rename one", had, name)
	}
	r.spelled[n] = name
	return n, nil
}

func (r roster) declared(name string) bool { _, ok := r.spelled[name]; return ok }

// excludes reports whether a lease of this lane and kind tolerates no other.
func (r roster) excludes(lane, kind string) bool {
	return kind == Global || r.exclusive[kind] || r.exclusive[lane]
}

// offered returns the lanes of a list that nobody needs to name to be given
// one: neither exclusive nor reserved, aliases resolved, each once.
func (r roster) offered(names []string) []string {
	seen := make(map[string]bool, len(names))
	var list []string
	for _, name := range names {
		name = r.target(name)
		if !seen[name] && r.declared(name) && !r.exclusive[name] && !Reserved(name) {
			list = append(list, name)
		}
		seen[name] = true
	}
	return list
}

// target resolves an alias.
func (r roster) target(name string) string {
	if target, ok := r.aliases[name]; ok {
		return target
	}
	return name
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
