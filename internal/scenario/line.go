package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A Line is a command or a fact: its first word says which. Whatever of it is read is
// ticked off.
type Line struct {
	Name string

	t     testing.TB
	at    string
	words []string
	keys  map[string]string
}

// parseLine splits a line into words and settings.
func parseLine(t testing.TB, at, line string) *Line {
	t.Helper()
	l := &Line{t: t, at: at, keys: map[string]string{}}
	for rest := strings.TrimSpace(line); rest != ""; rest = strings.TrimSpace(rest) {
		var word string
		word, rest = l.part(rest, " =")
		if !strings.HasPrefix(rest, "=") {
			l.words = append(l.words, word)
			continue
		}
		if _, twice := l.keys[word]; twice {
			t.Fatalf("%s: %s is set twice", at, word)
		}
		l.keys[word], rest = l.part(rest[1:], " ")
	}
	if len(l.words) == 0 {
		t.Fatalf("%s: no command and no fact: %q", at, line)
	}
	l.Name, l.words = l.words[0], l.words[1:]
	return l
}

// part takes a quoted string, or what stands before any of the ends.
func (l *Line) part(s, ends string) (part, rest string) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			l.t.Fatalf("%s: %v: %s", l.at, err, s)
		}
		part, _ = strconv.Unquote(quoted)
		return part, s[len(quoted):]
	}
	if i := strings.IndexAny(s, ends); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// Fail fails the test at this line.
func (l *Line) Fail(format string, args ...any) {
	l.t.Helper()
	l.t.Fatalf("%s: %s: %s", l.at, l.Name, fmt.Sprintf(format, args...))
}

// Word takes the next word, "" when there is none.
func (l *Line) Word() string {
	if len(l.words) == 0 {
		return ""
	}
	word := l.words[0]
	l.words = l.words[1:]
	return word
}

// Words takes all words that are left.
func (l *Line) Words() []string {
	words := l.words
	l.words = nil
	return words
}

// Has takes a word wherever it stands, and reports whether it is there.
func (l *Line) Has(word string) bool {
	for i, w := range l.words {
		if w == word {
			l.words = append(l.words[:i:i], l.words[i+1:]...)
			return true
		}
	}
	return false
}

// Set reports whether a setting is there, and does not take it.
func (l *Line) Set(key string) bool {
	_, ok := l.keys[key]
	return ok
}

// Text takes a setting, "" when it is not there.
func (l *Line) Text(key string) string {
	value := l.keys[key]
	delete(l.keys, key)
	return value
}

// List takes a setting of things with commas between them.
func (l *Line) List(key string) []string {
	if value := l.Text(key); value != "" {
		return strings.Split(value, ",")
	}
	return nil
}

// Int takes a setting that is a whole number, 0 when it is not there.
func (l *Line) Int(key string) int64 {
	if !l.Set(key) {
		return 0
	}
	n, err := strconv.ParseInt(l.Text(key), 10, 64)
	if err != nil {
		l.Fail("%s: %v", key, err)
	}
	return n
}

// Span takes a setting that is a length of time, 0 when it is not there.
func (l *Line) Span(key string) time.Duration {
	if !l.Set(key) {
		return 0
	}
	d, err := time.ParseDuration(l.Text(key))
	if err != nil {
		l.Fail("%s: %v", key, err)
	}
	return d
}

// Time takes a setting that is a [Clock], the zero time when it is not there.
func (l *Line) Time(key string) time.Time {
	if !l.Set(key) {
		return time.Time{}
	}
	return l.Clock(l.Text(key))
}

// Clock reads a time of the second of January 2026, such as 12:00 or 12:00:30, or any
// other in full.
func (l *Line) Clock(word string) time.Time {
	for _, form := range []struct{ layout, before, after string }{
		{time.RFC3339, "2026-01-02T", ":00Z"}, {time.RFC3339, "2026-01-02T", "Z"}, {time.RFC3339, "", ""}, {time.DateOnly, "", ""},
	} {
		if at, err := time.Parse(form.layout, form.before+word+form.after); err == nil {
			return at
		}
	}
	l.Fail("%q is no time", word)
	return time.Time{}
}

// unread fails the test where something of the line was not taken.
func (l *Line) unread() {
	l.t.Helper()
	for key := range l.keys {
		l.t.Errorf("%s: %s has no setting %s", l.at, l.Name, key)
	}
	for _, w := range l.words {
		l.t.Errorf("%s: %s has no word %s", l.at, l.Name, w)
	}
}
