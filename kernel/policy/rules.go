package policy

import (
	"cmp"
	"fmt"
	"slices"
)

// check holds the policy to the rules that concern more than one value.
func (r *reader) check(root *node) {
	r.required(root)
	r.laneNames(root.at("lanes"))
	r.exclusiveAutopick(root.at("lanes", "autopick"))
	r.classes()
	r.accounts(root.at("account"))
	r.leaseTimes(root.at("lease"))
	r.onlyOne(root.at("supervise"), "spin_halt_after_ms", "spin_halt_after_minutes")
	r.onlyOne(root.at("cooldown"), "window", "window_ms", "window_hours")
	r.onlyOne(root.at("cooldown"), "error_window", "error_window_ms", "error_window_minutes")
	r.exitStatuses(root.at("worker", "exit", "overloaded"))
	r.compileCommand(root.at("gates", compileGate, "mode"))
}

// required wants every entry of an array of tables to have its required keys.
func (r *reader) required(root *node) {
	for _, name := range schemaTree().order {
		s, n := schemaTree().sub[name], root.at(name)
		if !s.list || n == nil || !n.tablesOnly() {
			continue
		}
		for _, entry := range n.items {
			for _, want := range s.order {
				if k := s.sub[want].key; k != nil && k.required && entry.at(want) == nil {
					r.problem(entry, faultf("has no %s", want))
				}
			}
		}
	}
}

// spelling is a lane name or alias as it stands in the file.
type spelling struct {
	name string
	line int
}

// laneNames wants each lane and each alias to be spelled in one way.
func (r *reader) laneNames(lanes *node) {
	var names, words []spelling
	for _, list := range []string{"concurrent", "exclusive", "autopick"} {
		if n := lanes.at(list); n != nil && n.kind == arrayKind {
			for _, item := range n.items {
				names = append(names, spelling{item.text, item.line})
			}
		}
	}
	names = append(names, members(lanes.at("trees"))...)
	words = append(words, members(lanes.at("aliases"))...)
	r.oneSpelling("lanes", "lane", names)
	r.oneSpelling("lanes.aliases", "alias", words)
}

func members(table *node) []spelling {
	var out []spelling
	if table != nil && table.kind == tableKind {
		for _, n := range table.items {
			out = append(out, spelling{n.name, n.line})
		}
	}
	return out
}

func (r *reader) oneSpelling(key, what string, names []spelling) {
	slices.SortStableFunc(names, func(a, b spelling) int { return cmp.Compare(a.line, b.line) })
	first := map[string]spelling{}
	for _, s := range names {
		f, seen := first[fold(s.name)]
		if !seen {
			first[fold(s.name)] = s
			continue
		}
		if f.name != s.name {
			r.problems.add(&Error{
				Line: s.line, Key: key,
				Message: fmt.Sprintf("%s %s and %s %s (line %d) are the same name but for case",
					what, quoted(s.name), what, quoted(f.name), f.line),
				Hint: "spell both alike, or rename one",
			})
		}
	}
}

// exclusiveAutopick wants no lane that runs alone among those handed out.
func (r *reader) exclusiveAutopick(list *node) {
	if list == nil || list.kind != arrayKind {
		return
	}
	alone := map[string]bool{}
	for _, name := range r.policy.Lanes.Exclusive {
		alone[fold(name)] = true
	}
	for _, item := range list.items {
		if item.kind == stringKind && alone[fold(item.text)] {
			f := faultf("holds %s, which is exclusive: a lane that runs alone is never picked unasked", quoted(item.text))
			f.hint = "take it out of lanes.autopick, or out of lanes.exclusive"
			f.line = item.line
			r.problem(list, f)
		}
	}
}

// classes keeps the last statement of each class, in the place of the first. A
// class is a kind of lane, and those are one whatever their case.
func (r *reader) classes() {
	var out []ConcurrencyClass
	place := map[string]int{}
	for _, c := range r.policy.ConcurrencyClasses {
		if i, seen := place[fold(c.Name)]; seen {
			out[i] = c
			continue
		}
		place[fold(c.Name)] = len(out)
		out = append(out, c)
	}
	r.policy.ConcurrencyClasses = out
}

// accounts wants each account declared once.
func (r *reader) accounts(list *node) {
	if list == nil || !list.tablesOnly() {
		return
	}
	first := map[string]*node{}
	for _, entry := range list.items {
		name := entry.at("name")
		if name == nil || name.kind != stringKind {
			continue
		}
		if f := first[name.text]; f != nil {
			r.problem(name, faultf("%s is already the name of the account on line %d", quoted(name.text), f.line))
			continue
		}
		first[name.text] = name
	}
}

// leaseTimes wants a lease to outlive its margin twice: once for the holder
// to stop, once for a taker to wait.
func (r *reader) leaseTimes(lease *node) {
	ttl, margin := r.policy.Lease.TTL, r.policy.Lease.Margin
	at := lease.at("ttl")
	if at == nil {
		at = lease.at("margin")
	}
	if at == nil || ttl >= 2*margin {
		return
	}
	r.problem(at, &fault{
		message: fmt.Sprintf("leaves a ttl of %s under twice the margin of %s", ShowDuration(ttl), ShowDuration(margin)),
		hint:    "raise lease.ttl or lower lease.margin",
	})
}

// onlyOne wants at most one of several spellings of the same value.
func (r *reader) onlyOne(table *node, names ...string) {
	var first *node
	for _, name := range names {
		n := table.at(name)
		switch {
		case n == nil:
		case first == nil:
			first = n
		default:
			a, b := first, n
			if b.line < a.line {
				a, b = b, a
			}
			r.problem(b, faultf("and %s (line %d) say the same thing, state one of them", a.path(), a.line))
		}
	}
}

// exitStatuses wants a status to have one meaning.
func (r *reader) exitStatuses(overloaded *node) {
	limited := map[int]bool{}
	for _, status := range r.policy.Worker.Exit.RateLimited {
		limited[status] = true
	}
	for _, status := range r.policy.Worker.Exit.Overloaded {
		if limited[status] {
			r.problem(overloaded, faultf("holds %d, which worker.exit.rate_limited holds too", status))
		}
	}
}

// compileCommand wants a build gate that is switched on to have something to run.
func (r *reader) compileCommand(mode *node) {
	if mode == nil || r.policy.Gates.Mode(compileGate) == GateOff || len(r.policy.Gates.CompileCommand) > 0 {
		return
	}
	r.problem(mode, &fault{
		message: "switches on a gate that has no command to run",
		hint:    "set gates." + compileGate + `.command, as in ["go", "build", "./..."]`,
	})
}
