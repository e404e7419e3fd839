package ancestry

import (
	"math/rand"
	"strings"
	"testing"
)

// odd are messages on which a reader by hand tends to differ from git.
var odd = []string{
	"subject\n", "subject", "", "\n\n", "\n  \n\tsubject\n", "one\ntwo\n\nbody\n", "one  \n  two\n \nbody\n", "one\r\ntwo\r\n\r\nbody\r\n",
	"s\n\nKey: value\n", "s\n\nKey: value", "Key: value\n", "Key: value\n\n", "\nKey: value\n", "s\nKey: value\n", "s\n\n\nKey: value\n\n\n",
	"s\n\nbody\nKey: value\n", "s\n\nbody\n\nKey: value\nprose\n", "s\n\nKey: value\nprose\nSigned-off-by: a\n",
	"s\n\np\np\np\np\np\np\nSigned-off-by: a\n", "s\n\np\np\np\nSigned-off-by: a\n", "s\n\np\np\np\np\nSigned-off-by: a\n",
	"s\n\n(cherry picked from commit abc)\n", "s\n\nKey: v\n(cherry picked from commit abc)\nprose\n", "s\n\nKey: v\nsigned-off-by: b\nprose\n",
	"s\n\nKey: one\n two\n\tthree\nOther: x\n", "s\n\n  Key: v\n", "s\n\nKey : v\n", "s\n\nKey\t : v\n", "s\n\nKey two: v\n", "s\n\nKey_x: v\n",
	"s\n\n: v\n", "s\n\nKey:\n", "s\n\nKey:v\n", "s\n\nKey: \n  cont\n", "s\n\n-Key-: v\n", "s\n\n1: v\n", "s\n\nK\xe9y: v\n", "s\n\nKey: v\xe9\n",
	"s\n\nKey: v\n# comment\nOther: w\n", "s\n\n# comment\nKey: v\n", "s\n\nKey: v\n\n# comment\n\n", "# s\n\nKey: v\n", "#\nKey: v\n", "# a\nb\n\nKey: v\n",
	"s\n\nKey: v\n# c\n cont\n", "s\n\nKey: v\nprose\n cont\n", "s\n\n cont\nKey: v\n", "s\n\nKey: v\n \nOther: w\n", "s\n\nA: 1\n\nB: 2\n", "s\n\nA: 1\n\n \t \nB: 2\n",
	"s\n\nKey: v\n---\nOther: w\n", "s\n\nKey: v\n\n---\n diff\n", "s\n\n---\nKey: v\n", "s\n\nKey: v\n\nConflicts:\n\ta\n\tb\n", "s\n\nConflicts:\n\ta\n\nKey: v\n",
	"s\n\nKey: v\n\nConflicts:\n\ta\nmore\n", "s\n\nConflicts: a\n", "s\n\nKey: v\n# ------------------------ >8 ------------------------\nOther: w\n",
	"# ------------------------ >8 ------------------------\ns\n\nKey: v\n", "s\n\nKey: v\n# ------------------------ >8 ------------------------", "s\n\nKey: v\r\nOther: w\r\n", "s\r\n\r\nKey: v\r\n",
	"s\n\nDos-Ship: p/f\n\n(fak-worker 1)\n", "s\n\n(fak-worker 1)\n\nDos-Ship: p/f\n", "s\n\nDos-Ship: p/f\n(fak-worker 1)\n", "s\n\nKey: v\nhttp://x.y/z\n", "s\n\nhttp: //x\n", "s\n\nhttp://x.y/z\n",
	"s\n\nKey: v\v w\f\n", "s\n\n\vKey: v\n", "s\n\f\nKey: v\n", "s\n\nKey: a\n\n\tb\n", "s\n\nKey: a\n.\nSigned-off-by: x\n y\n z\n w\n",
}

func render(trailers []Trailer) string {
	var b strings.Builder
	for _, t := range trailers {
		b.WriteString(t.Key + ": " + t.Value + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestTrailersAreThoseOfGit(t *testing.T) {
	r := newRepo(t)
	for _, message := range append(odd, random(150)...) {
		want := r.feed(message, "interpret-trailers", "--parse", "--no-divider")
		if got := render(Trailers([]byte(message))); got != want {
			t.Errorf("message %q:\n got %q\nwant %q", message, got, want)
		}
	}
}

func TestSubjectIsThatOfGit(t *testing.T) {
	r := newRepo(t)
	tree := r.tree()
	for _, message := range append(odd, "a\u2028b\n", "a\vb\fc\u0085d\n", "\xe9t\xe9\n", "x\n\vy\n", "\v\nx\n") {
		want := r.git("show", "-s", "--format=%s", r.commit(message, tree))
		if got := Subject([]byte(message)); got != want {
			t.Errorf("message %q:\n got %q\nwant %q", message, got, want)
		}
	}
}

// random builds messages from the lines that decide where a block begins.
func random(n int) []string {
	pieces := []string{"Key: v\n", "key-2: w\n", "prose here\n", "\n", " \n", "  indented\n", "\tindented\n", "# comment\n", "Signed-off-by: a\n",
		"(cherry picked from commit abc)\n", "Conflicts:\n", "title\n", ": x\n", "Key : y\n"}
	rng := rand.New(rand.NewSource(1))
	var list []string
	for range n {
		message := "title\n"
		for range 1 + rng.Intn(9) {
			message += pieces[rng.Intn(len(pieces))]
		}
		list = append(list, message)
	}
	return list
}

func TestAMessageOfVeryManyLinesHasNoTrailers(t *testing.T) {
	message := "s\n" + strings.Repeat("\n", maxLines) + "Key: v\n"
	if got := Trailers([]byte(message)); got != nil {
		t.Errorf("got %v", got)
	}
	if got := Trailers([]byte(message[:1] + message[3:])); len(got) != 1 {
		t.Errorf("at the bound: got %v, want one trailer", got)
	}
}
