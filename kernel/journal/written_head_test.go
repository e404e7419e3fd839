package journal_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/git-dos/git-dos/kernel/journal"
)

// sameHead reports a head that the two ways of reading take for two things. The
// quick one may leave it to the other, and must not where quick is set.
func sameHead(t interface{ Fatal(...any) }, payload string, quick bool) {
	got, ok := journal.HeadWritten(payload)
	if !ok {
		if quick {
			t.Fatal("not read in the form it is written in:", payload)
		}
		return
	}
	want, err := journal.HeadAny([]byte(payload))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatal(err, got, want, payload)
	}
}

func drawHead(t *rapid.T) string {
	s := drawState(t)
	head, _, err := s.SplitSmall(epoch, rapid.IntRange(1, 2000).Draw(t, "to"))
	if err != nil {
		t.Fatal(err)
	}
	return string(head)
}

func TestAHeadIsReadQuicklyAsTheDecoderReadsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := drawHead(t)
		sameHead(t, head, !strings.Contains(head, `\u`))
	})
}

// Whatever is changed in a head, the quick way refuses what the decoder refuses,
// and takes nothing for another thing.
func TestNoHeadIsReadQuicklyThatTheDecoderRefuses(t *testing.T) {
	pieces := []string{
		`"`, `\`, `,`, `:`, `{`, `}`, `[`, `]`, ` `, `0`, `00`, `-`, `1e5`, `null`, `"x"`, `{}`, `[]`, "\x01", "\xff", `"\u00e9"`,
		`"seq":1,`, `"V":3,`, `"op":"",`, `"parts":[],`, `"parts":null,`, `"first":"a",`, `"marks":"AA",`, `"evicted":"x",`, `"later":1,`,
		`"evicted":"2026-01-01T00:00:00.5+02:00",`, `,"runs_evicted":"2026-01-01T00:00:00Z"`, `,"doubts":{"count":1,"all":[]}`, `"2026-02-30T00:00:00Z",`,
	}
	rapid.Check(t, func(t *rapid.T) {
		text := drawHead(t)
		for range rapid.IntRange(1, 2).Draw(t, "changes") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			if near := strings.IndexAny(text[at:], `{,[`); near >= 0 && rapid.Bool().Draw(t, "between") {
				at += near + 1
			}
			end := min(len(text), at+rapid.IntRange(0, 3).Draw(t, "cut"))
			text = text[:at] + pick(t, "piece", append(pieces, "")...) + text[end:]
		}
		sameHead(t, text, false)
	})
}

// What stands in a head in any other way than it is written is read as the decoder
// reads it, or left to it.
func TestAHeadThatSomebodyElseWrote(t *testing.T) {
	const head = `{"v":2,"op":"CHECKPOINT","seq":7,"at":"2026-11-29T12:00:00Z","node":"n\"1","clock":-4,` +
		`"tables":{"a\tb":{"parts":["2026-11-29T11:00:00Z"],"evicted":"2026-11-29T10:00:00.5+02:00"},"c":{"parts":[]}},` +
		`"runs":[{"first":"R","marks":"AA"},{"first":"S\\","marks":"BBCC"}],"runs_evicted":"2026-11-29T09:00:00Z","doubts":{"count":1}}`
	sameHead(t, head, true)
	for _, c := range []struct{ claim, old, new string }{
		{"a field that nobody knows", `"c":{"parts":[]`, `"c":{"parts":[],"later":["2026-11-29T11:00:00Z"]`},
		{"a bundle with more to say", `"marks":"AA"`, `"marks":"AA","later":"x"`},
		{"two tables of one name", `"c":{"parts":[]`, `"c":{"parts":["2026-11-29T11:00:00Z"]},"c":{"parts":[]`},
		{"no end", `"count":1}}`, `"count":1}`},
		{"something behind it", `"count":1}}`, `"count":1}}{`},
		{"no list of parts", `"c":{"parts":[]`, `"c":{"parts":{}`},
		{"a seq that is none", `"seq":7`, `"seq":07`},
		{"another order", `"at":"2026-11-29T12:00:00Z","node":"n\"1"`, `"node":"n\"1","at":"2026-11-29T12:00:00Z"`},
		{"doubts that are none", `"doubts":{"count":1}`, `"doubts":7`},
	} {
		changed := strings.Replace(head, c.old, c.new, 1)
		if changed == head {
			t.Fatalf("%s: %s is not in it", c.claim, c.old)
		}
		if _, ok := journal.HeadWritten(changed); ok {
			t.Errorf("%s is read quickly", c.claim)
		}
	}
}

func FuzzReadHead(f *testing.F) {
	s := journal.New("n1")
	for _, r := range day(40) {
		s.Add(r)
	}
	head, _, _ := s.SplitSmall(epoch, 500)
	f.Add(string(head))
	f.Fuzz(func(t *testing.T, payload string) { sameHead(t, payload, false) })
}
