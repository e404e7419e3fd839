package main

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// together runs work n times at once and returns how long all of it took and
// how long each took.
func (b *bench) together(n int, work func(i int) (time.Duration, error)) (total time.Duration, each []time.Duration, err error) {
	each = make([]time.Duration, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	took := b.meter()
	for i := range n {
		wg.Go(func() { each[i], errs[i] = work(i) })
	}
	wg.Wait()
	total = took()
	for _, e := range errs {
		if e != nil {
			return 0, nil, e
		}
	}
	return total, each, nil
}

// The sixteen writers append this often each, and one writer in all.
const writers, appends, alone = 16, 12, 40

// appendMany compares sixteen writers of one log with one writer, every append
// a process of its own. The product column is what one append of the sixteen
// costs; a ratio of 1 is the rate of one writer.
func appendMany(b *bench) ([]row, error) {
	dir, err := b.repo(1, noFleet)
	if err != nil {
		return nil, err
	}
	if err := b.quiet(dir, []string{b.dos, "lease", "acquire", "--lane", laneName(0)}); err != nil {
		return nil, err
	}
	log := &appender{beat: b.process(dir, b.dos, "lease", "heartbeat", "--lane", laneName(0)), acknowledged: 1}
	many := func() (time.Duration, error) {
		took, _, err := b.together(writers, func(int) (time.Duration, error) { return log.append(appends, true) })
		return took / (writers * appends), err
	}
	one := func() (time.Duration, error) {
		took, err := log.append(alone, false)
		return took / alone, err
	}
	m, err := b.pairs(5, one, many)
	if err != nil {
		return nil, err
	}
	got, err := b.output(dir, "", "git", "rev-list", "--count", "refs/dos/lane/"+laneName(0))
	if err != nil {
		return nil, err
	}
	if got != strconv.Itoa(log.acknowledged) {
		return nil, fmt.Errorf("the log holds %s entries, %d were acknowledged", got, log.acknowledged)
	}
	const what = "16 processes appending to one log"
	note := fmt.Sprintf("per append; git column: one writer; none of %d lost", log.acknowledged)
	if b.processor { // which no single one of them can be told apart by
		return []row{{what: what, product: m[1], git: m[0], target: 1, note: note}}, nil
	}
	slowest := row{what: "slowest of them / their median", product: slices.Max(log.took), git: median(log.took), target: 50}
	return []row{{what: what, product: m[1], git: m[0], target: 1, note: note}, slowest}, nil
}

// An appender counts the entries that were acknowledged, and times those of
// writers that had company.
type appender struct {
	beat arm

	mu           sync.Mutex
	acknowledged int
	took         []time.Duration
}

func (a *appender) append(n int, company bool) (total time.Duration, err error) {
	for range n {
		took, err := a.beat()
		if err != nil {
			return 0, err
		}
		total += took
		a.mu.Lock()
		a.acknowledged++
		if company {
			a.took = append(a.took, took)
		}
		a.mu.Unlock()
	}
	return total, nil
}

// raceClones has sixteen clones want the same lane, then a lane each.
func raceClones(b *bench) ([]row, error) {
	const clones, rounds = 16, 5
	url, err := b.hub(b.newDir("served"), "hub.git")
	if err != nil {
		return nil, err
	}
	first, err := b.fleetRepo(url, nil, clones)
	if err != nil {
		return nil, err
	}
	dirs := []string{first}
	for range clones - 1 {
		dir := b.newDir("clone")
		if err := b.quiet("", []string{"git", "clone", "--quiet", url, dir}); err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	trip, err := b.plainTrip()
	if err != nil {
		return nil, err
	}
	var same, apart []time.Duration
	gitCost, err := b.pairs(rounds, sum(trip.fetch, trip.pushTwo), func() (time.Duration, error) {
		took, err := b.race(dirs, func(int) string { return laneName(0) }, 1)
		same = append(same, took)
		return took, err
	}, func() (time.Duration, error) {
		took, err := b.race(dirs, laneName, clones)
		apart = append(apart, took)
		return took, err
	})
	if err != nil {
		return nil, err
	}
	git := gitCost[0] * clones
	return []row{
		{what: "16 clones racing one lane", product: median(same), git: git, target: 8, note: "one grant every round; git column: 16 x (fetch + push)"},
		{what: "16 clones, a lane each", product: median(apart), git: git, target: 8, note: "all admitted every round; git column: 16 x (fetch + push)"},
	}, nil
}

// race has every clone acquire a lane at once, checks how many got one, and
// gives them back.
func (b *bench) race(dirs []string, lane func(int) string, grants int) (time.Duration, error) {
	var won atomic.Int64
	got := make([]bool, len(dirs))
	took, _, err := b.together(len(dirs), func(i int) (time.Duration, error) {
		code, err := b.status(dirs[i], b.dos, "lease", "acquire", "--lane", lane(i))
		switch {
		case err != nil:
			return 0, err
		case code == 0:
			got[i] = true
			won.Add(1)
		case code != 3:
			return 0, fmt.Errorf("acquire ended with %d: %s", code, b.lastWords())
		}
		return 0, nil
	})
	if err != nil {
		return 0, err
	}
	if int(won.Load()) != grants {
		return 0, fmt.Errorf("%d of %d clones were admitted, want %d", won.Load(), len(dirs), grants)
	}
	for i, dir := range dirs {
		if got[i] {
			if err := b.quiet(dir, []string{b.dos, "lease", "release", "--lane", lane(i)}); err != nil {
				return 0, err
			}
		}
	}
	return took, nil
}

// status runs a process and returns its exit status.
func (b *bench) status(dir string, args ...string) (int, error) {
	_, err := b.timed(dir, args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode(), nil
	}
	return 0, err
}
