//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A supervised fleet ends as announced, and its table has every lane.
func TestDemoShowsAFleet(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	// A process of its own: the supervisor starts the program that it is of, by its path.
	cmd := exec.CommandContext(ctx, "git-dos", "demo", "--fleet", "3")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Errorf("%v: %s", err, &errs)
	}
	for _, want := range []string{
		`(?m)^  api +is held by RID-`,
		`(?m)^  auth +ships [0-9a-f]{12}$`,
		`(?m)^  billing +RID-\S+ is CLAIM_NO_COMMIT: `,
		`(?m)^api +SHIPPED +SHIPPED +CLAIM_WITNESSED +CLAIM_WITNESSED$`,
		`(?m)^auth +SHIPPED +SHIPPED +CLAIM_WITNESSED +CLAIM_WITNESSED$`,
		`(?m)^billing +NOT_SHIPPED +NOT_SHIPPED +CLAIM_NO_COMMIT +CLAIM_NO_COMMIT$`,
		`(?m)^lanes still held: 0, processes left: 0$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("it does not print %s", want)
		}
	}
	if left := demoFleetFolders(t); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func demoFleetFolders(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "git-dos-demo-*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// An interrupt ends the supervisor and all that it launched, and removes the folder.
func TestDemoFleetIsInterrupted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	cmd := exec.Command("git-dos", "demo", "--fleet", "2")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer stuck.Stop()
	var seen []byte
	for buf := make([]byte, 4096); !bytes.Contains(seen, []byte("api          is held")); {
		n, err := out.Read(buf)
		if seen = append(seen, buf[:n]...); err != nil {
			t.Fatalf("%v after %s", err, seen)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status says how it ended
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("it ended with %d, want 130", code)
	}
	if left := demoFleetFolders(t); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	table, err := exec.Command("ps", "-A", "-o", "args").Output()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(table, []byte(os.TempDir())) {
		t.Errorf("it left processes:\n%s", table)
	}
}

func TestDemoFleetRefusesBadNumbers(t *testing.T) {
	for _, n := range []string{"-1", "0", "1", "17", "many"} {
		var out, errs bytes.Buffer
		code := run(context.Background(), []string{"git-dos", "demo", "--fleet", n}, streams{in: strings.NewReader(""), out: &out, err: &errs})
		if code != 2 || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("--fleet %s: exit %d: %s%s", n, code, &out, &errs)
		}
	}
}

// Whatever is not as announced is told, and is the exit status.
func TestFleetShowTellsWhatIsNotAsAnnounced(t *testing.T) {
	whole := func() fleetShow {
		return fleetShow{Lanes: []fleetLane{{"api", "SHOP/API1", "SHIPPED", "SHIPPED", "CLAIM_WITNESSED", "CLAIM_WITNESSED"}}, Supervisor: 130}
	}
	for claim, c := range map[string]struct {
		change func(*fleetShow)
		want   int
	}{
		"nothing shown is no verdict":       {func(s *fleetShow) { *s = fleetShow{Supervisor: 130} }, 2},
		"all as announced":                  {func(*fleetShow) {}, 0},
		"a unit that did not ship":          {func(s *fleetShow) { s.Lanes[0].Ended = "NOT_SHIPPED" }, 1},
		"a run that was graded another way": {func(s *fleetShow) { s.Lanes[0].Exit = "none" }, 1},
		"a lane that is held":               {func(s *fleetShow) { s.Held = []string{"api"} }, 1},
		"a process that is left":            {func(s *fleetShow) { s.Left = 1 }, 1},
		"a supervisor that was killed":      {func(s *fleetShow) { s.Supervisor = -1 }, 1},
	} {
		s := whole()
		c.change(&s)
		s.tell()
		if got := s.ExitCode(); got != c.want || (got == 1) != strings.Contains(s.String(), "not as announced: ") {
			t.Errorf("%s: exit %d, want %d\n%s", claim, got, c.want, s)
		}
	}
}

// The outcomes of a lane are as announced only where all of them are.
func TestDemoWatchGrades(t *testing.T) {
	w := newDemoWatch()
	w.exits["api"] = []string{"A", "A"}
	w.exits["web"] = []string{"A", "B", "A"}
	for lane, want := range map[string]string{"api": "A", "web": "B", "docs": "none"} {
		if got := w.graded(lane, "A"); got != want {
			t.Errorf("%s: %s, want %s", lane, got, want)
		}
	}
}

func TestFleetShowForMachines(t *testing.T) {
	s := fleetShow{Lanes: []fleetLane{}, Held: []string{}}
	data, err := json.Marshal(s)
	if want := `{"lanes":[],"supervisor":0,"held":[],"left":0}`; err != nil || string(data) != want {
		t.Errorf("%s, %v, want %s", data, err, want)
	}
}
