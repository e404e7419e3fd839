package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

func TestClockRunsForwardInOneBoot(t *testing.T) {
	boot, at, err := Clock()
	if err != nil || boot == "" || at <= 0 {
		t.Fatal(boot, at, err)
	}
	again, later, err := Clock()
	if err != nil || again != boot || later < at {
		t.Errorf("%s %d, then %s %d %v", boot, at, again, later, err)
	}
	p, err := Process(int64(os.Getpid()))
	if err != nil || p.Boot != boot {
		t.Errorf("a process of boot %q, a clock of boot %q: %v", p.Boot, boot, err)
	}
}

func TestBootThatIsNotNamedIsAnError(t *testing.T) {
	for claim, files := range map[string]map[string]string{"missing": {}, "empty": {"sys/kernel/random/boot_id": "\n"}} {
		if boot, err := bootOf(folder(t, files)); err == nil {
			t.Errorf("%s: %q", claim, boot)
		}
	}
}

func TestGone(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	alive, err := Process(int64(cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if Gone(alive) {
		t.Error("a process that runs is gone")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if !Gone(alive) {
		t.Error("a process that ended is not gone")
	}
	own, err := Process(int64(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	for claim, tt := range map[string]struct {
		change func(*Proc)
		gone   bool
	}{
		"its number belongs to a later process": {func(p *Proc) { *p = own; p.Start = "1" }, true},
		"it was of another boot":                {func(p *Proc) { p.Boot = "other" }, false},
		"it counts in another namespace":        {func(p *Proc) { p.PIDNS = "pid:[1]" }, false},
		"its number is reused, in another boot": {func(p *Proc) { *p = own; p.Start, p.Boot = "1", "other" }, false},
		"its number is reused, elsewhere":       {func(p *Proc) { *p = own; p.Start, p.PIDNS = "1", "pid:[1]" }, false},
		"it has no number":                      {func(p *Proc) { p.PID = 0 }, false},
	} {
		p := alive
		tt.change(&p)
		if Gone(p) != tt.gone {
			t.Errorf("%s: gone is %v", claim, !tt.gone)
		}
	}
}

// A process that /proc hides lives as long as the kernel knows it.
func TestAHiddenProcessIsNotGone(t *testing.T) {
	own, parent := int64(os.Getpid()), int64(os.Getppid())
	p, err := Process(own)
	if err != nil {
		t.Fatal(err)
	}
	hiding := t.TempDir()
	for _, name := range []string{"self", strconv.FormatInt(own, 10), "sys"} {
		if err := os.Symlink(filepath.Join("/proc", name), filepath.Join(hiding, name)); err != nil {
			t.Fatal(err)
		}
	}
	// self must read as a number, as it does in /proc.
	_ = os.Remove(filepath.Join(hiding, "self"))
	if err := os.Symlink(strconv.FormatInt(own, 10), filepath.Join(hiding, "self")); err != nil {
		t.Fatal(err)
	}
	if _, err := processIn(hiding, own, own); err != nil {
		t.Fatal(err)
	}
	p.PID = parent
	if goneIn(hiding, own, p) {
		t.Error("a process that is only hidden is gone")
	}
	p.PID = 1 << 22 // above the largest number
	if !goneIn(hiding, own, p) {
		t.Error("a process that the kernel does not know either is not gone")
	}
}

// In another time namespace another time is counted, and nothing is told from it.
func TestBootOfATimeNamespace(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"sys/kernel/random", "self/ns"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "sys/kernel/random/boot_id"), []byte("id\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{"": "id", firstTimeNamespace: "id", "time:[7]": ""} {
		link := filepath.Join(dir, "self/ns/time")
		_ = os.Remove(link)
		if target != "" {
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
		}
		if boot, err := bootOf(dir); (err != nil) != (want == "") || boot != want {
			t.Errorf("in %q: %q %v", target, boot, err)
		}
	}
}

// A /proc that shows other processes, or none, proves nothing.
func TestGoneNeedsAProcOfItsOwn(t *testing.T) {
	own := int64(os.Getpid())
	p, err := Process(own)
	if err != nil {
		t.Fatal(err)
	}
	p.PID, p.Start = own+1_000_000, "1"
	if goneIn(t.TempDir(), own, p) || goneIn("/proc", own+1, p) {
		t.Error("gone by what cannot be looked at")
	}
	if !goneIn("/proc", own, p) {
		t.Errorf("process %s is none", strconv.FormatInt(p.PID, 10))
	}
}
