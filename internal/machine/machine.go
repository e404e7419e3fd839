// Package machine looks at the machine that workers are started on: what it can
// bear, and which of its processes are out of order. Only a process that can be
// proved to be of a worker that this node started is called its own; others are
// told of and never touched.
//
// Process facts come from gopsutil, which knows the systems that this project
// does not: see docs/decisions/0016-process-facts.md.
package machine

import (
	"context"
	"fmt"
	"strings"

	"github.com/shirou/gopsutil/v4/process"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/fleet"
)

// Of a worker's environment: what proves that a process is of a spawn.
const (
	envRun   = "GIT_DOS_RUN_ID="
	envNonce = "GIT_DOS_NONCE="
)

// A View is what one look at the processes has shown.
type View struct {
	Started int             // workers of this node that run
	Threads int64           // of all processes
	Odd     []fleet.Process // run away, or left behind
	Own     []Owned         // all processes of this node's workers
}

// An Owned is a process of a worker that this node started, with the spawn it
// is of.
type Owned struct {
	fleet.Process
	Spawn marker.Marker
}

// Look reads the table of processes, and asks of each whose environment may be
// read whether it is of one of the spawns. A process that ends meanwhile is left
// out. It fails only where there is no table to read.
func Look(ctx context.Context, node string, spawns []marker.Marker) (View, error) {
	all, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return View{}, fmt.Errorf("the processes of this machine: %w", err)
	}
	if len(all) == 0 {
		return View{}, fmt.Errorf("the processes of this machine: none is shown, not even this one")
	}
	v := View{Odd: []fleet.Process{}}
	for _, s := range spawns {
		if s.Node == node && !s.Over(node) {
			v.Started++
		}
	}
	for _, p := range all {
		if ctx.Err() != nil {
			return View{}, context.Cause(ctx)
		}
		v.add(ctx, node, p, spawns)
	}
	return v, nil
}

func (v *View) add(ctx context.Context, node string, p *process.Process, spawns []marker.Marker) {
	threads, err := p.NumThreadsWithContext(ctx)
	if err != nil {
		return // it has ended, or is kept from us: then it is not ours either
	}
	v.Threads += int64(threads)
	row := fleet.Process{PID: int64(p.Pid), Threads: int64(threads)}
	if threads > fleet.MostThreads {
		row.Reasons = append(row.Reasons, fmt.Sprintf("has %d threads, more than %d", threads, fleet.MostThreads))
	}
	spawn := spawnOf(ctx, node, p, spawns)
	if spawn == nil && len(row.Reasons) == 0 {
		return
	}
	if row.Name, err = p.NameWithContext(ctx); err != nil {
		return
	}
	if named, err := host.Process(row.PID); err == nil {
		row.Start = named.Start
	}
	if spawn != nil {
		row.Own, row.Lane, row.RunID = true, spawn.Lane, spawn.RunID
		row.Reasons = append(row.Reasons, leftBehind(node, *spawn, row)...)
		v.Own = append(v.Own, Owned{row, *spawn})
	}
	if len(row.Reasons) > 0 {
		v.Odd = append(v.Odd, row)
	}
}

// leftBehind is why a process of a spawn should not be there any more.
func leftBehind(node string, s marker.Marker, p fleet.Process) []string {
	isWorker := s.Worker != nil && s.Worker.PID == p.PID && s.Worker.Start == p.Start
	switch {
	case s.Over(node):
		return []string{"outlived its worker"}
	case isWorker && s.Abandoned(node):
		return []string{"is a worker that nobody looks after: its git dos has ended"}
	}
	return nil
}

// spawnOf is the spawn that a process is of, nil where its environment does not
// name one of this node, by run and by nonce, or cannot be read.
func spawnOf(ctx context.Context, node string, p *process.Process, spawns []marker.Marker) *marker.Marker {
	if len(spawns) == 0 {
		return nil
	}
	env, err := p.EnvironWithContext(ctx)
	if err != nil {
		return nil
	}
	run, nonce := "", ""
	for _, e := range env {
		if value, ok := strings.CutPrefix(e, envRun); ok {
			run = value
		} else if value, ok := strings.CutPrefix(e, envNonce); ok {
			nonce = value
		}
	}
	for i, s := range spawns {
		if s.Node == node && s.RunID == run && s.Nonce == nonce {
			return &spawns[i]
		}
	}
	return nil
}
