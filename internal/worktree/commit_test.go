package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

func TestCommitTakesExactlyTheNamedPaths(t *testing.T) {
	tests := []struct {
		claim  string
		change func(s *scratch)
		ask    ask
		want   []string
		left   string
	}{
		{"a change, and not another", func(s *scratch) { s.write("a/1", "x", "b/1", "x") }, ask{paths: []string{"a/1"}}, []string{"a/1"}, " M b/1"},
		{"a new file is added", func(s *scratch) { s.write("a/n", "x", "b/n", "x") }, ask{paths: []string{"a/n"}}, []string{"a/n"}, "?? b/n"},
		{"an empty new file is added", func(s *scratch) { s.write("a/n", "") }, ask{paths: []string{"a/n"}}, []string{"a/n"}, ""},
		{"a missing file is removed", func(s *scratch) { s.remove("a/1") }, ask{paths: []string{"a/1"}}, []string{"a/1"}, ""},
		{"a directory is what is below it", func(s *scratch) { s.write("a/1", "x", "a/n", "x", "ab", "x"); s.remove("a/2") }, ask{paths: []string{"a/"}}, []string{"a/1", "a/2", "a/n"}, "?? ab"},
		{"names are from where one stands", func(s *scratch) { s.write("a/1", "x", "a/n", "x", "b/n", "x", "b/1", "x") }, ask{below: "a", paths: []string{"n", "../b"}}, []string{"a/n", "b/1", "b/n"}, " M a/1"},
		{"an unchanged path does no harm", func(s *scratch) { s.write("a/1", "x") }, ask{paths: []string{"a/1", "a/2"}}, []string{"a/1"}, ""},
		{"an absolute name", func(s *scratch) { s.write("a/1", "x") }, ask{paths: []string{"a/../a//1"}}, []string{"a/1"}, ""},
		{"what is staged and named goes along", func(s *scratch) { s.write("a/1", "x", "a/n", "x"); s.git("add", "a") }, ask{paths: []string{"a/1", "a/n"}}, []string{"a/1", "a/n"}, ""},
		{"an announced file goes along", func(s *scratch) { s.write("a/n", "x"); s.git("add", "-N", "a/n") }, ask{paths: []string{"a/n"}}, []string{"a/n"}, ""},
		{"an announced file that is not named stays", func(s *scratch) { s.write("a/1", "x", "b/n", "x"); s.git("add", "-N", "b/n") }, ask{paths: []string{"a/1"}}, []string{"a/1"}, " A b/n"},
		{"both sides of a rename", func(s *scratch) { s.git("mv", "a/1", "b/9") }, ask{paths: []string{"a/1", "b/9"}}, []string{"a/1", "b/9"}, ""},
		{"a file in place of a directory", func(s *scratch) { s.remove("a"); s.write("a", "x") }, ask{paths: []string{"a"}}, []string{"a", "a/1", "a/2"}, ""},
		{"a directory in place of a file", func(s *scratch) { s.remove("a/1"); s.write("a/1/x", "x") }, ask{paths: []string{"a/1"}}, []string{"a/1", "a/1/x"}, ""},
		{"a mode is a change", func(s *scratch) { os.Chmod(filepath.Join(s.dir, "a/1"), 0o755) }, ask{paths: []string{"a/1"}}, []string{"a/1"}, ""},
		{"pathspec magic is a name", func(s *scratch) { s.write(":(top)x", "x", "x", "y") }, ask{paths: []string{":(top)x"}}, []string{":(top)x"}, "?? x"},
		{"exclusion is a name", func(s *scratch) { s.write(":!a", "x", "x", "y") }, ask{paths: []string{":!a"}}, []string{":!a"}, "?? x"},
		{"a star is a name", func(s *scratch) { s.write("a/*", "x", "a/1", "y") }, ask{paths: []string{"a/*"}}, []string{"a/*"}, " M a/1"},
		{"a dash is a name", func(s *scratch) { s.write("-m", "x", "--all", "x") }, ask{paths: []string{"-m"}}, []string{"-m"}, "?? --all"},
		{"a newline is a byte", func(s *scratch) { s.write("a/x\ny", "x") }, ask{paths: []string{"a/x\ny"}}, []string{"a/x\ny"}, ""},
		{"a stray byte is a byte", func(s *scratch) { s.write("a/\xff\xfe", "x", "a/\"q", "x") }, ask{paths: []string{"a/\xff\xfe", "a/\"q"}}, []string{"a/\"q", "a/\xff\xfe"}, ""},
		{"a link is a file", func(s *scratch) { s.link("nowhere", "a/l") }, ask{paths: []string{"a/l"}}, []string{"a/l"}, ""},
		{"a lane holds its paths", func(s *scratch) { s.write("a/1", "x") }, ask{paths: []string{"a"}, lane: []string{"a/**"}}, []string{"a/1"}, ""},
		{"a link within the lane", func(s *scratch) { s.link("../a/1", "a/d/../l") }, ask{paths: []string{"a"}, lane: []string{"a/**"}}, []string{"a/l"}, ""},
		{"what was added with force", func(s *scratch) { s.write(".gitignore", "*.o", "a/x.o", "x"); s.git("add", "-f", "a/x.o") }, ask{paths: []string{"a/x.o"}}, []string{"a/x.o"}, "?? .gitignore"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			s := based(t, "a/1", "1", "a/2", "2", "b/1", "1")
			tt.change(s)
			s.commit(tt.ask, tt.want...)
			if got := s.status(); strings.TrimSpace(got) != strings.TrimSpace(tt.left) {
				t.Errorf("left %q, want %q", got, tt.left)
			}
			if got := s.git("log", "-1", "--format=%B"); got != "subject\n\nbody\n" {
				t.Errorf("message %q", got)
			}
		})
	}
}

func TestCommitRefuses(t *testing.T) {
	inA := []string{"a/**"}
	tests := []struct {
		claim  string
		change func(s *scratch)
		ask    ask
		class  string
		files  []string
	}{
		{"nothing changed", func(s *scratch) { s.write("b/1", "x") }, ask{paths: []string{"a"}}, scope.NothingChanged, nil},
		{"an empty directory", func(s *scratch) { os.Mkdir(filepath.Join(s.dir, "e"), 0o755) }, ask{paths: []string{"e"}}, scope.NothingChanged, nil},
		{"a detached HEAD", func(s *scratch) { s.git("checkout", "-q", "--detach"); s.write("a/1", "x") }, ask{paths: []string{"a/1"}}, scope.Detached, nil},
		{"another staged change", func(s *scratch) { s.write("a/1", "x", "b/1", "x"); s.git("add", "b") }, ask{paths: []string{"a/1"}}, scope.ForeignStaged, []string{"b/1"}},
		{"another staged deletion", func(s *scratch) { s.write("a/1", "x"); s.git("rm", "-q", "b/1") }, ask{paths: []string{"a/1"}}, scope.ForeignStaged, []string{"b/1"}},
		{"half of a staged rename", func(s *scratch) { s.git("mv", "a/1", "b/9") }, ask{paths: []string{"b/9"}}, scope.ForeignStaged, []string{"a/1"}},
		{"a deletion in the index only", func(s *scratch) { s.git("rm", "-q", "--cached", "a/1") }, ask{paths: []string{"a/1"}}, scope.CachedRemove, []string{"a/1"}},
		{"an ignored one too", func(s *scratch) { s.git("rm", "-q", "--cached", "a/1"); s.write(".git/info/exclude", "1") }, ask{paths: []string{"a/1"}}, scope.CachedRemove, []string{"a/1"}},
		{"a path outside the lane", func(s *scratch) { s.write("a/1", "x", "b/n", "x") }, ask{paths: []string{"a", "b/n"}, lane: inA}, scope.OutOfScope, []string{"b/n"}},
		{"a longer name is another name", func(s *scratch) { s.write("a/1", "x", "ab/n", "x") }, ask{paths: []string{"a", "ab"}, lane: inA}, scope.OutOfScope, []string{"ab/n"}},
		{"a lane without a tree", func(s *scratch) { s.write("a/1", "x") }, ask{paths: []string{"a"}, lane: []string{}}, scope.OutOfScope, []string{"a/1"}},
		{"a link out of the lane", func(s *scratch) { s.link("../b/1", "a/l") }, ask{paths: []string{"a"}, lane: inA}, scope.SymlinkEscape, []string{"a/l"}},
		{"a link out of the repository", func(s *scratch) { s.link("../../x", "a/l") }, ask{paths: []string{"a"}, lane: inA}, scope.SymlinkEscape, []string{"a/l"}},
		{"a link to an absolute place", func(s *scratch) { s.link("/etc/passwd", "a/l") }, ask{paths: []string{"a"}, lane: inA}, scope.SymlinkEscape, []string{"a/l"}},
		{"a link to the top", func(s *scratch) { s.link("..", "a/l") }, ask{paths: []string{"a"}, lane: inA}, scope.SymlinkEscape, []string{"a/l"}},
		{"a link through a link", func(s *scratch) {
			s.link("../b", "a/d")
			s.git("add", "a/d")
			s.git("commit", "-q", "-m", "d")
			s.link("d/1", "a/l")
		}, ask{paths: []string{"a/l"}, lane: inA}, scope.SymlinkEscape, []string{"a/l"}},
		{"a path beyond a link", func(s *scratch) { s.link("b", "d"); s.write("b/1", "x") }, ask{paths: []string{"d/1"}}, scope.SymlinkEscape, []string{"d/1"}},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			s := based(t, "a/1", "1", "a/2", "2", "b/1", "1")
			tt.change(s)
			head := s.git("rev-parse", "HEAD")
			s.refuse(tt.ask, tt.class, tt.files...)
			if now := s.git("rev-parse", "HEAD"); now != head {
				t.Errorf("HEAD moved")
			}
		})
	}
}

// Every operation that is to go on stands in the way.
func TestCommitInTheMiddleOfSomething(t *testing.T) {
	for op, start := range map[string][]string{
		"merge": {"merge", "other"}, "cherry-pick": {"cherry-pick", "other"}, "rebase": {"rebase", "other"},
		"revert": {"revert", "--no-edit", "HEAD~1"}, "clean merge": {"merge", "--no-commit", "--no-ff", "quiet"},
	} {
		t.Run(op, func(t *testing.T) {
			s := based(t, "a", "1", "b", "1")
			s.git("branch", "quiet")
			s.git("checkout", "-q", "-b", "other")
			s.write("a", "2")
			s.git("commit", "-q", "-a", "-m", "other")
			s.git("checkout", "-q", "quiet")
			s.write("c", "2")
			s.git("add", "c")
			s.git("commit", "-q", "-m", "quiet")
			s.git("checkout", "-q", "main")
			s.write("a", "3")
			s.git("commit", "-q", "-a", "-m", "mine")
			s.write("a", "4")
			s.git("commit", "-q", "-a", "-m", "mine too")
			s.run("sh", append([]string{"-c", `git "$@" >/dev/null 2>&1 || true`, "sh"}, start...)...)
			s.write("b", "x")
			class := scope.MergeInProgress
			if op == "rebase" {
				class = scope.Detached // as it is while git rebases
			}
			if v := s.refuse(ask{paths: []string{"b"}}, class); !strings.HasPrefix(v.Next, "git "+strings.TrimPrefix(op, "clean ")+" --continue ") {
				t.Errorf("next %q", v.Next)
			}
		})
	}
	s := based(t, "a", "1", "b", "1")
	s.git("checkout", "-q", "-b", "other")
	s.write("a", "2")
	s.git("commit", "-q", "-a", "-m", "other")
	s.git("checkout", "-q", "main")
	s.write("a", "3")
	s.git("commit", "-q", "-a", "-m", "mine")
	s.run("sh", "-c", "git merge other >/dev/null 2>&1; rm .git/MERGE_HEAD")
	s.write("b", "x")
	s.refuse(ask{paths: []string{"b"}}, scope.MergeInProgress, "a")
}

func TestNamesThatAreRefused(t *testing.T) {
	s := based(t, "a/1", "1", ".gitignore", "*.o\n")
	s.write("x.o", "x")
	s.git("init", "-q", "nested")
	s.git("init", "-q", "empty/nested")
	s.run("sh", "-c", "cd nested && echo x >f && git add f && git commit -q -m n")
	for _, arg := range []string{
		"", ".", "./", "a/..", "..", "../a", "/etc/passwd", s.dir, ".git/config", "a/.GIT/x", "x.o", "nowhere", "a/nowhere", "a/1/x",
		"nested", "nested/f", "a\x00b",
	} {
		_, err := s.try(ask{paths: []string{arg}})
		var path *PathError
		if !errors.As(err, &path) {
			t.Errorf("%q: %v, want a PathError", arg, err)
		}
	}
	if _, err := s.try(ask{paths: []string{s.dir}}); !strings.Contains(fmt.Sprint(err), "whole work tree") {
		t.Errorf("the top: %v", err)
	}
	if _, err := s.try(ask{below: "a", paths: []string{"."}}); !errors.As(err, new(*PathError)) {
		t.Errorf("the directory one stands in: %v, want a PathError", err)
	}
	s.write("a/1", "x")
	s.commit(ask{paths: []string{filepath.Join(s.dir, "a", "1")}}, "a/1")
}

func TestFirstCommit(t *testing.T) {
	s := newScratch(t)
	s.hook("pre-commit", "exit 1")
	s.write("a", "1", "b", "1")
	s.refuse(ask{paths: []string{"a"}}, scope.HookRefused)
	s.remove(".git/hooks/pre-commit")
	s.commit(ask{paths: []string{"a"}}, "a")
	if got := s.status(); got != "?? b" {
		t.Errorf("left %q", got)
	}
}

// When a hook refuses, the index is the same to the byte, whatever it held.
func TestARefusedCommitLeavesTheIndex(t *testing.T) {
	for _, hook := range []string{"pre-commit", "commit-msg", "prepare-commit-msg", refHook} {
		t.Run(hook, func(t *testing.T) {
			s := based(t, "a/1", "1", "a/2", "2")
			s.hook(hook, "echo not today >&2; exit 1")
			s.write("a/1", "x", "a/n", "x", "a/2", "half")
			s.git("add", "a/2")
			s.write("a/2", "whole")
			v := s.refuse(ask{paths: []string{"a"}}, scope.HookRefused)
			if !strings.Contains(v.Reason, "not today") {
				t.Errorf("reason %q", v.Reason)
			}
			if got := s.git("show", ":a/2"); got != "half" {
				t.Errorf("staged is %q", got)
			}
		})
	}
}

// A file in place of a directory makes git drop entries; they come back.
func TestARefusedCommitBringsBackReplacedEntries(t *testing.T) {
	s := based(t, "a/1", "1", "a/2", "2")
	s.hook("pre-commit", "exit 1")
	s.remove("a")
	s.write("a", "x")
	s.refuse(ask{paths: []string{"a"}}, scope.HookRefused)
}

// Somebody who writes the index meanwhile keeps what they wrote.
func TestARefusedCommitKeepsWhatOthersStaged(t *testing.T) {
	s := based(t, "a", "1", "b", "1")
	s.write("new", "x", "b", "theirs")
	s.hook("commit-msg", "unset GIT_INDEX_FILE; rm -f .git/index.lock; git add b; exit 1")
	if v, err := s.try(ask{paths: []string{"new"}}); err != nil || v.ReasonClass != scope.HookRefused {
		t.Fatalf("%+v, %v", v, err)
	}
	if got := s.status(); got != "M  b\n?? new" {
		t.Errorf("left %q", got)
	}
}

func TestACommitThatIsNotWhatWasAskedFor(t *testing.T) {
	s := based(t, "a/1", "1", "b", "1")
	s.hook("pre-commit", "echo x >extra; git add extra")
	s.write("a/1", "x")
	v := s.refuse(ask{paths: []string{"a/1"}}, scope.PathspecRace, "extra")
	if v.Outcome != scope.Raced || v.Commit != s.git("rev-parse", "HEAD") {
		t.Errorf("%+v", v)
	}

	s = based(t, "a/1", "1", "b", "1")
	s.hook("commit-msg", `echo "Change-Id: I1" >>"$1"`)
	s.write("a/1", "x")
	v = s.refuse(ask{paths: []string{"a/1"}}, scope.MessageRace)
	if v.Outcome != scope.Raced || !strings.Contains(s.git("log", "-1", "--format=%B"), "Change-Id") {
		t.Errorf("%+v", v)
	}

	s = based(t, "a/1", "1", "b", "1")
	s.hook("post-commit", `test -e .git/once || { touch .git/once; git commit -q --allow-empty -m more; }`)
	s.write("a/1", "x")
	if v, err := s.try(ask{paths: []string{"a/1"}}); err != nil || v.Outcome != scope.Committed || v.Commit != s.git("rev-parse", "HEAD~1") {
		t.Errorf("a commit of a hook's on top: %+v, %v", v, err)
	}
	s.hook("commit-msg", `echo "Change-Id: I1" >>"$1"`)
	s.remove(".git/once")
	s.write("a/1", "y")
	s.refuse(ask{paths: []string{"a/1"}}, scope.HeadRace)

	s = based(t, "a/1", "1", "b", "1")
	s.hook("post-commit", `git checkout -q -b elsewhere`)
	s.write("a/1", "x")
	s.refuse(ask{paths: []string{"a/1"}}, scope.HeadRace)

	s = based(t, "a/1", "1", "b", "1")
	s.hook("pre-commit", `rm -f a/1; ln -s ../b a/1; git add a/1`)
	s.write("a/1", "x")
	s.refuse(ask{paths: []string{"a/1"}, lane: []string{"a"}}, scope.SymlinkEscape, "a/1")
}

// What a hook takes back is not there any more to be committed.
func TestAHookThatTakesTheChangeBack(t *testing.T) {
	s := based(t, "a", "1")
	s.hook("pre-commit", "git checkout -q HEAD -- a")
	s.write("a", "x")
	s.refuse(ask{paths: []string{"a"}}, scope.PathspecRace, "a")
}

// A change that is gone by the time of the commit is no refusal of a hook.
func TestAChangeThatGoesAway(t *testing.T) {
	s := based(t, "a", "1")
	s.write("a", "x")
	d, err := s.tree("").Draft(context.Background(), []string{"a"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.write("a", "1")
	if v, err := d.Commit(context.Background(), []byte("m\n")); err != nil || v.ReasonClass != scope.NothingChanged {
		t.Errorf("%+v, %v", v, err)
	}
}

// The message lands to the byte, whatever the user has git clean away.
func TestTheMessageIsKept(t *testing.T) {
	s := based(t, "a", "1")
	s.git("config", "commit.cleanup", "strip")
	s.git("config", "i18n.commitEncoding", "latin1")
	s.write("a", "x")
	d, err := s.tree("").Draft(context.Background(), []string{"a"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.Commit(context.Background(), []byte("é\n\n#3 is why\n"))
	if err != nil || v.Outcome != scope.Committed {
		t.Fatalf("%+v, %v", v, err)
	}
	if got := s.git("cat-file", "commit", "HEAD"); !strings.HasSuffix(got, "\n\né\n\n#3 is why") || strings.Contains(got, "encoding") {
		t.Errorf("%q", got)
	}
}

func TestALockedIndex(t *testing.T) {
	s := based(t, "a", "1")
	lock := filepath.Join(s.dir, ".git", "index.lock")
	s.write("a", "x", "new", "x", ".git/index.lock", "")
	v := s.refuse(ask{paths: []string{"a"}}, scope.LockBusy)
	if !strings.Contains(v.Reason, "index.lock") || !strings.HasPrefix(v.Next, "wait") {
		t.Errorf("%+v", v)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	if v := s.refuse(ask{paths: []string{"new"}}, scope.LockBusy); !strings.Contains(v.Reason, "1h0m0s") || !strings.Contains(v.Next, "remove") {
		t.Errorf("%+v", v)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("the lock is gone: %v", err)
	}
}

// A lock that appears after the judgement is met by git itself.
func TestALockThatComesLater(t *testing.T) {
	for _, path := range []string{"a", "new"} {
		s := based(t, "a", "1")
		s.write("a", "x", "new", "x")
		d, err := s.tree("").Draft(context.Background(), []string{path}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		index := s.index()
		s.write(".git/index.lock", "")
		v, err := d.Commit(context.Background(), []byte("m\n"))
		if err != nil || v.ReasonClass != scope.LockBusy {
			t.Errorf("%s: %+v, %v", path, v, err)
		}
		if s.index() != index {
			t.Errorf("%s: the index changed", path)
		}
	}
}

// A git that cannot commit for another reason gives no verdict, and the index
// is as it was.
func TestAGitThatFails(t *testing.T) {
	s := based(t, "a", "1")
	t.Setenv("GIT_COMMITTER_DATE", "no date at all")
	s.write("new", "x")
	index := s.index()
	if v, err := s.try(ask{paths: []string{"new"}}); err == nil {
		t.Errorf("%+v, want an error", v)
	}
	if s.index() != index {
		t.Error("the index changed")
	}
}

// Nor is it a hook that stopped it where one only could have, or failed in
// another git that a hook ran.
func TestAGitThatFailsBesideAHook(t *testing.T) {
	s := based(t, "a", "1")
	s.hook(refHook, `test -z "$NESTED"`)
	s.write("a", "x")
	s.commit(ask{paths: []string{"a"}}, "a")
	s.hook("pre-commit", "NESTED=1 git update-ref refs/heads/x HEAD && touch .git/moved; touch .git/ran; exit 0")
	t.Setenv("GIT_COMMITTER_DATE", "no date at all")
	s.write("a", "y")
	if v, err := s.try(ask{paths: []string{"a"}}); err == nil {
		t.Errorf("%+v, want an error", v)
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".git", "ran")); err != nil {
		t.Errorf("the hook did not run: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".git", "moved")); err == nil {
		t.Error("the nested hook did not refuse")
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, ".git", "dos", "commit-*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// What was named is committed although it lies outside a sparse checkout.
func TestAFileOutsideASparseCheckout(t *testing.T) {
	for _, cone := range []string{"--no-cone", "--cone"} {
		s := based(t, "a/1", "1", "b/1", "1", "b/2", "2")
		s.git("sparse-checkout", "set", cone, "a/")
		s.write("b/new", "x", "a/new", "x")
		s.hook("pre-commit", "exit 1")
		s.refuse(ask{paths: []string{"b/new"}}, scope.HookRefused)
		s.remove(".git/hooks/pre-commit")
		s.commit(ask{paths: []string{"b/new", "a"}}, "a/new", "b/new")
		if got := s.status(); got != "" {
			t.Errorf("left %q", got)
		}
		if got := s.git("ls-files", "-t"); !strings.Contains(got, "S b/1") {
			t.Errorf("the checkout is not sparse any more: %q", got)
		}
	}
}

// In a sparse index that crashes git 2.39, so git itself is left to refuse it;
// what lies inside is committed.
func TestAFileInASparseIndex(t *testing.T) {
	s := based(t, "a/1", "1", "b/1", "1", "b/2", "2")
	s.git("sparse-checkout", "set", "--cone", "--sparse-index", "a")
	s.write("a/new", "x")
	s.commit(ask{paths: []string{"a/new"}}, "a/new")
	s.write("b/new", "x")
	d, err := s.tree("").Draft(context.Background(), []string{"b/new"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := d.Commit(context.Background(), []byte("x\n")); err == nil || !strings.Contains(err.Error(), "sparse") {
		t.Errorf("got %+v, %v", v, err)
	}
	if got := s.git("ls-files", "--sparse"); !strings.Contains(got, "b/") || strings.Contains(got, "b/new") {
		t.Errorf("the index is %q", got)
	}
}

// A commit of somebody else's with the same message and path is not ours when
// ours was refused.
func TestASecondCommitOfTheSame(t *testing.T) {
	s := based(t, "a", "1")
	s.hook("pre-commit", `test -e .git/once && exit 0
touch .git/once
GIT_INDEX_FILE=.git/theirs; export GIT_INDEX_FILE
git read-tree HEAD
git update-index --cacheinfo 100644,$(echo other | git hash-object -w --stdin),a
printf 'subject\n\nbody\n' | git commit -q -n --cleanup=verbatim -F - >/dev/null
exit 1`)
	s.write("a", "mine")
	v, err := s.try(ask{paths: []string{"a"}})
	if err != nil || v.Outcome != scope.Refused || v.ReasonClass != scope.HookRefused {
		t.Errorf("%+v, %v", v, err)
	}
	if got := s.git("show", "HEAD:a"); got != "other" {
		t.Errorf("HEAD has %q: theirs did not land", got)
	}
}

// What a hook leaves running is no failure of the commit.
func TestAHookThatLeavesAProcess(t *testing.T) {
	s := based(t, "a", "1")
	s.hook("post-commit", "sleep 4 &")
	s.hook("commit-msg", `echo more >>"$1"`)
	s.write("a", "x")
	if v := s.refuse(ask{paths: []string{"a"}}, scope.MessageRace); v.Outcome != scope.Raced || v.Commit != s.git("rev-parse", "HEAD") {
		t.Errorf("%+v", v)
	}
}

// What killed processes left goes away with time.
func TestLeftovers(t *testing.T) {
	s := based(t, "a", "1")
	old := time.Now().Add(-25 * time.Hour)
	files := map[string]bool{".git/dos/commit-message.old": false, ".git/dos/commit-trace.old": false, ".git/index.dos-old": false, ".git/dos/commit-message.new": true, ".git/dos/other": true, ".git/index": true}
	for f, stays := range files {
		if f != ".git/index" {
			s.write(f, "x")
		}
		if at := filepath.Join(s.dir, f); !stays || f == ".git/dos/other" {
			if err := os.Chtimes(at, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.write("a", "x")
	s.commit(ask{paths: []string{"a"}}, "a")
	for f, stays := range files {
		if _, err := os.Stat(filepath.Join(s.dir, f)); (err == nil) != stays {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// A branch that another git has locked is busy.
func TestALockedBranch(t *testing.T) {
	s := based(t, "a", "1")
	s.write("a", "x", ".git/refs/heads/main.lock", "")
	if v := s.refuse(ask{paths: []string{"a"}}, scope.LockBusy); !strings.Contains(v.Reason, "main.lock") {
		t.Errorf("%+v", v)
	}
	s.remove(".git/refs/heads/main.lock")
	s.commit(ask{paths: []string{"a"}}, "a")
}

// After a git that failed in an unknown way, a commit is ours when it holds what
// was to be committed, and else it cannot be told.
func TestACommitByAGitThatFailed(t *testing.T) {
	s := based(t, "a", "1", "gone", "1")
	s.write("a", "x", "new", "y")
	s.remove("gone")
	d, err := s.tree("").Draft(context.Background(), []string{"a", "gone", "new"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "m")
	failed := &git.Error{Args: []string{"commit"}, Code: 128, Err: errors.New("failed")}
	look := func(want scope.CommitOutcome, class string) {
		t.Helper()
		v, landed, err := d.look(context.Background(), []byte("m\n"), failed)
		if err != nil || !landed || v.Outcome != want || v.ReasonClass != class {
			t.Errorf("%+v, %v, %v; want %s", v, landed, err, want)
		}
	}
	look(scope.Committed, "")
	s.write("gone", "1")
	look(scope.Raced, scope.HeadRace)
	s.remove("gone")
	s.write("new", "z")
	look(scope.Raced, scope.HeadRace)
}

func TestSHA256(t *testing.T) {
	s := newScratch(t)
	s.remove(".git")
	s.git("init", "-q", "-b", "main", "--object-format=sha256")
	s.write("a", "1")
	s.git("add", "a")
	if got, err := s.tree("").Staged(context.Background()); err != nil || len(got) != 1 {
		t.Errorf("staged %q, %v", got, err)
	}
	s.commit(ask{paths: []string{"a"}}, "a")
	s.link("../x", "l")
	s.refuse(ask{paths: []string{"l"}, lane: []string{"l"}}, scope.SymlinkEscape, "l")
}

func TestCommitInterrupted(t *testing.T) {
	s := based(t, "a", "1")
	s.hook("pre-commit", "touch .git/here; sleep 20")
	s.write("new", "x")
	index := s.index()
	d, err := s.tree("").Draft(context.Background(), []string{"new"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for i := 0; i < 1000; i++ {
			if _, err := os.Stat(filepath.Join(s.dir, ".git", "here")); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	if v, err := d.Commit(ctx, []byte("m\n")); err == nil {
		t.Errorf("%+v, want an error", v)
	}
	if s.index() != index {
		t.Error("the index changed")
	}
}

func TestSubmodules(t *testing.T) {
	s := based(t, "a", "1")
	lib := based(t, "f", "1")
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "sub")
	s.git("commit", "-q", "-m", "sub")
	s.write("sub/f", "x")
	s.refuse(ask{paths: []string{"sub"}}, scope.NothingChanged)
	if _, err := s.try(ask{paths: []string{"sub/f"}}); !errors.As(err, new(*PathError)) {
		t.Errorf("a path inside it: %v, want a PathError", err)
	}
	s.git("-C", "sub", "commit", "-q", "-a", "-m", "in sub")
	s.commit(ask{paths: []string{"sub"}}, "sub")
}

// GIT_DIR as a hook exports it names the worktree it was exported for, and
// never the files of another repository.
func TestExportedGitDir(t *testing.T) {
	s := based(t, "a", "1")
	side := filepath.Join(t.TempDir(), "side")
	s.git("worktree", "add", "-q", "-b", "side", side)
	main := s.git("rev-parse", "main")
	linked := &scratch{t, side}
	gitDir := linked.git("rev-parse", "--absolute-git-dir")
	linked.write("a", "x", "n", "x")
	t.Setenv("GIT_DIR", gitDir)
	v, err := linked.try(ask{paths: []string{"a", "n"}})
	if err != nil || v.Outcome != scope.Committed || v.Branch != "refs/heads/side" {
		t.Fatalf("%+v, %v", v, err)
	}
	os.Unsetenv("GIT_DIR")
	if s.git("rev-parse", "main") != main || s.git("rev-parse", "side") != v.Commit {
		t.Error("the commit is on another branch")
	}
	other := based(t, "a", "1")
	t.Setenv("GIT_DIR", gitDir)
	repo, err := refstore.Open(context.Background(), other.dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), repo); !errors.Is(err, ErrOtherGitDir) {
		t.Errorf("%v, want ErrOtherGitDir", err)
	}
}

func TestNoWorkTree(t *testing.T) {
	s := newScratch(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	s.git("init", "-q", "--bare", bare)
	for _, dir := range []string{bare, filepath.Join(s.dir, ".git")} {
		repo, err := refstore.Open(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(context.Background(), repo); !errors.Is(err, ErrBare) {
			t.Errorf("%s: %v, want ErrBare", dir, err)
		}
	}
}

// Hooks see the user's surroundings, not those in which git-dos reads.
func TestHooksRunAsUsual(t *testing.T) {
	s := based(t, "a", "1")
	t.Setenv("LC_ALL", "C.UTF-8")
	s.hook("pre-commit", `test "$LC_ALL" = C.UTF-8 && test -z "$GIT_LITERAL_PATHSPECS" && test "$GIT_OPTIONAL_LOCKS" = 1`)
	s.write("a", "x")
	s.commit(ask{paths: []string{"a"}}, "a")
}

// Many paths do not depend on the length of a command line.
func TestManyPaths(t *testing.T) {
	s := newScratch(t)
	var want []string
	long := strings.Repeat("x", 200)
	for i := range 800 {
		p := fmt.Sprintf("d/%s/%04d", long, i)
		s.write(p, "x")
		want = append(want, p)
	}
	s.commit(ask{paths: want}, want...)
}

// Whoever stages between the look at the index and its change is not undone,
// and a file changed in the same moment as the index was written is seen.
func TestTheIndexIsSwappedOnlyAsItWasRead(t *testing.T) {
	s := based(t, "a", "1", "b", "1")
	tr := s.tree("")
	before, err := readImage(tr.index)
	if err != nil {
		t.Fatal(err)
	}
	after, err := tr.withAnnounced(context.Background(), before, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.write("b", "theirs")
	s.git("add", "b")
	if done, err := tr.swap(before, after); done || err != nil {
		t.Errorf("swapped over another's change: %v, %v", done, err)
	}
	if got := s.status(); got != "M  b" {
		t.Errorf("left %q", got)
	}
	s = based(t, "a", "1")
	s.hook("pre-commit", "exit 1")
	s.write("new", "x")
	info, err := os.Stat(filepath.Join(s.dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	s.refuse(ask{paths: []string{"new"}}, scope.HookRefused)
	if now, err := os.Stat(filepath.Join(s.dir, ".git", "index")); err != nil || !now.ModTime().Equal(info.ModTime()) || now.Mode() != info.Mode() {
		t.Errorf("the index is of %v, was of %v; %v", now.ModTime(), info.ModTime(), err)
	}
	left, err := filepath.Glob(filepath.Join(s.dir, ".git", "index?*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// Workers in one worktree get in each other's way and never in each other's
// commits.
func TestCommitsAtOnce(t *testing.T) {
	s := based(t, "base", "1")
	const workers = 6
	var wg sync.WaitGroup
	for i := range workers {
		p := fmt.Sprintf("w%d", i)
		s.write(p, "x")
		wg.Go(func() {
			for range 200 {
				v, err := s.try(ask{paths: []string{p}})
				switch {
				case err == nil && v.Outcome == scope.Committed:
					if got := s.git("diff-tree", "--name-only", "--no-commit-id", v.Commit); got != p {
						t.Errorf("%s: the commit holds %q", p, got)
					}
					return
				case err == nil && v.Outcome == scope.Raced:
					t.Errorf("%s: %+v", p, v)
					return
				}
				time.Sleep(time.Duration(i+1) * 5 * time.Millisecond)
			}
			t.Errorf("%s: never committed", p)
		})
	}
	wg.Wait()
	if got := s.status(); got != "" {
		t.Errorf("left %q", got)
	}
}
