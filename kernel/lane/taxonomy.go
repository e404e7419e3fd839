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

// Kind reads the kind of a lease: cluster, keyword, global, or the name of an
// exclusive lane. It is an error if no lease can be of that kind.
func (t Taxonomy) Kind(word string) (string, error) {
	r, err := t.Roster()
	if err != nil {
		return "", err
	}
	return r.kind(word)
}

// Canonical returns the canonical name of a lane, aliases resolved. The rest
// of the taxonomy may be unusable, and an alias that nobody can say: whoever
// names a lane to let it go must not be kept from that.
func (t Taxonomy) Canonical(name string) (string, error) {
	n, err := Canonical(name)
	if err != nil {
		return "", err
	}
	r, unclear := t.words()
	if unclear[n] != nil {
		return "", unclear[n]
	}
	return r.end(n)
}

// words reads the aliases alone. Of one that is unclear it says why.
func (t Taxonomy) words() (r Roster, unclear map[string]error) {
	r, unclear = Roster{aliases: map[string]string{}}, map[string]error{}
	for _, word := range sortedKeys(t.Aliases) {
		w, err := Canonical(word)
		if err != nil {
			continue
		}
		if err := r.alias(w, t.Aliases[word]); err != nil {
			unclear[w] = fmt.Errorf("alias: %w", err)
		}
	}
	return r, unclear
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
