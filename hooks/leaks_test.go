package hooks

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/git-dos/git-dos/kernel/leak"
)

// A marker finds the words SECRET and HOST, and keeps what it was given.
type marker struct{ blocks []string }

func (m *marker) ScanAt(path string, line int, text []byte) (hits []leak.Hit, err error) {
	m.blocks = append(m.blocks, fmt.Sprintf("%s:%d %q", path, line, text))
	for i, l := range bytes.Split(text, []byte("\n")) {
		for word, token := range map[string]string{"SECRET": leak.SecretShape, "HOST": leak.PublicLeak} {
			if bytes.Contains(l, []byte(word)) {
				hits = append(hits, leak.Hit{Rule: "marked", Token: token, Line: line + i, Masked: "S... (6 bytes)", Fingerprint: "0123456789abcdef"})
			}
		}
	}
	if bytes.Contains(text, []byte("BROKEN")) {
		return nil, leak.ErrCostly
	}
	return hits, nil
}

func TestLeaksAreFoundWhereTheyStand(t *testing.T) {
	m := &marker{}
	h := given{lines: []Line{
		{idA, "a", 1, []byte("one")}, {idA, "a", 2, []byte("SECRET")}, {idA, "a", 9, []byte("HOST")},
		{idA, "b", 10, []byte("x")}, {idB, "b", 11, []byte("SECRET")}, {idB, "", 1, []byte("HOST")},
	}}
	secret, public := LeakGates(m)
	want := "a: marked S... (6 bytes); b: marked S... (6 bytes)"
	if got := reasons(t, secret, Push{}, h); got != want {
		t.Errorf("secrets: %q", got)
	}
	if got := reasons(t, public, Push{}, h); got != "a: marked S... (6 bytes); marked S... (6 bytes)" {
		t.Errorf("leaks: %q", got)
	}
	blocks := []string{`a:1 "one\nSECRET\n"`, `a:9 "HOST\n"`, `b:10 "x\n"`, `b:11 "SECRET\n"`, `:1 "HOST\n"`}
	if fmt.Sprint(m.blocks) != fmt.Sprint(blocks) {
		t.Errorf("one scan of %q, want %q", m.blocks, blocks)
	}
	found, _ := secret.Judge(t.Context(), Push{}, h)
	if found[0].Line != 2 || found[1].Line != 11 || found[0].Commit != idA {
		t.Errorf("%+v", found)
	}
}

func TestTextThatCannotBeScannedIsNoCleanText(t *testing.T) {
	for _, h := range []given{{lines: []Line{{idA, "a", 1, []byte("BROKEN")}}}, {lines: []Line{{idA, "a", 1, []byte("x")}}, broken: true}} {
		secret, public := LeakGates(&marker{})
		for _, g := range []Gate{secret, public} {
			if _, err := g.Judge(t.Context(), Push{}, h); err == nil {
				t.Errorf("%s: no error", g.Token)
			}
		}
	}
}

type crashing struct{}

func (crashing) ScanAt(string, int, []byte) ([]leak.Hit, error) { panic("crash") }

// A scan that crashed for one gate is no clean one for the other.
func TestAScanThatCrashedIsNoCleanOne(t *testing.T) {
	secret, public := LeakGates(crashing{})
	h := given{lines: []Line{{idA, "a", 1, []byte("x")}}}
	for _, g := range []Gate{secret, public} {
		if found, err := guarded(t.Context(), Push{}, h, g); err == nil {
			t.Errorf("%s: %v", g.Token, found)
		}
	}
}
