// Package githome gives the tests of a package a home and git settings of their own.
package githome

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const config = `[user]
	name = worker
	email = worker@example.com
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
[safe]
	directory = *
`

// Run runs the tests of a package in a new home, which is removed afterwards. Nothing
// of the caller's environment that is meant for git or for git-dos reaches them; env
// is added. It returns what the process is to exit with, and is for TestMain alone.
func Run(m *testing.M, env map[string]string) int {
	home, err := os.MkdirTemp("", "git-dos-home-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		for _, prefix := range []string{"GIT_", "DISPATCH_", "FLEET_"} {
			if strings.HasPrefix(name, prefix) {
				os.Unsetenv(name)
			}
		}
	}
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "USERPROFILE": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		os.Setenv(name, value)
	}
	for name, value := range env {
		os.Setenv(name, value)
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		panic(err)
	}
	return m.Run()
}

// Git runs git in a folder and returns what it prints, without the last newline.
// Where it fails, the test does.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Alone gives one test a home of its own, which it returns, as [Run] does for a whole
// package: nothing of the caller's that is meant for git reaches it, and its commits
// are by "worker".
func Alone(t testing.TB) string {
	t.Helper()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "") // has what was there put back
			os.Unsetenv(name)
		}
	}
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "worker")
		t.Setenv("GIT_"+who+"_EMAIL", "worker@example.com")
	}
	return home
}
