package refstore_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// TestEveryAcknowledgedAppendIsInTheChainOnExactlyTheEntriesBeforeIt races
// processes on one log while git packs, collects and writes beside them.
func TestEveryAcknowledgedAppendIsInTheChainOnExactlyTheEntriesBeforeIt(t *testing.T) {
	const ref, processes, each = "refs/dos/journal/log", 16, 50
	dir := committed(t)
	// Automatic maintenance from the disturber's own git, in the foreground.
	gitIn(t, dir, "config", "gc.auto", "50")
	stop := disturb(t, dir)
	started := time.Now()
	acks := raceAppends(t, dir, "", ref, processes, each)
	took := time.Since(started)
	disturbed := stop()
	verifyLog(t, localFixture(t, dir), ref, acks, processes*each)
	gitIn(t, dir, "fsck", "--strict")
	t.Logf("%d appends by %d processes in %.1f s = %.0f/s, slowest %s, beside %s", len(acks), processes, took.Seconds(),
		float64(len(acks))/took.Seconds(), slowest(acks), disturbed)
}

func TestEveryAcknowledgedAppendIsInTheChainOfARemote(t *testing.T) {
	t.Parallel()
	const ref = "refs/dos/journal/log"
	processes, each := full(4, 16), full(3, 10)
	root := t.TempDir()
	hub := hubAt(t, root)
	// Half of the processes share a clone.
	clones := make([]string, processes)
	for i := range clones {
		if i%2 == 1 {
			clones[i] = clones[i-1]
			continue
		}
		clones[i] = cloneOf(t, hub, nil)
	}
	started := time.Now()
	acks := raceAppendsIn(t, clones, "origin", ref, each)
	took := time.Since(started)
	f := localFixture(t, hub)
	verifyLog(t, f, ref, acks, processes*each)
	gitIn(t, hub, "fsck", "--strict")
	t.Logf("%d appends by %d processes in %.1f s = %.1f/s", len(acks), processes, took.Seconds(), float64(len(acks))/took.Seconds())
}

// An ack is an append a process was told had won.
type ack struct {
	worker, n int
	id        refstore.OID
	took      time.Duration
}

func slowest(acks []ack) time.Duration {
	return slices.MaxFunc(acks, func(a, b ack) int { return int(a.took - b.took) }).took
}

func raceAppends(t testing.TB, dir, remote, ref string, processes, each int) []ack {
	t.Helper()
	return raceAppendsIn(t, slices.Repeat([]string{dir}, processes), remote, ref, each)
}

// raceAppendsIn runs one append worker per folder and returns what they were
// acknowledged.
func raceAppendsIn(t testing.TB, dirs []string, remote, ref string, each int) []ack {
	t.Helper()
	outs := make([]bytes.Buffer, len(dirs))
	var cmds []*exec.Cmd
	for i, dir := range dirs {
		cmd := worker(t, "append", nil, dir, remote, ref, strconv.Itoa(i), strconv.Itoa(each))
		cmd.Stdout = &outs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	var acks []ack
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("worker %d: %v", i, err)
		}
		for n, f := range acked(t, &outs[i]) {
			us, _ := strconv.Atoi(f[1])
			acks = append(acks, ack{i, n, refstore.OID(f[0]), time.Duration(us) * time.Microsecond})
		}
	}
	return acks
}

// verifyLog walks the chain and holds each entry to what it says it was
// decided on.
func verifyLog(t testing.TB, f *fixture, ref string, acks []ack, want int) {
	t.Helper()
	tips := f.chain(t, ref)
	slices.Reverse(tips)
	if len(tips) != want || len(acks) != want {
		t.Errorf("%d entries and %d acknowledgements, want %d", len(tips), len(acks), want)
	}
	at := map[refstore.OID]row{}
	var before refstore.OID
	for i, tip := range tips {
		var r row
		if err := json.Unmarshal(tip.Entry.Payload, &r); err != nil {
			t.Fatal(err)
		}
		if r.Count != i || r.Saw != before || tip.Parent != before || tip.Entry.Gen != uint64(i+1) {
			t.Fatalf("entry %d stands on %s and was decided on %d entries up to %s", i, tip.Parent, r.Count, r.Saw)
		}
		at[tip.ID], before = r, tip.ID
	}
	for _, a := range acks {
		if r, ok := at[a.id]; !ok || r.Worker != a.worker || r.N != a.n {
			t.Errorf("append %d of worker %d was acknowledged as %s and is not in the chain", a.n, a.worker, a.id)
		}
	}
}

// disturb runs git beside the writers until stop is called, which says what
// was run. Two refs are written by git alone, one of them below refs/dos.
func disturb(t testing.TB, dir string) (stop func() string) {
	t.Helper()
	heads := []string{gitIn(t, dir, "rev-parse", "HEAD"), gitIn(t, dir, "rev-parse", "HEAD~")}
	var lines strings.Builder
	for i := range 40 {
		fmt.Fprintf(&lines, "start\nupdate refs/heads/noise/%d %s\nupdate refs/dos/noise/n%d %s\ncommit\n", i%3, heads[i/3%2], i%3, heads[i/3%2])
	}
	done := make(chan struct{})
	counts := make(chan string)
	loops := []struct {
		name, stdin string
		pause       time.Duration
		args        []string
	}{
		{"gc", "", 400 * time.Millisecond, []string{"gc", "--quiet"}},
		{"pack-refs", "", 30 * time.Millisecond, []string{"pack-refs", "--all"}},
		{"update-ref", lines.String(), 30 * time.Millisecond, []string{"update-ref", "--stdin"}},
	}
	for _, l := range loops {
		go func() {
			ran, failed := 0, 0
			for {
				select {
				case <-done:
					counts <- fmt.Sprintf("%d x %s (%d failed)", ran, l.name, failed)
					return
				default:
				}
				cmd := exec.Command("git", l.args...)
				cmd.Dir, cmd.Env, cmd.Stdin = dir, elsewhere(), strings.NewReader(l.stdin)
				if err := cmd.Run(); err != nil {
					failed++ // they collide with each other, which is theirs to do
				}
				ran++
				time.Sleep(l.pause)
			}
		}()
	}
	return func() string {
		close(done)
		var all []string
		for range loops {
			all = append(all, <-counts)
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
}

// TestOneCreateOfManyIsWon has clones create one ref at once, round after
// round. The losers are told that they lost, by type.
func TestOneCreateOfManyIsWon(t *testing.T) {
	sizes := map[string][2]int{"file": {16, full(4, 10)}, "http": {full(4, 16), full(2, 10)}, "git": {full(4, 16), full(2, 10)}, "ssh": {full(3, 8), full(1, 5)}}
	for _, by := range transports {
		t.Run(by.name, func(t *testing.T) {
			root := t.TempDir()
			hub := hubAt(t, root)
			url, config := by.serve(t, root)
			clones, rounds := sizes[by.name][0], sizes[by.name][1]
			racers := make([]racer, clones)
			for i := range racers {
				racers[i] = startRacer(t, cloneOf(t, url+"/hub.git", config))
			}
			started := time.Now()
			for round := range rounds {
				ref := fmt.Sprintf("refs/dos/lane/round%d", round)
				won := raceOnce(t, racers, ref)
				if got := gitIn(t, hub, "rev-parse", ref); len(won) != 1 || won[0] != got {
					t.Errorf("round %d: %d won (%v), the ref is at %s", round, len(won), won, got)
				}
			}
			t.Logf("%d clones, %d rounds, %.2f s a round", clones, rounds, time.Since(started).Seconds()/float64(rounds))
			gitIn(t, hub, "fsck", "--strict")
		})
	}
}

type racer struct {
	in  io.Writer
	out *bufio.Scanner
}

func startRacer(t *testing.T, dir string) racer {
	t.Helper()
	cmd := worker(t, "create", nil, dir, "origin")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("racer: %v", err)
		}
	})
	return racer{in, bufio.NewScanner(out)}
}

// raceOnce lets every racer create ref and returns the ids of those that won.
func raceOnce(t *testing.T, racers []racer, ref string) (won []string) {
	t.Helper()
	for _, r := range racers {
		fmt.Fprintln(r.in, ref)
	}
	for i, r := range racers {
		if !r.out.Scan() {
			t.Fatalf("racer %d ended: %v", i, r.out.Err())
		}
		f := strings.Fields(r.out.Text())
		switch f[0] {
		case "won":
			won = append(won, f[1])
		case "lost":
		default:
			t.Errorf("racer %d of %s: %s", i, ref, r.out.Text())
		}
	}
	return won
}
