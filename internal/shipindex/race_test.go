package shipindex_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/refstore"
)

var long = os.Getenv("GITDOS_LONG") != ""

// workerEnv names the directory in which the test binary, instead of testing,
// writes until it is killed.
const workerEnv = "GITDOS_TEST_SHIPINDEX"

func TestMain(m *testing.M) {
	if dir := os.Getenv(workerEnv); dir != "" {
		l := &line{ix: shipindex.Open(dir, key1), rng: rand.New(rand.NewPCG(uint64(os.Getpid()), 1))}
		for {
			if _, err := l.write(); err != nil && !errors.Is(err, shipindex.ErrNotWritten) {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// A line is one writer or reader of a straight history of maxTip commits, in
// which the tip says what all rows are.
type line struct {
	ix  *shipindex.Index
	rng *rand.Rand
}

const maxTip = 3000

var tipNumber = sync.OnceValue(func() map[refstore.OID]int {
	numbers := map[refstore.OID]int{}
	for i := range maxTip {
		numbers[id(i)] = i
	}
	return numbers
})

// write commits a random tip on a random base, or on none.
func (l *line) write() (tip int, err error) {
	base, tips := -1, l.ix.Candidates()
	if len(tips) > 0 && l.rng.IntN(8) > 0 {
		base = tipNumber()[tips[l.rng.IntN(len(tips))]]
	}
	if base == maxTip-1 {
		base = -1
	}
	tip = min(base+1+l.rng.IntN(40), maxTip-1)
	from := refstore.OID("")
	if base >= 0 {
		from = id(base)
	}
	return tip, tryWrite(l.ix, id(tip), from, history(base+1, tip-base)...)
}

var lineQueries = []shipindex.Query{{All: true}, {Takes: true}, {Any: [][]string{{"plan3", "p7"}}, IDs: []refstore.OID{id(2)}}}

// read asks something of a random tip. No answer is allowed, a wrong one never.
func (l *line) read() (answered bool, err error) {
	tips := l.ix.Candidates()
	if len(tips) == 0 {
		return false, nil
	}
	tip, q := tips[l.rng.IntN(len(tips))], lineQueries[l.rng.IntN(len(lineQueries))]
	found, err := search(l.ix, tip, q)
	if errors.Is(err, shipindex.ErrNoIndex) {
		return false, nil
	}
	if err == nil {
		err = sameRows(found, q, history(0, tipNumber()[tip]+1))
	}
	return true, err
}

func TestWritersAndReadersTogether(t *testing.T) {
	ix, _ := open(t)
	turns := 40
	if long {
		turns = 1000
	}
	var answered, written, writing atomic.Int64
	var wait sync.WaitGroup
	writing.Store(8)
	for i := range 16 {
		l := &line{ix: ix, rng: rand.New(rand.NewPCG(uint64(i), 2))}
		if i < 8 {
			wait.Go(func() {
				defer writing.Add(-1)
				for range turns {
					if _, err := l.write(); err == nil {
						written.Add(1)
					} else if !errors.Is(err, shipindex.ErrNotWritten) {
						t.Error(err)
					}
				}
			})
			continue
		}
		wait.Go(func() { // as long as anybody writes, and a while longer
			for left := turns; left > 0; {
				if ok, err := l.read(); err != nil {
					t.Error(err)
				} else if ok {
					answered.Add(1)
				}
				if writing.Load() == 0 {
					left--
				}
			}
		})
	}
	wait.Wait()
	t.Logf("%d written, %d answered", written.Load(), answered.Load())
	if written.Load() < int64(turns) || answered.Load() < int64(turns) {
		t.Error("too little of it worked to show anything")
	}
}

func TestKilledWritersLeaveNothingWrong(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ix, dir := open(t)
	l := &line{ix: ix, rng: rand.New(rand.NewPCG(7, 7))}
	kills, answers, temps := 12, 0, 0
	if long {
		kills = 400
	}
	for range kills {
		var workers []*exec.Cmd
		for range 2 {
			w := exec.Command(self)
			w.Env = append(os.Environ(), workerEnv+"="+dir)
			w.Stderr = os.Stderr
			if err := w.Start(); err != nil {
				t.Fatal(err)
			}
			workers = append(workers, w)
		}
		time.Sleep(time.Duration(40+l.rng.IntN(120)) * time.Millisecond)
		for _, w := range workers {
			_ = w.Process.Kill()
			_ = w.Wait()
		}
		for range 6 {
			ok, err := l.read()
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				answers++
			}
		}
		left, _ := filepath.Glob(filepath.Join(dir, "tmp-*"))
		temps = max(temps, len(left))
	}
	t.Logf("%d kills, %d answers, %d temporary files", 2*kills, answers, temps)
	if answers < kills {
		t.Error("too few answers to show anything")
	}
	left, _ := filepath.Glob(filepath.Join(dir, "tmp-*"))
	for _, tmp := range left {
		age(t, tmp, 2*time.Hour)
	}
	write(t, ix, id(0), "", history(0, 1)...)
	if left := strings.Join(names(dir), " "); strings.Contains(left, "tmp-") {
		t.Errorf("old temporary files are left: %s", left)
	}
}
