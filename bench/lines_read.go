package main

import (
	"fmt"
	"time"
)

// readLanes is how many leases the read verbs list.
const readLanes = 50

// readVerbs measures the verbs that only read, with leases held.
func readVerbs(b *bench) ([]row, error) {
	dir, err := b.leased()
	if err != nil {
		return nil, err
	}
	look := b.look(dir)
	m, err := b.pairs(localPairs,
		b.process(dir, b.start), look, b.process(dir, b.dos, "lease", "live"), look, b.process(dir, b.dos, "lease", "show", "--lane", laneName(7)),
		look, b.process(dir, b.dos, "arbitrate", "--lane", "spare", "--tree", "spare/**"), look, b.process(dir, b.dos, "pulse"), look, b.process(dir, b.dos, "version"))
	if err != nil {
		return nil, err
	}
	return []row{
		{what: "lease live, 50 leases", product: m[2], start: m[0], git: m[1], target: 1.3},
		{what: "lease show, 50 leases", product: m[4], start: m[0], git: m[3], target: 1.3},
		{what: "arbitrate, 50 leases", product: m[6], start: m[0], git: m[5], target: 1.3},
		{what: "pulse, 50 leases", product: m[8], start: m[0], git: m[7], target: 1.3},
		{what: "version", product: m[10], start: m[0], git: m[9], target: 1.3},
	}, nil
}

// look is the least that git needs to find a repository and list its dos refs.
func (b *bench) look(dir string) arm {
	return sum(b.process(dir, "git", "rev-parse", "--git-dir"), b.process(dir, "git", "for-each-ref", "refs/dos"))
}

// leased makes a repository with all its lanes held.
func (b *bench) leased() (string, error) {
	dir, err := b.repo(readLanes, noFleet)
	if err != nil {
		return "", err
	}
	return dir, b.holdAll(dir)
}

func (b *bench) holdAll(dir string) error {
	for i := range readLanes {
		if err := b.quiet(dir, []string{b.dos, "lease", "acquire", "--lane", laneName(i), "--ttl", "12h"}); err != nil {
			return err
		}
	}
	return b.quiet(dir, []string{b.dos, "beat", beatName})
}

// readMirror measures the reads in a fleet whose mirror is fresh.
func readMirror(b *bench) ([]row, error) {
	url, err := b.hub(b.newDir("served"), "hub.git")
	if err != nil {
		return nil, err
	}
	dir, err := b.fleetRepo(url, nil, readLanes)
	if err != nil {
		return nil, err
	}
	if err := b.holdAll(dir); err != nil {
		return nil, err
	}
	run := ledgerRun(0, 1, time.Now().Add(-time.Hour))
	held := []string{b.dos, "lease", "release", "--lane", laneName(0)}
	if err := b.quiet(dir, held, []string{b.dos, "lease", "acquire", "--lane", laneName(0), "--run-id", run, "--ttl", "12h"}); err != nil {
		return nil, err
	}
	look := b.look(dir)
	m, err := b.pairs(localPairs, b.process(dir, b.start), look, b.process(dir, b.dos, "lease", "live"), look, b.answers(dir, 3, b.dos, "status", run),
		look, b.process(dir, b.dos, "pulse"), look, b.process(dir, b.dos, "arbitrate", "--lane", "spare", "--tree", "spare/**"))
	if err != nil {
		return nil, err
	}
	return []row{
		{what: "lease live, 50 leases, fresh mirror", product: m[2], start: m[0], git: m[1], target: 1.3},
		{what: "status, 50 leases, fresh mirror", product: m[4], start: m[0], git: m[3], target: 1.3},
		{what: "pulse, 50 leases, fresh mirror", product: m[6], start: m[0], git: m[5], target: 1.3},
		{what: "arbitrate, 50 leases, fresh mirror", product: m[8], start: m[0], git: m[7], target: 1.3},
	}, nil
}

// answers is an arm that runs one process, whose answer this status is.
func (b *bench) answers(dir string, want int, args ...string) arm {
	return func() (time.Duration, error) {
		took := b.meter()
		code, err := b.status(dir, args...)
		if err == nil && code != want {
			err = fmt.Errorf("%v: exit status %d, want %d: %s", args, code, want, b.lastWords())
		}
		return took(), err
	}
}

// readConcurrent runs many reads at once.
func readConcurrent(b *bench) ([]row, error) {
	const readers = 50
	dir, err := b.leased()
	if err != nil {
		return nil, err
	}
	all := func(a arm) arm {
		return func() (time.Duration, error) {
			took, _, err := b.together(readers, func(int) (time.Duration, error) { return a() })
			return took, err
		}
	}
	m, err := b.pairs(7, all(sum(b.process(dir, b.start), b.look(dir))), all(b.process(dir, b.dos, "lease", "live")))
	if err != nil {
		return nil, err
	}
	return []row{{what: "50 x lease live at once", product: m[1], git: m[0], target: 1.3, note: "git column: 50 x (start + both git commands)"}}, nil
}
