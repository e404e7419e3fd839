package refstore_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// workerVar names the worker that a re-executed test binary is to be.
const workerVar = "GITDOS_TEST_WORKER"

// long asks for the full sizes of the races and kills.
var long = os.Getenv("GITDOS_LONG") != ""

// full picks the size of a test for this run.
func full(short, full int) int {
	if long {
		return full
	}
	return short
}

var workers = map[string]func(args []string) error{
	"append": appendWorker,
	"create": createWorker,
	"move":   moveWorker,
}

func runWorker(name string, args []string) int {
	if err := workers[name](args); err != nil {
		fmt.Fprintln(os.Stderr, name, "worker:", err)
		return 1
	}
	return 0
}

// worker prepares a process of the given kind, with env added.
func worker(t testing.TB, name string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(elsewhere(), append(env, workerVar+"="+name)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// elsewhere is the environment without what binds it to one repository.
func elsewhere() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_DIR=") && !strings.HasPrefix(kv, "GIT_WORK_TREE=") {
			env = append(env, kv)
		}
	}
	return env
}

// A row is what an appended entry says of the chain it was decided on.
type row struct {
	Worker int          `json:"worker"`
	N      int          `json:"n"`
	Count  int          `json:"count"` // entries before it
	Saw    refstore.OID `json:"saw"`   // the tip before it
}

// appendOne appends a row to ref and returns its id.
func appendOne(ctx context.Context, r *refstore.Repo, a refstore.Authority, ref string, worker, n int) (refstore.OID, error) {
	name, _ := refstore.SplitRef(ref)
	u, err := r.Update(ctx, a, refstore.Query{Kinds: []string{name.Kind}}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		tip := s.Tip(ref)
		if tip.Err != nil {
			return nil, tip.Err
		}
		count := int(tip.Entry.Gen)
		b, err := json.Marshal(row{worker, n, count, tip.ID})
		if err != nil {
			return nil, err
		}
		return []refstore.Write{{Ref: ref, Entry: entry("APPEND", uint64(count+1), string(b))}}, nil
	})
	if err != nil {
		return "", err
	}
	return u.Wrote[0].New, nil
}

// authority opens the repository in dir and its local authority, or a remote.
func authority(dir, remote string) (*refstore.Repo, refstore.Authority, error) {
	r, err := refstore.Open(context.Background(), dir)
	if err != nil || remote == "" {
		if err != nil {
			return nil, nil, err
		}
		return r, r.Local(), nil
	}
	a, err := r.Remote(remote, "")
	return r, a, err
}

// appendWorker appends rows and prints the id of each acknowledged one.
// Arguments: dir, remote ("" is local), ref, worker number, how many.
func appendWorker(args []string) error {
	r, a, err := authority(args[0], args[1])
	if err != nil {
		return err
	}
	who, _ := strconv.Atoi(args[3])
	many, _ := strconv.Atoi(args[4])
	for n := range many {
		started := time.Now()
		id, err := appendOne(context.Background(), r, a, args[2], who, n)
		if err != nil {
			return fmt.Errorf("append %d: %w", n, err)
		}
		fmt.Println(id, time.Since(started).Microseconds())
	}
	return nil
}

// createWorker creates one ref per line of input, at most once each, and
// prints how its transaction ended. Arguments: dir, remote.
func createWorker(args []string) error {
	r, a, err := authority(args[0], args[1])
	if err != nil {
		return err
	}
	ctx := context.Background()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		ref := in.Text()
		id, err := r.WriteEntry(context.Background(), ref, "", entry("ACQUIRE", 1, `{}`))
		if err != nil {
			return err
		}
		o, err := transact(ctx, a, []refstore.Move{{Ref: ref, New: id}})
		if err != nil {
			return err
		}
		fmt.Printf("%s %s %v\n", o.Result, id, o.Err)
	}
	return in.Err()
}

// moveWorker moves a lane and the order together for ever and prints each
// acknowledged pair. Arguments: dir, remote, lane ref, order ref, how many.
func moveWorker(args []string) error {
	r, a, err := authority(args[0], args[1])
	if err != nil {
		return err
	}
	many, _ := strconv.Atoi(args[4])
	for range many {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		u, err := movePair(ctx, r, a, args[2], args[3])
		cancel()
		if err != nil {
			return err
		}
		fmt.Println(u.Wrote[0].New, u.Wrote[1].New)
	}
	return nil
}

// movePair appends to two refs in one transaction.
func movePair(ctx context.Context, r *refstore.Repo, a refstore.Authority, first, second string) (refstore.Update, error) {
	f, _ := refstore.SplitRef(first)
	s, _ := refstore.SplitRef(second)
	return r.Update(ctx, a, refstore.Query{Kinds: []string{f.Kind, s.Kind}}, func(now refstore.Snapshot) ([]refstore.Write, error) {
		var out []refstore.Write
		for _, ref := range []string{first, second} {
			tip := now.Tip(ref)
			if tip.Err != nil {
				return nil, tip.Err
			}
			out = append(out, refstore.Write{Ref: ref, Entry: entry("MOVE", tip.Entry.Gen+1, `{}`)})
		}
		return out, nil
	})
}

// transact runs one transaction under the authority's lock.
func transact(ctx context.Context, a refstore.Authority, moves []refstore.Move) (refstore.Outcome, error) {
	unlock, err := a.Lock(ctx)
	if err != nil {
		return refstore.Outcome{}, err
	}
	defer unlock()
	return a.Txn(ctx, moves), nil
}

// acked reads the ids a worker printed before it ended. A last line that was
// cut short was not acknowledged.
func acked(t testing.TB, out io.Reader) [][]string {
	t.Helper()
	b, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for line := range strings.SplitAfterSeq(string(b), "\n") {
		if text, whole := strings.CutSuffix(line, "\n"); whole {
			lines = append(lines, strings.Fields(text))
		}
	}
	return lines
}
