package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// packSwitch has packages made, which takes a minute and fetches nfpm.
const packSwitch = "GITDOS_PACKAGING"

func gunzip(text []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func command(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// The same commit is packed twice, by two clones with nothing in common but the
// compiler and its cache. What comes out is the same and can be installed.
func TestPackagesAreReproducibleAndInstall(t *testing.T) {
	if os.Getenv(packSwitch) == "" {
		t.Skip("packs a commit twice, and needs dpkg and man; set " + packSwitch + "=1 to run it")
	}
	program := filepath.Join(t.TempDir(), "packaging")
	command(t, ".", nil, "go", "build", "-o", program, ".")
	commit := strings.TrimSpace(command(t, ".", nil, "git", "rev-parse", "HEAD"))
	first := packed(t, program, commit, "022", "TZ=UTC", "LC_ALL=C")
	second := packed(t, program, commit, "077", "TZ=Asia/Kolkata", "LC_ALL=C.UTF-8", "GOFLAGS=-tags=other", "GOAMD64=v3")
	compareFolders(t, first, second)
	command(t, first, nil, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		installDeb(t, first)
	}
}

// packed packs a commit from a clone of its own.
func packed(t *testing.T, program, commit, umask string, env ...string) string {
	t.Helper()
	clone, out := filepath.Join(t.TempDir(), "clone"), filepath.Join(t.TempDir(), "dist")
	command(t, ".", nil, "git", "clone", "--quiet", "--no-tags", "--shared", "..", clone)
	command(t, clone, append(env, "TMPDIR="+t.TempDir()), "sh", "-c", `umask "$1" && exec "$2" -o "$3" -commit "$4" -targets linux/amd64,windows/amd64`, "sh", umask, program, out, commit)
	return out
}

func compareFolders(t *testing.T, a, b string) {
	t.Helper()
	names, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	others, err := os.ReadDir(b)
	if err != nil || len(names) != len(others) || len(names) != 7 {
		t.Fatalf("%d and %d files, want 7 (%v)", len(names), len(others), err)
	}
	for _, e := range names {
		one, err := os.ReadFile(filepath.Join(a, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(filepath.Join(b, e.Name()))
		if err != nil || !bytes.Equal(one, other) {
			t.Errorf("%s is not the same twice (%v)", e.Name(), err)
		}
	}
}

// installDeb has dpkg put the package into a root of its own, with no regard to
// what a small machine leaves out of packages.
func installDeb(t *testing.T, dist string) {
	t.Helper()
	debs, err := filepath.Glob(filepath.Join(dist, "*_amd64.deb"))
	if err != nil || len(debs) != 1 {
		t.Fatalf("packages %q, %v", debs, err)
	}
	root := t.TempDir()
	for _, dir := range []string{"info", "updates"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg := []string{"dpkg", "--root=" + root, "--path-include=/usr/share/*", "--force-not-root", "--force-depends"}
	command(t, ".", nil, append(dpkg, "--install", debs[0])...)
	if said := command(t, ".", nil, append(dpkg, "--verify", "git-dos")...); said != "" {
		t.Errorf("what is installed is not what was packed: %s", said)
	}
	useInstalled(t, root)
	command(t, ".", nil, append(dpkg, "--remove", "git-dos")...)
	if _, err := os.Stat(filepath.Join(root, "usr/bin/git-dos")); !os.IsNotExist(err) {
		t.Errorf("removing leaves git-dos: %v", err)
	}
}

var fullVersion = regexp.MustCompile(`(?m)^git-dos v\d+\.\d+\.\d+\S*\ncommit [0-9a-f]{40}$`)

// useInstalled uses git-dos as one who installed it does.
func useInstalled(t *testing.T, root string) {
	t.Helper()
	env := []string{"PATH=" + filepath.Join(root, "usr/bin") + string(os.PathListSeparator) + os.Getenv("PATH"), "MANPATH=" + filepath.Join(root, "usr/share/man"), "MANPAGER=cat"}
	if said := command(t, ".", env, "git", "dos", "version"); !fullVersion.MatchString(said) {
		t.Errorf("git dos version says %q", said)
	}
	// git shows the manual page, which it asks man for.
	if page := command(t, ".", env, "git", "dos", "--help"); !strings.Contains(page, "EXIT STATUS") || !strings.HasPrefix(strings.TrimSpace(page), "GIT-DOS(1)") {
		t.Errorf("git dos --help shows %q", page)
	}
	completes(t, root, env)
	doc, err := os.ReadFile(filepath.Join(root, "usr/share/doc/git-dos/THIRD-PARTY-LICENSES"))
	if err != nil || !strings.Contains(string(doc), "==== github.com/go-git/go-git/v5 ") || !strings.Contains(string(doc), "==== std go1.") {
		t.Errorf("the licences of others are not there: %v", err)
	}
}

// completes has bash read the completion that it would find by the command's
// name, and looks for what git's own completion calls.
func completes(t *testing.T, root string, env []string) {
	t.Helper()
	script := filepath.Join(root, "usr/share/bash-completion/completions/git-dos")
	said := command(t, ".", env, "bash", "--norc", "-c", `. "$1" && declare -F _git_dos`, "bash", script)
	if strings.TrimSpace(said) != "_git_dos" {
		t.Errorf("the completion of bash declares %q", said)
	}
	for _, name := range []string{"usr/share/zsh/vendor-completions/_git-dos", "usr/share/fish/vendor_completions.d/git-dos.fish"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
}
