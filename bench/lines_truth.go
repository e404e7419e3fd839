package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// absent is a unit that no history holds, so that no early end can shorten the
// search for it.
var absent = []string{"nosuchplan", "NOSUCHPHASE"}

// verifyHistory measures verify in the history to measure with.
func verifyHistory(b *bench) ([]row, error) {
	dir, err := b.imported(1)
	if err != nil {
		return nil, err
	}
	return b.verifyRows(dir, 11)
}

// auditHistory measures a sweep of commit-audit over that history.
func auditHistory(b *bench) ([]row, error) {
	dir, err := b.imported(1)
	if err != nil {
		return nil, err
	}
	return b.auditRows(dir, 5)
}

// truthGenerated measures on a generated history of n commits.
func truthGenerated(b *bench, n int, measures ...func(dir string, pairs int) ([]row, error)) ([]row, error) {
	dir, err := b.generated(n)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, measure := range measures {
		more, err := measure(dir, 5)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// verifyRows are verify with nothing indexed, its index written on the way;
// the same with all indexed; and after one more commit.
func (b *bench) verifyRows(dir string, pairs int) ([]row, error) {
	commits, err := b.output(dir, "", "git", "rev-list", "--count", "HEAD")
	if err != nil {
		return nil, err
	}
	var memory int64
	index := filepath.Join(dir, ".git", "dos", "index")
	cold := func() (took time.Duration, err error) {
		if err := os.RemoveAll(index); err != nil {
			return 0, err
		}
		took, memory, err = b.exits(dir, 1, append([]string{b.dos, "verify"}, absent...)...)
		return took, err
	}
	m, err := b.pairs(pairs, b.process(dir, b.start), b.process(dir, "git", "log", "--format=%H%n%B"), cold)
	if err != nil {
		return nil, err
	}
	if entries, err := os.ReadDir(index); err != nil || len(entries) == 0 {
		return nil, fmt.Errorf("verify wrote no index: %w", err)
	}
	rows := []row{{
		what: "verify, cold, " + commits + " commits", product: m[2], start: m[0], git: m[1], target: 1.5,
		memory: memory, memoryMost: 32 << 20, note: "index written",
	}}
	warm, err := b.warmRows(dir, commits)
	return append(rows, warm...), err
}

// warmRows are verify with everything indexed, of a unit that is not there and
// of one that a commit made for it ships. What is allowed is twice rev-parse
// and 1 ms per 10,000 stamps; any commit may be a stamp.
func (b *bench) warmRows(dir, commits string) ([]row, error) {
	ship := []string{"git", "commit", "--quiet", "-m", "SHOP: WARM1 serve it", "dos.toml"}
	if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte(rules(2, noFleet)), 0o600); err != nil {
		return nil, err
	}
	if err := b.quiet(dir, ship, []string{b.dos, "verify", "SHOP", "WARM1"}); err != nil {
		return nil, err
	}
	missed := b.answers(dir, 1, append([]string{b.dos, "verify"}, absent...)...)
	head := b.process(dir, "git", "rev-parse", "HEAD")
	m, err := b.pairs(localPairs, b.process(dir, b.start), head, missed, head, b.process(dir, b.dos, "verify", "SHOP", "WARM1"))
	if err != nil {
		return nil, err
	}
	var stamps float64
	if _, err := fmt.Sscan(commits, &stamps); err != nil {
		return nil, err
	}
	allowed := 2 + stamps/10_000*float64(time.Millisecond)/float64(m[1])
	return []row{
		{what: "verify, warm, not shipped", product: m[2], start: m[0], git: m[1], target: allowed},
		{what: "verify, warm, shipped", product: m[4], start: m[0], git: m[3], target: allowed},
	}, nil
}

// exits runs a process that must end with this status, and returns how long it
// took and the most memory it was seen to hold, its children not counted.
func (b *bench) exits(dir string, want int, args ...string) (time.Duration, int64, error) {
	cmd := exec.CommandContext(b.ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, b.words, b.words
	took := b.meter()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	ended, seen := make(chan struct{}), make(chan int64)
	go watchMemory(cmd.Process.Pid, ended, seen)
	err := cmd.Wait()
	spent := took()
	close(ended)
	most := <-seen
	if code := cmd.ProcessState.ExitCode(); code != want {
		return 0, 0, fmt.Errorf("%s: exit %d, want %d: %w: %s", strings.Join(args, " "), code, want, err, b.lastWords())
	}
	return spent, most, nil
}

// watchMemory looks at a process's peak of resident bytes now and then until
// it has ended; 0 where there is no /proc.
func watchMemory(pid int, ended <-chan struct{}, seen chan<- int64) {
	var most int64
	for {
		select {
		case <-ended:
			seen <- most
			return
		case <-time.After(20 * time.Millisecond):
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, rest, ok := strings.Cut(string(text), "\nVmHWM:"); ok {
			var kb int64
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				most = max(most, kb<<10)
			}
		}
	}
}

// auditRows are a sweep over the whole history.
func (b *bench) auditRows(dir string, pairs int) ([]row, error) {
	commits, err := b.output(dir, "", "git", "rev-list", "--count", "--first-parent", "HEAD")
	if err != nil {
		return nil, err
	}
	first, err := b.output(dir, "", "git", "rev-list", "--max-parents=0", "--max-count=1", "HEAD")
	if err != nil {
		return nil, err
	}
	span := first + "..HEAD"
	var memory int64
	sweep := func() (took time.Duration, err error) {
		took, memory, err = b.exits(dir, 0, b.dos, "commit-audit", "--sweep", "--warn-only", span)
		return took, err
	}
	m, err := b.pairs(pairs, b.process(dir, b.start), b.process(dir, "git", "log", "--numstat", span), sweep)
	if err != nil {
		return nil, err
	}
	return []row{{
		what: "commit-audit --sweep, " + commits + " commits", product: m[2], start: m[0], git: m[1], target: 1.5,
		memory: memory,
	}}, nil
}
