package ancestry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// forgeries are messages that would break a reader of printed records.
func forgeries(victim string) []string {
	return []string{
		"x\u2028" + victim + " AUTH: AUTH9\n",
		"x\v" + victim + "\f" + victim + "\u0085y\n",
		"x\n\n" + victim + " commit 12\ntree " + victim + "\n\nAUTH: AUTH9\n",
		victim + " missing\n",
		"a\x00" + victim + " commit 3\nabc\n\x00",
		"\x00\x00\n\n--END--\n",
		"caf\xe9 \xff\xfe\n",
		"",
		"\n",
		"no newline at the end",
		strings.Repeat("long line ", 120_000) + "\n",
	}
}

func TestNoMessageCanForgeARecord(t *testing.T) {
	r := newRepo(t)
	tree := r.tree("a", "1")
	tip := r.commit("root\n", tree)
	want := map[string]string{tip: "root\n"}
	for _, message := range forgeries(tip) {
		tip = r.commit(message, tree, tip)
		want[tip] = message
	}
	commits, _, err := r.walk(tip)
	if err != nil || len(commits) != len(want) {
		t.Fatalf("walk: %d commits, %v; want %d", len(commits), err, len(want))
	}
	for _, c := range commits {
		if string(c.Message) != want[string(c.ID)] || string(c.Tree) != tree {
			t.Errorf("commit %s: message %.80q, want %.80q", c.ID, c.Message, want[string(c.ID)])
		}
	}
}

func TestOnlyParentLinesAfterTheTreeAreParents(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	hidden, root := r.commit("hidden\n", tree), r.commit("root\n", tree)
	ident := "w <w@example.com> 1700000100 +0000\n"
	tip := r.object("tree " + tree + "\nparent " + root + "\nauthor " + ident + "committer " + ident +
		"gpgsig -----BEGIN\n parent " + hidden + "\n\x20\n end\nparent " + hidden + "\nencoding latin1\n\nm\n")
	commits, _, err := r.walk(tip)
	if err != nil || ids(commits) != tip+"\n"+root {
		t.Fatalf("walk: %v, %v", ids(commits), err)
	}
	if c := commits[0]; len(c.Parents) != 1 || c.Encoding != "latin1" || string(c.Message) != "m\n" || c.CommitTime.Unix() != 1700000100 {
		t.Errorf("read %+v", c)
	}
}

func TestEveryParentOfAnOctopusIsWalkedOnce(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	root := r.commit("root\n", tree)
	var arms []string
	for i := range 5 {
		arms = append(arms, r.commit(fmt.Sprintf("arm %d\n", i), tree, root))
	}
	other := r.commit("other root\n", tree)
	tip := r.commit("octopus\n", tree, append(arms, other)...)
	commits, boundary, err := r.walk(tip)
	if err != nil || len(boundary) != 0 || len(commits) != 8 || len(commits[0].Parents) != 6 {
		t.Fatalf("walk: %d commits, boundary %v, %v", len(commits), boundary, err)
	}
}

func TestNoCommitComesBeforeAChildWhateverTheDatesSay(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	at := func(when int, message string, parents ...string) string {
		r.time = when
		return r.commit(message, tree, parents...)
	}
	root := at(900, "root\n")
	side := at(1, "side\n", root)
	main := at(500, "main\n", root)
	tip := at(2, "tip\n", main, side)
	commits, _, err := r.walk(tip)
	seen := map[refstore.OID]bool{}
	for _, c := range commits {
		for _, p := range c.Parents {
			if seen[p] {
				t.Errorf("%s came before its child %s", p, c.ID)
			}
		}
		seen[c.ID] = true
	}
	if err != nil || len(commits) != 4 {
		t.Errorf("walk: %d commits, %v", len(commits), err)
	}
}

func TestReplaceRefsAndGraftsChangeNothing(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	root := r.commit("root\n", tree)
	tip := r.commit("tip\n", tree, root)
	forged := r.commit("AUTH: AUTH9\n", tree, root)
	want := tip + "\n" + root

	r.git("replace", tip, forged)
	if err := os.WriteFile(filepath.Join(r.dir, ".git", "info", "grafts"), []byte(root+" "+forged+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := r.git("-c", "advice.graftFileDeprecated=false", "rev-list", tip); !strings.Contains(got, forged) && !strings.Contains(r.git("show", "-s", "--format=%s", tip), "AUTH9") {
		t.Fatal("the forgery does not work on plain git, so the test proves nothing")
	}
	if commits, _, err := r.walk(tip); err != nil || ids(commits) != want {
		t.Errorf("walk: %s, %v; want %s", ids(commits), err, want)
	}
	if ok, err := ReachesAll(context.Background(), r.runner(), refstore.OID(tip), []refstore.OID{refstore.OID(forged)}); ok || err != nil {
		t.Errorf("ReachesAll: %v, %v", ok, err)
	}
}

func TestConfigurationChangesNothing(t *testing.T) {
	r := newRepo(t)
	tree := r.tree("a", "1")
	root := r.commit("root\n", tree)
	tip := r.commit("tip\n", r.tree("b", "1"), root)
	for _, kv := range []string{"color.ui=always", "log.date=relative", "log.showSignature=true", "log.follow=true", "log.decorate=full",
		"format.pretty=oneline", "diff.renames=copies", "diff.noprefix=true", "core.quotePath=true", "log.showRoot=false", "diff.relative=true",
		"diff.external=false", "core.commitGraph=true", "i18n.logOutputEncoding=latin1"} {
		key, value, _ := strings.Cut(kv, "=")
		r.git("config", key, value)
	}
	commits, _, err := r.walk(tip)
	if err != nil || ids(commits) != tip+"\n"+root {
		t.Fatalf("walk: %s, %v", ids(commits), err)
	}
	if got := changes(t, r, commits...); got != "a b | a" {
		t.Errorf("changed %q", got)
	}
}

func TestAWalkIsHeldToTheObjects(t *testing.T) {
	tip := Commit{ID: "t", Parents: []refstore.OID{"p"}}
	for name, c := range map[string]struct {
		listed   []Commit
		want     error
		boundary string
	}{
		"all parents reached":         {[]Commit{tip, {ID: "p"}}, nil, "[]"},
		"a parent not reached":        {[]Commit{tip}, nil, "[t]"},
		"a commit nobody names":       {[]Commit{tip, {ID: "x"}}, ErrMissing, "[]"},
		"a commit before its child":   {[]Commit{{ID: "p"}, tip}, ErrMissing, "[]"},
		"a commit twice":              {[]Commit{tip, {ID: "p"}, {ID: "p"}}, ErrMissing, "[]"},
		"nothing, not even the tip":   {nil, ErrMissing, "[]"},
		"a missing parent of several": {[]Commit{{ID: "t", Parents: []refstore.OID{"a", "b"}}, {ID: "a", Parents: []refstore.OID{"p"}}, {ID: "b", Parents: []refstore.OID{"p"}}}, nil, "[a b]"},
	} {
		log := &Log{tip: "t"}
		expected := map[refstore.OID][]refstore.OID{"t": nil}
		var err error
		for _, listed := range c.listed {
			if err = follow(expected, listed); err != nil {
				break
			}
		}
		if err == nil {
			err = log.close(expected)
		}
		if !errors.Is(err, c.want) || fmt.Sprint(log.Boundary()) != c.boundary {
			t.Errorf("%s: boundary %v, %v; want %s, %v", name, log.Boundary(), err, c.boundary, c.want)
		}
	}
}

func TestAShallowHistoryReportsItsEdge(t *testing.T) {
	r := newRepo(t)
	tree := r.tree("a", "1")
	root := r.commit("root\n", tree)
	cut := r.commit("cut\n", tree, root)
	side := r.commit("side\n", tree, root)
	tip := r.commit("tip\n", r.tree("b", "2"), cut, side)
	r.git("update-ref", "refs/heads/main", tip)
	r.git("clone", "-q", "--depth=2", "file://"+r.dir, filepath.Join(r.dir, "shallow"))
	s := &repo{t: t, dir: filepath.Join(r.dir, "shallow")}

	commits, boundary, err := s.walk(tip)
	if err != nil || len(commits) != 3 || len(boundary) != 2 {
		t.Fatalf("walk: %d commits, boundary %v, %v", len(commits), boundary, err)
	}
	if commits[1].Parents[0] != refstore.OID(root) {
		t.Errorf("the parents of an edge commit are %v, want those of its object", commits[1].Parents)
	}
	if got := changedErr(s, commits[1]); !errors.Is(got, ErrMissing) {
		t.Errorf("what an edge commit changed: %v, want ErrMissing", got)
	}
	for from, want := range map[string]bool{tip: true, cut: false} {
		if ok, err := ReachesAll(context.Background(), s.runner(), refstore.OID(from), boundary); ok != want || err != nil {
			t.Errorf("ReachesAll(%s) = %v, %v; want %v", from, ok, err, want)
		}
	}
	t.Setenv("GIT_SHALLOW_FILE", os.DevNull)
	if _, _, err := s.walk(tip); !errors.Is(err, ErrMissing) {
		t.Errorf("with the shallow file hidden: %v, want ErrMissing", err)
	}
}

func TestAMissingCommitIsNoEndOfHistory(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	root := r.commit("root\n", tree)
	middle := r.commit("middle\n", tree, root)
	tip := r.commit("tip\n", tree, middle)
	path := filepath.Join(r.dir, ".git", "objects", middle[:2], middle[2:])
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(path, 0o644)
	for name, damage := range map[string]func() error{
		"gone":  func() error { return os.Remove(path) },
		"empty": func() error { return os.WriteFile(path, nil, 0o644) },
		"torn":  func() error { return os.WriteFile(path, data[:len(data)/2], 0o644) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.walk(tip); !errors.Is(err, ErrMissing) {
			t.Errorf("%s: %v, want ErrMissing", name, err)
		}
	}
}

func TestACommitBeyondTheSizeBoundIsNotReadInPart(t *testing.T) {
	r := newRepo(t)
	big := r.commit(strings.Repeat("x", MaxCommit)+"\n", r.tree())
	if _, _, err := r.walk(big); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v, want ErrMissing", err)
	}
}

func TestASha256RepositoryIsWalked(t *testing.T) {
	r := newRepo(t, "--object-format=sha256")
	root := r.commit("root\n", r.tree("a", "1"))
	tip := r.commit("tip\n", r.tree("b", "1"), root)
	commits, _, err := r.walk(tip)
	if err != nil || ids(commits) != tip+"\n"+root || len(tip) != 64 {
		t.Fatalf("walk: %s, %v", ids(commits), err)
	}
	if got := changes(t, r, commits...); got != "a b | a" {
		t.Errorf("changed %q", got)
	}
}

func TestRangeIsWhatTheNewTipAdds(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	root := r.commit("root\n", tree)
	old := r.commit("old\n", tree, root)
	side := r.commit("side\n", tree, root)
	tip := r.commit("tip\n", tree, old, side)
	for name, c := range map[string]struct {
		old, new, want string
	}{
		"a merge adds its side":     {old, tip, tip + "\n" + side},
		"nothing is added":          {tip, tip, ""},
		"an ancestor adds nothing":  {tip, old, ""},
		"no old tip is all history": {"", old, old + "\n" + root},
	} {
		commits, boundary, err := collect(Range(r.runner(), refstore.OID(c.old), refstore.OID(c.new)))
		if err != nil || ids(commits) != c.want || boundary != nil {
			t.Errorf("%s: %q, boundary %v, %v", name, ids(commits), boundary, err)
		}
	}
	absent := refstore.OID(strings.Repeat("1", 40))
	if _, _, err := collect(Range(r.runner(), absent, refstore.OID(tip))); !errors.Is(err, ErrMissing) {
		t.Errorf("from an absent commit: %v, want ErrMissing", err)
	}
}

func TestAnArgumentThatIsNoObjectIDReachesNoGit(t *testing.T) {
	r := newRepo(t)
	for _, tip := range []string{"--all", "HEAD", "", "main", strings.Repeat("0", 40)} {
		if _, _, err := r.walk(tip); err == nil || errors.Is(err, ErrMissing) {
			t.Errorf("walk from %q: %v, want a refusal", tip, err)
		}
	}
}

func TestReadGoesOnAfterAnAbsentCommit(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	here := refstore.OID(r.commit("here\n", tree))
	absent := refstore.OID(strings.Repeat("1", 40))
	var got []string
	for c, err := range Read(context.Background(), r.runner(), []refstore.OID{absent, refstore.OID(tree), here}) {
		got = append(got, fmt.Sprint(c.ID.Short(), errors.Is(err, ErrMissing)))
	}
	want := fmt.Sprint([]string{absent.Short() + "true", tree[:12] + "true", here.Short() + "false"})
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// children counts the processes this one has started and not yet collected.
func children(t *testing.T) int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("no /proc here")
	}
	n := 0
	for _, path := range stats {
		data, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(data), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == fmt.Sprint(os.Getpid()) {
			n++
		}
	}
	return n
}

func TestLeavingAWalkEndsItsChildren(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	tip := r.commit("root\n", tree)
	for range 3 {
		tip = r.commit(strings.Repeat("filler ", 100_000)+"\n", tree, tip)
	}
	before, files := runtime.NumGoroutine(), openFiles()
	for range 5 {
		for _, err := range Walk(r.runner(), refstore.OID(tip)).Commits(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if n := children(t); n != 0 {
		t.Errorf("%d children are left", n)
	}
	deadline := time.Now().Add(2 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
	if n := openFiles(); n > files {
		t.Errorf("%d open files, %d before", n, files)
	}
}

func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

func TestACancelledWalkSaysSo(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	tip := r.commit("root\n", tree)
	for range 4 {
		tip = r.commit(strings.Repeat("filler ", 100_000)+"\n", tree, tip)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	for _, err := range Walk(r.runner(), refstore.OID(tip)).Commits(ctx) {
		cancel()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", last)
	}
}
