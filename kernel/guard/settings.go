package guard

import (
	"slices"
	"strings"
)

// Settings that lift a gate or give git another meaning.
var (
	ruleHooksPath = rule{"", "it takes the hooks away, and the gates with them", "git dos hooks status; a person changes where hooks lie"}
	ruleUnsigned  = rule{"", "it leaves the signature out", "commit with the settings of the repository: git dos commit --lane L -m MESSAGE -- PATHS"}
	ruleAlias     = rule{"", "an alias hides what a command does", "write the command out where it is used"}
	ruleSetting   = rule{"", "the setting makes a later command do what is forbidden by itself", "leave the setting out"}
	ruleSkipped   = rule{"", "it makes hooks pass over, like --no-verify", "leave it out; a gate that is wrong is answered in the way it says"}
)

// harmless are settings, or the sections before a dot, that change what is
// shown or whose name stands on a commit.
var harmless = []string{
	"user.", "author.", "committer.", "color.", "advice.", "log.", "column.", "status.", "i18n.", "http.", "https.", "gc.", "pack.", "index.", "blame.", "grep.", "protocol.",
	"init.defaultbranch", "core.quotepath", "core.autocrlf", "core.eol", "core.safecrlf", "core.abbrev", "core.longpaths", "core.precomposeunicode", "core.filemode", "core.ignorecase", "core.symlinks", "core.commentchar", "core.whitespace",
	"safe.directory", "merge.conflictstyle", "merge.ff", "merge.renames", "pull.ff", "rerere.", "fetch.prune", "fetch.parallel", "push.default", "push.autosetupremote", "push.followtags", "diff.renames", "diff.algorithm", "diff.context", "diff.noprefix", "diff.mnemonicprefix", "diff.colormoved", "diff.renamelimit", "format.pretty", "feature.", "dos.",
	"commit.verbose", "commit.cleanup", "commit.template", "gpg.format", "tag.sort", "branch.sort", "versionsort.", "rebase.stat", "rebase.abbreviatecommands", "sequence.", "checkout.guess", "checkout.defaultremote", "help.autocorrect", "transfer.fsckobjects", "uploadpack.", "receive.fsckobjects",
}

// commands are settings whose value a shell runs.
var shellSettings = []string{"core.pager", "core.editor", "core.sshcommand", "core.askpass", "sequence.editor", "diff.external", "core.gitproxy"}

// setting judges a setting that is given to git or stored. The value may be
// absent, which stands for true.
func (f *finder) setting(cmd []word, key, value word, absent bool) {
	name := strings.ToLower(key.text)
	no := !absent && falsy(value)
	offending := []word{key}
	switch {
	case !key.exact && !strings.HasPrefix(name, "user.") && !strings.HasPrefix(name, "alias."):
		f.unknown(cmd, offending, "which setting is given is not known", "write its name out")
	case name == "core.hookspath":
		f.deny(cmd, offending, ruleHooksPath)
	case name == "dos.receiveoverride":
		f.deny(cmd, offending, ruleOverride)
	case strings.HasPrefix(name, "alias."):
		f.deny(cmd, offending, ruleAlias)
	case strings.HasSuffix(name, ".gpgsign"):
		f.either(cmd, offending, no, !value.exact && !absent, ruleUnsigned)
	case name == "clean.requireforce":
		f.either(cmd, offending, no, !value.exact && !absent, ruleSetting)
	case name == "rebase.autostash", name == "merge.autostash", name == "pull.rebase", name == "rebase.autosquash", strings.HasPrefix(name, "branch.") && strings.HasSuffix(name, ".rebase"):
		f.either(cmd, offending, !no && (absent || value.exact), !absent && !value.exact, ruleSetting)
	case strings.HasPrefix(name, "remote.") && (strings.HasSuffix(name, ".push") || strings.HasSuffix(name, ".mirror")):
		f.deny(cmd, offending, ruleSetting)
	case slices.Contains(shellSettings, name):
		f.shellValue(cmd, value)
	case strings.HasPrefix(name, "remote.") && strings.HasSuffix(name, ".url") || strings.HasPrefix(name, "branch.") && (strings.HasSuffix(name, ".remote") || strings.HasSuffix(name, ".merge") || strings.HasSuffix(name, ".description")):
		f.address(cmd, value)
	case slices.ContainsFunc(harmless, func(h string) bool { return name == h || strings.HasSuffix(h, ".") && strings.HasPrefix(name, h) }):
	default:
		f.unknown(cmd, offending, "the setting may change what git runs or does", "leave the setting out")
	}
}

// either denies what is surely so, and cannot tell where it may be.
func (f *finder) either(cmd, offending []word, sure, perhaps bool, r rule) {
	switch {
	case sure:
		f.deny(cmd, offending, r)
	case perhaps:
		f.unknown(cmd, offending, "what is set is not known before it runs", "write it out")
	}
}

func falsy(w word) bool {
	return w.is("") || w.exact && slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(w.text))
}

// shellValue judges a value that git gives to a shell.
func (f *finder) shellValue(cmd []word, w word) {
	if w.exact && strings.TrimSpace(w.text) == "" {
		return
	}
	f.text(cmd, w)
}

// address judges the name or address of a repository: some are commands.
func (f *finder) address(cmd []word, w word) {
	if strings.Contains(w.parts, "::") {
		f.unknown(cmd, []word{w}, "an address of this kind is a command", "use the address of a server")
	}
}

// quietVariables of git change nothing that is judged here.
var quietVariables = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GIT_ADVICE", "GIT_FLUSH", "GIT_PROGRESS_DELAY",
	"GIT_LITERAL_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_MERGE_AUTOEDIT", "GIT_PS1_SHOWDIRTYSTATE", "GIT_REFLOG_ACTION", "GIT_LFS_SKIP_SMUDGE", "GIT_NO_REPLACE_OBJECTS", "GIT_PROTOCOL", "GIT_COMMON_DIR",
}

// shellVariables hold commands that git runs.
var shellVariables = []string{"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "EDITOR", "VISUAL", "PAGER"}

// variable judges a variable that is set; shown is how that was written.
func (f *finder) variable(name string, value, shown word) {
	line := []word{{src: name + "=" + strings.TrimPrefix(shown.src, name+"=")}}
	upper := strings.ToUpper(name)
	switch {
	case upper == "HUSKY" || upper == "LEFTHOOK":
		f.either(line, line, falsy(value), !value.exact, ruleSkipped)
	case upper == "HUSKY_SKIP_HOOKS" || upper == "LEFTHOOK_EXCLUDE" || upper == "PRE_COMMIT_ALLOW_NO_CONFIG":
		f.deny(line, line, ruleSkipped)
	case upper == "GIT_DOS_OVERRIDE":
		f.deny(line, line, ruleOverride)
	case strings.HasPrefix(upper, "GIT_TRACE"), strings.HasPrefix(upper, "GIT_DOS_"), slices.Contains(quietVariables, upper):
	case slices.Contains(shellVariables, upper):
		f.shellValue(line, value)
	case strings.HasPrefix(upper, "GIT_CONFIG_KEY_"):
		f.setting(line, value, word{}, false)
	case strings.HasPrefix(upper, "GIT_CONFIG_VALUE_"), upper == "GIT_CONFIG_COUNT":
	case upper == "GIT_CONFIG_PARAMETERS":
		f.parameters(line, value)
	case strings.HasPrefix(upper, "GIT_"):
		f.unknown(line, line, "the variable may change what git runs or reads", "leave it out")
	}
}

// parameters judges settings in the form git hands down to its children.
func (f *finder) parameters(line []word, value word) {
	since := len(f.findings)
	if text := strings.ToLower(value.parts); strings.Contains(text, "core.hookspath") {
		f.deny(line, line, ruleHooksPath)
	} else if strings.Contains(text, "alias.") {
		f.deny(line, line, ruleAlias)
	}
	if f.worst(since) == Allow {
		f.unknown(line, line, "the variable gives git settings in a form that is git's own", "leave it out")
	}
}
