package lane

import (
	"slices"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// lanes looks at every lane by itself.
func (l *linter) lanes() {
	t, seen := l.ev.Lanes, map[string]bool{}
	for _, name := range slices.Concat(t.Concurrent, t.Autopick) {
		if seen[name] {
			continue
		}
		seen[name] = true
		if len(l.tree(name)) == 0 {
			l.add(LaneWithoutTree, SeverityError, name, "lane "+verdict.Show(name)+" has no tree, so nobody is admitted to it without --tree",
				"say under [lanes.trees] which files it holds")
		}
		if slices.Contains(t.Concurrent, name) && slices.Contains(t.Exclusive, name) {
			l.add(LaneBothConcurrentAndExclusive, SeverityError, name, "lane "+verdict.Show(name)+" is declared concurrent and exclusive, and runs alone",
				"leave it in one of lanes.concurrent and lanes.exclusive")
		}
	}
}

// twice looks for a lane that a list names again.
func (l *linter) twice() {
	t := l.ev.Lanes
	for key, list := range map[string][]string{"lanes.concurrent": t.Concurrent, "lanes.exclusive": t.Exclusive, "lanes.autopick": t.Autopick} {
		times := map[string]int{}
		for _, name := range list {
			if times[fold(name)]++; times[fold(name)] == 2 {
				l.add(LaneListedTwice, SeverityInfo, key, "lane "+verdict.Show(name)+" is in "+key+" more than once", "name it once")
			}
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
			l.add(AutopickLaneExclusive, SeverityError, name, "lane "+verdict.Show(name)+" runs alone, and is never picked unasked",
				"take it out of lanes.autopick")
		case !l.names[fold(name)]:
			l.add(AutopickLaneUndeclared, SeverityWarn, name, "lane "+verdict.Show(name)+" is in lanes.autopick and in neither lanes.concurrent nor lanes.exclusive",
				"add it to lanes.concurrent, or take it out of lanes.autopick")
		}
	}
}

// aliases looks for those that end at no lane.
func (l *linter) aliases() {
	r, _ := l.ev.Lanes.words()
	for _, word := range sortedKeys(l.ev.Lanes.Aliases) {
		target := l.ev.Lanes.Aliases[word]
		end, err := r.end(CanonicalOr(word))
		switch {
		case err != nil:
			l.add(AliasTargetUndeclared, SeverityError, word, err.Error()+". No lane can be taken until then", "name a lane under [lanes.aliases]")
		case !l.names[fold(target)] && !l.names[fold(end)]:
			l.add(AliasTargetUndeclared, SeverityWarn, word, "alias "+verdict.Show(word)+" stands for lane "+verdict.Show(target)+", which is not declared",
				"declare that lane, or name another under [lanes.aliases]")
		}
	}
}

// classes looks at the budgets: one is counted by the kind of a lease, which
// is cluster, keyword, global or the name of an exclusive lane.
func (l *linter) classes() {
	r, _ := l.ev.Lanes.Roster()
	for _, name := range l.ev.Classes {
		if _, err := r.kind(name); err != nil {
			l.add(ClassNeverBinds, SeverityWarn, name, "no lease is of kind "+verdict.Show(name)+", so this class budget never refuses anybody",
				"name cluster, keyword, global or an exclusive lane")
		}
	}
}
