package ledger

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// workerVar makes the test binary a worker of that kind.
const workerVar = "GITDOS_LEDGER_WORKER"

// runWorker does one thing again and again, once its standard input ends, and
// prints what it was promised: DIR NODE WHO TIMES.
func runWorker(name string, args []string) int {
	_, _ = os.Stdin.Read(make([]byte, 1))
	who, _ := strconv.Atoi(args[2])
	times, _ := strconv.Atoi(args[3])
	repo, err := refstore.Open(context.Background(), args[0])
	for n := 0; n < times && err == nil; n++ {
		err = workOnce(name, repo, args[1], who, n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, name, "worker:", err)
		return 1
	}
	return 0
}

func workOnce(name string, repo *refstore.Repo, node string, who, n int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	switch name {
	case "append":
		number := who*1000 + n
		a, err := Append(ctx, repo, node, row("ATTEMPT", number), row("EXIT", number))
		if err == nil {
			fmt.Println(a.First, number, a.Tip)
		}
		return err
	case "beat":
		beat := Beat{At: at.Add(time.Duration(n) * time.Second), RunID: fmt.Sprint("run", who)}
		wrote, err := RecordBeat(ctx, repo, node, fmt.Sprint("w", who), beat)
		fmt.Println(wrote)
		return err
	case "compact":
		id, err := Compact(ctx, repo, node, at, sum(0))
		fmt.Println(id)
		return err
	}
	return fmt.Errorf("no worker %q", name)
}

// A process is a worker that has been started.
type process struct {
	cmd   *exec.Cmd
	out   bytes.Buffer
	start func()
}

// worker starts a process that waits for its start.
func worker(t testing.TB, name string, args ...any) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(fmt.Sprintln(args...))
	p := &process{cmd: exec.Command(self, words...)}
	p.cmd.Env = append(os.Environ(), workerVar+"="+name)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.start = func() { in.Close() }
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// run starts all workers at once and waits for them.
func run(t testing.TB, workers ...*process) {
	t.Helper()
	for _, w := range workers {
		w.start()
	}
	for _, w := range workers {
		if err := w.cmd.Wait(); err != nil {
			t.Fatalf("worker %v: %v", w.cmd.Args[1:], err)
		}
	}
}

// promised are the rows that workers were told they had written, by place.
func promised(t testing.TB, workers ...*process) map[uint64]string {
	t.Helper()
	all := map[uint64]string{}
	for _, w := range workers {
		for line := range strings.SplitAfterSeq(w.out.String(), "\n") {
			f := strings.Fields(line)
			if len(f) != 3 || !strings.HasSuffix(line, "\n") {
				continue // what was cut short was not promised
			}
			seq, err := strconv.ParseUint(f[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			for i := range uint64(2) {
				if had := all[seq+i]; had != "" {
					t.Errorf("seq %d was promised to %s and %s", seq+i, had, f[1])
				}
				all[seq+i] = f[1]
			}
		}
	}
	return all
}

func TestOfSixteenProcessesAtOnceNoneLosesARow(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	var all []*process
	for who := 1; who <= 16; who++ {
		all = append(all, worker(t, "append", r.WorkTree, "n1", who, 4))
	}
	run(t, append(all, worker(t, "compact", r.WorkTree, "n1", 0, 5))...)
	want := promised(t, all...)
	total, sums := uint64(0), 0
	if _, err := Read(t.Context(), r, Query{History: true, Oldest: true}, func(e Entry) bool {
		total++
		if got := fmt.Sprintf("%d:%s", total, want[total]); numberOf(t, e) != got {
			t.Errorf("row %s, promised %s", numberOf(t, e), got)
		}
		return true
	}); err != nil || total != 16*4*2 || len(want) != 16*4*2 {
		t.Errorf("%d rows, %d promised: %v", total, len(want), err)
	}
	compact(t, r, "n1", 0)
	for _, s := range want {
		n, _ := strconv.Atoi(s)
		sums += n
	}
	got, _, err := numbers(t, r, Query{})
	if len(got) != 1 || got[0] != fmt.Sprintf("128:sum%d", sums) || err != nil {
		t.Errorf("folded to %v, want the sum %d: %v", got, sums, err)
	}
}

func TestOfSixteenProcessesAtOnceNoneLosesABeat(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	var all []*process
	for who := 1; who <= 16; who++ {
		all = append(all, worker(t, "beat", r.WorkTree, "n1", who, 3))
	}
	run(t, all...)
	nodes, _, err := Nodes(t.Context(), r, nil, nil)
	if err != nil || len(nodes) != 1 || len(nodes[0].Beats) != 16 {
		t.Fatalf("%+v, %v", nodes, err)
	}
	for who := 1; who <= 16; who++ {
		if b := nodes[0].Beats[fmt.Sprint("w", who)]; !b.At.Equal(at.Add(2*time.Second)) || b.RunID != fmt.Sprint("run", who) {
			t.Errorf("worker %d: %+v", who, b)
		}
	}
}

func TestKilledWriterLosesNothingItWasPromised(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for i := range 4 {
		a := worker(t, "append", r.WorkTree, "n1", i+1, 100000)
		b := worker(t, "compact", r.WorkTree, "n1", 0, 100000)
		a.start()
		b.start()
		time.Sleep(time.Duration(60+37*i) * time.Millisecond)
		for _, p := range []*process{a, b} {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
		want := promised(t, a)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if _, err := Append(ctx, r, "n1", row("EXIT", 0)); err != nil {
			t.Fatalf("after kill %d: %v", i, err)
		}
		cancel()
		if _, err := Read(t.Context(), r, Query{History: true}, func(e Entry) bool {
			if n, ok := want[e.Seq]; ok && numberOf(t, e) != fmt.Sprintf("%d:%s", e.Seq, n) {
				t.Errorf("row %s, promised %s", numberOf(t, e), n)
			}
			delete(want, e.Seq)
			return true
		}); err != nil || len(want) > 0 {
			t.Errorf("kill %d: %d promised rows are gone: %v", i, len(want), err)
		}
	}
}
