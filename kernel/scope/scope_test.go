package scope

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDecide(t *testing.T) {
	api := []string{"api/**", "docs/api.md"}
	tests := []struct {
		claim   string
		tree    []string
		source  Source
		paths   []string
		want    Outcome
		refused []string
	}{
		{"all inside", api, Staged, []string{"api/a", "docs/api.md"}, InScope, nil},
		{"some outside", api, Staged, []string{"api/a", "web/b"}, ScopeCreep, []string{"web/b"}},
		{"all outside", api, Range, []string{"web/b"}, WrongTarget, []string{"web/b"}},
		{"nothing changed", api, Range, nil, InScope, nil},
		{"nothing staged", api, Staged, nil, InScope, nil},
		{"no tree", nil, Staged, []string{"api/a"}, WrongTarget, []string{"api/a"}},
		{"no tree and nothing changed", nil, Staged, nil, WrongTarget, nil},
		{"a tree of nothing usable", []string{"/api"}, Staged, []string{"api/a"}, WrongTarget, []string{"api/a"}},
		{"a longer name is another name", []string{"src/app"}, Range, []string{"src/app/x", "src/application/x"}, ScopeCreep, []string{"src/application/x"}},
		{"a glob means what it says", []string{"src/*.go"}, Files, []string{"src/x.go", "src/x.py"}, ScopeCreep, []string{"src/x.py"}},
		{"no name lies in every lane", api, Files, []string{"config.py", "lib/__init__.py", "pyproject.toml"}, WrongTarget, []string{"config.py", "lib/__init__.py", "pyproject.toml"}},
		{"case is kept", api, Files, []string{"API/a"}, WrongTarget, []string{"API/a"}},
		{"a way out is outside", api, Files, []string{"api/a", "api/../../secret", "api/../web/b"}, ScopeCreep, []string{"api/../../secret", "api/../web/b"}},
		{"nothing git could store", []string{"**"}, Files, []string{"/api/a", "../x", ".", "..", "", "a\x00b"}, WrongTarget, []string{"/api/a", "../x", ".", "..", "", "a\x00b"}},
		{"a stored path is taken as it is", []string{"**"}, Staged, []string{"a//b"}, WrongTarget, []string{"a//b"}},
		{"bytes are shown as git quotes them", api, Range, []string{"web/\xff\\", `"x`}, WrongTarget, []string{`"web/\377\\"`, `"\"x"`}},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			v := Decide(Evidence{Lane: "l", Tree: tt.tree, Policy: "dos.toml", Source: tt.source, Base: "b", Head: "h", Paths: tt.paths})
			if v.Outcome != tt.want || !slices.Equal(v.RefusedFiles, tt.refused) || v.Allowed != (tt.want == InScope) {
				t.Errorf("%+v", v)
			}
			if v.Scope.Files != len(tt.paths) || tt.tree != nil && v.Scope.Inside != len(tt.paths)-len(tt.refused) {
				t.Errorf("footprint %+v", v.Scope)
			}
			if v.Reason == "" || !strings.HasPrefix(v.String(), string(tt.want)+" l: ") {
				t.Errorf("%q", v.String())
			}
			if data, err := json.Marshal(v); err != nil || strings.Contains(string(data), "null") || strings.Contains(string(data), `\ufffd`) {
				t.Errorf("%s, %v", data, err)
			}
		})
	}
}

// An empty footprint says where it was looked for.
func TestDecideSaysThatItLooked(t *testing.T) {
	for source, want := range map[Source]string{Staged: "nothing is staged", Range: "changes no path"} {
		v := Decide(Evidence{Lane: "l", Tree: []string{"a"}, Source: source, Base: "b", Head: "h"})
		if !strings.Contains(v.Reason, "looked") || !strings.Contains(v.Reason, want) {
			t.Errorf("%s: %q", source, v.Reason)
		}
	}
}

// A link that leads out of the lane does not lie in it.
func TestDecideLinks(t *testing.T) {
	links := []Link{{"api/in", []string{"api/a"}}, {"api/out", []string{"web/b"}}, {"api/d/x", []string{"api/x", ""}}, {"web/l", []string{"web/b"}}}
	v := Decide(Evidence{Lane: "l", Tree: []string{"api"}, Source: Staged, Links: links, Paths: []string{"api/a", "api/d/x", "api/in", "api/out", "web/l"}})
	if v.Outcome != ScopeCreep || !slices.Equal(v.RefusedFiles, []string{"api/d/x", "api/out", "web/l"}) || !strings.Contains(v.Reason, "; 2 paths out of it by a symbolic link") || v.Scope.Inside != 2 {
		t.Errorf("%+v", v)
	}
}

// A refusal says whose the paths are and what to run.
func TestDecideSaysWhoseThePathsAre(t *testing.T) {
	others := []Region{{"docs", []string{"docs"}}, {"web", []string{"web/**"}}, {"bare", nil}, {"lib", []string{"lib"}}}
	for _, tt := range []struct {
		paths        []string
		reason, next string
	}{
		{[]string{"api/a", "web/b"}, "1 of 2 paths not in lane api; lane web has such paths", "git dos lease acquire --lane web"},
		{[]string{"web/b", "lib/b", "x"}, "3 paths, none in lane api; lanes web, lib have such paths", "git dos lease acquire --lane web"},
		{[]string{"x"}, "1 path, none in lane api", "leave these paths out"},
		{[]string{"api/a"}, "1 path, all in lane api", ""},
	} {
		v := Decide(Evidence{Lane: "api", Tree: []string{"api"}, Others: others, Source: Staged, Paths: tt.paths})
		if v.Reason != tt.reason || !strings.HasPrefix(v.Next, tt.next) || (v.Next == "") != (tt.next == "") || !strings.HasSuffix(v.String(), v.Next) {
			t.Errorf("%q: %q, next %q", tt.paths, v.Reason, v.Next)
		}
	}
	if v := Decide(Evidence{Lane: "api", Others: others, Paths: []string{"web/b"}}); !strings.Contains(v.Reason, "no tree") || !strings.Contains(v.Next, "[lanes.trees]") {
		t.Errorf("%+v", v)
	}
}

func TestExitCodes(t *testing.T) {
	for want, all := range map[int][]interface{ ExitCode() int }{
		0: {Verdict{Outcome: InScope, Allowed: true}, CleanVerdict{Outcome: Clean}, CommitVerdict{Outcome: Committed}, CommitVerdict{Outcome: WouldCommit}},
		2: {Verdict{}, Verdict{Allowed: true}, Verdict{Outcome: InScope}, Verdict{Outcome: WrongTarget, Allowed: true}, CleanVerdict{}, CommitVerdict{}, DecideClean(CleanEvidence{Lane: "l"})},
		3: {CleanVerdict{Outcome: Dirty}, CommitVerdict{Outcome: Refused}, CommitVerdict{Outcome: Raced}},
		5: {Verdict{Outcome: ScopeCreep}},
		6: {Verdict{Outcome: WrongTarget}},
	} {
		for _, v := range all {
			if got := v.ExitCode(); got != want {
				t.Errorf("%+v: %d, want %d", v, got, want)
			}
		}
	}
}

func TestDecideClean(t *testing.T) {
	scratch := []string{"tmp/**", "*.err", "**/_*", ".dos/**"}
	left := func(p string, s State) Uncommitted { return Uncommitted{Path: p, State: s} }
	tests := []struct {
		claim            string
		tree             []string
		all              []Uncommitted
		want             []string
		scratch, outside int
	}{
		{"nothing", []string{"api/**"}, nil, nil, 0, 0},
		{"another lane's work", []string{"api/**"}, []Uncommitted{left("web/a", InFile), left("api2", Untracked)}, nil, 0, 2},
		{"work of every kind", []string{"api/**"}, []Uncommitted{left("api/a", InIndex), left("api/b", InFile), left("api/c", InBoth), left("api/d", Untracked), left("api/e", Unmerged)},
			[]string{"api/a", "api/b", "api/c", "api/d", "api/e"}, 0, 0},
		{"scratch is no work", []string{"**"}, []Uncommitted{left("tmp/x", Untracked), left("a.err", Untracked), left("a/_b", Untracked)}, nil, 3, 0},
		{"what git tracks is no scratch", []string{"**"}, []Uncommitted{left("a/__init__.py", InFile), left("tmp/x", InIndex)}, []string{"a/__init__.py", "tmp/x"}, 0, 0},
		{"a repository inside the lane", []string{"api/**"}, []Uncommitted{{"api/n", Untracked, true}}, []string{"api/n"}, 0, 0},
		{"a repository is no scratch", []string{"api/**"}, []Uncommitted{{"api/_n", Untracked, true}}, []string{"api/_n"}, 0, 0},
		{"a repository that holds the lane", []string{"api/n/**"}, []Uncommitted{{"api", Untracked, true}}, []string{"api"}, 0, 0},
		{"a name the tree does not tell is no part of another", []string{"src/{a,b}/**"}, []Uncommitted{left("web/a", InFile)}, nil, 0, 1},
		{"nor is scratch", []string{"src/{a,b}/**"}, []Uncommitted{left("src/a/_x", Untracked)}, nil, 0, 1},
		{"work counts beside what is not told", []string{"src/{a,b}/**", "api"}, []Uncommitted{left("src/a/f", InFile), left("api/a", InFile)}, []string{"api/a"}, 0, 0},
		{"a repository elsewhere", []string{"api/n/**"}, []Uncommitted{{"web", Untracked, true}}, nil, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			v := DecideClean(CleanEvidence{Lane: "l", Tree: tt.tree, Scratch: scratch, Uncommitted: tt.all})
			var got []string
			for _, p := range v.Paths {
				got = append(got, p.Path)
			}
			dirty := v.Outcome == Dirty
			if !slices.Equal(got, tt.want) || dirty != (len(tt.want) > 0) || v.Scratch != tt.scratch || v.Outside != tt.outside {
				t.Errorf("%+v", v)
			}
		})
	}
}

// What the tree does not tell is neither clean nor dirty.
func TestDecideCleanIsUnsure(t *testing.T) {
	for _, tree := range [][]string{{"src/{a,b}/**"}, {"src/[a"}, {"src/{a,b}/**", "api"}, strings.Split(strings.Repeat("d,", 1100)+"d", ",")} {
		ev := CleanEvidence{Lane: "l", Tree: tree, Uncommitted: []Uncommitted{{Path: "src/a/f", State: InFile}, {Path: "src/b/new", State: Untracked}}}
		if v := DecideClean(ev); v.Outcome != "" || v.ExitCode() != 2 || !slices.Equal(ev.Unsure(), []string{"src/a/f", "src/b/new"}) {
			t.Errorf("%.20q: %+v, unsure %q", tree, v, ev.Unsure())
		}
		if matters := ev.Matters(); !matters("src/a/f", false) || !matters("src", true) {
			t.Errorf("%.20q: it does not matter", tree)
		}
	}
	if matters := (CleanEvidence{Tree: []string{"api/x/**"}}).Matters(); matters("api", false) || !matters("api", true) || matters("web", true) || !matters("api/x/y", false) {
		t.Error("what matters of a plain tree")
	}
}

// What is advised would not be refused.
func TestCleanSaysWhatComesNext(t *testing.T) {
	conflict := []Uncommitted{{Path: "api/a", State: Unmerged}}
	for want, ev := range map[string]CleanEvidence{
		"git merge --continue finishes it, git merge --abort takes it back": {Lane: "l", Unfinished: Operation{"a merge", "git merge"}, Uncommitted: conflict},
		"finish or abort it; git status tells how":                          {Lane: "l", Unfinished: Operation{Name: "something"}, Uncommitted: conflict},
		"resolve the conflicts and git add them; git status tells how":      {Lane: "l", Uncommitted: conflict},
		"git dos commit --lane l -m MESSAGE PATH...":                        {Lane: "l", Uncommitted: []Uncommitted{{Path: "api/a", State: Deleted}}},
		"git dos commit --lane LANE -m MESSAGE PATH...":                     {Lane: "l, m", Uncommitted: []Uncommitted{{Path: "api/a", State: InFile}}},
	} {
		ev.Tree = []string{"api"}
		if v := DecideClean(ev); v.Next != want {
			t.Errorf("%q, want %q", v.Next, want)
		}
	}
}

// The rungs in order: evidence against everything is answered by the first,
// and so on down.
func TestDecideCommitRungs(t *testing.T) {
	ev := CommitEvidence{
		Unfinished: Operation{"a merge", "git merge"}, Unmerged: []string{"u"}, Beyond: []string{"l/x"}, Hidden: []Hidden{{"h", "assume-unchanged"}}, Kept: []string{"api/k"}, Foreign: []string{"f"},
		Lane: "api", Tree: []string{"api/**"}, Lock: &Lock{"index.lock", time.Second},
	}
	good := []string{"api/k", "api/l"}
	steps := []struct {
		class string
		files []string
		next  func()
	}{
		{Detached, nil, func() { ev.Branch = "refs/heads/main" }},
		{MergeInProgress, nil, func() { ev.Unfinished = Operation{} }},
		{MergeInProgress, []string{"u"}, func() { ev.Unmerged = nil }},
		{SymlinkEscape, []string{"l/x"}, func() { ev.Beyond = nil }},
		{NotLookedAt, []string{"h"}, func() { ev.Hidden = nil }},
		{NothingChanged, nil, func() { ev.Changed = append([]string{"web/b"}, good...) }},
		{CachedRemove, []string{"api/k"}, func() { ev.Kept = nil }},
		{OutOfScope, []string{"web/b"}, func() { ev.Changed = good; ev.Links = []Link{{"api/l", []string{"api/a", "web/b"}}} }},
		{SymlinkEscape, []string{"api/l"}, func() { ev.Links = []Link{{"api/l", []string{"api/a"}}} }},
		{LockBusy, nil, func() { ev.Lock = nil }},
		{ForeignStaged, []string{"f"}, func() { ev.Foreign = nil }},
	}
	for _, s := range steps {
		v := DecideCommit(ev)
		if v.Outcome != Refused || v.ReasonClass != s.class || !slices.Equal(v.RefusedFiles, s.files) || v.Reason == "" || v.Next == "" {
			t.Errorf("%s: %+v", s.class, v)
		}
		s.next()
	}
	v := DecideCommit(ev)
	if v.Outcome != WouldCommit || v.ReasonClass != "" || !slices.Equal(v.Paths, good) {
		t.Errorf("%+v", v)
	}
	ev.Lane, ev.Tree, ev.Links = "", nil, []Link{{"api/l", []string{""}}}
	if v := DecideCommit(ev); v.Outcome != WouldCommit {
		t.Errorf("without a lane: %+v", v)
	}
}

func TestLanded(t *testing.T) {
	base := CommitVerdict{Outcome: WouldCommit, Lane: "api", Message: "m"}
	fine := Landing{Commit: "c", Paths: []string{"api/a"}, Asked: []string{"api/a"}, Found: true, Message: true, Tree: []string{"api"}}
	tests := []struct {
		claim, class string
		change       func(*Landing)
		files        []string
	}{
		{"as asked", "", func(*Landing) {}, nil},
		{"not to be told from others", HeadRace, func(l *Landing) { l.Found = false; l.Message = false }, nil},
		{"with another path", PathspecRace, func(l *Landing) { l.Paths = append(l.Paths, "b") }, []string{"b"}},
		{"without a path", PathspecRace, func(l *Landing) { l.Paths = nil }, []string{"api/a"}},
		{"with a link out of the lane", SymlinkEscape, func(l *Landing) { l.Links = []Link{{"api/a", []string{""}}} }, []string{"api/a"}},
		{"with another message", MessageRace, func(l *Landing) { l.Message = false }, nil},
	}
	for _, tt := range tests {
		l := fine
		l.Paths = slices.Clone(fine.Paths)
		tt.change(&l)
		v := base.Landed(l)
		want := Raced
		if tt.class == "" {
			want = Committed
		}
		if v.Outcome != want || v.ReasonClass != tt.class || v.Commit != "c" || v.Message != "" || !slices.Equal(v.RefusedFiles, tt.files) {
			t.Errorf("%s: %+v", tt.claim, v)
		}
	}
}

// What a tidied path names lies where the path itself leads, and tidying again
// changes nothing.
func FuzzTidy(f *testing.F) {
	for _, p := range []string{"a", "./a//b/", "a/../b", "../a", "/a", ".git/x", "a\x00", "a/.git", ""} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, written string) {
		p, ok := Tidy(written)
		if !ok {
			return
		}
		again, ok := Tidy(p)
		if !ok || again != p || strings.HasPrefix(p, "/") || strings.Contains("/"+p+"/", "/../") || strings.Contains("/"+p+"/", "/./") || strings.Contains(p, "//") {
			t.Errorf("%q tidies to %q, and that to %q", written, p, again)
		}
	})
}
