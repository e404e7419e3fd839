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

// zshTypes has a zsh of its own at a terminal, which completes with what it came with
// and our function in a folder of its fpath, types the lines that it reads, where TAB
// is that key, and prints what each has become.
const zshTypes = `zmodload zsh/zpty
place=$1 said=$2
: >$said
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= RPS1=; fpath=($place \$fpath); autoload -Uz compinit; compinit -D -u; setopt menu_complete
told() { print -r -- \$BUFFER >>$said; BUFFER= }
zle -N told; bindkey '^T' told; bindkey '^X' complete-word; print ready >>$said"
integer lines=1 tries
await() {
	for tries in {1..1200}; do
		(( $(wc -l <$said) >= lines )) && return
		zpty -r -t shell rest
		sleep 0.05
	done
	print -u2 -r "no answer to $1"
	exit 1
}
await 'its setup'
while IFS= read -r line; do
	(( lines++ ))
	zpty -w -n shell ${line//TAB/$'\x18'}$'\x14'
	await $line
done
zpty -d shell
cat $said
`

func TestZshCompletesThroughItsCompletionOfGit(t *testing.T) {
	needShell(t, "zsh")
	if shell(t, "zsh", "-f", "-c", "print -l $^fpath/_git(N)") == "\n" {
		t.Skip("zsh came without its completion of git")
	}
	dir, home := shellRepo(t)
	place := filepath.Join(home, "functions")
	if err := os.Mkdir(place, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(place, "_git-dos"), []byte(completionZsh), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := [][2]string{
		{"git doTAB", "git dos "},
		{"git dos lease acqTAB", "git dos lease acquire "},
		{"git dos lease acquire --nowTAB", "git dos lease acquire --now "},
		{"git dos lease show lane-tTAB", "git dos lease show lane-two "},
		{"git dos lease show --lane lane-oTAB", "git dos lease show --lane lane-one "},
		{"git dos --color=alTAB", "git dos --color=always "},
		{"git -C ../repo dos lease show lane-oTAB", "git -C ../repo dos lease show lane-one "},
		{"git -C .. dos lease show lane-oTAB", "git -C .. dos lease show lane-o"},
		{"git -C ~/../repo dos lease show lane-oTAB", "git -C ~/../repo dos lease show lane-one "},
		{"git --git-dir=../repo/.git dos lease acqTAB", "git --git-dir=../repo/.git dos lease acquire "},
		{"git-dos lease show lane-oTAB", "git-dos lease show lane-one "},
		{`git dos sync --remote evil\;TAB`, `git dos sync --remote evil\;touch\ pwned `},
	}
	want, typed := "ready\n", ""
	for _, l := range lines {
		typed, want = typed+l[0]+"\n", want+l[1]+"\n"
	}
	cmd := exec.Command("zsh", "-f", "-c", zshTypes, "zsh", place, filepath.Join(home, "said"))
	cmd.Stdin = strings.NewReader(typed)
	if got, err := cmd.CombinedOutput(); err != nil || string(got) != want {
		t.Errorf("got\n%s(%v)\nwant\n%s", got, err, want)
	}
	notEvaluated(t, dir)
}

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
