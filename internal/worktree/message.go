package worktree

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/scope"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// MaxMessage bounds a commit message.
const MaxMessage = 1 << 20

// Trailers that git-dos writes.
const (
	shipKey   = "Dos-Ship"
	leaseKey  = "Dos-Lease"
	runKey    = "Dos-Run"
	workerKey = "Dos-Worker"
)

// maxWorker bounds a worker's id.
const maxWorker = 200

// A Note is what a message is to say beside what its author wrote. Empty parts
// are left out.
type Note struct {
	Unit   string // <plan>/<phase>
	Lease  string // <lane>@<gen>
	Run    string
	Worker string
}

// ErrEmptyMessage means that a message has no text.
var ErrEmptyMessage = errors.New("the message is empty")

// Compose is the message of a commit: the text, tidied as git would, then the
// worker in a paragraph of its own, then the trailers. A trailer block that the
// text ends with is extended. What the text already says is not said twice;
// another lease, run or worker in it is an error, and so is a text at whose end
// git would see no trailers.
func Compose(text string, n Note) ([]byte, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	for _, w := range []struct{ what, word string }{{"unit", n.Unit}, {"lease", n.Lease}, {"run id", n.Run}, {"worker id", n.Worker}} {
		if err := checkWord(w.what, w.word); err != nil {
			return nil, err
		}
	}
	body := tidy(text)
	if body == "" {
		return nil, ErrEmptyMessage
	}
	line := "(fak-worker " + n.Worker + ")"
	if n.Worker != "" {
		body = without(body, line)
	}
	had := TrailersOf([]byte(body + "\n"))
	if n.Worker != "" {
		body = withParagraph(body, line, len(had) > 0)
	}
	lines, err := n.lines(had)
	if err != nil {
		return nil, err
	}
	if len(lines) > 0 {
		gap := "\n\n"
		if len(had) > 0 {
			gap = "\n"
		}
		body += gap + strings.Join(lines, "\n")
	}
	message := []byte(body + "\n")
	return message, allSeen(message, had, lines)
}

func checkText(text string) error {
	switch {
	case len(text) > MaxMessage:
		return fmt.Errorf("the message is longer than %d bytes", MaxMessage)
	case !utf8.ValidString(text):
		return errors.New("the message is not UTF-8")
	case strings.IndexByte(text, 0) >= 0:
		return errors.New("the message holds a NUL")
	}
	return nil
}

// checkWord refuses what would not read back from a trailer as it was written.
func checkWord(what, s string) error {
	switch {
	case len(s) > maxWorker+200:
		return fmt.Errorf("%s is longer than %d bytes", what, maxWorker+200)
	case what == "worker id" && len(s) > maxWorker:
		return fmt.Errorf("%s is longer than %d bytes", what, maxWorker)
	case !utf8.ValidString(s), strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%s %q has a character that does not print", what, s)
	case strings.TrimSpace(s) != s:
		return fmt.Errorf("%s %q begins or ends with white space", what, s)
	}
	return nil
}

// tidy is git's own cleaning of white space: none at the end of a line, no
// empty line at either end, never two in a row.
func tidy(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r\v\f")
		if line != "" || len(kept) > 0 && kept[len(kept)-1] != "" {
			kept = append(kept, line)
		}
	}
	return strings.TrimSuffix(strings.Join(kept, "\n"), "\n")
}

// without drops a line from the text below its title: inside or after a
// trailer block the line would hide the trailers from git.
func without(body, line string) string {
	all := strings.Split(body, "\n")
	rest := slices.DeleteFunc(all[1:], func(s string) bool { return s == line })
	return tidy(strings.Join(all[:1+len(rest)], "\n"))
}

// withParagraph adds a paragraph at the end of a text, before its trailer block
// if there is one.
func withParagraph(body, line string, block bool) string {
	end := len(body)
	if block {
		end = strings.LastIndex(body, "\n\n")
	}
	return body[:end] + "\n\n" + line + body[end:]
}

// lines are the trailers to add to those the text has.
func (n Note) lines(had []scope.Trailer) ([]string, error) {
	var out []string
	for _, t := range []scope.Trailer{{Key: shipKey, Value: n.Unit}, {Key: leaseKey, Value: n.Lease}, {Key: runKey, Value: n.Run}, {Key: workerKey, Value: n.Worker}} {
		if t.Value == "" {
			continue
		}
		said := false
		for _, h := range had {
			same := strings.EqualFold(h.Key, t.Key)
			if same && h.Value != t.Value && t.Key != shipKey {
				return nil, fmt.Errorf("the message says %s: %s, and here it is %s", h.Key, h.Value, t.Value)
			}
			said = said || same && h.Value == t.Value
		}
		if !said {
			out = append(out, t.Key+": "+t.Value)
		}
	}
	return out, nil
}

// allSeen checks that git sees the trailers of a message, those it had and
// those that were added. A comment or a cut mark at its end can hide them.
func allSeen(message []byte, had []scope.Trailer, lines []string) error {
	var want, got []string
	for _, t := range had {
		want = append(want, t.Key+": "+t.Value)
	}
	want = append(want, lines...)
	for _, t := range TrailersOf(message) {
		got = append(got, t.Key+": "+t.Value)
	}
	if !slices.Equal(want, got) {
		return errors.New("git would not see the trailers at the end of the message: take out the comments, cut marks and lists of conflicts there")
	}
	return nil
}

// TrailersOf are the trailers git sees in a message.
func TrailersOf(message []byte) []scope.Trailer {
	var out []scope.Trailer
	for _, t := range ancestry.Trailers(message) {
		out = append(out, scope.Trailer{Key: t.Key, Value: t.Value})
	}
	return out
}
