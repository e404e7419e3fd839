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
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/process"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/fleet"
)

// Of a worker's environment: what proves that a process is of a spawn. Of a launch
// it is [EnvLaunch] in place of the nonce: a loop rides no lease.
const (
	envRun   = "GIT_DOS_RUN_ID="
	envNonce = "GIT_DOS_NONCE="

	// EnvLaunch is the variable that a launched loop has its marker's nonce in.
	EnvLaunch = "GIT_DOS_LAUNCH"
)

// A View is what one look at the processes has shown.
type View struct {
	Started int             // workers of this node that run
	Threads int64           // of all processes
	Odd     []fleet.Process // run away, or left behind
	Own     []Owned         // all processes of this node's workers
}

// An Owned is a process of a worker that this node started, with the spawn it
// is of. Proc names it; it is zero where processes cannot be named.
type Owned struct {
	fleet.Process
	Proc  host.Proc
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
	v.Started = Started(node, spawns)
	for _, p := range all {
		if ctx.Err() != nil {
			return View{}, context.Cause(ctx)
		}
		v.add(ctx, node, p, spawns)
	}
	return v, nil
}

// Started counts the workers that run. A loop that was launched counts until a
// worker of it runs on its lane.
func Started(node string, spawns []marker.Marker) (n int) {
	working := map[string]bool{}
	for _, s := range spawns {
		if s.Node == node && !s.Launch && !s.Over(node) {
			working[s.Lane] = true
			n++
		}
	}
	for _, s := range spawns {
		if s.Node == node && s.Launch && !working[s.Lane] && !s.Over(node) {
			n++
		}
	}
	return n
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
	named, err := host.Process(row.PID)
	if err == nil {
		row.Start = named.Start
	}
	if spawn != nil {
		row.Own, row.Lane, row.RunID = true, spawn.Lane, spawn.RunID
		if left := leftBehind(node, *spawn, row); len(left) > 0 && !keeps(row, node, spawns) {
			if errors.Is(again(named), host.ErrNoProcess) {
				return // it ended with its worker, while it was looked at
			}
			row.Reasons = append(row.Reasons, left...)
		}
		v.Own = append(v.Own, Owned{row, named, *spawn})
	}
	if len(row.Reasons) > 0 {
		v.Odd = append(v.Odd, row)
	}
}

// again asks for a process once more.
func again(p host.Proc) error {
	now, err := host.Process(p.PID)
	if err == nil && now != p {
		err = host.ErrNoProcess
	}
	return err
}

// keeps reports whether a process looks after a worker: then it is not left over
// from the loop that it was part of.
func keeps(p fleet.Process, node string, spawns []marker.Marker) bool {
	return slices.ContainsFunc(spawns, func(s marker.Marker) bool {
		return s.Node == node && !s.Launch && s.Keeper.PID == p.PID && s.Keeper.Start == p.Start
	})
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
	run, nonce, launch := "", "", ""
	for _, e := range env {
		if value, ok := strings.CutPrefix(e, envRun); ok {
			run = value
		} else if value, ok := strings.CutPrefix(e, envNonce); ok {
			nonce = value
		} else if value, ok := strings.CutPrefix(e, EnvLaunch+"="); ok {
			launch = value
		}
	}
	for i, s := range spawns {
		proof := nonce
		if s.Launch {
			proof = launch
		}
		if s.Node == node && s.RunID == run && s.Nonce == proof {
			return &spawns[i]
		}
	}
	return nil
}
