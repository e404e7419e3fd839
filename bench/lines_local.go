package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// localPairs is how many rounds a thing of some milliseconds takes.
const localPairs = 40

// localLease measures the life of one lease in a repository without a fleet.
func localLease(b *bench) ([]row, error) {
	dir, err := b.repo(1, noFleet)
	if err != nil {
		return nil, err
	}
	write, err := b.appendTo("refs/dos/lane/x", "refs/dos/order/x")
	if err != nil {
		return nil, err
	}
	verb := func(name string) arm { return b.process(dir, b.dos, "lease", name, "--lane", laneName(0)) }
	m, err := b.pairs(localPairs, b.process(dir, b.start), write, verb("acquire"), write, verb("heartbeat"), write, verb("release"),
		write, b.process(dir, b.dos, "beat", beatName))
	if err != nil {
		return nil, err
	}
	return []row{
		{what: "lease acquire, local", product: m[2], start: m[0], git: m[1], target: 1.7},
		{what: "lease heartbeat, local", product: m[4], start: m[0], git: m[3], target: 1.5},
		{what: "lease release, local", product: m[6], start: m[0], git: m[5], target: 1.5},
		{what: "beat, local", product: m[8], start: m[0], git: m[7], target: 1.5},
	}, nil
}

// appendTo is what git needs to append to chains at once: a commit for each and one
// transaction.
func (b *bench) appendTo(refs ...string) (arm, error) {
	dir, err := b.repo(1, noFleet)
	if err != nil {
		return nil, err
	}
	if err := b.emptyTree(dir); err != nil {
		return nil, err
	}
	tips := map[string]string{}
	return func() (time.Duration, error) {
		took := b.meter()
		script := "start\n"
		for _, ref := range refs {
			id, err := b.commitTree(dir, tips[ref])
			if err != nil {
				return 0, err
			}
			script += fmt.Sprintf("update %s %s %s\n", ref, id, orZero(tips[ref]))
			tips[ref] = id
		}
		_, err := b.output(dir, script+"prepare\ncommit\n", "git", "update-ref", "--stdin")
		return took(), err
	}, nil
}

func orZero(id string) string {
	if id == "" {
		return strings.Repeat("0", len(refstore.SHA1.EmptyTree()))
	}
	return id
}
