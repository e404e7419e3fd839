package closes

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/ship"
)

// MaxNumber is the largest issue number there is.
const MaxNumber = 1<<31 - 1

// maxReferences bounds the issues that one message may refer to, and maxVerbs
// how often it may say that it closes one. A message with more is a list and
// closes nothing.
const (
	maxReferences = 500
	maxVerbs      = 1000
)

// References are the issues of this repository that a message refers to, each
// once, in ascending order. What is in Closing is not in Mentioned.
type References struct {
	Closing   []int
	Mentioned []int
}

// Read reads the references of a raw message, whose subject is given beside it.
// One closes when a closing verb
// stands right before it: close, fix or resolve and their forms, then perhaps a
// colon, perhaps the word issue, then #N, or a list of #N joined by commas,
// "and" or "&". Anything else is a mention: a bare #N wherever it stands, one
// after a verb that its sentence denies, limits, wishes for or asks about, one
// that is quoted, in code or in a comment, and every one in a message that itself
// takes commits back or waits to be folded into another.
//
// The issues of other repositories, owner/name#N, are not looked at. A message
// with a NUL, which is not what git shows of it, refers to nothing.
func Read(subject string, message []byte) References {
	if bytes.IndexByte(message, '#') < 0 || bytes.IndexByte(message, 0) >= 0 {
		return References{}
	}
	text := string(message)
	all := numbers(text, 0, len(text))
	if len(all) == 0 {
		return References{}
	}
	closing := map[int]bool{}
	var verbs [][]int
	if clause().MatchString(text) {
		text = own(text)
		verbs = clause().FindAllStringSubmatchIndex(text, maxVerbs+1)
	}
	if len(all) <= maxReferences && len(verbs) <= maxVerbs && !withdraws(subject, message) {
		for _, m := range verbs {
			if stands(text, m[2], m[3], m[1]) {
				for _, n := range numbers(text, m[3], m[1]) {
					closing[n] = true
				}
			}
		}
	}
	var r References
	for _, n := range all {
		if closing[n] {
			r.Closing = append(r.Closing, n)
		} else {
			r.Mentioned = append(r.Mentioned, n)
		}
	}
	return r
}

// pattern compiles on first use.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// clause is a closing verb with what it closes; its first group is the verb.
var clause = pattern(`(?i)\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?::[ \t]*|[ \t]*\r?\n[ \t]*|[ \t]+)(?:issues?[ \t]+)?` +
	`#[0-9]+(?:(?:[ \t]*,[ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+|[ \t]*&[ \t]*)(?:issues?[ \t]+)?#[0-9]+)*`)

var number = pattern(`#[0-9]+`)

// numbers are the issues that text[from:to] refers to, sorted.
func numbers(text string, from, to int) []int {
	var found []int
	for _, m := range number().FindAllStringIndex(text[from:to], -1) {
		first, end := from+m[0]+1, from+m[1]
		n, err := strconv.Atoi(text[first:end])
		if err == nil && n >= 1 && n <= MaxNumber && text[first] != '0' && isToken(text, first-1, end) {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// isToken reports whether #N stands by itself: owner/name#N is another
// repository's, &#N; is a character, and #12-rc, #12.5 or #12ab no number.
func isToken(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	if from > 0 && (isWord(before) || strings.ContainsRune("/&#-.", before)) {
		return false
	}
	after, size := utf8.DecodeRuneInString(text[to:])
	if size == 0 {
		return true
	}
	next, more := utf8.DecodeRuneInString(text[to+size:])
	return !isWord(after) && !(strings.ContainsRune(".-", after) && more > 0 && isWord(next))
}

func isWord(r rune) bool {
	return r == '_' || r == utf8.RuneError || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// withdraws reports whether a message takes commits back or is to be folded
// into another: what it says of issues it quotes. So does one that puts back
// what was taken.
func withdraws(subject string, message []byte) bool {
	if len(ship.Reverts(subject, message)) > 0 {
		return true
	}
	lead := strings.ToLower(strings.TrimLeft(subject[:min(len(subject), 80)], " \t[(\"'"))
	for _, mark := range []string{"fixup!", "squash!", "amend!", "revert", "reapply", "wip", "draft"} {
		if strings.HasPrefix(lead, mark) {
			return true
		}
	}
	return false
}
