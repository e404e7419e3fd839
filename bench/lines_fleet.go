package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// fleetPairs is how many rounds a thing that goes over a transport takes.
const fleetPairs = 15

// fleetLease measures the life of an uncontended lease on a remote.
func fleetLease(b *bench, name string, serve serveFunc) ([]row, error) {
	root := b.newDir("served")
	url, config, err := serve(b, root)
	if err != nil {
		return nil, err
	}
	if _, err := b.hub(root, "hub.git"); err != nil {
		return nil, err
	}
	dir, err := b.fleetRepo(url+"/hub.git", config, 1)
	if err != nil {
		return nil, err
	}
	trip, err := b.trip(root, url, config)
	if err != nil {
		return nil, err
	}
	verb := func(name string) arm { return b.process(dir, b.dos, "lease", name, "--lane", laneName(0)) }
	m, err := b.pairs(fleetPairs, b.process(dir, b.start),
		sum(trip.fetch, trip.pushTwo), verb("acquire"), trip.pushOne, verb("heartbeat"), trip.pushOne, verb("release"))
	if err != nil {
		return nil, err
	}
	const one = "git column: one push"
	return []row{
		{what: "lease acquire, fleet over " + name, product: m[2], start: m[0], git: m[1], target: 1.3, note: "git column: one fetch and one push"},
		{what: "lease heartbeat, fleet over " + name, product: m[4], start: m[0], git: m[3], target: 1.3, note: one},
		{what: "lease release, fleet over " + name, product: m[6], start: m[0], git: m[5], note: one},
	}, nil
}

// delegatedLease measures the life of a lease on a lane that its node has on the
// remote. The remote is away: what needs the network fails.
func delegatedLease(b *bench) ([]row, error) {
	root := b.newDir("served")
	if _, err := b.hub(root, "hub.git"); err != nil {
		return nil, err
	}
	hub := filepath.Join(root, "hub.git")
	dir, err := b.fleetRepoOf(hub, nil, 1, delegated)
	if err != nil {
		return nil, err
	}
	lane := []string{"--lane", laneName(0)}
	lease := func(name string) []string { return append([]string{b.dos, "lease", name}, lane...) }
	if err := b.quiet(dir, lease("acquire"), lease("release")); err != nil {
		return nil, err
	}
	if err := os.Rename(hub, hub+".away"); err != nil {
		return nil, err
	}
	three, err := b.appendTo("refs/dos/lane/x", "refs/dos/order/x", "refs/dos/delegation/x")
	if err != nil {
		return nil, err
	}
	one, err := b.appendTo("refs/dos/lane/x")
	if err != nil {
		return nil, err
	}
	verb := func(name string) arm { return b.process(dir, lease(name)...) }
	m, err := b.pairs(localPairs, b.process(dir, b.start), three, verb("acquire"), one, verb("heartbeat"), one, verb("release"))
	if err != nil {
		return nil, err
	}
	const note = "the remote is away"
	return []row{
		{what: "lease acquire, under a delegation", product: m[2], start: m[0], git: m[1], target: 1.7, note: note},
		{what: "lease heartbeat, under a delegation", product: m[4], start: m[0], git: m[3], note: note},
		{what: "lease release, under a delegation", product: m[6], start: m[0], git: m[5], note: note},
	}, nil
}

// A trip is the git commands that a fleet's lease needs, in a clone of their
// own and against a remote of their own.
type trip struct {
	fetch, pushOne, pushTwo arm
}

const mirror = "refs/dos/at/origin/"

func (b *bench) trip(root, url string, config []string) (trip, error) {
	if _, err := b.hub(root, "plain.git"); err != nil {
		return trip{}, err
	}
	dir, err := b.repo(1, direct)
	if err == nil {
		err = b.emptyTree(dir)
	}
	if err == nil {
		err = b.addRemote(dir, url+"/plain.git", config)
	}
	if err == nil {
		err = b.quiet(dir, []string{"git", "push", "--quiet", "origin", "main"})
	}
	if err != nil {
		return trip{}, err
	}
	fetch := []string{"git", "fetch", "--quiet", "--no-tags", "--prune", "--no-write-fetch-head", "--no-auto-gc", "--refmap=", "origin"}
	for _, kind := range []string{"meta", "lane", "order"} {
		fetch = append(fetch, fmt.Sprintf("+refs/dos/%[1]s/*:%[2]s%[1]s/*", kind, mirror))
	}
	tips := map[string]string{}
	return trip{
		fetch:   b.process(dir, fetch...),
		pushOne: func() (time.Duration, error) { return b.push(dir, tips, "refs/dos/lane/l0") },
		pushTwo: func() (time.Duration, error) { return b.push(dir, tips, "refs/dos/lane/l0", "refs/dos/order/grants") },
	}, nil
}

// push times the push of one new commit on each ref.
func (b *bench) push(dir string, tips map[string]string, refs ...string) (time.Duration, error) {
	args := []string{"git", "-c", "remote.origin.fetch=+refs/dos/*:" + mirror + "*", "push", "--porcelain", "--atomic", "--no-verify"}
	var specs []string
	for _, ref := range refs {
		id, err := b.commitTree(dir, tips[ref])
		if err != nil {
			return 0, err
		}
		args = append(args, "--force-with-lease="+ref+":"+tips[ref])
		specs = append(specs, id+":"+ref)
		tips[ref] = id
	}
	return b.timed(dir, append(append(args, "origin"), specs...)...)
}

// plainTrip is a trip over the file transport.
func (b *bench) plainTrip() (trip, error) {
	root := b.newDir("served")
	return b.trip(root, filepath.ToSlash(root), nil)
}
