package fleet

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Host is what was found out about this machine. What is nil is not known,
// and bounds nothing.
type Host struct {
	Cores   *int64 `json:"cores"`
	FreeMB  *int64 `json:"free_mb"` // memory that a new process could have, MiB
	Threads *int64 `json:"threads"` // of all processes
	Cap     *int   `json:"cap"`     // said by the asker, in place of an estimate

	DiskMB *int64 `json:"disk_mb"` // free where worktrees and objects are written, MiB
	Inodes *int64 `json:"inodes"`  // free there
}

// What one worker needs of a machine, and what must be left of a disk. The
// figures are those that fleets were run with.
const (
	coresPerWorker   = 2
	mbPerWorker      = 1500
	threadsPerCore   = 400 // that a machine bears
	threadsPerWorker = 200

	leastDiskMB = 512
	leastInodes = 10000
)

// MostThreads is how many threads a process may have before it counts as run
// away.
const MostThreads = 2000

// check reports a number that cannot be.
func (h Host) check() error {
	if h.Cap != nil && (*h.Cap < 0 || *h.Cap > maxWorkers) {
		return fmt.Errorf("host cap %d is not between 0 and %d", *h.Cap, maxWorkers)
	}
	for _, x := range []struct {
		name string
		n    *int64
	}{{"cores", h.Cores}, {"free memory", h.FreeMB}, {"threads", h.Threads}, {"free disk", h.DiskMB}, {"free inodes", h.Inodes}} {
		if x.n != nil && *x.n < 0 {
			return fmt.Errorf("%s: %d is negative", x.name, *x.n)
		}
	}
	return nil
}

// A HostCapacity is how many workers a machine bears. Cap is nil where nothing
// is known that would bound it.
type HostCapacity struct {
	Cap     *int   `json:"host_cap"`
	Binding string `json:"binding"` // host, cores, ram, threads, or "" without a cap
	Terms   []Term `json:"components"`
}

// capacity never goes below 1, so that a busy machine gets on: what must not
// run at all is for the guard to say. The asker's own word may be 0.
func (h Host) capacity() HostCapacity {
	c := HostCapacity{Terms: []Term{}}
	if h.Cap != nil {
		c.Cap, c.Binding = h.Cap, "host"
		return c
	}
	term := func(name string, n int64) { c.Terms = append(c.Terms, Term{name, int(min(max(0, n), maxWorkers))}) }
	if h.Cores != nil {
		term("cores", *h.Cores/coresPerWorker)
	}
	if h.FreeMB != nil {
		term("ram", *h.FreeMB/mbPerWorker)
	}
	if h.Threads != nil && h.Cores != nil {
		term("threads", (min(*h.Cores, maxWorkers)*threadsPerCore-*h.Threads)/threadsPerWorker)
	}
	for _, t := range c.Terms {
		if n := max(1, t.Cap); c.Cap == nil || n < *c.Cap {
			c.Cap, c.Binding = &n, t.Name
		}
	}
	return c
}

// lack is the room that is missing on the disk, "" where there is enough, or
// where it is not known how much there is.
func (h Host) lack() string {
	switch {
	case h.DiskMB != nil && *h.DiskMB < leastDiskMB:
		return fmt.Sprintf("%d MiB are free on the disk of this repository; a worker needs %d", *h.DiskMB, leastDiskMB)
	case h.Inodes != nil && *h.Inodes < leastInodes:
		return fmt.Sprintf("%s free on the disk of this repository; a worker needs %d", verdict.Count(int(*h.Inodes), "file"), leastInodes)
	}
	return ""
}

// A Process is one that is out of order: run away, or left behind by what
// started it. Own is set where this node can prove that it started it; of the
// others it may be told, and no more.
type Process struct {
	PID     int64    `json:"pid"`
	Start   string   `json:"start"` // in the kernel's own ticks since the boot
	Name    string   `json:"name"`
	Threads int64    `json:"threads"`
	Reasons []string `json:"reasons"`
	Own     bool     `json:"own"`
	Lane    string   `json:"lane,omitempty"` // that it was started for
	RunID   string   `json:"run_id,omitempty"`
}

func (p Process) String() string {
	s := fmt.Sprintf("%d %s: %s", p.PID, verdict.Show(p.Name), strings.Join(p.Reasons, ", "))
	if p.Lane != "" {
		s += " (lane " + verdict.Show(p.Lane) + ")"
	}
	return s
}
