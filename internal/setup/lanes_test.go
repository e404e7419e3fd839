package setup

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
)

func TestDivision(t *testing.T) {
	tests := []struct {
		claim string
		dirs  []string
		lanes string // lane=tree,tree ...
		left  []string
	}{
		{"every directory makes a lane of its name", []string{"api", "web"}, "api=api/** web=web/**", nil},
		{"a lane's name is lower case, its tree is not", []string{"Docs"}, "docs=Docs/**", nil},
		{"names that differ in case alone are one lane", []string{"Src", "api", "src"}, "src=Src/**,src/** api=api/**", nil},
		{"hidden directories make none", []string{".github", "api"}, "api=api/**", []string{".github"}},
		{"nor do names no ref could carry", []string{"a b", "x.lock", "-x", "na\u00efve", "\xff", "nul", "k.1", "_dos", "a..b"}, "",
			[]string{"a b", "x.lock", "-x", "na\u00efve", "\xff", "nul", "k.1", "_dos", "a..b"}},
		{"global is the exclusive lane in any case", []string{"Global", "api"}, "api=api/**", nil},
		{"no directory, no lane", nil, "", nil},
	}
	for _, tt := range tests {
		got := division{}.fill(tt.dirs)
		var lanes []string
		for _, l := range got.lanes {
			lanes = append(lanes, l.Lane+"="+strings.Join(l.Tree, ","))
		}
		if strings.Join(lanes, " ") != tt.lanes || !reflect.DeepEqual(got.left, tt.left) {
			t.Errorf("%s: %q without %q; want %q without %q", tt.claim, lanes, got.left, tt.lanes, tt.left)
		}
		if _, err := policy.Parse(policy.Template("main", got.lanes)); err != nil {
			t.Errorf("%s: the dos.toml for it: %v", tt.claim, err)
		}
	}
}

func TestTooManyDirectoriesMakeOneLane(t *testing.T) {
	var dirs []string
	for i := range maxLanes {
		dirs = append(dirs, fmt.Sprint("d", i))
	}
	if got := (division{}).fill(dirs); len(got.lanes) != maxLanes || got.tooMany {
		t.Errorf("%d directories: %d lanes", len(dirs), len(got.lanes))
	}
	got := division{}.fill(append(dirs, "one-more"))
	if len(got.lanes) != 0 || !strings.HasPrefix(got.String(), "lanes main, global; HEAD has more than") {
		t.Errorf("%d directories: %d lanes, %q", len(dirs)+1, len(got.lanes), got)
	}
}

// One lane for everything is not what most mean who run init before they commit.
func TestNoDirectoryIsSaid(t *testing.T) {
	const said = "main has all files, because no directory is committed at the top"
	for dirs, want := range map[string]bool{"": true, "api": false, "global": false, ".github": false} {
		if got := (division{}).fill(strings.Fields(dirs)).String(); strings.Contains(got, said) != want {
			t.Errorf("%q: %s", dirs, got)
		}
	}
	if got := (division{left: []string{"sub"}}).fill(nil).String(); strings.Contains(got, said) {
		t.Errorf("a submodule: %s", got)
	}
}

// A submodule's files are another repository's, and files make no lanes.
func TestDivideReadsTheTopOfHead(t *testing.T) {
	_, clone := newClone(t)
	write(t, clone+"/web/deep/file", "x\n")
	write(t, clone+"/README", "x\n")
	runGit(t, clone, "add", ".")
	runGit(t, clone, "update-index", "--add", "--cacheinfo", "160000,"+runGit(t, clone, "rev-parse", "HEAD")+",lib")
	runGit(t, clone, "commit", "-q", "-m", "more")
	d, err := divide(context.Background(), options(t, clone+"/web", "").Repo, false)
	if want := "lanes api, web, global; no lane for \"lib\": edited under global, unless you name a lane in lanes.concurrent and state its globs in [lanes.trees]"; err != nil || d.String() != want {
		t.Errorf("%q, %v; want %q", d, err, want)
	}
}
