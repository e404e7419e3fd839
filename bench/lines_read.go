package main

import "time"

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
		look, b.process(dir, b.dos, "arbitrate", "--lane", "spare", "--tree", "spare/**"), look, b.process(dir, b.dos, "version"))
	if err != nil {
		return nil, err
	}
	return []row{
		{what: "lease live, 50 leases", product: m[2], start: m[0], git: m[1], target: 1.3},
		{what: "lease show, 50 leases", product: m[4], start: m[0], git: m[3], target: 1.3},
		{what: "arbitrate, 50 leases", product: m[6], start: m[0], git: m[5], target: 1.3},
		{what: "version", product: m[8], start: m[0], git: m[7], target: 1.3},
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
	return nil
}

// readMirror measures a read in a fleet whose mirror is fresh.
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
	m, err := b.pairs(localPairs, b.process(dir, b.start), b.look(dir), b.process(dir, b.dos, "lease", "live"))
	if err != nil {
		return nil, err
	}
	return []row{{what: "lease live, 50 leases, fresh mirror", product: m[2], start: m[0], git: m[1], target: 1.3}}, nil
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
