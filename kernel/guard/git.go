package guard

import (
	"slices"
	"strings"
)

// A call is one use of git.
type call struct {
	*finder
	words []word // the whole command
	sub   string // the subcommand
	args  []word // what follows it
	parsed
}

// globals are git's own options: those that take a value as the next word, and
// those that take none.
var (
	globalValued = []string{"-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source"}
	globalPlain  = []string{
		"-p", "--paginate", "-P", "--no-pager", "--no-replace-objects", "--no-lazy-fetch", "--no-optional-locks", "--no-advice", "--bare",
		"--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs", "--exec-path", "--html-path", "--man-path", "--info-path",
		"-v", "--version", "-h", "--help",
	}
)

// git judges one use of git: its own options, then the subcommand.
func (f *finder) git(words []word) {
	if sub, ok := strings.CutPrefix(program(words[0]), "git-"); ok {
		f.subcommand(words, literal(sub), words[1:])
		return
	}
	for i := 1; i < len(words); i++ {
		w := words[i]
		name, value, attached := strings.Cut(w.text, "=")
		switch {
		case w.many || !w.exact && !(attached && strings.HasPrefix(w.text, "--")) && !strings.HasPrefix(w.text, "-C"):
			f.unknown(words, words[i:i+1], "which subcommand of git runs is not known before it runs", "write the subcommand out")
			return
		case !strings.HasPrefix(w.text, "-"):
			f.subcommand(words, w, words[i+1:])
			return
		case name == "-c" || name == "--config-env":
			setting, at := w, i
			if name == "-c" && !attached || name == "--config-env" && !attached {
				if i++; i == len(words) {
					return // git refuses it
				}
				setting, at = words[i], i
			} else {
				setting.text, setting.parts = value, strings.TrimPrefix(w.parts, name+"=")
			}
			if words[at].many {
				f.unknown(words, words[at:at+1], "which setting is given is not known", "write it out")
				return
			}
			f.given(words, setting, name == "--config-env")
		case slices.Contains(globalValued, w.text):
			if i++; i < len(words) && words[i].many {
				f.unknown(words, words[i:i+1], "which subcommand of git runs is not known before it runs", "write the subcommand out, and quotes round the value")
				return
			}
		case attached && slices.Contains(globalValued, name), slices.Contains(globalPlain, w.text), strings.HasPrefix(w.text, "--list-cmds="):
		default:
			f.unknown(words, words[i:i+1], "this option of git is not known here", "leave it out")
			return
		}
	}
}

// given judges a setting on git's command line, key=value or key alone.
func (f *finder) given(words []word, w word, fromEnv bool) {
	key, value, has := strings.Cut(w.text, "=")
	v := word{text: value, exact: w.exact && !fromEnv, parts: value, src: value}
	f.setting(words, word{text: key, exact: w.exact || has, parts: key, src: key}, v, !has && w.exact)
}

// subcommand judges a subcommand with its arguments.
func (f *finder) subcommand(words []word, sub word, args []word) {
	c := &call{finder: f, words: words, sub: sub.text, args: args}
	if f.rules == nil {
		f.rules = judged()
	}
	switch j, found := f.rules[c.sub]; {
	case c.sub == "dos":
		c.dos()
	case found:
		c.parsed = parse(optionsOf(j), args)
		c.judge(j)
	case slices.Contains(harmlessCommands, c.sub):
	case slices.Contains(printers, c.sub):
		c.prints()
	case slices.Contains(opaque, c.sub):
		c.unknown(words, c.at(), "what this subcommand does is not judged here", "ask a person to run it")
	default:
		c.unknown(words, c.at(), "this is no command of git that is known here: an alias, or a program", "write out what it stands for")
	}
}

// at is the subcommand as it is told, with the words it fell over.
func (c *call) at(offending ...word) []word {
	return append([]word{literal("git"), literal(c.sub)}, offending...)
}

// blocked records that a rule forbids this, because of these words.
func (c *call) blocked(r rule, offending ...word) { c.deny(c.words, c.at(offending...), r) }

// unsure records that these words decide and are not known.
func (c *call) unsure(why, fix string, offending ...word) {
	c.unknown(c.words, c.at(offending...), why, fix)
}

// judge holds what was parsed against the rules of the subcommand.
func (c *call) judge(j judgement) {
	for _, o := range c.options {
		if r, ok := j.deny[o.name]; ok {
			c.blocked(r, o.word)
		}
	}
	for _, w := range c.strange {
		c.unsure("this option is not known here", "leave it out, or ask", w)
	}
	for _, w := range c.blanks {
		c.unsure("what stands where an option may stand is not known before it runs", "write it out, or put it behind --", w)
	}
	if j.check != nil {
		j.check(c)
	}
}

// prints judges a subcommand that prints, and may be told where to.
func (c *call) prints() {
	for i, w := range c.args {
		switch {
		case w.is("--", "--end-of-options"):
			return
		case strings.HasPrefix(w.text, "--output") || strings.HasPrefix(w.text, "-o"):
			for _, target := range c.args[i:min(i+2, len(c.args))] {
				target.parts = strings.TrimPrefix(strings.TrimPrefix(target.parts, "-o"), "--output=")
				c.written(c.words, target)
			}
		case c.sub == "grep" && pages(w), c.sub == "difftool" || c.sub == "mergetool", strings.HasPrefix(w.text, "--exec"), strings.HasPrefix(w.text, "--upload-pack"), strings.HasPrefix(w.text, "--remote=ext"):
			c.unsure("it starts a program that is not looked into", "leave the option out", w)
		case w.many || !w.exact && (w.text == "" || strings.HasPrefix(w.text, "-") && !strings.Contains(w.text, "=")):
			c.unsure("what stands where an option may stand is not known before it runs", "put it behind --end-of-options", w)
		}
		c.address(c.words, addressOf(c.sub, w))
	}
}

// addressOf is the word where the subcommand takes the address of a repository.
func addressOf(sub string, w word) word {
	if sub == "ls-remote" || sub == "archive" || sub == "clone" {
		return w
	}
	return literal("")
}

// pages says whether an option of grep may start a pager.
func pages(w word) bool {
	if strings.HasPrefix(w.text, "--") {
		return len(w.text) > 3 && strings.HasPrefix("--open-files-in-pager", strings.SplitN(w.text, "=", 2)[0])
	}
	return strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "O")
}
