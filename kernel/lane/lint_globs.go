package lane

import "github.com/git-dos/git-dos/kernel/verdict"

// globs looks for entries with a segment that is not read as a pattern. For
// overlap such an entry names anything from there on, and a path lies in it
// only if the segment is spelled so.
func (l *linter) globs() {
	for _, name := range sortedKeys(l.ev.Lanes.Trees) {
		for _, entry := range l.tree(name) {
			clean, err := cleanEntry(entry)
			if err != nil {
				continue // nothing of it is understood, and the taxonomy is unusable
			}
			if _, ok := understood(clean); !ok {
				l.add(GlobNotUnderstood, SeverityInfo, name,
					verdict.Show(entry)+" in the tree of lane "+verdict.Show(name)+" is not a pattern: braces, or a class that cannot be read, stand for themselves, and collide with any name",
					"write an entry for each of the names")
			}
		}
	}
}
