package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// stamps are subjects that may name a unit: in parentheses at the end, or at
// the start with a number in the phase.
var stamps = regexp.MustCompile(`\(([\w./-]+):? ([\w.-]+)\)$|^([\w./-]+): ([A-Za-z]+[0-9][\w.-]*)`)

// everyUnit judges every unit that a subject of the history may stamp: all by
// one reading, and each by a process of its own, the first of them cold.
func everyUnit(b *bench) ([]row, error) {
	dir, err := b.imported(1)
	if err != nil {
		return nil, err
	}
	toml := rules(1, noFleet) + "\n[stamp]\ntrailer_stamp = true\n"
	if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte(toml), 0o600); err != nil {
		return nil, err
	}
	if err := b.quiet(dir, []string{"git", "commit", "--quiet", "-m", "rules of stamps", "dos.toml"}); err != nil {
		return nil, err
	}
	units, err := b.stamped(dir)
	if err != nil {
		return nil, err
	}
	repo, err := refstore.Open(b.ctx, dir)
	if err != nil {
		return nil, err
	}
	took := b.meter()
	list, err := facts.Ships(b.ctx, repo, units, facts.ShipScope{Cold: true})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, ev := range list {
		v := ship.Decide(ev)
		counts[strings.TrimSpace(fmt.Sprintf("%s %s", v.Outcome, v.Witness))]++
	}
	together := took()
	took = b.meter()
	for _, u := range units {
		if _, err := b.status(dir, b.dos, "verify", "--quiet", u.Plan, u.Phase); err != nil {
			return nil, err
		}
	}
	apart := took()
	log, err := b.pairs(5, b.process(dir, "git", "log", "--format=%H%n%B"))
	if err != nil {
		return nil, err
	}
	var words []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%s %d", what, counts[what]))
	}
	return []row{
		{what: fmt.Sprintf("verify, all %d stamped units at once", len(units)), product: together, git: log[0], note: strings.Join(words, ", ")},
		{what: "the same, a process each, in the mean", product: apart / time.Duration(max(len(units), 1)), git: log[0]},
	}, nil
}

// stamped lists the units of all subjects, each once.
func (b *bench) stamped(dir string) ([]facts.Unit, error) {
	log, err := b.output(dir, "", "git", "log", "--format=%s")
	if err != nil {
		return nil, err
	}
	seen := map[facts.Unit]bool{}
	for subject := range strings.Lines(log) {
		if m := stamps.FindStringSubmatch(strings.TrimSuffix(subject, "\n")); m != nil {
			seen[facts.Unit{Plan: m[1] + m[3], Phase: m[2] + m[4]}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b facts.Unit) int { return strings.Compare(a.Plan+"/"+a.Phase, b.Plan+"/"+b.Phase) }), nil
}
