package guard

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// shells read a script from an argument or from what they are sent.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash"}

// starters and plainStarters run the command among their arguments. Of the plain
// ones the first argument that is no option is that command.
var (
	plainStarters = []string{
		"command", "exec", "builtin", "nohup", "time", "nice", "stdbuf", "setsid", "ionice", "sudo", "doas", "env",
		"xargs", "parallel", "noglob", "nocorrect", "catchsegv", "caffeinate", "unbuffer", "busybox", "coproc",
	}
	starters = []string{
		"timeout", "gtimeout", "flock", "chroot", "taskset", "setarch", "linux32", "linux64", "unshare", "nsenter", "chrt", "numactl",
		"repeat", "watch", "entr", "strace", "ltrace", "script", "runuser", "su", "systemd-run", "firejail", "bwrap", "faketime", "prlimit", "xvfb-run",
		"ssh", "docker", "podman", "kubectl", "nix-shell", "nix", "direnv", "mise", "asdf", "poetry", "uv", "npx", "bundle", "tmux", "screen", "cmd", "powershell", "pwsh", "wsl",
	}
)

func starts(name string) bool {
	return slices.Contains(starters, name) || slices.Contains(plainStarters, name)
}

// evaluators read their arguments as a script.
var evaluators = []string{"eval", "trap"}

// readers look at their arguments, or print them, and start nothing.
var readers = []string{
	":", "true", "false", "echo", "printf", "print", "cat", "ls", "grep", "egrep", "fgrep", "head", "tail", "wc", "which", "type", "whereis", "hash",
	"test", "[", "[[", "basename", "dirname", "realpath", "readlink", "stat", "file", "du", "df", "diff", "cmp", "sort", "uniq", "cut", "tr",
	"sleep", "date", "pwd", "jq", "seq", "expr", "export", "declare", "typeset", "local", "readonly", "let", "unset", "return", "exit", "shift", "set", "pgrep", "ps", "tree", "md5sum", "sha256sum", "shellcheck", "less", "more", "tac", "nl", "od", "xxd", "read",
}

// installers and makers of files take the word git for a name.
var namers = []string{"mkdir", "touch", "rm", "rmdir", "cp", "mv", "ln", "chmod", "chown", "tee", "apt", "apt-get", "brew", "dnf", "yum", "apk", "pacman", "cd", "pushd", "popd"}

// gitWord finds git called in other text.
var gitWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(^|[\\s\"'`(\\[;|&={!])([^\\s\"']*/bin/)?git(-[a-z-]+)?([\\s\"'`]|$)")
})

// program is the name of the program that a word starts.
func program(w word) string {
	name := path.Base(strings.ReplaceAll(w.text, `\`, "/"))
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}

// isGit says whether a word starts git, or one of its commands by itself.
func isGit(w word) bool {
	name := program(w)
	return w.exact && (name == "git" || strings.HasPrefix(name, "git-"))
}

// command judges one command.
func (f *finder) command(c command) {
	f.commands++
	for _, a := range c.assigns {
		f.assigned(a)
	}
	if len(c.words) == 0 {
		return
	}
	first, name := c.words[0], program(c.words[0])
	switch {
	case !first.exact || first.many:
		f.unknown(c.words, c.words[:1], "which program runs is not known before it runs", "write the program's name out")
	case isGit(first):
		for _, a := range c.assigns {
			if a.name == "SKIP" {
				f.deny(c.words, []word{literal("SKIP=" + a.value.text)}, ruleSkipped)
			}
		}
		f.git(c.words)
	case slices.Contains(shells, name):
		f.shell(c)
	case slices.Contains(evaluators, name):
		f.evaluate(c.words)
	case name == "alias":
		if len(c.words) > 1 {
			f.unknown(c.words, c.words[:2], "an alias gives a command another name", "write the command out where it is used")
		}
	case name == "source" || name == ".":
		f.file(c, 1)
	case name == "find" || name == "fd":
		f.find(c.words)
	case starts(name):
		f.starter(c, slices.Contains(plainStarters, name))
	default:
		f.other(c, name)
	}
}

// assigned judges a variable that is set, for this command or the next ones.
func (f *finder) assigned(a assign) {
	if a.name == "" && !a.value.exact {
		f.unknown([]word{a.value}, nil, "which variable is set is not known", "write its name out")
		return
	}
	name, value := a.name, a.value
	if name == "" { // an argument of export or env
		left, right, _ := strings.Cut(value.text, "=")
		name, value.text = left, right
	}
	f.variable(name, value, a.value)
}

// shell judges a shell that is started.
func (f *finder) shell(c command) {
	for i := 1; i < len(c.words); i++ {
		w := c.words[i]
		switch {
		case !w.exact || w.many:
			f.unknown(c.words, c.words[i:i+1], "what the shell is told is not known before it runs", "write it out")
			return
		case w.is("--rcfile", "--init-file", "-o", "+o", "-O", "+O"):
			i++
		case strings.HasPrefix(w.text, "--"):
		case len(w.text) > 1 && (w.text[0] == '-' || w.text[0] == '+'):
			if strings.ContainsRune(w.text, 'c') {
				f.shellText(c.words, i+1)
				return
			}
			if strings.ContainsRune(w.text, 's') {
				f.sent(c)
				return
			}
		default:
			f.file(c, i)
			return
		}
	}
	f.sent(c)
}

// file judges a script in a file, which is not seen and counts like any other
// program, unless the line itself makes it.
func (f *finder) file(c command, i int) {
	if i < len(c.words) {
		w := c.words[i]
		if strings.HasPrefix(w.src, "<(") || strings.HasPrefix(w.src, "=(") || strings.HasPrefix(w.text, "/dev/") || strings.HasPrefix(w.text, "/proc/") {
			f.sent(c)
			return
		}
	}
	f.other(c, "")
}

// shellText judges the script of sh -c, which stands at or after i.
func (f *finder) shellText(words []word, i int) {
	for ; i < len(words); i++ {
		w := words[i]
		if w.exact && len(w.text) > 1 && (w.text[0] == '-' || w.text[0] == '+') {
			continue
		}
		f.text(words, w)
		return
	}
}

// text judges a word that some program reads as a script.
func (f *finder) text(cmd []word, w word) {
	if !w.exact || w.many {
		f.unknown(cmd, []word{w}, "a script is run that is put together first", "write the commands of the script out")
		return
	}
	f.script(w.text)
}

// sent judges a shell that runs what it is sent.
func (f *finder) sent(c command) {
	if c.stdin != nil {
		f.text(c.words, *c.stdin)
		return
	}
	if len(c.piped) > 1 && c.piped[0].is("echo", "printf", "cat") {
		if script, exact := texts(c.piped[1:]); exact {
			since := len(f.findings)
			f.script(strings.Join(script, " "))
			if f.worst(since) == Deny {
				return
			}
		}
	}
	f.unknown(c.words, nil, "a shell runs what it is sent, which is not seen", "write the commands out")
}

// evaluate judges eval and trap.
func (f *finder) evaluate(words []word) {
	args := words[1:]
	if len(args) > 0 && args[0].is("--") {
		args = args[1:]
	}
	if words[0].is("trap") {
		args = args[:min(len(args), 1)]
	}
	script, exact := texts(args)
	if !exact {
		f.unknown(words, args, "a script is run that is put together first", "write the commands of the script out")
		return
	}
	f.script(strings.Join(script, " "))
}

// find judges the commands that find and its like start.
func (f *finder) find(words []word) {
	for i := 1; i < len(words); i++ {
		if !words[i].is("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch") {
			continue
		}
		var inner []word
		for i++; i < len(words) && !words[i].is(";", "+"); i++ {
			w := words[i]
			if strings.Contains(w.parts, "{}") {
				w.text, _, _ = strings.Cut(w.text, "{}")
				w.exact = false
			}
			inner = append(inner, w)
		}
		f.inner(command{words: inner})
	}
	if slices.ContainsFunc(words, func(w word) bool { return w.is("-delete") || strings.HasPrefix(w.text, "-fprint") }) {
		f.touches(words, true)
	}
}

// inner judges a command that another one starts.
func (f *finder) inner(c command) {
	if f.wrapped++; f.wrapped > 64 {
		f.unknown(c.words, nil, "too many commands that start commands", "write them out one by one")
		return
	}
	f.command(c)
}

// starter judges the command among the arguments of another. Options are not
// read one by one: the first argument that could be the command is.
func (f *finder) starter(c command, plain bool) {
	if program(c.words[0]) == "xargs" && slices.ContainsFunc(c.piped, inGitDir) {
		f.unknown(c.words, nil, "a program is given names of files in git's own directory", "leave git's own files to git")
	}
	for i := 1; i < len(c.words); i++ {
		w := c.words[i]
		afterOption := i > 1 && strings.HasPrefix(c.words[i-1].text, "-")
		name := program(w)
		switch {
		case !w.exact || w.many:
			f.unknown(c.words, c.words[i:i+1], "which program runs is not known before it runs", "write its name out")
			return
		case strings.HasPrefix(w.text, "-S") || strings.HasPrefix(w.text, "--split-string") || strings.ContainsAny(w.text, " \t\n"):
			f.startedText(c.words, w)
		case strings.HasPrefix(w.text, "-"):
		case strings.Contains(w.text, "="):
			f.assigned(assign{value: w})
		case f.known(w, name):
			f.inner(command{words: f.started(c.words, i), stdin: c.stdin, piped: c.piped})
			return
		case plain && !afterOption && (slices.Contains(readers, name) || slices.Contains(namers, name)):
			f.other(command{words: c.words[i:], stdin: c.stdin, piped: c.piped}, name)
			return
		}
	}
	f.other(c, "env")
}

// startedText judges one word that holds a whole command line.
func (f *finder) startedText(cmd []word, w word) {
	text := strings.TrimPrefix(strings.TrimPrefix(w.text, "--split-string="), "-S")
	if gitWord().MatchString(text) || text == "" {
		since := len(f.findings)
		f.script(text)
		if f.worst(since) != Deny {
			f.unknown(cmd, []word{w}, "a program is told a whole line that it may run", "run the line itself")
		}
	}
}

// known says whether a word may start something that is looked into.
func (f *finder) known(w word, name string) bool {
	return isGit(w) || slices.Contains(shells, name) || starts(name) || slices.Contains(evaluators, name) || name == "find"
}

// started is the command at i with what its starter adds: xargs and parallel
// put more words at its end, or in place of their marks.
func (f *finder) started(words []word, i int) []word {
	inner := slices.Clone(words[i:])
	if name := program(words[0]); name != "xargs" && name != "parallel" {
		return inner
	}
	for j, w := range inner {
		if strings.Contains(w.text, "{") || w.is("%", "@") {
			inner[j].text, inner[j].exact = "", false
		}
	}
	return append(inner, word{many: true, src: "(what xargs reads)"})
}

// other judges a program that is neither git nor looked into: what it does to
// git's own directory, and whether it may start git.
func (f *finder) other(c command, name string) {
	if slices.Contains(readers, name) {
		return
	}
	f.touches(c.words, slices.Contains(namers, name))
	if slices.Contains(namers, name) {
		return
	}
	told := slices.Clone(c.words[1:])
	if c.stdin != nil {
		told = append(told, *c.stdin)
	}
	if len(c.piped) > 1 && c.piped[0].is("echo", "printf") {
		told = append(told, c.piped[1:]...)
	}
	for _, w := range told {
		if gitWord().MatchString(w.parts) {
			f.unknown(c.words, []word{c.words[0], w}, "a program that is not known here may run git, which it is told of", "run git itself")
			return
		}
	}
}
