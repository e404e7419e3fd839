package guard

import "strings"

// An option of a subcommand: its letter, its long name, and whether it takes a
// value. A table of them is text: "m,message= S,gpg-sign? amend 4,ipv4".
type option struct {
	letter byte
	name   string // the long name, else the letter
	value  valueKind
}

type valueKind int

const (
	noValue       valueKind = iota
	needsValue              // attached, or the next word
	attachedValue           // attached, or none
)

func optionsOf(j judgement) (out []option) {
	for text := range strings.FieldsSeq(j.options) {
		o := option{name: text}
		switch {
		case strings.HasSuffix(text, "="):
			o.value = needsValue
		case strings.HasSuffix(text, "?"):
			o.value = attachedValue
		}
		o.name = strings.TrimRight(o.name, "=?")
		if letter, name, both := strings.Cut(o.name, ","); both || len(o.name) == 1 {
			o.letter = letter[0]
			if both {
				o.name = name
			}
		}
		out = append(out, o)
	}
	return out
}

// A given option, and the word it stands in.
type given struct {
	name  string
	value *word // nil without one
	word  word
}

// parsed is a line of arguments, as git's own reading of options has it.
type parsed struct {
	options  []given
	operands []word
	behind   []word // operands behind --
	strange  []word // options that are not known
	blanks   []word // words that may be options
}

// parse reads arguments. Options may stand behind operands; where an option
// could be one of several it counts as all of them.
func parse(options []option, args []word) (p parsed) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.is("--"):
			p.behind = args[i+1:]
			return p
		case w.is("--end-of-options"):
			p.operands = append(p.operands, args[i+1:]...)
			return p
		case strings.HasPrefix(w.text, "--"):
			i += p.long(options, w, args[i+1:])
		case strings.HasPrefix(w.text, "-") && w.text != "-":
			i += p.letters(options, w, args[i+1:])
		default:
			if w.mayBeOption() {
				p.blanks = append(p.blanks, w)
			}
			p.operands = append(p.operands, w)
		}
	}
	return p
}

// long takes a long option, and says how many words more it took.
func (p *parsed) long(options []option, w word, next []word) (took int) {
	name, value, attached := strings.Cut(strings.TrimPrefix(w.text, "--"), "=")
	if w.many || !w.exact && !attached {
		p.blanks = append(p.blanks, w)
		return 0
	}
	found := matching(options, name)
	if len(found) == 0 {
		p.strange = append(p.strange, w)
	}
	valued := len(found) > 0
	for _, o := range found {
		g := given{name: o.name, word: w}
		if attached {
			g.value = &word{text: value, exact: w.exact, parts: strings.TrimPrefix(w.parts, "--"+name+"="), src: w.src}
		} else if o.value == needsValue && len(next) > 0 {
			g.value = &next[0]
		}
		valued = valued && o.value == needsValue && !attached
		p.options = append(p.options, g)
	}
	return p.take(valued, next)
}

// take takes the next word for a value.
func (p *parsed) take(valued bool, next []word) int {
	if !valued || len(next) == 0 {
		return 0
	}
	if next[0].many {
		p.blanks = append(p.blanks, next[0])
	}
	return 1
}

// matching are the options that a long name may stand for: the one of that
// name, else those that begin so. With no- it undoes one.
func matching(options []option, name string) (found []option) {
	for _, o := range options {
		switch {
		case len(o.name) < 2:
		case o.name == name:
			return []option{o}
		case strings.HasPrefix(o.name, name) && name != "":
			found = append(found, o)
		}
	}
	if undone, ok := strings.CutPrefix(name, "no-"); ok {
		for _, o := range options {
			if len(o.name) > 1 && undone != "" && strings.HasPrefix(o.name, undone) {
				found = append(found, option{name: "no-" + o.name})
			}
		}
	} else if len(found) == 0 {
		for _, o := range options { // --verify undoes --no-verify
			if rest, ok := strings.CutPrefix(o.name, "no-"); ok && name != "" && strings.HasPrefix(rest, name) {
				found = append(found, option{name: rest})
			}
		}
	}
	return found
}

// letters takes short options that may stand together, as in -am.
func (p *parsed) letters(options []option, w word, next []word) (took int) {
	for i := 1; i < len(w.text); i++ {
		o, known := lettered(options, w.text[i])
		if !known {
			p.strange = append(p.strange, w)
			return 0
		}
		g := given{name: o.name, word: w}
		if rest := w.text[i+1:]; o.value != noValue && (rest != "" || !w.exact) {
			g.value = &word{text: rest, exact: w.exact, parts: rest, src: w.src}
			p.options = append(p.options, g)
			if w.many || rest == "" { // an empty value would take the next word
				p.blanks = append(p.blanks, w)
			}
			return 0
		}
		if o.value == needsValue {
			if len(next) > 0 {
				g.value = &next[0]
			}
			p.options = append(p.options, g)
			return p.take(true, next)
		}
		p.options = append(p.options, g)
	}
	if !w.exact || w.many {
		p.blanks = append(p.blanks, w)
	}
	return 0
}

func lettered(options []option, letter byte) (option, bool) {
	for _, o := range options {
		if o.letter == letter {
			return o, true
		}
	}
	return option{}, false
}

// has says whether an option was given.
func (p parsed) has(names ...string) bool { _, ok := p.option(names...); return ok }

// option is the first of these options that was given.
func (p parsed) option(names ...string) (given, bool) {
	for _, g := range p.options {
		for _, n := range names {
			if g.name == n {
				return g, true
			}
		}
	}
	return given{}, false
}

// all are the operands, wherever they stand.
func (p parsed) all() []word {
	return append(p.operands[:len(p.operands):len(p.operands)], p.behind...)
}
