package pushed

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// No text of a file passes for a header, no attribute hides a file, and every
// line has the path and the number it has in the file.
func TestAddedLinesAreThoseOfTheFiles(t *testing.T) {
	p := newPlace(t)
	p.git("config", "core.autocrlf", "false")
	p.commit(".gitattributes", "*.bin -diff\nhidden binary\n", "attributes")
	first := p.commit("a", "1\n2\n3\n", "one")
	p.write("a", "1\nnew\n3\nlast")
	p.write("forged", "+++ b/elsewhere\n@@ -1 +1,9 @@\ndiff --git a/x b/x\n"+first+"\n-- \n\\ No newline\n")
	p.write("hidden", "in an attribute\n")
	p.write("x.bin", "in another\n")
	p.write("crlf", "one\r\ntwo\r\n")
	p.write("größe \"x\"\ty", "odd name\n")
	p.write("empty", "")
	p.commit("with blank", "line\n", "two")
	want := "a:2 new|a:4 last|crlf:1 one\r|crlf:2 two\r|forged:1 +++ b/elsewhere|forged:2 @@ -1 +1,9 @@|forged:3 diff --git a/x b/x|forged:4 " + first +
		"|forged:5 -- |forged:6 \\ No newline|größe \"x\"\ty:1 odd name|hidden:1 in an attribute|with blank:1 line|x.bin:1 in another"
	h := p.outgoing("x", hooks.Update{Ref: "refs/heads/main", Old: first, New: p.git("rev-parse", "HEAD")})
	if got := added(t, h); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestMessagesAreAddedText(t *testing.T) {
	p := newPlace(t)
	p.commit("a", "1\n", "subject\n\nthe body")
	var got []string
	for l, err := range p.outgoing("x", hooks.Update{Ref: "refs/heads/main", New: p.git("rev-parse", "HEAD")}).Added(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(l.Text))
	}
	if want := "1|subject||the body"; strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
}

// run reads a diff and renders its lines.
func run(text string, enough int) (lines []string, more bool, err error) {
	p := &patch{isCommit: func(id string) bool { return len(id) == 40 }, yield: func(l hooks.Line, _ error) bool {
		lines = append(lines, l.Path+":"+string(l.Text))
		return len(lines) != enough
	}}
	more, err = p.read(strings.NewReader(text))
	return lines, more, err
}

func TestALongLineComesInPieces(t *testing.T) {
	long := strings.Repeat("x", 2*maxPiece+10)
	lines, more, err := run("+++ b/a\n@@ -0,0 +1,2 @@\n+"+long+"\n+end\n", 0)
	var all int
	for _, l := range lines[:len(lines)-1] {
		all += len(l) - len("a:")
	}
	if err != nil || !more || all != len(long) || lines[len(lines)-1] != "a:end" {
		t.Errorf("%d pieces of %d bytes, %v, %v", len(lines), all, more, err)
	}
}

func TestAReaderMayHaveEnough(t *testing.T) {
	if lines, more, err := run("+++ b/a\n@@ -0,0 +1,2 @@\n+one\n+two\n", 1); len(lines) != 1 || more || err != nil {
		t.Errorf("%q, %v, %v", lines, more, err)
	}
}

func TestATornDiffIsAnError(t *testing.T) {
	for _, text := range []string{
		"+++ b/a\n@@ -0,0 +1,2 @@\n+one\n",
		"+++ b/a\n@@ -0,0 +1 @@\n+one",
		"+++ b/a\n@@ -0,0 +x @@\n",
		"+++ b/a\n@@ -0,0 @@\n",
		"+++ b/a\n@@@ -0,0 -0,0 +1 @@@\n+\n",
		"+++ b/a\n@@@ -0,0 +1 @@@\n+x\n",
		"+++ b/a\n@@ -0,0 +1\n+x\n",
		"+++ b/a\n@@ +1 -0,0 @@\n+x\n",
		"+++ b/a\n@@ -0, +1 @@\n+x\n",
		"+++ b/a\n@@ -0,-1 +1 @@\n+x\n",
		"+++ b/a\n@@ -0,0 +1,99999999999999999999 @@\n+x\n",
		"+++ a\n",
		"+++ \"b/a\n",
		"+++ \"b/\\q\"\n",
		"+++ b/a\n@@ -1",
	} {
		if lines, more, err := run(text, 0); !errors.Is(err, ancestry.ErrMissing) {
			t.Errorf("%q: %q, %v, %v", text, lines, more, err)
		}
	}
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte("+++ b/a\n@@ -0,0 +1,2 @@\n+one\n+two\n"))
	f.Add([]byte("@@@ -1,2 -1 +1,3 @@@\n +a\n++b\n- c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, _, _ := run(string(text), 0)
		if len(lines) > len(text) {
			t.Errorf("%d lines of %d bytes", len(lines), len(text))
		}
	})
}
