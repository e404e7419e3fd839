package written

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// as reads a text with a cursor, and says whether it was all read.
func as[T any](text string, read func(*Cursor) T) (T, bool) {
	c := &Cursor{JSON: text}
	v := read(c)
	return v, c.Ended()
}

func TestWhatACursorReadsTheDecoderReads(t *testing.T) {
	numbers := []string{"0", "7", "-4", "999999999999999999", "1000000000000000000", "99999999999999999999", "01", "-", "1.5", "1e3", "+1", "", " 1", "1 ", "null", `"1"`}
	for _, text := range numbers {
		var want int64
		err := json.Unmarshal([]byte(text), &want)
		if got, ok := as(text, (*Cursor).Int); ok && (err != nil || got != want) {
			t.Errorf("%q is read as %d, not %d: %v", text, got, want, err)
		}
	}
	words := []string{`""`, `"a"`, `"grün"`, `"a\"b\\c\/\n"`, `"\u00e9"`, `"\q"`, `"\u12"`, "\"\x01\"", "\"\xff\"", `"a`, `a`, `"a""`, `"\`}
	for _, text := range words {
		var want string
		err := json.Unmarshal([]byte(text), &want)
		if got, ok := as(text, (*Cursor).Text); ok && (err != nil || got != want) {
			t.Errorf("%q is read as %q, not %q: %v", text, got, want, err)
		}
	}
	times := []string{"2026-01-02T03:04:05Z", "2026-02-29T03:04:05Z", "2024-02-29T03:04:05Z", "2026-01-02T24:04:05Z", "2026-01-02T03:04:05.5+02:00", "2026-01-02", "0001-01-01T00:00:00Z", "2026-13-02T03:04:05Z"}
	for _, text := range times {
		var want time.Time
		err := json.Unmarshal([]byte(`"`+text+`"`), &want)
		if got, ok := as(`"`+text+`"`, (*Cursor).Time); ok && (err != nil || !got.Equal(want)) {
			t.Errorf("%q is read as %s, not %s: %v", text, got, want, err)
		}
	}
	values := []string{`{}`, `[]`, `{"a":[1,{"b":null}],"c":-1.5e-3}`, `[true,false,null,"x"]`, `[1,]`, `{"a"}`, `{"a":1,}`, `[1 ,2]`, `nul`, `1.`, `1e`, `[`, `{"a":`, `[1]]`, strings.Repeat("[", 60) + strings.Repeat("]", 60)}
	for _, text := range values {
		if got, ok := as(text, (*Cursor).Value); ok && (got != text || !json.Valid([]byte(text))) {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

// The form in which records are written is read, and no other.
func TestACursorReadsOneForm(t *testing.T) {
	object := func(c *Cursor) (keys string) {
		c.In("a b c", func(key string) { keys += key + c.Value() })
		return keys
	}
	sorted := func(c *Cursor) (keys string) {
		c.Sorted(func(key []byte) { keys += string(key) + c.Value() })
		return keys
	}
	list := func(c *Cursor) string { return strings.Join(c.Strings(), " ") }
	second := func(c *Cursor) string {
		c.Take('{')
		c.Key("b")
		return c.Value()
	}
	for _, x := range []struct {
		claim, text, want string
		ok                bool
		read              func(*Cursor) string
	}{
		{"keys in their order", `{"a":1,"c":2}`, "a1c2", true, object},
		{"keys in another", `{"c":2,"a":1}`, "", false, object},
		{"a key twice", `{"a":1,"a":2}`, "", false, object},
		{"a key that nobody knows", `{"a":1,"d":2}`, "", false, object},
		{"a key in other letters", `{"A":1}`, "", false, object},
		{"sorted keys", `{"x":1,"y\n":2}`, "x1y\n2", true, sorted},
		{"keys that are not sorted", `{"y":1,"x":2}`, "", false, sorted},
		{"a sorted key twice", `{"x":1,"x":2}`, "", false, sorted},
		{"a list of words", `["a","b"]`, "a b", true, list},
		{"a list of numbers", `["a",1]`, "", false, list},
		{"a comma too many", `["a",]`, "", false, list},
		{"blanks", `["a", "b"]`, "", false, list},
		{"something behind it", `["a"]x`, "", false, list},
		{"the field that is expected", `{,"b":7`, "7", true, second},
		{"another field", `{,"c":7`, "", false, second},
	} {
		if got, ok := as(x.text, x.read); ok != x.ok || ok && got != x.want {
			t.Errorf("%s: read as %q, %v, want %q, %v", x.claim, got, ok, x.want, x.ok)
		}
	}
}
