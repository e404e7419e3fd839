package lease

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
)

// A TrunkMove is what a push does to the trunk: which paths differ before and
// after, both sides of renames.
type TrunkMove struct {
	Ref, Old, New string // Old and New are "" where there is no branch
	Paths         []string
	Algebra       lane.Algebra // by which the lanes were admitted
	Soft          bool         // trees may overlap a little, by the policy
}

// Fence finds the held lanes that a push moves the trunk over without their leases:
// for each path that changes, every lane that is held or parked and whose tree may
// hold it must move by a SHIP entry for the new tip. For a claim inside a lease the
// lease does. A lane that waits does not bind
// the trunk: those it waits for are at work still. Of one node's delegations, which
// may overlap, one that ships is enough, and so it is where the policy lets trees
// overlap.
func (p Received) Fence(m TrunkMove) []Breach {
	var all []Breach
	riding, paths := p.riding(m), m.regions()
	for _, chain := range p.Before.chains() {
		r := p.Before.Chains[chain]
		if r.State != lane.Held && r.State != lane.Parked || lane.Reserved(r.Lane) || r.Rides != nil || riding[chain].Nonce != "" {
			continue
		}
		path, hit := m.over(r.Tree).first(paths, p.instead(r, riding, m.Soft))
		if !hit {
			continue
		}
		b := breach(LeaseFence, fixPush, "%s has lane %s as generation %d (%s), and its tree has a path that changes", r.Holder, r.Lane, r.Gen, r.State)
		b.Path = path
		all = append(all, *b.on(chain))
	}
	for _, u := range p.Before.Unreadable() {
		if u.NameOnly || lane.Reserved(u.Lane) {
			continue
		}
		if path, hit := m.over(u.Tree).first(paths, nil); hit {
			b := breach(CannotJudge, fixUnread, "what stands on the lane cannot be read, and its tree may have a path that changes")
			b.Path = path
			all = append(all, *b.on(u.Chain))
		}
	}
	return all
}

// riding are the leases, by chain, that the push has a SHIP entry of for the new
// tip of the trunk.
func (p Received) riding(m TrunkMove) map[string]Record {
	riding := map[string]Record{}
	for _, chain := range slices.Sorted(maps.Keys(p.Lanes)) {
		for _, e := range p.Lanes[chain] {
			if s := e.Record.Ship; e.Op == OpShip && s != nil && m.New != "" && s.Ref == m.Ref && s.New == m.New && s.Old == m.Old {
				riding[chain] = e.Record
			}
		}
	}
	return riding
}

// instead are the trees of leases that may ship in the place of this one.
func (p Received) instead(r Record, riding map[string]Record, soft bool) (trees []lane.Scope) {
	for _, chain := range slices.Sorted(maps.Keys(riding)) {
		other := riding[chain]
		if soft || r.Delegate && other.Delegate && r.Holder.Node == other.Holder.Node {
			trees = append(trees, lane.NewScope(other.Tree))
		}
	}
	return trees
}

// A changed is a path that changes, as a tree of its own in two algebras.
type changed struct {
	path      string
	exact, by lane.Region
}

func (m TrunkMove) regions() []changed {
	all := make([]changed, len(m.Paths))
	for i, p := range m.Paths {
		tree := []string{literal(p)}
		all[i] = changed{p, lane.Glob.Region(tree), m.Algebra.Region(tree)}
	}
	return all
}

// literal is an entry that holds at least the path: a name that an entry would not
// spell as itself is any name.
func literal(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		if strings.ContainsAny(name, `*?[]{}\!`) {
			names[i] = "*"
		}
	}
	return strings.Join(names, "/")
}

// A held is a tree that somebody has.
type held struct {
	scope     lane.Scope
	exact, by lane.Region
}

func (m TrunkMove) over(tree []string) held {
	return held{lane.NewScope(tree), lane.Glob.Region(tree), m.Algebra.Region(tree)}
}

// first is the first path that may lie in the tree, and surely in none of the others.
func (h held) first(paths []changed, but []lane.Scope) (string, bool) {
	for _, p := range paths {
		in := h.scope.Contains(p.path) || h.exact.Meets(p.exact) && h.by.Meets(p.by)
		if in && !slices.ContainsFunc(but, func(s lane.Scope) bool { return s.Contains(p.path) }) {
			return p.path, true
		}
	}
	return "", false
}
