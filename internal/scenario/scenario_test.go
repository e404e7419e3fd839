package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const two = `# A sum
# of two.
sum "twice as" n=2
fact a=1 flag b="x y" at=12:30
----
exit 0
3

# Another.
sum
----
0
`

// failing notes what a test would have failed with, and ends it there.
type failing struct {
	testing.TB
	said []string
}

func (f *failing) Helper() {}

func (f *failing) Failed() bool { return len(f.said) > 0 }

func (f *failing) Fatal(args ...any) { f.Fatalf("%s", fmt.Sprint(args...)) }

func (f *failing) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func (f *failing) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

// said is what action fails with.
func said(action func(testing.TB)) string {
	f := &failing{}
	done := make(chan bool)
	go func() {
		defer close(done)
		action(f)
	}()
	<-done
	return strings.Join(f.said, "\n")
}

func TestASceneIsAClaimACommandAndFacts(t *testing.T) {
	scenes := parse(t, "f", two)
	if len(scenes) != 2 || scenes[0].Claim != "A sum of two." || scenes[0].answer != "exit 0\n3" || scenes[1].Command.at != "f:10" {
		t.Fatalf("%+v", scenes)
	}
	c, f := scenes[0].Command, scenes[0].Facts[0]
	if c.Name != "sum" || c.Word() != "twice as" || c.Word() != "" || c.Int("n") != 2 || c.Int("n") != 0 {
		t.Errorf("%+v", c)
	}
	want := time.Date(2026, 1, 2, 12, 30, 0, 0, time.UTC)
	if f.Name != "fact" || f.Int("a") != 1 || !f.Has("flag") || f.Has("flag") || f.Text("b") != "x y" || f.Set("b") || !f.Time("at").Equal(want) {
		t.Errorf("%+v", f)
	}
	if got := text(scenes); got != two {
		t.Errorf("written again it is %q", got)
	}
}

func TestTimesAndLists(t *testing.T) {
	l := parseLine(t, "f:1", "x s=12:00:30 d=2026-02-01 f=2026-01-02T12:00:01Z span=90s list=a,b rest of it")
	if got := fmt.Sprint(l.Time("s").Unix()%60, l.Time("d").YearDay(), l.Time("f").Second(), l.Span("span"), l.List("list"), l.Words(), l.List("none")); got != "30 32 1 1m30s [a b] [rest of it] []" {
		t.Error(got)
	}
	if !l.Time("none").IsZero() || l.Span("none") != 0 {
		t.Error("a time that nobody set")
	}
}

func TestWhatIsNoSceneFails(t *testing.T) {
	for claim, c := range map[string]struct{ data, want string }{
		"a scene without a claim":     {"x\n----\n", "f:2: a scene wants a claim"},
		"a scene without a command":   {"# c\n----\n", "and a command"},
		"a scene without dashes":      {"# c\nx\nexit 0\n", "f:1: the scene has no line of four dashes"},
		"a setting that stands twice": {"# c\nx a=1 a=2\n----\n", "f:2: a is set twice"},
		"a quote that does not end":   {"# c\nx \"a\n----\n", "invalid syntax"},
		"a line of settings alone":    {"# c\na=1\n----\n", "f:2: no command and no fact"},
	} {
		if got := said(func(t testing.TB) { parse(t, "f", c.data) }); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", claim, got, c.want)
		}
	}
	for claim, read := range map[string]func(*Line){
		"a number that is none": func(l *Line) { l.Int("a") },
		"a span that is none":   func(l *Line) { l.Span("a") },
		"a time that is none":   func(l *Line) { l.Time("a") },
		"what nobody reads":     func(l *Line) { l.unread() },
	} {
		if said(func(t testing.TB) { read(parseLine(t, "f:1", "x a=q")) }) == "" {
			t.Errorf("%s passes", claim)
		}
	}
}

// written is a scenario file with these scenes.
func written(t *testing.T, scenes string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.txt")
	if err := os.WriteFile(file, []byte(scenes), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAnAnswerIsHeldToTheFile(t *testing.T) {
	word := func(s Scene) string { return s.Command.Word() }
	for claim, c := range map[string]struct {
		scenes string
		want   string
		answer func(Scene) string
	}{
		"the answer of the file":         {"# One.\nsay a\n----\na\n", "", word},
		"another answer":                 {"# One.\nsay b\n----\na\n", "One.\ngot:\nb\nwant:\na", word},
		"none where one is wanted":       {"# One.\nsay\n----\na\n", "cannot be written down", word},
		"a claim that was made before":   {"# One.\nsay a\n----\na\n\n# One.\nsay a\n----\na\n", "there twice", word},
		"a word that nobody reads":       {"# One.\nsay a b\n----\na\n", "say has no word b", word},
		"a setting of a fact, likewise":  {"# One.\nsay a\nfact b=1\n----\na\n", "fact has no setting b", word},
		"what a file could not hold":     {"# One.\nsay a\n----\na\n", "cannot be written down", func(s Scene) string { return word(s) + "\n\nb" }},
		"a file that is not there":       {"", "no such file", nil},
		"a file that has no scene in it": {"\n", "no command and no fact", word},
	} {
		file := "none"
		if c.answer != nil {
			file = written(t, c.scenes)
		}
		got := said(func(t testing.TB) { runFile(t, file, c.answer) })
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", claim, got, c.want)
		}
	}
}

func TestUpdateWritesTheAnswersAnewUnlessSomethingElseIsWrong(t *testing.T) {
	*update = true
	defer func() { *update = false }()
	for _, c := range []struct{ scenes, want string }{
		{"# One.\nsay a\n----\nold\n", "# One.\nsay a\n----\na\n"},
		{"# One.\nsay a b\n----\nold\n", "# One.\nsay a b\n----\nold\n"},
	} {
		file := written(t, c.scenes)
		said(func(t testing.TB) { runFile(t, file, func(s Scene) string { return s.Command.Word() + "\n" }) })
		if data, err := os.ReadFile(file); err != nil || string(data) != c.want {
			t.Errorf("%q %v, want %q", data, err, c.want)
		}
	}
}

func TestEveryFileOfAPatternIsRun(t *testing.T) {
	file, seen := written(t, two), 0
	Run(t, filepath.Join(filepath.Dir(file), "*.txt"), func(s Scene) string {
		seen++
		s.Command.Word()
		for _, f := range s.Facts {
			f.Has("flag")
			f.List("a")
			f.List("b")
			f.List("at")
		}
		s.Command.Int("n")
		return s.answer
	})
	if seen != 2 {
		t.Errorf("%d scenes, want 2", seen)
	}
}
