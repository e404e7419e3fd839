package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// superviseTicks is how many ticks a process makes more than one that makes one.
const superviseTicks = 3

// superviseTick measures a tick of a supervisor that has nothing to do, beside one read
// verb. What a tick costs is what one more costs a supervisor that runs: that is held to
// the target, in a fleet too. A whole process that makes one tick takes and gives back
// its lane besides, in a fleet by two admissions on the remote, and has a target only
// where there is none.
func superviseTick(b *bench) ([]row, error) {
	dir, err := b.leased()
	if err != nil {
		return nil, err
	}
	if err := b.supervised(dir); err != nil {
		return nil, err
	}
	m, err := b.pairs(localPairs, b.process(dir, b.start), b.process(dir, b.dos, "lease", "live"), b.process(dir, superviseFor(b, 1)...))
	if err != nil {
		return nil, err
	}
	rows := []row{{what: "supervise, one tick, 50 leases", product: m[2], start: m[0], git: m[1], target: 5, note: "with its lane taken and given back; git column: lease live"}}
	more, err := b.oneMore("50 leases", dir)
	if err != nil {
		return nil, err
	}
	rows = append(rows, more...)
	url, err := b.hub(b.newDir("served"), "hub.git")
	if err != nil {
		return nil, err
	}
	fleet, err := b.fleetRepo(url, nil, readLanes)
	if err != nil {
		return nil, err
	}
	if err := b.holdAll(fleet); err != nil {
		return nil, err
	}
	if err := b.supervised(fleet); err != nil {
		return nil, err
	}
	published, err := b.oneMore("fleet", fleet)
	return append(rows, published...), err
}

// supervised sets a repository up for a supervisor.
func (b *bench) supervised(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "dos.toml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString("\n[supervise]\nworker_launch_template = \"true {lane}\"\n"); err != nil {
		return err
	}
	return b.quiet(dir, []string{"git", "commit", "--quiet", "-a", "-m", "supervise"})
}

func superviseFor(b *bench, ticks int) []string {
	return []string{b.dos, "supervise", "--target", "0", "--host-cap", "1", "--interval", "1s", "--max-ticks", strconv.Itoa(ticks)}
}

// oneMore measures what each tick beyond the first costs in processor time, of which
// the sleep between two is no part, and what a whole process of one tick does, beside
// that of the read verb as a whole process.
func (b *bench) oneMore(where, dir string) ([]row, error) {
	m, err := b.pairs(5, b.spent(dir, b.dos, "lease", "live"), b.spent(dir, superviseFor(b, 1)...), b.spent(dir, superviseFor(b, 1+superviseTicks)...))
	if err != nil {
		return nil, err
	}
	return []row{
		{what: "supervise, a tick of one that runs, " + where, product: (m[2] - m[1]) / superviseTicks, git: m[0], target: 5, note: "processor time; git column: lease live"},
		{what: "supervise for one tick, " + where, product: m[1], git: m[0], note: "processor time, with its lane taken and given back"},
	}, nil
}

// spent is an arm that runs one process, and returns the processor time of it and of
// all that it waited for.
func (b *bench) spent(dir string, args ...string) arm {
	return func() (time.Duration, error) {
		cmd := exec.CommandContext(b.ctx, args[0], args[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, b.words, b.words
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("%v: %w: %s", args, err, b.lastWords())
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
	}
}
