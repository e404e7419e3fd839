package gates

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/suite"
	"github.com/git-dos/git-dos/kernel/policy"
)

// build runs a shell command on a commit; each run leaves a mark.
func (f *field) build(commit, command string, timeout time.Duration) (hooks.Built, error) {
	f.t.Helper()
	gates := policy.Gates{CompileCommand: []string{"sh", "-c", "echo >> " + filepath.Join(f.dir, ".git", "runs") + "; " + command}, CompileTimeout: timeout}
	return f.site("", "", gates).Build(f.t.Context(), commit)
}

func (f *field) runs() int {
	data, _ := os.ReadFile(filepath.Join(f.dir, ".git", "runs"))
	return len(data)
}

func TestABuildIsOfTheCommitAndIsDoneOnce(t *testing.T) {
	f := newField(t)
	good := f.commit("good", "ok", "1\n")
	f.git("rm", "-q", "ok")
	bad := f.commit("bad")
	f.write("ok", "in the work tree alone")
	const test = "echo building; test -f ok"

	b, err := f.build(good, test, time.Minute)
	if err != nil || !b.Passed || b.Cached || b.Exit != 0 || b.Last != "building" || b.Tree != f.git("rev-parse", good+"^{tree}") {
		t.Errorf("%+v, %v", b, err)
	}
	if text, err := os.ReadFile(b.Output); err != nil || string(text) != "building\n" {
		t.Errorf("output %q, %v", text, err)
	}
	again := f.commit("the same files by another commit", "ok", "1\n")
	if b, err := f.build(again, test, time.Minute); err != nil || !b.Passed || !b.Cached || f.runs() != 1 {
		t.Errorf("the same tree: %+v, %v, %d runs", b, err, f.runs())
	}
	if b, err := f.build(good, test+" && true", time.Minute); err != nil || b.Cached || f.runs() != 2 {
		t.Errorf("another command: %+v, %v, %d runs", b, err, f.runs())
	}
	for n := range 2 {
		if b, err := f.build(bad, test, time.Minute); err != nil || b.Passed || b.Cached || b.Exit != 1 || f.runs() != 3+n {
			t.Errorf("one that fails is tried again: %+v, %v, %d runs", b, err, f.runs())
		}
	}
	if b, err := f.build(good, "echo slow; sleep 20", 200*time.Millisecond); err != nil || b.Passed || !b.TimedOut || b.Last != "slow" {
		t.Errorf("one that does not end: %+v, %v", b, err)
	}
}

func TestACachedBuildThatIsNotRightIsNone(t *testing.T) {
	f := newField(t)
	tip := f.git("rev-parse", "HEAD")
	b, err := f.build(tip, "true", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	record := strings.TrimSuffix(b.Output, ".log") + ".json"
	right, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	runs := f.runs()
	for _, wrong := range []string{
		"", "{}", "not json", strings.Replace(string(right), `"passed":true`, `"passed":false`, 1), strings.Replace(string(right), `"v":1`, `"v":2`, 1),
		strings.Replace(string(right), b.Tree, strings.Repeat("1", 40), 1), strings.Replace(string(right), `"digest":"`, `"digest":"0`, 1),
		strings.Replace(string(right), `"sh"`, `"bash"`, 1),
	} {
		if wrong == string(right) {
			t.Fatal("nothing was changed")
		}
		if err := os.WriteFile(record, []byte(wrong), 0o644); err != nil {
			t.Fatal(err)
		}
		if b, err := f.build(tip, "true", time.Minute); err != nil || b.Cached {
			t.Errorf("%q was believed: %+v, %v", wrong, b, err)
		}
		if runs++; f.runs() != runs {
			t.Errorf("%q: %d runs, want %d", wrong, f.runs(), runs)
		}
	}
	if b, err := f.build(tip, "true", time.Minute); err != nil || !b.Cached {
		t.Errorf("what was built last counts: %+v, %v", b, err)
	}
}

func TestABuildThatCannotBeIsAnError(t *testing.T) {
	f := newField(t)
	tip := f.git("rev-parse", "HEAD")
	if b, err := f.site("", "", policy.Gates{}).Build(t.Context(), tip); err == nil || !strings.Contains(err.Error(), "command") {
		t.Errorf("without a command: %+v, %v", b, err)
	}
	if b, err := f.build(strings.Repeat("9", 40), "true", time.Minute); err == nil {
		t.Errorf("a commit that is not here: %+v", b)
	}
	if b, err := f.build("HEAD", "true", time.Minute); err == nil {
		t.Errorf("no id: %+v", b)
	}
	gates := policy.Gates{CompileCommand: []string{"no-such-program-here"}, CompileTimeout: time.Minute}
	if b, err := f.site("", "", gates).Build(t.Context(), tip); !errors.Is(err, suite.ErrNoProgram) {
		t.Errorf("a program that is not here: %+v, %v", b, err)
	}
}

func TestOldBuildsMakeRoom(t *testing.T) {
	f := newField(t)
	b, err := f.build(f.git("rev-parse", "HEAD"), "true", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(b.Output)
	old := time.Now().Add(-time.Hour)
	for i := range 2*keptBuilds + 5 {
		name := filepath.Join(dir, strings.Repeat("0", 30)+string(rune('a'+i%26))+strings.Repeat("x", i/26)+".log")
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := prune(dir); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2*keptBuilds {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if _, err := os.Stat(b.Output); err != nil {
		t.Errorf("the newest is gone: %v", err)
	}
}
