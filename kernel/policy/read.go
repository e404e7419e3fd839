package policy

import (
	"fmt"
	"slices"
	"strings"
)

// A reader fills a policy from a document and records what does not fit.
type reader struct {
	policy   *Policy
	problems *collector
}

func (r *reader) document(root *node) {
	if lanes := root.at("lanes"); lanes != nil && len(lanes.items) > 0 {
		// A stated taxonomy replaces the default whole.
		r.policy.Lanes = Lanes{Trees: map[string][]string{}, Aliases: map[string]string{}}
	}
	r.table(schemaTree(), root)
	slices.SortStableFunc(r.policy.Ignored, func(a, b Ignored) int { return a.Line - b.Line })
	r.policy.derive()
}

// table reads the members of a table.
func (r *reader) table(s *spec, n *node) {
	for _, member := range n.items {
		if child := s.child(member.name); child != nil {
			r.member(child, member)
		} else {
			r.unknown(s, member)
		}
	}
}

func (r *reader) member(s *spec, n *node) {
	switch {
	case s.ignored:
		r.policy.Ignored = append(r.policy.Ignored, Ignored{Key: n.path(), Line: n.line})
	case s.key != nil:
		r.value(s.key, n)
	case s.list && n.tablesOnly():
		for _, entry := range n.items {
			s.begin(r.policy)
			r.table(s, entry)
		}
	case s.list:
		r.problem(n, &fault{message: "must be an array of tables", hint: "write [[" + n.name + "]]"})
	case n.kind == tableKind:
		r.table(s, n)
	default:
		r.problem(n, mistyped(n, "a table"))
	}
}

func (r *reader) value(k *key, n *node) {
	if f := k.read(r.policy, n.name, n); f != nil {
		r.problem(n, f)
		return
	}
	r.policy.lines[n.path()] = n.line
}

func (r *reader) problem(n *node, f *fault) {
	e := &Error{Line: n.line, Key: n.path(), Message: n.path() + " " + f.message, Hint: f.hint}
	if f.line > 0 {
		e.Line = f.line
	}
	r.problems.add(e)
}

// unknown records a key the schema does not have, with the nearest one that
// it does.
func (r *reader) unknown(s *spec, n *node) {
	if r.problems.full() {
		return
	}
	what := "key"
	if n.kind == tableKind || n.kind == arrayKind && n.origin == byHeader {
		what = "table"
	}
	key := n.path()
	where := strings.TrimSuffix(key, bareOrQuoted(n.name))
	r.problems.add(&Error{
		Line: n.line, Key: key,
		Message: fmt.Sprintf("unknown %s %s", what, key),
		Hint:    suggest(s, where, n.name),
	})
}
