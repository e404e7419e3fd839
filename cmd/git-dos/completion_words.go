package main

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/urfave/cli/v2"
)

// maxCandidates bounds what a shell is shown.
const maxCandidates = 1000

// completionOf are the candidates for the last of words, which are those
// after git dos.
func completionOf(c *cli.Context, words []string) []candidate {
	l := completionLine{parser: parser{app: newApp(streams{})}, ctx: c}
	typed := words[len(words)-1]
	for _, w := range words[:len(words)-1] {
		l.take(w)
	}
	var fit []candidate
	for _, w := range l.next(typed) {
		if strings.HasPrefix(w.Word, typed) && completionPlain(w.Word) && len(fit) < maxCandidates {
			fit = append(fit, candidate{w.Word, printable(w.Means, false)})
		}
	}
	return fit
}

// completionPlain reports whether a word can be shown and typed: a line holds
// it whole, and no letter of it is out of sight.
func completionPlain(word string) bool {
	return word != "" && len(word) <= 200 && !strings.ContainsFunc(word, func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r)
	})
}

// A completionLine is a command line that is still being typed, as far as it
// goes. Unlike parse it takes what is wrong for what may become right.
type completionLine struct {
	parser
	ctx   *cli.Context
	value cli.Flag // whose value comes next
	only  bool     // after --
	lost  bool     // a word is no command where one should stand
	where string   // the workspace that the line names
}

func (l *completionLine) take(w string) {
	switch {
	case l.value != nil:
		l.note(l.value, w)
		l.value = nil
	case l.only:
		l.operands = append(l.operands, w)
	case w == "--":
		l.only = true
	case strings.HasPrefix(w, "-") && w != "-":
		name, value, whole := strings.Cut(strings.TrimLeft(w, "-"), "=")
		f, _ := l.find(name)
		switch {
		case f == nil || !takesValue(f):
		case whole:
			l.note(f, value)
		default:
			l.value = f
		}
	default:
		l.word(w)
	}
}

// word is parser.word, which has nothing to say here: help, and what is no
// command, change nothing.
func (l *completionLine) word(w string) {
	if w != "help" || len(l.commands()) == 0 {
		l.lost = l.parser.word(w) != nil || l.lost
	}
}

func (l *completionLine) note(f cli.Flag, value string) {
	if f.Names()[0] == "workspace" {
		l.where = value
	}
}

func (l *completionLine) next(typed string) []candidate {
	switch {
	case l.lost:
		return nil
	case l.value != nil:
		return l.values(l.value, "")
	}
	if strings.HasPrefix(typed, "-") && !l.only {
		name, _, whole := strings.Cut(strings.TrimLeft(typed, "-"), "=")
		if f, _ := l.find(name); whole && f != nil {
			return l.values(f, typed[:strings.Index(typed, "=")+1])
		}
		return l.flags()
	}
	if len(l.commands()) > 0 && !l.only {
		var list []candidate
		for _, c := range l.commands() {
			if !c.Hidden {
				list = append(list, candidate{c.Name, c.Usage})
			}
		}
		return list
	}
	return l.arguments()
}

// flags are those that may stand here, by the longest of their names.
func (l *completionLine) flags() []candidate {
	lists := [][]cli.Flag{l.app.Flags}
	for _, c := range []*cli.Command{listOf(l.last()), l.last()} {
		if c != nil {
			lists = append([][]cli.Flag{c.Flags}, lists...)
		}
	}
	var list []candidate
	for _, flags := range lists {
		for _, f := range flags {
			if rows := flagRows([]cli.Flag{f}); len(rows) == 1 {
				list = append(list, candidate{dashed(f.Names()[0]), rows[0][1]})
			}
		}
	}
	return list
}

// values are those of a flag, each after prefix.
func (l *completionLine) values(f cli.Flag, prefix string) []candidate {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return nil
	}
	var list []candidate
	for _, w := range completionEnum(d.GetUsage()) {
		list = append(list, candidate{Word: w})
	}
	if list == nil {
		list = l.live(placeholder(d.GetUsage()))
	}
	for i := range list {
		list[i].Word = prefix + list[i].Word
	}
	return list
}

// arguments are the candidates for the next argument, by what the command
// calls it.
func (l *completionLine) arguments() []candidate {
	c := l.last()
	if c == nil {
		return nil
	}
	if sub := listOf(c); sub != nil {
		c = sub
	}
	usage, _, _ := strings.Cut(c.ArgsUsage, "--")
	names := strings.FieldsFunc(usage, func(r rune) bool { return r == ' ' || r == '[' || r == ']' })
	at := len(l.operands)
	switch {
	case len(names) == 0 || l.only && strings.Contains(c.ArgsUsage, "--"):
		return nil
	case at >= len(names) && strings.HasSuffix(names[len(names)-1], "..."):
		at = len(names) - 1
	case at >= len(names):
		return nil
	}
	return l.live(strings.TrimRight(names[at], "."))
}

var (
	completionNote  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \([^)]*\)`) })
	completionParts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`, or |, | or `) })
	completionWord  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*$`) })
)

// completionEnum are the values that a flag's usage lists after the word that
// stands for one, as in "`WHEN` = auto, always or never"; none unless it lists
// at least two words.
func completionEnum(usage string) []string {
	parts := strings.SplitN(usage, "`", 3)
	if len(parts) < 3 {
		return nil
	}
	list := completionNote().ReplaceAllString(parts[2], "")
	if rest, ok := strings.CutPrefix(list, " = "); ok {
		list = rest
	} else if at := strings.Index(list, ": "); at >= 0 && !strings.ContainsAny(list[:at], ",;") {
		list = list[at+2:]
	} else {
		return nil
	}
	list, _, _ = strings.Cut(list, ";")
	var words []string
	for _, w := range completionParts().Split(list, -1) {
		if w, _, _ = strings.Cut(w, " with "); !completionWord().MatchString(w) {
			return nil
		}
		words = append(words, w)
	}
	if len(words) < 2 {
		return nil
	}
	return words
}
