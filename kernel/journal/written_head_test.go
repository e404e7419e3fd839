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

func FuzzReadHead(f *testing.F) {
	s := journal.New("n1")
	for _, r := range day(40) {
		s.Add(r)
	}
	head, _, _ := s.SplitSmall(epoch, 500)
	f.Add(string(head))
	f.Fuzz(func(t *testing.T, payload string) { sameHead(t, payload, false) })
}
