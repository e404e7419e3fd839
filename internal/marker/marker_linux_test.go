package marker

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/host"
)

func folder(t *testing.T) Folder { return Folder{t.TempDir()} }

func self(t *testing.T) Proc {
	t.Helper()
	p, err := host.Process(int64(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	return Of(p)
}

func put(t *testing.T, f Folder, m Marker) {
	t.Helper()
	if err := f.Put(m); err != nil {
		t.Fatal(err)
	}
}

func listed(t *testing.T, f Folder) []Marker {
	t.Helper()
	all, unread, err := f.List()
	if err != nil || len(unread) > 0 {
		t.Fatalf("unread %v, %v", unread, err)
	}
	return all
}

func TestMarkersOfRunsAreKeptApart(t *testing.T) {
	f, me := folder(t), self(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, run := range []string{"a", "../../a", "a/b", strings.Repeat("x", 400)} {
		put(t, f, Marker{RunID: run, Lane: "api", Gen: 3, Nonce: "n" + run, Keeper: me, Worker: &me, Started: at})
	}
	put(t, f, Marker{RunID: "a", Nonce: "later", Keeper: me})
	all := listed(t, f)
	if len(all) != 4 {
		t.Fatalf("%d markers of 4 runs: %v", len(all), all)
	}
	for _, m := range all {
		if want := "n" + m.RunID; m.RunID != "a" && (m.Nonce != want || !m.Started.Equal(at) || *m.Worker != me) || m.RunID == "a" && m.Nonce != "later" {
			t.Errorf("run %q: %+v", m.RunID, m)
		}
		if err := f.Remove(m.RunID); err != nil {
			t.Error(err)
		}
	}
	if left := listed(t, f); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
	if err := f.Remove("a"); err != nil {
		t.Errorf("a marker that is not there: %v", err)
	}
}

func TestAFolderThatIsNotThereHoldsNoMarkers(t *testing.T) {
	if all := listed(t, Folder{filepath.Join(t.TempDir(), "none")}); len(all) != 0 {
		t.Errorf("%v", all)
	}
}

func TestWhatIsNoMarkerIsNamedAndNotLeftOut(t *testing.T) {
	f, me := folder(t), self(t)
	put(t, f, Marker{RunID: "good", Nonce: "n", Keeper: me})
	for name, text := range map[string]string{
		"torn.json":     `{"v":1,"run_id":"x`,
		"newer.json":    `{"v":2,"run_id":"x","nonce":"n","keeper":{"pid":1}}`,
		"nameless.json": `{"v":1,"nonce":"n","keeper":{"pid":1}}`,
		"huge.json":     `{"v":1,"run_id":"` + strings.Repeat("x", maxFile) + `"}`,
		"half.json.77":  `{`,
	} {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/dev/zero", filepath.Join(f.dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(f.dir, "dir.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	all, unread, err := f.List()
	if err != nil || len(all) != 1 || len(unread) != 6 {
		t.Errorf("%d read, unread %q, %v", len(all), unread, err)
	}
}

func TestAMarkerIsOverWhenKeeperAndWorkerHaveEnded(t *testing.T) {
	me := self(t)
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	named, err := host.Process(int64(child.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	other := Of(named)
	m := Marker{Node: "here", Keeper: other}
	state := func(what string, over, abandoned bool) {
		t.Helper()
		if m.Over("here") != over || m.Abandoned("here") != abandoned {
			t.Errorf("%s: over %v, abandoned %v", what, m.Over("here"), m.Abandoned("here"))
		}
	}
	state("the keeper runs", false, false)
	_ = child.Process.Kill()
	_ = child.Wait()
	state("the keeper has ended and there is no worker", true, false)
	if m.Over("there") || m.Abandoned("there") {
		t.Error("another node's was judged")
	}
	m.Worker = &me
	state("the worker runs on without its keeper", false, true)
	boot, space := me, me
	boot.Boot, space.PIDNS = "another", "pid:[1]"
	m.Worker = &boot
	state("a worker of another boot has ended", true, false)
	m.Worker = &space
	state("of a process in another pid namespace nothing is known", false, true)
}

func TestALeaseHasEndedWithTheRunThatTookIt(t *testing.T) {
	self, err := host.Process(int64(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	runs := Of(self)
	gone := runs
	gone.Boot = "another"
	over := func(run string) Marker { return Marker{Node: "n", RunID: run, Nonce: "x", Keeper: gone, Worker: &gone} }
	goesOn := Marker{Node: "n", RunID: "b", Nonce: "x", Keeper: runs}
	launch := over("a")
	launch.Launch = true
	for name, tt := range map[string]struct {
		all  []Marker
		want bool
	}{
		"its run is over":                {[]Marker{over("a")}, true},
		"and so is one that rode it":     {[]Marker{over("a"), over("b")}, true},
		"one that rode it goes on":       {[]Marker{over("a"), goesOn}, false},
		"only one that rode it is known": {[]Marker{over("b")}, false},
		"nothing is known":               {nil, false},
		"only its launch is known":       {[]Marker{launch}, false},
	} {
		if got := Ended(tt.all, "n", "a", "x"); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
		if Ended(tt.all, "elsewhere", "a", "x") || Ended(tt.all, "n", "a", "y") {
			t.Errorf("%s: of another node or lease", name)
		}
	}
}
