package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const header = "# a header\n"

// start runs a shell script as a worker.
func start(t *testing.T, script string, change ...func(*Spec)) (*Run, string) {
	t.Helper()
	dir := t.TempDir()
	s := Spec{Command: []string{"sh", "-c", script}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}, Log: filepath.Join(dir, "log"), Grace: 5 * time.Second}
	for _, c := range change {
		c(&s)
	}
	r, err := Start(s, header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { killGroup(r.PID()) })
	return r, s.Log
}

func end(t *testing.T, r *Run) End {
	t.Helper()
	select {
	case <-r.Ended():
	case <-time.After(time.Minute):
		t.Fatal("the worker does not end")
	}
	return r.End(context.Background())
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func grace(d time.Duration) func(*Spec) { return func(s *Spec) { s.Grace = d } }

// child waits until a worker has written a process number to its log.
func child(t *testing.T, log string) int {
	t.Helper()
	for range 1000 {
		if text, ok := strings.CutPrefix(read(t, log), header); ok && strings.HasSuffix(text, "\n") {
			pid, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the worker says nothing")
	return 0
}

// runs reports whether a process is there and is no zombie.
func runs(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func gone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if !runs(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d runs on", pid)
}

func TestTheLogHoldsAllThatWasPrintedAndTheHeaderIsNoOutput(t *testing.T) {
	r, log := start(t, "echo out; echo err >&2; exit 3")
	e := end(t, r)
	if got := read(t, log); got != header+"out\nerr\n" {
		t.Errorf("the log is %q", got)
	}
	if e != (End{Status: 3, Output: 8}) {
		t.Errorf("it ended as %+v", e)
	}
	quiet, _ := start(t, ":")
	if e := end(t, quiet); e != (End{}) {
		t.Errorf("a worker that says nothing: %+v", e)
	}
}

func TestASignalIsNamed(t *testing.T) {
	r, _ := start(t, "kill -KILL $$")
	if e := end(t, r); e.Status != -1 || e.Signal != "KILL" {
		t.Errorf("%+v", e)
	}
}

func TestThePromptIsStandardInputAndWithoutOneThereIsNone(t *testing.T) {
	prompt := filepath.Join(t.TempDir(), "prompt")
	if err := os.WriteFile(prompt, []byte("do this"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, log := start(t, "cat", func(s *Spec) { s.Prompt = prompt })
	end(t, r)
	if got := read(t, log); got != header+"do this" {
		t.Errorf("the worker read %q", got)
	}
	none, log := start(t, "cat; echo over")
	end(t, none)
	if got := read(t, log); got != header+"over\n" {
		t.Errorf("without a prompt the worker read %q", got)
	}
}

func TestWhatAWorkerLeavesInItsGroupEndsWithIt(t *testing.T) {
	r, log := start(t, "sleep 300 & echo $!")
	pid := child(t, log)
	e := end(t, r)
	if e.Status != 0 {
		t.Errorf("%+v", e)
	}
	gone(t, pid)
}

func TestOneThatIgnoresTermIsKilledAfterItsGrace(t *testing.T) {
	r, log := start(t, `trap "" TERM; echo $$; while :; do sleep 0.05; done`, grace(200*time.Millisecond))
	child(t, log)
	if e := r.End(context.Background()); e.Signal != "KILL" {
		t.Errorf("%+v", e)
	}
}

func TestOneThatHeedsTermHasItsGrace(t *testing.T) {
	r, log := start(t, `trap "exit 7" TERM; echo $$; while :; do sleep 0.05; done`, grace(time.Minute))
	child(t, log)
	if e := r.End(context.Background()); e.Status != 7 || e.Signal != "" {
		t.Errorf("%+v", e)
	}
}

func TestOneThatIsStoppedIsWokenToEnd(t *testing.T) {
	r, log := start(t, `trap "exit 7" TERM; echo $$; while :; do sleep 0.05; done`, grace(time.Minute))
	pid := child(t, log)
	_ = unix.Kill(pid, unix.SIGSTOP)
	if e := r.End(context.Background()); e.Status != 7 {
		t.Errorf("%+v", e)
	}
}

func TestNobodyElseIsSignalled(t *testing.T) {
	other, log := start(t, "echo $$; exec sleep 300")
	bystander := child(t, log)
	r, log := start(t, `setsid sh -c 'echo $$; exec sleep 300' & wait`, grace(50*time.Millisecond))
	escaped := child(t, log)
	r.End(context.Background())
	for what, pid := range map[string]int{"another worker": bystander, "one that left the group": escaped} {
		if !runs(pid) {
			t.Errorf("%s was ended", what)
		}
	}
	_ = unix.Kill(escaped, unix.SIGKILL)
	other.End(context.Background())
}

func TestWhatCannotBeStartedLeavesNoProcess(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string][]string{"no program": {"no-such-program-at-all"}, "not executable": {plain}, "nothing": nil, "an empty word": {""}} {
		if err := Find(command, dir); !errors.Is(err, ErrNoProgram) {
			t.Errorf("%s is found: %v", name, err)
		}
	}
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("#!/no/such/interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(Spec{Command: []string{bad}, Dir: dir, Log: filepath.Join(dir, "log")}, header)
	if !errors.Is(err, ErrNoProgram) {
		t.Errorf("a script without its interpreter: %v", err)
	}
	if _, err := Start(Spec{Command: []string{"true"}, Dir: dir, Log: filepath.Join(dir, "log")}, header); err == nil || errors.Is(err, ErrNoProgram) {
		t.Errorf("the log of another worker was taken: %v", err)
	}
}

func TestAWorkerHasWhatIsListedAndNothingElse(t *testing.T) {
	env := Environ([]string{
		"PATH=/bin", "HOME=/h", "LC_ALL=C", "https_proxy=p", "GIT_AUTHOR_NAME=a", "MINE=1",
		"SECRET=s", "AWS_SECRET_ACCESS_KEY=k", "GIT_DIR=/x", "GIT_DOS_NONCE=theirs", "LCX=1", "PATHX=1",
	}, []string{"MINE", "GIT_DOS_NONCE"}, []string{"GIT_DOS_NONCE=ours"})
	want := []string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "https_proxy=p", "GIT_AUTHOR_NAME=a", "MINE=1", "GIT_DOS_NONCE=ours"}
	if !slices.Equal(env, want) {
		t.Errorf("%q, want %q", env, want)
	}
	r, log := start(t, "env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= -e ^OLDPWD=", func(s *Spec) { s.Env = env })
	end(t, r)
	got := strings.Fields(strings.TrimPrefix(read(t, log), header))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the worker sees %q, want %q", got, want)
	}
}
