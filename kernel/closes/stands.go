package closes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stands reports whether a closing verb at text[from:to], whose references end
// at end, says that the issue is closed.
func stands(text string, from, to, end int) bool {
	if cut := from - maxLead; cut > 0 {
		text, from, to, end = text[cut:], from-cut, to-cut, end-cut
	}
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	if from > 0 && (isWord(before) || strings.ContainsRune("-'/.`~\"#@\u2018\u2019\u201c", before)) {
		return false // part of a longer word, or quoted
	}
	if doubted(text[end:]) {
		return false
	}
	said := lead(text[:from])
	if opens(text, from, to, end) {
		said = heading(text[:from])
	}
	return !slices.ContainsFunc(said, denies) && !hedged(said)
}

// doubted reports whether what comes after the references takes them back: the
// words right after them, or a question mark at the end of the sentence.
func doubted(after string) bool {
	after = after[:min(len(after), maxDoubt)]
	if asked(after) {
		return true
	}
	if strings.HasPrefix(strings.TrimLeft(after, " \t"), "(") {
		after = strings.ToLower(after) // a remark may begin as it likes, a sentence not
	}
	after = strings.TrimLeft(after, " \t),(-\u2013\u2014")
	after = strings.TrimPrefix(strings.TrimPrefix(after, "\r"), "\n") // a sentence may go on in the next line
	if after == "" || after[0] < 'a' || after[0] > 'z' {
		return false
	}
	word := words(after)
	if len(word) > 1 && word[0] == "but" {
		word = word[1:]
		if slices.ContainsFunc(word[:min(len(word), 4)], func(w string) bool { return w == "still" || w == "fails" || w == "breaks" }) {
			return true
		}
	}
	return slices.Contains(doubts, word[0]) || word[0] == "in" && len(word) > 1 && slices.Contains(inPart, word[1])
}

const maxDoubt = 400

// asked reports whether the sentence ends in a question mark.
func asked(after string) bool {
	for i := range len(after) {
		ended := i+1 == len(after) || strings.IndexByte(" \t\r\n)", after[i+1]) >= 0
		switch c := after[i]; {
		case c == '?':
			return true
		case c == ';', (c == '.' || c == '!') && ended, strings.HasPrefix(after[i:], "\n\n"), strings.HasPrefix(after[i:], "\n\r\n"):
			return false
		case c == '\n' && listed(after[i+1:]):
			return false
		}
	}
	return false
}

// opens reports whether the verb begins a line as a trailer, a title or an item
// of a list does: first of all, after a list's mark, capitalised, or with a
// colon behind it.
func opens(text string, from, to, end int) bool {
	line := strings.LastIndexByte(text[:from], '\n') + 1
	if strings.Trim(text[line:from], " \t*-+\u2022") != "" {
		return false
	}
	return line == 0 || strings.ContainsAny(text[line:from], "*-+") || unicode.IsUpper(rune(text[from])) || strings.HasPrefix(text[to:end], ":")
}

// heading are the words of the line that announces the list in which the last
// line stands; nothing where no list is announced.
func heading(text string) []string {
	line := strings.Split(text, "\n")
	if !listed(line[len(line)-1]) {
		return nil
	}
	for _, above := range slices.Backward(line[:len(line)-1]) {
		above = strings.TrimSpace(above)
		if above == "" || listed(above) {
			continue
		}
		if strings.HasSuffix(above, ":") {
			return words(above)
		}
		return nil
	}
	return nil
}

// maxLead bounds how far back a sentence or a list is read, and nearby how many
// words before a verb a hedge may stand.
const (
	maxLead = 1000
	nearby  = 6
)

// lead are the words that come before a verb in its sentence, the nearest last.
// A sentence begins after a blank line, a list's mark or one of .!?;( and so
// does what a comma sets apart, if more than a word or two stood before it:
// "do not panic, fixes #1" says two things and "does not, however, fix #1" one.
// A dash is a comma. A colon begins nothing, since "todo: fix #1" is one
// statement.
func lead(text string) []string {
	text = dash().ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "$1, ")
	if i := strings.LastIndex(text, "\n\n"); i >= 0 {
		text = text[i+2:]
	}
	for i := len(text) - 1; i >= 0; i-- {
		ended := i+1 == len(text) || strings.IndexByte(" \t\n", text[i+1]) >= 0
		switch {
		case text[i] == '(' || text[i] == ';', ended && strings.IndexByte(".!?", text[i]) >= 0, text[i] == '\n' && listed(text[i+1:]):
			return words(text[i+1:])
		case ended && text[i] == ',':
			from := strings.LastIndexAny(text[:i], ",.;:!?(\n") + 1
			if len(words(text[from:i])) > 2 {
				return words(text[i+1:])
			}
			if from > 0 && text[from-1] == ',' {
				i = from - 1 // both commas of an insertion
			}
		}
	}
	return words(text)
}

// dash is one between words, and not the mark of a list.
var dash = pattern(`(\S)(?:[ \t]+--?-?[ \t]+|[ \t]*[\x{2013}\x{2014}][ \t]*)`)

func listed(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}

// words are the folded words of a text. An apostrophe is part of a word.
func words(text string) []string {
	text = strings.ReplaceAll(strings.ToLower(text), "\u2019", "'")
	return strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) && r != '\'' })
}

// denies reports whether a word says that something is not so, or not yet.
func denies(word string) bool {
	return strings.HasSuffix(word, "n't") || slices.Contains(denials, word)
}

// hedged reports whether a word just before the verb limits what follows, or
// only wishes for it. "This will fix #1" does not, "a later one will" does.
func hedged(said []string) bool {
	from := max(0, len(said)-nearby)
	for i, word := range said[from:] {
		if slices.Contains(limits, word) {
			return true
		}
		if (word == "will" || word == "ll") && (from+i == 0 || !slices.Contains(itself, said[from+i-1])) {
			return true
		}
	}
	return false
}

var (
	denials = []string{
		"not", "never", "no", "cannot", "without", "neither", "nor", "hardly", "barely", "rather", "instead", "dont", "doesnt", "didnt",
		"wont", "cant", "fails", "failed", "unable", "unless", "until", "todo", "wip", "fixme", "remaining", "remains", "outstanding",
		"nobody", "nothing", "none", "noone", "nowhere", "unrelated", "undo", "undoes", "undid", "undone", "wrong", "wrongly", "pretend", "pretends",
		"doubt", "doubts", "revert", "reverts", "reverted",
	}
	limits = []string{
		"partially", "partly", "partial", "part", "parts", "half", "almost", "nearly", "incompletely", "maybe", "perhaps", "possibly",
		"probably", "hopefully", "should", "would", "could", "might", "may", "must", "need", "needs", "needed", "want", "wants", "try",
		"tries", "tried", "trying", "attempt", "attempts", "attempted", "attempting", "later", "next", "future", "before", "if", "when",
		"who", "how", "why", "whether", "towards", "toward", "reopen", "reopens", "supposed", "meant", "going", "step",
		"after", "once", "soon", "eventually", "someday", "be", "please", "plan", "plans", "planned", "planning", "someone", "somebody",
		"anyone", "whoever", "upstream", "example", "see", "allow", "allows", "allowing", "help", "helps", "helping", "prepare", "prepares",
		"preparing", "preparation",
	}
	doubts = []string{
		"partially", "partly", "incompletely", "later", "next", "soon", "eventually", "someday", "not", "only", "if", "unless", "except", "is",
		"wip", "first", "hopefully", "maybe", "perhaps", "probably", "almost", "mostly", "half",
	}
	inPart = []string{"part", "parts", "future", "theory", "principle"}
	itself = []string{"this", "it", "that", "which", "commit", "change", "patch"}
)
