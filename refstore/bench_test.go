package refstore_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// BenchmarkAppend is one writer in one process.
func BenchmarkAppend(b *testing.B) {
	f := localFixture(b, initRepo(b))
	for n := 0; b.Loop(); n++ {
		if _, err := appendOne(ctx, f.repo, f.auth, "refs/dos/journal/log", 0, n); err != nil {
			b.Fatal(err)
		}
	}
}

// appendProcesses makes appends, each a new process, in as many lanes at once
// as given, and returns the rate and the time of each append.
func appendProcesses(b *testing.B, lanes, total int) (perSecond float64, each []time.Duration) {
	b.Helper()
	dir := initRepo(b)
	var mu sync.Mutex
	var wait sync.WaitGroup
	started := time.Now()
	for lane := range lanes {
		wait.Go(func() {
			for range total / lanes {
				begin := time.Now()
				if err := worker(b, "append", nil, dir, "", "refs/dos/journal/log", strconv.Itoa(lane), "1").Run(); err != nil {
					b.Error(err)
				}
				mu.Lock()
				each = append(each, time.Since(begin))
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	perSecond = float64(len(each)) / time.Since(started).Seconds()
	if n := len(localFixture(b, dir).chain(b, "refs/dos/journal/log")); n != len(each) {
		b.Errorf("%d entries for %d appends", n, len(each))
	}
	slices.Sort(each)
	return perSecond, each
}

// BenchmarkAppend16Processes compares 16 writers at once with one, each append
// a new process.
func BenchmarkAppend16Processes(b *testing.B) {
	for b.Loop() {
		one, _ := appendProcesses(b, 1, 64)
		many, each := appendProcesses(b, 16, 16*16)
		b.ReportMetric(many/one, "rate/one-writer")
		b.ReportMetric(float64(each[len(each)-1])/float64(each[len(each)/2]), "slowest/median")
		b.ReportMetric(many, "appends/s")
	}
}

// BenchmarkLocalRead50 reads 50 lanes; git's own listing of them is the
// measure.
func BenchmarkLocalRead50(b *testing.B) {
	f := localFixture(b, initRepo(b))
	var writes []refstore.Write
	for i := range 50 {
		writes = append(writes, refstore.Write{Ref: fmt.Sprintf("refs/dos/lane/l%02d", i), Entry: entry("ACQUIRE", 1, `{"holder":"worker"}`)})
	}
	if _, err := f.repo.Update(ctx, f.auth, queryFor(laneRef), func(refstore.Snapshot) ([]refstore.Write, error) { return writes, nil }); err != nil {
		b.Fatal(err)
	}
	var ours, git time.Duration
	for b.Loop() {
		begin := time.Now()
		if s, err := f.auth.Read(ctx, queryFor(laneRef)); err != nil || len(s.List("lane")) != 50 {
			b.Fatal(err)
		}
		between := time.Now()
		cmd := exec.Command("git", "for-each-ref", "refs/dos")
		cmd.Dir, cmd.Env = f.raw, elsewhere()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		ours, git = ours+between.Sub(begin), git+time.Since(between)
	}
	b.ReportMetric(float64(ours)/float64(git), "x-for-each-ref")
}
