package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// superviseTester is git-dos for tests of a supervisor in a process of its own, which
// launches itself. Its verbs are twice, which acts on the same evidence two times, and
// ticks, which measures.
func superviseTester(ctx context.Context, args []string) int {
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	if len(args) > 1 && args[1] == "supervise" {
		return run(ctx, args, s)
	}
	var verbs []verb
	for name, do := range map[string]func(*supervising) error{"twice": superviseTwice, "ticks": superviseTicks} {
		verbs = append(verbs, verb{
			command: &cli.Command{Name: name, Usage: name, Flags: superviseVerb().command.Flags, Action: func(c *cli.Context) error {
				d, err := writingDesk(c)
				if err != nil {
					return err
				}
				s := &supervising{c: c, desk: d, flagged: map[string]bool{}, ticks: 1}
				if refused, err := s.admit(); refused != nil || err != nil {
					return fmt.Errorf("%v %w", refused, err)
				}
				defer s.end()
				return do(s)
			}},
			statuses: map[string][]status{name: {{Code: verdict.Yes, Meaning: "done"}}},
		})
	}
	return runApp(ctx, assemble(s, verbs), args, s)
}

// superviseTwice makes one plan, and has it enacted by two who do not know of each
// other.
func superviseTwice(s *supervising) error {
	b, err := loopRead(s.c)
	if err != nil {
		return err
	}
	plan, p, err := loopJudged(s.c, b, nil, false)
	if err != nil {
		return err
	}
	for range 2 {
		e := &enacting{supervising: s, book: b, policy: p, plan: plan, free: map[string]bool{}}
		var t superviseTick
		if err := e.enact(&t); err != nil {
			return err
		}
		for _, r := range t.Rows {
			fmt.Println(r.Lane, r.Result, r.RunID)
		}
		if err := superviseOver(s); err != nil {
			return err
		}
	}
	return nil
}

// superviseOver waits until all that was launched has ended, so that preflight has
// nothing against another.
func superviseOver(s *supervising) error {
	f, err := marker.In(s.desk.Repo)
	if err != nil {
		return err
	}
	for range 1000 {
		marks, _, err := f.List()
		if err != nil || !slices.ContainsFunc(marks, func(m marker.Marker) bool { return !m.Over(s.desk.Node) }) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("what was launched does not end")
}

// A superviseMeasure is what ticks have cost.
type superviseMeasure struct {
	Early, Late uint64        // bytes of heap in use, after the first ticks and the last
	Tick, Read  time.Duration // medians; of the time that one lease live takes
}

func superviseTicks(s *supervising) error {
	n := s.c.Int("max-ticks")
	heap := func() uint64 {
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var m superviseMeasure
	var ticks, reads []time.Duration
	for i := range n {
		began := time.Now()
		if t := s.tick(); t.err != nil {
			return t.err
		}
		ticks = append(ticks, time.Since(began))
		began = time.Now()
		if run(s.c.Context, []string{"git-dos", "lease", "live", "-q"}, streams{in: os.Stdin, out: io.Discard, err: os.Stderr}) != verdict.Yes {
			return fmt.Errorf("lease live fails")
		}
		reads = append(reads, time.Since(began))
		if i == max(2, n/10) {
			m.Early = heap()
		}
	}
	m.Late = heap()
	slices.Sort(ticks)
	slices.Sort(reads)
	m.Tick, m.Read = ticks[n/2], reads[n/2]
	return json.NewEncoder(os.Stdout).Encode(m)
}

// superviseRepo makes a repository with n lanes, a third of which are held.
func superviseRepo(t *testing.T, n int, extra string) string {
	t.Helper()
	dir := t.TempDir()
	var names, trees strings.Builder
	for i := range n {
		fmt.Fprintf(&names, "%q, ", fmt.Sprintf("l%d", i))
		fmt.Fprintf(&trees, "trees.l%[1]d = [\"l%[1]d/**\"]\n", i)
	}
	rules := fmt.Sprintf("[lanes]\nconcurrent = [%s]\n%s[supervise]\nworker_launch_template = \"sh -c true {lane}\"\n%s", names.String(), trees.String(), extra)
	gitIn(t, dir, nil, "init", "-q")
	gitIn(t, dir, nil, "config", "user.name", "worker")
	gitIn(t, dir, nil, "config", "user.email", "worker@example.com")
	gitIn(t, dir, nil, "commit", "-q", "--allow-empty", "-m", "start")
	superviseRun(t, dir, "git-dos", "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, nil, "add", "-A")
	gitIn(t, dir, nil, "commit", "-q", "-m", "rules")
	return dir
}

func superviseRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, said.String())
	}
	return string(out)
}

// Whoever acts on the same evidence makes the same request, and one worker comes of it.
func TestTheSameSpawnRequestTwiceGivesOneWorker(t *testing.T) {
	if runtime.GOOS != "linux" { // where the end of a process is not told, what was launched counts on
		t.Log("not on this system")
		return
	}
	dir := superviseRepo(t, 2, "")
	out := superviseRun(t, dir, "git-dos-test-supervise", "twice", "--target", "2", "--host-cap", "9")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d rows:\n%s", len(lines), out)
	}
	for i := range 2 {
		first, again := strings.Fields(lines[i]), strings.Fields(lines[i+2])
		if first[1] != didLaunch || again[1] != wasLaunched || first[0] != again[0] || first[2] != again[2] {
			t.Errorf("first %v, then %v", first, again)
		}
	}
	logs, err := filepath.Glob(filepath.Join(dir, ".git", "dos", "logs", "*.log"))
	if err != nil || len(logs) != 2 {
		t.Errorf("%d processes were started, %v", len(logs), err)
	}
}

// A supervisor may run for weeks: a tick leaves nothing behind, and costs no more than
// a few reads do. At full length it is 200 ticks on 50 lanes.
func TestTicksLeaveNothingBehind(t *testing.T) {
	lanes, ticks := 10, "12"
	if os.Getenv("GITDOS_LONG") != "" {
		lanes, ticks = 50, "200"
	}
	dir := superviseRepo(t, lanes, "")
	for i := 0; i < lanes; i += 3 {
		superviseRun(t, dir, "git-dos", "lease", "acquire", "-q", "--lane", fmt.Sprintf("l%d", i), "--ttl", "12h")
	}
	for i := range 20 { // history after the leases is walked once, and not for each of them
		gitIn(t, dir, nil, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("commit %d", i))
	}
	var m superviseMeasure
	out := superviseRun(t, dir, "git-dos-test-supervise", "ticks", "--target", "0", "--host-cap", "9", "--max-ticks", ticks)
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s ticks on %d lanes: heap %d KiB early, %d KiB late; a tick %v, lease live %v", ticks, lanes, m.Early>>10, m.Late>>10, m.Tick, m.Read)
	if m.Late > m.Early+m.Early/4+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", m.Early, m.Late)
	}
	if os.Getenv("GITDOS_LONG") != "" && m.Tick > 5*m.Read {
		t.Errorf("a tick takes %v, more than 5 times the %v of lease live", m.Tick, m.Read)
	}
}
