package main

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/journal"
)

// A worker whose end is told is not over while its keeper still clears up after it: what
// is half removed is nothing that it left.
func TestAWorkerIsOverOnceItsKeeperIs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("whether a process has ended is told on linux")
		return
	}
	lives, err := host.Process(int64(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone, err := host.Process(int64(cmd.Process.Pid))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil {
		t.Fatal(err)
	}
	c := cli.NewContext(cli.NewApp(), flag.NewFlagSet("", flag.ContinueOnError), nil)
	at := now(c)
	for claim, is := range map[string]struct {
		keeper *host.Proc
		ended  time.Duration // ago, below 0 where nobody told
		live   bool
		want   bool
	}{
		"its keeper clears up":                      {&lives, 0, false, false},
		"its keeper has had all the time it takes":  {&lives, workerCleanup, false, true},
		"its keeper has ended, too":                 {&gone, 0, false, true},
		"nothing of it is left to look at":          {nil, 0, false, true},
		"nobody told, and its keeper lives":         {&lives, -1, true, false},
		"nobody told, and its keeper was killed":    {&gone, -1, true, true},
		"it is elsewhere, and its lease stands":     {nil, -1, true, false},
		"it is elsewhere, and its lease has lapsed": {nil, -1, false, true},
	} {
		s := &wavesSeen{c: c, node: "n", exits: map[string]journal.Row{}, live: map[string]bool{"x": is.live}, spawns: map[string]marker.Marker{}}
		if is.keeper != nil {
			s.spawns["r"] = marker.Marker{Node: "n", RunID: "r", Keeper: marker.Of(*is.keeper)}
		}
		if is.ended >= 0 {
			s.exits["r"] = journal.Row{RunID: "r", At: at.Add(-is.ended)}
		}
		if got := s.over(journal.Row{Op: journal.OpLaunch, RunID: "r", Nonce: "x"}); got != is.want {
			t.Errorf("%s: over is %v", claim, got)
		}
	}
}

// A worker that has just ended may have told of it since the ledgers were read.
func TestWhatIsGoneWasGoneBeforeTheLedgersWereRead(t *testing.T) {
	c := cli.NewContext(cli.NewApp(), flag.NewFlagSet("", flag.ContinueOnError), nil)
	launch := func(op, run string) journal.Row {
		return journal.Row{Op: op, WaveID: "w", Node: "n", RunID: run, Nonce: run}
	}
	s := &wavesSeen{
		c: c, node: "n", order: []string{"w"}, live: map[string]bool{"runs": true}, exits: map[string]journal.Row{"told": {RunID: "told"}},
		rows: map[string][]journal.Row{"w": {launch(journal.OpLaunch, "runs"), launch(journal.OpLaunch, "silent"), launch(journal.OpLaunch, "told"), launch(journal.OpHarvest, "done")}},
	}
	gone := s.gone("w")
	if len(gone) != 1 || !gone["silent"] {
		t.Errorf("%v are gone, want the silent one alone", gone)
	}
	for _, of := range []struct {
		gone   map[string]bool
		silent string
	}{{gone, string(waveGone)}, {nil, string(waveRunning)}} {
		got := map[string]string{}
		for _, w := range s.unharvested("w", of.gone) {
			got[w.RunID] = string(w.State)
		}
		if want := map[string]string{"runs": string(waveRunning), "silent": of.silent, "told": string(waveEnded)}; !maps.Equal(got, want) {
			t.Errorf("with %v gone: %v, want %v", of.gone, got, want)
		}
	}
}
