package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuildVersion(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.0",
		Main:      debug.Module{Version: "v1.2.3"},
		Deps:      []*debug.Module{{Path: "example.com/x", Version: "v9"}, {Path: goGitModule, Version: "v5.0.0"}},
		Settings:  []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}},
	}
	want := versions{Version: "v1.2.3", Commit: "abc", Dirty: true, Go: "go1.26.0", GoGit: "v5.0.0"}
	if got := buildVersion(info, true); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := buildVersion(nil, false); got != (versions{}) {
		t.Errorf("without build information: %+v", got)
	}
	packaged := want
	packaged.Version, packaged.Commit, packaged.Dirty = "v2.0.0", "def", false
	if got := want.packaged("v2.0.0", "def"); got != packaged {
		t.Errorf("packaged: %+v, want %+v", got, packaged)
	}
	if got := want.packaged("", ""); got != want {
		t.Errorf("not packaged: %+v, want %+v", got, want)
	}
	text := want.String()
	for _, line := range []string{"git-dos v1.2.3\n", "commit abc (with local changes)\n", "go go1.26.0\n", "go-git v5.0.0\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q lacks %q", text, line)
		}
	}
}

// A machine without git still learns which git-dos it has, and why there is no
// git version.
func TestVersionWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := runLine("version --json")
	var v versions
	if err := json.Unmarshal([]byte(r.out), &v); err != nil || r.code != 0 || r.err != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	if v.Git != "" || !strings.Contains(v.GitError, "git") || v.Go == "" {
		t.Errorf("%+v, want a reason instead of a git version", v)
	}
	if text := runLine("version").out; !strings.Contains(text, "git none: git version: ") {
		t.Errorf("%q does not say why git is missing", text)
	}
}

func TestVersionInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, stderr strings.Builder
	if code := run(ctx, []string{"git-dos", "version"}, streams{out: &out, err: &stderr}); code != 130 || out.Len() > 0 {
		t.Errorf("exit %d, stdout %q", code, &out)
	}
}
