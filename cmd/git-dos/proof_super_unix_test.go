//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/marker"
	"github.com/git-dos/git-dos/kernel/super"
	"github.com/git-dos/git-dos/kernel/wave"
	"github.com/git-dos/git-dos/refstore"
)

// marathonWork is a worker that does what the test has it do: ship, lie, fail in
// earnest, be throttled, or stall until it is let go. It notes what it did.
const marathonWork = `cat >/dev/null
say() { printf '%0600d\n' 0; }
mode=$(cat "$W/mode")
echo "$mode $1" >>"$W/did"
case $mode in
ship)
  say; mkdir -p "$2"; echo "$1" >>"$2/work"
  git dos commit --lane "$2" --plan SHOP --phase "${1##*/}" -m "SHOP: ${1##*/}: serve it" "$2/work" || exit 9
  until mkdir "$W/lock" 2>/dev/null; do sleep 0.02; done
  git rebase -q main && git update-ref refs/heads/main HEAD; s=$?
  rmdir "$W/lock"; exit $s ;;
lie) say ;;
fail) say; exit 1 ;;
limit) say; exit 75 ;;
stall) say; until [ -e "$W/go" ]; do sleep 0.05; done; exit 1 ;;
esac
`

const marathonRules = `[lanes]
concurrent = ["l1", "l2", "l3"]
trees.l1 = ["l1/**"]
trees.l2 = ["l2/**"]
trees.l3 = ["l3/**"]
[heartbeats]
dispatcher = "1h"
[worker]
env_pass = ["GIT_DOS_NOW", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE", "W"]
[worker.exit]
rate_limited = [75]
[super]
settle = "0s"
`

// A marathon is a repository in which ticks come an hour apart, as fast as they can.
type marathon struct {
	t    *testing.T
	root string
	repo string
	hour int

	launched int
}

func newMarathon(t *testing.T, units int, rules string) *marathon {
	t.Helper()
	root := t.TempDir()
	m := &marathon{t: t, root: root, repo: filepath.Join(root, "repo")}
	var plan strings.Builder
	for i := range units {
		lane := fmt.Sprintf("l%d", i%3+1)
		fmt.Fprintf(&plan, "## %d. SHOP U%02d — serve it\nin %s/README\n", i+1, i+1, lane)
	}
	gitIn(t, root, m.env(), "init", "-q", "-b", "main", m.repo)
	for name, text := range map[string]string{
		"dos.toml": marathonRules + rules, "docs/shop-plan.md": plan.String(), "l1/README": "1", "l2/README": "2", "l3/README": "3", "../work.sh": marathonWork,
	} {
		path := filepath.Join(m.repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gitIn(t, m.repo, m.env(), "add", "-A")
	gitIn(t, m.repo, m.env(), "commit", "-q", "-m", "start")
	gitIn(t, m.repo, m.env(), "dos", "init")
	gitIn(t, m.repo, m.env(), "add", "-A")
	gitIn(t, m.repo, m.env(), "commit", "-q", "--allow-empty", "-m", "rules")
	return m
}

// env is that of the hour: everything happens five minutes into it.
func (m *marathon) env() []string {
	at := time.Date(2026, 1, 2, m.hour, 5, 0, 0, time.UTC).Format(time.RFC3339)
	env := []string{"W=" + m.root, "GIT_DOS_NOW=" + at, "GIT_AUTHOR_DATE=" + at, "GIT_COMMITTER_DATE=" + at, "HOME=" + m.root,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@example.com", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@example.com"}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "FLEET_") && name != "HOME" {
			env = append(env, kv)
		}
	}
	return env
}

// dos runs git-dos and reads its answer.
func (m *marathon) dos(answer any, args ...string) int {
	m.t.Helper()
	cmd := exec.Command("git-dos", append(args[:len(args):len(args)], "--json")...)
	if i := len(args) - 5; i > 0 && args[i] == "--" { // the words of a command come last
		cmd = exec.Command("git-dos", append(append(append([]string{}, args[:i]...), "--json"), args[i:]...)...)
	}
	var said strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = m.repo, m.env(), &said
	out, _ := cmd.Output() // the status is the verdict
	if err := json.Unmarshal(out, answer); err != nil {
		m.t.Fatalf("hour %d: git dos %s: status %d, %v: %s%s", m.hour, strings.Join(args, " "), cmd.ProcessState.ExitCode(), err, out, &said)
	}
	return cmd.ProcessState.ExitCode()
}

func (m *marathon) put(name, text string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.root, name), []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// tick is the tick of an hour whose workers do so, and its status.
func (m *marathon) tick(mode string) (superTickAnswer, int) {
	m.t.Helper()
	m.put("mode", mode)
	var a superTickAnswer
	code := m.dos(&a, "super", "tick", "--cadence", "1h", "--max-workers", "2", "--host-cap", "9", "--ttl", "12h", "--", "sh", filepath.Join(m.root, "work.sh"), "{unit}", "{lane}")
	for m.launched += a.Launches; m.total() < m.launched; time.Sleep(10 * time.Millisecond) {
		// they do what the mode was when they were launched
	}
	return a, code
}

// over waits until no worker runs.
func (m *marathon) over() {
	m.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		marks, err := filepath.Glob(filepath.Join(m.repo, ".git", "dos", "markers", "*.json"))
		if err == nil && len(marks) == 0 {
			return
		}
		if time.Now().After(end) {
			m.t.Fatalf("hour %d: workers run on: %v, %v", m.hour, marks, err)
		}
	}
}

// did counts what the workers did, by kind.
func (m *marathon) did() map[string]int {
	n := map[string]int{}
	data, _ := os.ReadFile(filepath.Join(m.root, "did"))
	for line := range strings.Lines(string(data)) {
		if kind, _, whole := strings.Cut(line, " "); whole {
			n[kind]++
		}
	}
	return n
}

func (m *marathon) total() (n int) {
	for _, of := range m.did() {
		n += of
	}
	return n
}

// Twenty-one ticks with workers that ship, lie, fail, stall and are throttled: a wave is as
// large as what the one before has proven, a flat throughput and waves that go wrong
// stop it until a person lifts that, and it ends when nothing is left to do. Launches,
// claims and ships are those that the workers themselves noted.
func TestAMarathonCountsWhatShips(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("whether a worker has ended is told on linux")
		return
	}
	m := newMarathon(t, 12, "")
	lift := func() { m.say("super", "resume", "--operator", "ann") }
	const flat, failed, drained = string(super.ThroughputFlat), string(super.SpawnFailures), string(super.BacklogDrained)
	for i, step := range []struct {
		mode, outcome string
		launches      int
		before        func()
	}{
		{"ship", superTicked, 1, nil},  // a cold fleet
		{"ship", superTicked, 2, nil},  // one has shipped
		{"lie", superTicked, 2, nil},   // and two more
		{"ship", superTicked, 2, nil},  // their claims did not hold: one rung back
		{"stall", superTicked, 2, nil}, // up again
		{"ship", superTicked, 1, nil},  // beside those that stall one lane is free
		{"ship", superTicked, 2, func() { m.put("go", ""); m.over() }},
		{"limit", superTicked, 2, nil},
		{"fail", superTicked, 2, nil}, // one rung back, and in the second hour nothing ships
		{"ship", flat, 0, nil},
		{"ship", flat, 0, nil},         // it stands, whatever the newest windows say
		{"lie", superTicked, 1, lift},  // anew, with one
		{"lie", superTicked, 1, nil},   // one drop back, to one again
		{"ship", failed, 0, nil},       // two in a row
		{"ship", superTicked, 1, lift}, // anew
		{"ship", superTicked, 1, nil},
		{"ship", superTicked, 0, nil}, // what is left has failed of late, and cools
		{"ship", string(super.OperatorStop), 0, func() { m.say("super", "stop", "--reason", "lunch", "--operator", "ann") }},
		{"ship", superTicked, 1, lift},
		{"ship", superTicked, 1, nil},
		{"ship", drained, 0, nil},
	} {
		m.hour = i
		if step.before != nil {
			step.before()
		}
		a, code := m.tick(step.mode)
		t.Logf("hour %2d %-6s %s, %d launched, rung %s: %s", i, step.mode, a.Outcome, a.Launches, a.Rung.Rung, a.Reason)
		if a.Outcome != step.outcome || a.Launches != step.launches || code != a.ExitCode() || a.Held != (code == 0) {
			t.Errorf("hour %d: %s, %d launched, status %d, held %v: %s", i, a.Outcome, a.Launches, code, a.Held, a.Reason)
		}
		if i != 4 && i != 5 {
			m.over()
		}
	}
	m.addsUp(21, drained)
}

// say runs a verb that has to succeed.
func (m *marathon) say(args ...string) {
	m.t.Helper()
	var answer any
	if code := m.dos(&answer, args...); code != 0 {
		m.t.Errorf("git dos %s: status %d, %v", strings.Join(args, " "), code, answer)
	}
}

// addsUp holds the report and the card against what the workers noted.
func (m *marathon) addsUp(ticks int, signal string) {
	m.t.Helper()
	did, all := m.did(), m.total()
	var r superReportAnswer
	m.dos(&r, "super", "report")
	if len(r.Ticks) != ticks || r.Launches != all || r.Ended != all || r.Claims != did["ship"]+did["lie"] || r.Ships != did["ship"] || string(r.Signal) != signal || len(r.Unread) > 0 {
		m.t.Errorf("%+v\nthey did %v", r, did)
	}
	launches, ended, ships := 0, r.Since.Ended, r.Since.Ships
	for _, t := range r.Ticks {
		launches, ended, ships = launches+t.Launches, ended+t.Ended, ships+t.Ships
	}
	if launches != r.Launches || ended != r.Ended || ships != r.Ships {
		m.t.Errorf("the lines add up to %d, %d and %d: %+v", launches, ended, ships, r)
	}
	var card superStatusAnswer
	m.dos(&card, "super", "status", "--host-cap", "9")
	if w := card.Windows[len(card.Windows)-1]; w.Launches != all || w.Claims == nil || *w.Claims != r.Claims || w.Ships != r.Ships {
		m.t.Errorf("%+v\nthey did %v", w, did)
	}
	out, err := exec.Command("git", "-C", m.repo, "log", "--format=%s", "main").Output()
	if n := strings.Count(string(out), "serve it"); err != nil || n != did["ship"] {
		m.t.Errorf("the trunk has %d of %d: %v", n, did["ship"], err)
	}
}

// A spawn that has not ended for twelve hours stops the ticks; the dispatcher stays in
// its place, and goes on once it is over.
func TestASpawnThatIsOverdueStopsTheTicks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("whether a worker has ended is told on linux")
		return
	}
	m := newMarathon(t, 3, "")
	if a, code := m.tick("stall"); code != 0 || a.Launches != 1 {
		t.Fatalf("%+v", a)
	}
	m.hour = 2
	if a, code := m.tick("ship"); code != 0 || a.Launches != 0 || !strings.Contains(a.Reason, "a worker of the last wave is at it") {
		t.Errorf("two hours later: status %d, %s: %s", code, a.Outcome, a.Reason)
	}
	m.hour = 12
	a, code := m.tick("ship")
	if code != 15 || a.Outcome != string(super.OverdueMarkers) || !a.Held || !strings.Contains(a.Reason, "was started 12h0m0s ago and has not ended") || a.Next != "git dos reclaim --evidence" {
		t.Errorf("status %d, %+v", code, a)
	}
	m.put("go", "")
	m.over()
	m.hour = 13
	if a, code := m.tick("ship"); code != 0 || a.Launches != 1 || a.Began {
		t.Errorf("after its end: status %d, %+v", code, a)
	}
	m.over()
}

// One tick at a time in a clone; and one that is killed leaves nothing to put right:
// the next goes on with its lane, and finds what it launched.
func TestTicksTakeTurnsAndOutliveAKill(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("whether a worker has ended is told on linux")
		return
	}
	m := newMarathon(t, 30, "")
	repo, err := refstore.Open(t.Context(), m.repo)
	if err != nil {
		t.Fatal(err)
	}
	unlock, held, err := repo.TryLock("super-tick.lock")
	if err != nil || held != nil {
		t.Fatal(held, err)
	}
	if a, code := m.tick("ship"); code != 3 || a.Reason != "another tick is at it in this clone" || a.Launches != 0 {
		t.Errorf("status %d, %+v", code, a)
	}
	unlock()

	for i, after := range []time.Duration{0, 20, 60, 150, 400} {
		m.hour = 2 * i
		m.cut(after * time.Millisecond)
		m.over()
		m.launched = m.total()
		m.hour++
		if a, code := m.tick("ship"); code != 0 || !a.Held {
			t.Errorf("after a kill %d ms behind its nonce: status %d, %+v", after, code, a)
		}
		m.over()
	}
	data, err := os.ReadFile(filepath.Join(m.root, "did"))
	if err != nil {
		t.Fatal(err)
	}
	for unit, n := range counted(string(data)) {
		if n != 1 {
			t.Errorf("%q %d times", unit, n)
		}
	}
	var r superReportAnswer
	if m.dos(&r, "super", "report"); r.Launches > m.total() || r.Ended != m.total() {
		t.Errorf("%+v, they did %v", r, m.did())
	}
}

// cut kills a tick a while after it has written down by what it will hold its lane.
func (m *marathon) cut(after time.Duration) {
	m.t.Helper()
	m.put("mode", "ship")
	kept := filepath.Join(m.repo, ".git", "dos", "leases", "*_dispatcher*.json")
	if held, _ := filepath.Glob(kept); len(held) > 0 {
		gitIn(m.t, m.repo, m.env(), "dos", "lease", "release", super.Lane, "-q")
	}
	cmd := exec.Command("git-dos", "super", "tick", "--cadence", "1h", "--max-workers", "2", "--host-cap", "9", "--", "sh", filepath.Join(m.root, "work.sh"), "{unit}", "{lane}")
	cmd.Dir, cmd.Env = m.repo, m.env()
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if held, _ := filepath.Glob(kept); len(held) > 0 {
			break
		}
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// counted counts lines.
func counted(text string) map[string]int {
	n := map[string]int{}
	for line := range strings.Lines(text) {
		n[line]++
	}
	return n
}

// kill ends every worker and its keeper at once, as a machine that goes down does.
func (m *marathon) kill() (n int) {
	m.t.Helper()
	repo, err := refstore.Open(m.t.Context(), m.repo)
	if err != nil {
		m.t.Fatal(err)
	}
	marks, err := marker.In(repo)
	if err != nil {
		m.t.Fatal(err)
	}
	spawns, unread, err := marks.List()
	if err != nil || len(unread) > 0 {
		m.t.Fatal(unread, err)
	}
	for _, s := range spawns {
		if s.Worker == nil {
			m.t.Fatalf("run %s has no process yet", s.RunID)
		}
		if err := errors.Join(syscall.Kill(int(s.Keeper.PID), syscall.SIGKILL), syscall.Kill(-int(s.Worker.PID), syscall.SIGKILL)); err != nil {
			m.t.Fatal(err)
		}
	}
	for _, s := range spawns {
		for end := time.Now().Add(time.Minute); !s.Over(s.Node); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				m.t.Fatalf("run %s goes on: keeper %v, worker %v", s.RunID, s.Keeper, s.Worker)
			}
		}
	}
	return len(spawns)
}

// rung is that of a launch by hand.
func (m *marathon) rung() wave.Rung {
	m.t.Helper()
	var a waveStatusAnswer
	m.dos(&a, "wave", "status")
	return a.Rung.Rung
}

// Room that was freed by a reclaim is tried with one worker: by the tick that reclaims,
// by a tick after an operator did, and by hand; one wave after it climbs again.
func TestAReclaimTakesTheRampToItsFirstRung(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("whether a worker has ended is told on linux")
		return
	}
	m := newMarathon(t, 15, "")
	step := func(hour int, mode string, move wave.Move, rung wave.Rung, reclaimed, launches int) {
		t.Helper()
		m.hour = hour
		a, code := m.tick(mode)
		if code != 0 || a.Climb == nil || a.Climb.Move != move || a.Rung.Rung != rung || a.Reclaimed != reclaimed || a.Launches != launches {
			t.Errorf("hour %d: status %d, %s, %d launched, %d reclaimed, %+v: %s", hour, code, a.Outcome, a.Launches, a.Reclaimed, a.Climb, a.Reason)
		}
	}
	step(0, "ship", wave.Stay, wave.Canary, 0, 1)
	m.over()
	step(1, "stall", wave.Promote, wave.Step, 0, 2)
	if n := m.kill(); n != 2 {
		t.Errorf("%d were killed", n)
	}
	m.hour = 15
	if rung := m.rung(); rung != wave.Step {
		t.Errorf("by hand before the reclaim: %s", rung)
	}
	step(15, "ship", wave.Restart, wave.Canary, 2, 1)
	m.over()
	if rung := m.rung(); rung != wave.Step {
		t.Errorf("by hand after a wave that tried it: %s", rung)
	}

	step(16, "stall", wave.Promote, wave.Step, 0, 2)
	m.kill()
	m.hour = 31
	if rung := m.rung(); rung != wave.Step {
		t.Errorf("by hand before an operator's reclaim: %s", rung)
	}
	m.say("reclaim", "--live")
	if rung := m.rung(); rung != wave.Canary {
		t.Errorf("by hand after an operator's reclaim: %s", rung)
	}
	step(31, "ship", wave.Restart, wave.Canary, 0, 1)
	m.over()
	if rung := m.rung(); rung != wave.Step {
		t.Errorf("by hand at the end: %s", rung)
	}
}
