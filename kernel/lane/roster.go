package lane

import (
	"fmt"
	"maps"
	"slices"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Roster is a taxonomy under canonical names, to be asked many questions.
type Roster struct {
	spelled    map[string]string // canonical name to the spelling declared
	exclusive  map[string]bool
	trees      map[string][]string
	aliases    map[string]string
	concurrent []string
	autopick   []string
}

// Roster folds the taxonomy. Two declared names that fold together, or an
// unusable name, make the taxonomy unusable.
func (t Taxonomy) Roster() (Roster, error) {
	r := Roster{spelled: map[string]string{}, exclusive: map[string]bool{}, trees: map[string][]string{}, aliases: map[string]string{}}
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
func (r Roster) fill(t Taxonomy) error {
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
		if err == nil {
			err = r.alias(w, t.Aliases[word])
		}
		if err != nil {
			return fmt.Errorf("alias: %w", err)
		}
	}
	ends := make(map[string]string, len(r.aliases))
	for _, word := range sortedKeys(r.aliases) {
		var err error
		if ends[word], err = r.end(word); err != nil {
			return err
		}
	}
	maps.Copy(r.aliases, ends)
	return nil
}

// maxAliases bounds by way of how many aliases one stands for a lane.
const maxAliases = 16

// end resolves an alias of an alias too.
func (r Roster) end(name string) (string, error) {
	at := name
	for range maxAliases {
		next, alias := r.aliases[at]
		if !alias || next == at {
			return at, nil
		}
		at = next
	}
	return "", fmt.Errorf("alias %q stands for no lane: what it stands for is an alias again, and so on", verdict.Clip(name))
}

// alias adds one alias, whose word is canonical.
func (r Roster) alias(word, lane string) error {
	target, err := Canonical(lane)
	if err != nil {
		return fmt.Errorf("%q: %w", word, err)
	}
	if had, twice := r.aliases[word]; twice && had != target {
		return fmt.Errorf("%q stands for both %q and %q", word, had, target)
	}
	r.aliases[word] = target
	return nil
}

func (r Roster) declare(name string) (string, error) {
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

// Declares reports whether the lane is declared, in a list or by a tree, or
// exclusive without that.
func (r Roster) Declares(name string) bool { return r.declared(CanonicalOr(name)) }

func (r Roster) declared(name string) bool { _, ok := r.spelled[name]; return ok }

// Excludes reports whether a lease of this lane and kind tolerates no other.
func (r Roster) Excludes(lane, kind string) bool {
	return r.excludes(CanonicalOr(lane), CanonicalOr(kind))
}

func (r Roster) excludes(lane, kind string) bool {
	return kind == Global || r.exclusive[kind] || r.exclusive[lane]
}

// Declared returns what a lease on a declared lane records that asks for
// nothing else. It reports false for a lane that is not declared or has no
// tree, and so for a reserved one. An alias is not a lane.
func (r Roster) Declared(name string) (Claim, bool) {
	name = CanonicalOr(name)
	c := Claim{Lane: name, Exclusive: r.exclusive[name], Declared: r.declared(name)}
	c.Kind = r.decide(c, "")
	var no Verdict
	c.Tree, no = r.claimTree(c, nil)
	return c, no.Outcome == "" && !Reserved(name)
}

func (r Roster) kind(word string) (string, error) {
	kind, err := Canonical(word)
	known := kind == Cluster || kind == Keyword || kind == Global || r.exclusive[kind]
	if err != nil || !known {
		return "", fmt.Errorf("unknown kind %q: use cluster, keyword, global or the name of an exclusive lane", verdict.Clip(word))
	}
	return kind, nil
}

// canonical is Canonical of the taxonomy.
func (r Roster) canonical(name string) (string, error) {
	n, err := Canonical(name)
	if err != nil {
		return "", err
	}
	return r.target(n), nil
}

// target resolves an alias, whose end is known by now.
func (r Roster) target(name string) string {
	if target, ok := r.aliases[name]; ok {
		return target
	}
	return name
}

// offered returns the lanes of a list that nobody needs to name to be given
// one: neither exclusive nor reserved, aliases resolved, each once.
func (r Roster) offered(names []string) []string {
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
