package ancestry

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// numstat reads commits by id and tells what each changed, one line a path.
func (r *repo) numstat(ids ...string) (string, error) {
	r.t.Helper()
	var list []refstore.OID
	for _, id := range ids {
		list = append(list, refstore.OID(id))
	}
	var b strings.Builder
	for c, err := range Numstat(context.Background(), r.runner(), Read(context.Background(), r.runner(), list)) {
		if err != nil {
			return b.String(), err
		}
		fmt.Fprintf(&b, "%s\n", c.Title)
		for _, f := range c.Files {
			fmt.Fprintf(&b, "  %q +%d -%d %s>%s", f.Path, f.Added, f.Deleted, f.OldMode, f.NewMode)
			if f.Same {
				b.WriteString(" same")
			}
			if f.Binary {
				b.WriteString(" binary")
			}
			b.WriteString("\n")
		}
	}
	return b.String(), nil
}

func (r *repo) wantNumstat(want string, ids ...string) {
	r.t.Helper()
	got, err := r.numstat(ids...)
	if err != nil || got != want {
		r.t.Errorf("got\n%s%v, want\n%s", got, err, want)
	}
}

func TestNumstatCountsWhatDiffersBesideWhiteSpace(t *testing.T) {
	r := newRepo(t)
	a := r.commit("root", r.tree("a.go", "a\nb\n", "b.bin", "x\x00y", "ws.py", "a  b\n", "gone", "1\n2\n"))
	tree := r.tree("a.go", "a\n\tb\n\n\n", "b.bin", "x\x00z", "ws.py", "a  b\n", "caf\xe9\n\t.go", "1\n", "empty", "", "blank", "\n \n")
	r.git("update-index", "--cacheinfo", "100755,"+r.git("rev-parse", a+":ws.py")+",ws.py")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+a+",sub")
	r.git("update-index", "--add", "--cacheinfo", "120000,"+r.feed("a.go", "hash-object", "-w", "--stdin")+",link")
	if tree == r.git("write-tree") {
		t.Fatal("the index was not changed")
	}
	b := r.commit("two", r.git("write-tree"), a)
	c := r.commit("three\nfolded\n\nbody", r.git("write-tree"), b)
	r.wantNumstat(`root
  "a.go" +2 -0 000000>100644
  "b.bin" +0 -0 000000>100644 binary
  "gone" +2 -0 000000>100644
  "ws.py" +1 -0 000000>100644
two
  "a.go" +0 -0 100644>100644
  "b.bin" +0 -0 100644>100644 binary
  "blank" +0 -0 000000>100644
  "caf\xe9\n\t.go" +1 -0 000000>100644
  "empty" +0 -0 000000>100644
  "gone" +0 -2 100644>000000
  "link" +1 -0 000000>120000
  "sub" +1 -0 000000>160000
  "ws.py" +0 -0 100644>100755 same
three folded
`, a, b, c)
}

func TestNumstatOfAMergeIsAgainstItsFirstParent(t *testing.T) {
	r := newRepo(t)
	root := r.commit("root", r.tree("a", "1\n"))
	left := r.commit("left", r.tree("a", "1\n", "l", "1\n"), root)
	right := r.commit("right", r.tree("a", "1\n", "r", "1\n"), root)
	both := r.tree("a", "1\n", "l", "1\n", "r", "1\n")
	r.wantNumstat("m\n  \"r\" +1 -0 000000>100644\nw\n  \"l\" +1 -0 000000>100644\n",
		r.commit("m", both, left, right), r.commit("w", both, right, left))
}

func TestNumstatTakesNoWordForBinary(t *testing.T) {
	r := newRepo(t)
	a := r.commit("root", r.tree("a.go", "a\n b\n"))
	b := r.commit("space", r.tree("a.go", "a\nb\n", ".gitattributes", "*.go -diff\n"), a)
	r.git("update-ref", "refs/heads/main", b)
	r.git("reset", "-q", "--hard")
	if got := r.git("diff-tree", "-r", "--numstat", a, b, "--", "a.go"); !strings.HasPrefix(got, "-\t-") {
		t.Fatalf("git counts %q: the attribute does nothing", got)
	}
	want := "space\n  \".gitattributes\" +1 -0 000000>100644\n  \"a.go\" +0 -0 100644>100644\n"
	r.wantNumstat(want, b)
	linked := filepath.Join(t.TempDir(), "linked")
	r.git("worktree", "add", "-q", "--detach", linked)
	r.dir = linked
	r.wantNumstat(want, b)
	r.dir = filepath.Join(linked, "sub")
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.wantNumstat(want, b)
}

// A NUL, a setting or the clone's own attributes do not make white space count,
// and what compilers write is not read as text.
func TestNumstatReadsAllButOpaqueFilesAsText(t *testing.T) {
	r := newRepo(t)
	a := r.commit("root", r.tree("a.go", "a\n b\n\x00", "a.dat", "a\x00\n", "a.pyc", "a\x00\n"))
	b := r.commit("space", r.tree("a.go", "a\nb\n\x00", "a.dat", "a\x00\nb\n", "a.pyc", "a \x00\n"), a)
	want := "space\n  \"a.dat\" +1 -0 100644>100644\n  \"a.go\" +0 -0 100644>100644\n  \"a.pyc\" +0 -0 100644>100644 binary\n"
	r.wantNumstat(want, b)
	r.git("config", "core.bigFileThreshold", "1")
	r.git("config", "diff.default.binary", "true")
	if err := os.WriteFile(filepath.Join(r.git("rev-parse", "--absolute-git-dir"), "info", "attributes"), []byte("* -diff\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := r.git("diff-tree", "-r", "--numstat", a, b, "--", "a.go"); !strings.HasPrefix(got, "-\t-") {
		t.Fatalf("git counts %q: the settings do nothing", got)
	}
	r.wantNumstat(want, b)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("GIT_DIR", r.git("rev-parse", "--absolute-git-dir"))
	t.Setenv("GIT_COMMON_DIR", os.Getenv("GIT_DIR"))
	r.wantNumstat(want, b)
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestNumstatOfWhatIsNotHereIsMissing(t *testing.T) {
	r := newRepo(t, "--object-format=sha256")
	root := r.commit("root", r.tree("a", "1\n"))
	tip := r.commit("tip", r.tree("a", "2\n"), root)
	r.wantNumstat("tip\n  \"a\" +1 -1 100644>100644\n", tip)
	for claim, id := range map[string]string{"a content": r.git("rev-parse", root+":a"), "a parent": root} {
		path := filepath.Join(r.dir, ".git", "objects", id[:2], id[2:])
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		if got, err := r.numstat(tip); !errors.Is(err, ErrMissing) {
			t.Errorf("without %s: %q, %v, want ErrMissing", claim, got, err)
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
	}
}

// commitsOf yields n commits without a parent, then err.
func commitsOf(id refstore.OID, n int, err error) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		for range n {
			if !yield(Commit{ID: id, Message: []byte("x")}, nil) {
				return
			}
		}
		if err != nil {
			yield(Commit{}, err)
		}
	}
}

func TestNumstatOfManyCommits(t *testing.T) {
	r := newRepo(t)
	id := refstore.OID(r.commit("x", r.tree()))
	const many = 3 * maxAhead
	broken := errors.New("broken")
	n := 0
	for _, err := range Numstat(context.Background(), r.runner(), commitsOf(id, many, broken)) {
		if err != nil {
			if err != broken || n != many {
				t.Errorf("after %d commits: %v, want %v after %d", n, err, broken, many)
			}
			return
		}
		n++
	}
	t.Errorf("%d commits and no error", n)
}

func TestNumstatEndsWithItsReader(t *testing.T) {
	r := newRepo(t)
	id := refstore.OID(r.commit("x", r.tree()))
	var asked atomic.Int32
	counted := func(yield func(Commit, error) bool) {
		for c, err := range commitsOf(id, 3*maxAhead, nil) {
			asked.Add(1)
			if !yield(c, err) {
				return
			}
		}
	}
	for range Numstat(context.Background(), r.runner(), counted) {
		for end := time.Now().Add(2 * time.Second); asked.Load() <= maxAhead && time.Now().Before(end); {
			time.Sleep(time.Millisecond) // until the asking side waits
		}
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	for _, err := range Numstat(ctx, r.runner(), commitsOf(id, 3*maxAhead, nil)) {
		cancel()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("a cancelled reading ended with %v", last)
	}
	bad := commitsOf("not an id", 1, nil)
	for _, err := range Numstat(context.Background(), r.runner(), bad) {
		if err == nil {
			t.Error("a commit without an id was asked about")
		}
	}
}

func TestShallowEdge(t *testing.T) {
	r := newRepo(t)
	root := r.commit("root", r.tree("a", "1\n"))
	tip := r.commit("tip", r.tree("a", "2\n"), root)
	r.git("update-ref", "refs/heads/main", tip)
	edge, err := ShallowEdge(context.Background(), r.runner())
	if err != nil || len(edge) != 0 {
		t.Errorf("edge of a whole history: %v, %v", edge, err)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--depth=1", "file://"+r.dir, clone)
	r.dir = clone
	edge, err = ShallowEdge(context.Background(), r.runner())
	if err != nil || len(edge) != 1 || !edge[refstore.OID(tip)] {
		t.Errorf("edge of a cut one: %v, %v, want %s", edge, err, tip)
	}
	if err := os.WriteFile(filepath.Join(clone, ".git", "shallow"), []byte("nonsense\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ShallowEdge(context.Background(), r.runner()); !errors.Is(err, ErrMissing) {
		t.Errorf("a broken list: %v, want ErrMissing", err)
	}
}

func TestAnswersOutOfTurnAreRefused(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	raw := ":100644 100644 " + a + " " + b + " M\x00p\x00"
	for claim, answers := range map[string]string{
		"another commit":            b + "\x00",
		"one more":                  a + "\x00" + b + "\x00",
		"a path before any commit":  raw,
		"a count before any commit": "1\t1\tp\x00",
		"a count for another path":  a + "\x00" + raw + "1\t1\tq\x00",
		"a record cut short":        a + "\x00:100644 100644 " + a + " " + b + " M\x00",
		"a malformed record":        a + "\x00:100644 M\x00p\x00",
		"no end of a field":         a,
	} {
		n := &numstat{child: &child{out: bufio.NewReader(strings.NewReader(answers))}, asked: make(chan CommitStat, 1)}
		n.asked <- CommitStat{Commit: Commit{ID: refstore.OID(a)}}
		close(n.asked)
		err := n.answers(context.Background(), func(CommitStat) bool { return true })
		if !errors.Is(err, ErrMissing) {
			t.Errorf("%s: %v, want ErrMissing", claim, err)
		}
	}
}

func TestCountsOutOfTurnAreRefused(t *testing.T) {
	at := &CommitStat{Files: []FileStat{{Path: "a"}, {Path: "b"}}}
	next, err := count(at, 0, "1\t2\tb")
	if err != nil || next != 2 || at.Files[1].Added != 1 || at.Files[1].Deleted != 2 {
		t.Errorf("b: %d, %v, %+v", next, err, at.Files)
	}
	for _, field := range []string{"1\t2\ta", "1\t2\tz", "1\t2", "x\t2\tb", "-\t2\tb", "-1\t2\tb", ""} {
		if _, err := count(&CommitStat{Files: slices.Clone(at.Files[1:])}, 0, field); !errors.Is(err, ErrMissing) {
			t.Errorf("%q: %v, want ErrMissing", field, err)
		}
	}
}
