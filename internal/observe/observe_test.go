package observe

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lease"
)

func at(seconds int) lease.Instant {
	return lease.Instant{Boot: "one", At: int64(seconds) * int64(time.Second)}
}

// look is a read that took from one second to the other.
func look(t *testing.T, s Store, from, to lease.Instant, tips map[string]string) map[string]time.Duration {
	t.Helper()
	stood, err := s.Watch(from, to, tips)
	if err != nil {
		t.Fatal(err)
	}
	return stood
}

func TestWatch(t *testing.T) {
	a := map[string]string{"a": "1"}
	type read struct {
		from, to lease.Instant
		tips     map[string]string
	}
	other := func(seconds int) lease.Instant { i := at(seconds); i.Boot = "two"; return i }
	for _, tt := range []struct {
		claim string
		reads []read
		want  time.Duration
	}{
		{"what is seen first has stood for no time", []read{{at(1), at(2), a}}, 0},
		{"the watch runs from the end of the first read to the start of the last", []read{{at(1), at(4), a}, {at(10), at(99), a}}, 6 * time.Second},
		{"and goes on over others", []read{{at(1), at(2), a}, {at(5), at(6), a}, {at(9), at(9), a}}, 7 * time.Second},
		{"another tip begins anew", []read{{at(1), at(2), a}, {at(5), at(6), map[string]string{"a": "2"}}, {at(9), at(9), map[string]string{"a": "2"}}}, 3 * time.Second},
		{"one that was not seen for a while too", []read{{at(1), at(2), a}, {at(3), at(3), map[string]string{"b": "1"}}, {at(5), at(6), a}, {at(9), at(9), a}}, 3 * time.Second},
		{"a read that saw it while it was first seen adds nothing", []read{{at(1), at(4), a}, {at(2), at(6), a}}, 0},
		{"another boot begins anew", []read{{at(1), at(2), a}, {other(9), other(9), a}}, 0},
		{"and watches on", []read{{at(1), at(2), a}, {other(3), other(4), a}, {other(9), other(9), a}}, 5 * time.Second},
		{"a clock that went back begins anew", []read{{at(8), at(9), a}, {at(1), at(2), a}, {at(4), at(4), a}}, 2 * time.Second},
		{"without a clock nothing lasts", []read{{lease.Instant{}, lease.Instant{}, a}, {lease.Instant{At: 99}, lease.Instant{At: 99}, a}}, 0},
	} {
		s := At(filepath.Join(t.TempDir(), "seen.json"))
		var got map[string]time.Duration
		for _, r := range tt.reads {
			got = look(t, s, r.from, r.to, r.tips)
		}
		if got["a"] != tt.want {
			t.Errorf("%s: %s, want %s", tt.claim, got["a"], tt.want)
		}
	}
}

func TestNothingIsWrittenWhenNothingIsNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen.json")
	look(t, At(path), at(1), at(1), map[string]string{"a": "1", "b": "1"})
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	look(t, At(path), at(2), at(2), map[string]string{"a": "1"})
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Error("written all the same", err)
	}
}

// Whatever stands in the file, a lease is never taken to have stood longer than
// it was seen; at worst all is forgotten.
func TestRubbishIsForgotten(t *testing.T) {
	const fine = `{"v":1,"boot":"one","seen":{"a":{"tip":"1","at_ns":0}}}`
	for claim, content := range map[string]string{
		"nothing": "", "no JSON": "{", "a list": "[]", "another version": `{"v":2,"boot":"one","seen":{"a":{"tip":"1","at_ns":0}}}`,
		"of no boot": `{"v":1,"seen":{"a":{"tip":"1","at_ns":0}}}`, "from the future": `{"v":1,"boot":"one","seen":{"a":{"tip":"1","at_ns":9000000000000000000}}}`,
		"too much": fine + strings.Repeat(" ", maxFile), "before the boot": `{"v":1,"boot":"one","seen":{"a":{"tip":"1","at_ns":-9000000000000000000}}}`,
	} {
		path := filepath.Join(t.TempDir(), "seen.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := look(t, At(path), at(100), at(100), map[string]string{"a": "1"}); got["a"] != 0 {
			t.Errorf("%s: %s", claim, got["a"])
		}
		if got := look(t, At(path), at(103), at(103), map[string]string{"a": "1"}); got["a"] != 3*time.Second {
			t.Errorf("%s, after that: %s", claim, got["a"])
		}
	}
}

func TestWithoutAClockNothingIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen.json")
	look(t, At(path), lease.Instant{}, lease.Instant{}, map[string]string{"a": "1"})
	if _, err := os.Stat(path); err == nil {
		t.Error("written without a boot to count from")
	}
}

func TestTheMemoryIsBounded(t *testing.T) {
	tips := map[string]string{}
	for i := range maxRefs + 5 {
		tips[fmt.Sprint(i)] = "1"
	}
	s := At(filepath.Join(t.TempDir(), "seen.json"))
	look(t, s, at(1), at(1), tips)
	if n := len(s.read().Seen); n != maxRefs {
		t.Errorf("%d refs are remembered", n)
	}
}

// Nothing but a plain file is read: a pipe would keep its reader waiting.
func TestAFileOfAnotherKindIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen.json")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if m := At(path).read(); m.Seen != nil {
		t.Errorf("%+v", m)
	}
}

func TestAStoreThatCannotBeWrittenSaysSo(t *testing.T) {
	s := At(filepath.Join(t.TempDir(), "no", "such", "folder.json"))
	if stood, err := s.Watch(at(1), at(1), map[string]string{"a": "1"}); err == nil || len(stood) != 0 {
		t.Error(stood, err)
	}
}

// Processes that write at once, and are killed while they do, leave a file that
// can be read and in which nothing was seen before it was.
func TestProcessesWriteAtOnce(t *testing.T) {
	if dir := os.Getenv("OBSERVE_TEST_WRITER"); dir != "" {
		for i := 0; ; i++ {
			now := lease.Instant{Boot: "one", At: time.Now().UnixNano()}
			_, _ = At(dir).Watch(now, now, map[string]string{"a": "1", os.Getenv("OBSERVE_TEST_NAME"): fmt.Sprint(i)})
		}
	}
	path := filepath.Join(t.TempDir(), "seen.json")
	began := time.Now().UnixNano()
	for round := range 4 {
		var all []*exec.Cmd
		for w := range 4 {
			cmd := exec.Command(os.Args[0], "-test.run=^TestProcessesWriteAtOnce$")
			cmd.Env = append(os.Environ(), "OBSERVE_TEST_WRITER="+path, fmt.Sprintf("OBSERVE_TEST_NAME=w%d", w))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			all = append(all, cmd)
		}
		time.Sleep(150 * time.Millisecond)
		for _, cmd := range all {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		m := At(path).read()
		if seen, ok := m.Seen["a"]; !ok || seen.At < began || seen.At > time.Now().UnixNano() {
			t.Fatalf("round %d: %+v", round, m)
		}
	}
}

func BenchmarkWatch(b *testing.B) {
	s := At(filepath.Join(b.TempDir(), "seen.json"))
	tips := map[string]string{}
	for i := range 50 {
		tips[fmt.Sprintf("lane-%d", i)] = strings.Repeat("a", 40)
	}
	for b.Loop() {
		if _, err := s.Watch(at(1), at(1), tips); err != nil {
			b.Fatal(err)
		}
	}
}

// What cannot be put in its place is not left beside it.
func TestWhatCannotBeNotedLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seen.json")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := At(path).Watch(at(1), at(2), map[string]string{"a": "1"}); err == nil {
		t.Error("a folder was replaced")
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}
