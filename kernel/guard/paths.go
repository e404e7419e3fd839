package guard

import (
	"path"
	"strings"
)

// Files of git that no program but git writes.
var (
	ruleHooks = rule{"", "it writes into a hooks directory of git, and the gates stand there", "git dos hooks status"}
	ruleDir   = rule{"", "it writes into git's own directory behind git's back", "leave git's own files to git"}
)

// gitDir splits a path behind the last .git in it. Upper case counts as lower,
// as it does on some file systems.
func gitDir(w word) (rest string, found bool) {
	at, named := false, false
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.ToLower(w.parts), `\`, "/"), "/") {
		_, value, option := strings.Cut(part, "=") // as in of=.git/x
		part = strings.Trim(part, ":")
		switch {
		case part == ".git", option && value == ".git":
			at, named, rest = true, true, ""
		case strings.HasSuffix(part, ".git") && !named: // a bare repository, if anything
			at, rest = true, ""
		case at && part != "." && part != "":
			rest += "/" + part
		}
	}
	rest = strings.TrimPrefix(rest, "/")
	return rest, named || at && strings.HasPrefix(rest, "hooks")
}

func inGitDir(w word) bool {
	_, found := gitDir(w)
	return found || hooksBehindBlank(w)
}

// hooksBehindBlank says whether a path is put together so that it may lie in a
// hooks directory, as in "$dir/hooks/pre-push".
func hooksBehindBlank(w word) bool {
	return !w.exact && (strings.Contains(w.parts, "hooks") || strings.Contains(w.parts, ".git"))
}

// written judges a path that is written to.
func (f *finder) written(cmd []word, w word) {
	rest, found := gitDir(w)
	switch {
	case found && (rest == "" || strings.HasPrefix(rest, "hooks")):
		f.deny(cmd, []word{w}, ruleHooks)
	case found && strings.HasSuffix(rest, ".lock"):
		f.unknown(cmd, []word{w}, "a lock of git may be in use", "let a person look whether another git is at work, and remove it then")
	case found:
		f.deny(cmd, []word{w}, ruleDir)
	case hooksBehindBlank(w):
		f.unknown(cmd, []word{w}, "whether this lies in git's own directory is not known before it runs", "write the path out")
	}
}

// touches judges the paths among the arguments of a program that is known to
// write, and says that it cannot tell of one that may.
func (f *finder) touches(words []word, writes bool) {
	switch program(words[0]) {
	case "cd", "pushd":
		if len(words) > 1 && inGitDir(words[1]) {
			f.unknown(words, words[1:2], "what follows works in git's own directory", "leave git's own files to git")
		}
		return
	case "cp", "mkdir": // reads all but the last
		if len(words) > 2 {
			f.written(words, words[len(words)-1])
		}
		return
	case "tee", "sed", "dd", "truncate", "install", "unlink", "shred", "rsync", "patch", "rename", "perl", "curl", "wget", "chattr", "setfacl":
		writes = true
	}
	for _, w := range words[1:] {
		switch {
		case !inGitDir(w):
		case writes:
			f.written(words, w)
		default:
			f.unknown(words, []word{words[0], w}, "a program that is not known here is given a path in git's own directory", "leave git's own files to git")
		}
	}
}

// wide says whether a pathspec names everything, or everything but something.
func wide(w word) bool {
	text := w.text
	if !w.exact {
		text = strings.Trim(w.src, `"'`)
	}
	if rest, ok := strings.CutPrefix(text, ":("); ok {
		magic, after, _ := strings.Cut(rest, ")")
		if strings.Contains(magic, "exclude") {
			return true
		}
		text = after
	} else if strings.HasPrefix(text, ":") {
		if strings.HasPrefix(text, ":!") || strings.HasPrefix(text, ":^") || strings.HasPrefix(text, ":/!") || strings.HasPrefix(text, ":/^") {
			return true
		}
		text = strings.TrimPrefix(strings.TrimPrefix(text, ":"), "/")
	}
	return strings.Trim(path.Clean(text), "./*?") == ""
}

// elsewhere says whether a pathspec may name everything by the way it takes:
// from the root of the file system, or through a parent.
func elsewhere(w word) bool {
	return strings.HasPrefix(w.text, "/") || strings.HasPrefix(w.text, "..") || len(w.text) > 1 && w.text[1] == ':' || strings.Contains(w.text, "/../")
}
