package lane

import "slices"

// lanes looks at every lane by itself.
func (l *linter) lanes() {
	t, seen := l.ev.Lanes, map[string]bool{}
	for _, name := range slices.Concat(t.Concurrent, t.Autopick) {
		if seen[name] {
			continue
		}
		seen[name] = true
		if len(l.tree(name)) == 0 {
			l.add(LaneWithoutTree, SeverityError, name, "lane "+show(name)+" has no tree, so nobody is admitted to it without --tree",
				"say under [lanes.trees] which files it holds")
		}
		if slices.Contains(t.Concurrent, name) && slices.Contains(t.Exclusive, name) {
			l.add(LaneBothConcurrentAndExclusive, SeverityError, name, "lane "+show(name)+" is declared concurrent and exclusive, and runs alone",
				"leave it in one of lanes.concurrent and lanes.exclusive")
		}
	}
}

// tree is the declared tree of a lane without blank entries.
func (l *linter) tree(name string) []string {
	return slices.DeleteFunc(slices.Clone(l.ev.Lanes.Trees[name]), func(e string) bool { return e == "" })
}

// autopick looks at the lanes that are handed out unasked, once for each time
// they stand in the list.
func (l *linter) autopick() {
	for _, name := range l.ev.Lanes.Autopick {
		switch {
		case slices.Contains(l.ev.Lanes.Exclusive, name):
			l.add(AutopickLaneExclusive, SeverityError, name, "lane "+show(name)+" runs alone, and is never picked unasked",
				"take it out of lanes.autopick")
		case !l.names[fold(name)]:
			l.add(AutopickLaneUndeclared, SeverityWarn, name, "lane "+show(name)+" is in lanes.autopick and in neither lanes.concurrent nor lanes.exclusive",
				"add it to lanes.concurrent, or take it out of lanes.autopick")
		}
	}
}

func (l *linter) aliases() {
	for _, word := range sortedKeys(l.ev.Lanes.Aliases) {
		if target := l.ev.Lanes.Aliases[word]; !l.names[fold(target)] {
			l.add(AliasTargetUndeclared, SeverityWarn, word, "alias "+show(word)+" stands for lane "+show(target)+", which is not declared",
				"declare that lane, or name another under [lanes.aliases]")
		}
	}
}

// classes looks at the budgets: one is counted by the kind of a lease, which
// is cluster, keyword, global or the name of an exclusive lane.
func (l *linter) classes() {
	r, _ := l.ev.Lanes.roster()
	for _, name := range l.ev.Classes {
		if kind, err := Canonical(name); err != nil || !r.known(kind) {
			l.add(ClassNeverBinds, SeverityWarn, name, "no lease is of kind "+show(name)+", so this class budget never refuses anybody",
				"name cluster, keyword, global or an exclusive lane")
		}
	}
}
