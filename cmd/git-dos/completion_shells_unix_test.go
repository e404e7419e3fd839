//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shellRepo is a repository with a held lane, a lane that is free, and remotes
// whose names are commands for a shell that would evaluate them. It returns
// its directory and a home.
func shellRepo(t *testing.T) (dir, home string) {
	t.Helper()
	root := t.TempDir()
	dir, home = filepath.Join(root, "repo"), filepath.Join(root, "home")
	for _, d := range []string{dir, home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_DATA_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DOS_OWNER": "w", "TERM": "dumb"} {
		t.Setenv(name, value)
	}
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Chdir(dir)
	if err := os.WriteFile("dos.toml", []byte("[lanes]\nconcurrent = [\"lane-one\", \"lane-two\"]\n[lanes.trees]\nlane-one = [\"a/**\"]\nlane-two = [\"b/**\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"git", "init", "-q"},
		{"git", "config", "remote.evil$(touch pwned).url", "x"}, {"git", "config", "remote.evil;touch pwned.url", "x"}, {"git", "config", "remote.evil`touch pwned`.url", "x"},
		{"git", "dos", "lease", "acquire", "--lane", "lane-one"},
	} {
		shell(t, args...)
	}
	return dir, home
}

func shell(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%.200q: %v\n%s", args, err, out)
	}
	return string(out)
}

func needShell(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("there is no %s on the PATH", name)
	}
}

func notEvaluated(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("the name of a remote was evaluated")
	}
}

// bashShow completes a line as readline would have it parted, through git's
// completion for git and through ours for git-dos.
const bashShow = `source "$GIT_COMPLETION"
source <(git dos completion bash)
show ()
{
	COMP_LINE=$1; shift
	COMP_POINT=${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	if [[ $1 == git ]]; then __git_wrap__git_main; else __git_dos_alone; fi
	printf '[%s]' "${COMPREPLY[@]}"
	echo
}
`

func TestBashCompletes(t *testing.T) {
	needShell(t, "bash")
	gits := ""
	for _, place := range []string{"/usr/share/bash-completion/completions/git", "/usr/share/git/completion/git-completion.bash", "/etc/bash_completion.d/git"} {
		if _, err := os.Stat(place); err == nil {
			gits = place
			break
		}
	}
	if gits == "" {
		t.Skip("git's completion for bash is not installed")
	}
	dir, _ := shellRepo(t)
	t.Setenv("GIT_COMPLETION", gits)
	evil := `[evil\$\(touch\ pwned\) ][evil\;touch\ pwned ][evil\` + "`touch\\ pwned\\`" + ` ]`
	for _, c := range []struct{ show, want string }{
		{"'git dos lease acquire --now' git dos lease acquire --now", "[--now ]"},
		{"'git dos lease acq' git dos lease acq", "[acquire ]"},
		{"'git -C . dos lease acq' git -C . dos lease acq", "[acquire ]"},
		{"'git dos lease acquire --lane ' git dos lease acquire --lane ''", "[lane-one ][lane-two ]"},
		{"'git dos lease acquire --lane=lane' git dos lease acquire --lane = lane", "[lane-one ][lane-two ]"},
		{"'git -C / dos lease acquire --lane ' git -C / dos lease acquire --lane ''", "[]"},
		{"'git dos --color=a' git dos --color = a", "[auto ][always ]"},
		{"'git dos sync --remote ' git dos sync --remote ''", evil},
		{"'git-dos ver' git-dos ver", "[verify-step ][verify ][version ]"},
		{"'git-dos --color=' git-dos --color =", "[auto ][always ][never ]"},
		{"'git-dos lease acquire --lane=lane-o' git-dos lease acquire --lane = lane-o", "[lane-one ]"},
		{"'git-dos lease show lane-t' git-dos lease show lane-t", "[lane-two ]"},
		{"'git-dos sync --remote ' git-dos sync --remote ''", evil},
	} {
		if got := strings.TrimSpace(shell(t, "bash", "--norc", "-c", bashShow+"show "+c.show)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.show, got, c.want)
		}
	}
	notEvaluated(t, dir)
}

func TestFishCompletes(t *testing.T) {
	needShell(t, "fish")
	dir, home := shellRepo(t)
	conf := filepath.Join(home, ".config", "fish", "conf.d")
	if err := os.MkdirAll(conf, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(conf, "git-dos.fish"), []byte(completionFish), 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"git do":                         "dos",
		"git dos lease acq":              "acquire",
		"git -C . dos lease acq":         "acquire",
		"git dos lease show --lane lane": "lane-one lane-two",
		"git-dos --color=al":             "--color=always",
		"git-dos lease show lane-o":      "lane-one",
		"git-dos sync --remote ":         "evil$(touch pwned) evil;touch pwned evil`touch pwned`",
		"git dos sync --remote ":         "evil$(touch pwned) evil;touch pwned evil`touch pwned`",
	} {
		var got []string
		for l := range strings.Lines(shell(t, "fish", "-c", "complete -C "+`"`+line+`"`)) {
			word, _, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %s", line, got, want)
		}
	}
	notEvaluated(t, dir)
}

// zshShow calls the function as zsh's completion does, with the words parted
// and quoted as they stand on the line, and shows what it adds.
const zshShow = `compdef() { : }
compadd() { print -r -- "[${(j:][:)values}]" }
_files() { print -r -- "a path" }
source <(git dos completion zsh)
words=("$@") CURRENT=$# PREFIX=$words[-1]
_git-dos
`

func TestZshCompletes(t *testing.T) {
	needShell(t, "zsh")
	dir, _ := shellRepo(t)
	for line, want := range map[string]string{
		"git-dos|lease|acq":              "[acquire]",
		"dos|lease|acq":                  "[acquire]",
		"git-dos|lease|show|--lane|lane": "[lane-one][lane-two]",
		"git-dos|--color=a":              "[--color=auto][--color=always]",
		"git-dos|sync|--remote|":         "[evil$(touch pwned)][evil;touch pwned][evil`touch pwned`]",
		`git-dos|sync|--remote|evil\;`:   "[evil;touch pwned]",
		"git-dos|leak-check|x":           "a path",
	} {
		if got := strings.TrimSpace(shell(t, append([]string{"zsh", "-f", "-c", zshShow, "zsh"}, strings.Split(line, "|")...)...)); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	shell(t, "zsh", "-n", "-c", completionZsh)
	notEvaluated(t, dir)
}
