// Package scenario holds decisions to stories that are written down in text files.
//
// A file has scenes, a blank line apart. A scene is its claim behind a #, one line
// of command, a line for each fact that is known, four dashes, and the answer:
//
//	# Whoever came round within the interval is fresh.
//	pulse now=12:00
//	declared supervise every=5m
//	beat supervise at=11:58
//	----
//	exit 0
//	FRESH: ...
//
// The command and the facts are words and settings, key=value; either may be quoted
// as a string of Go is. What a command or a fact means is up to the test that reads
// the file; a word or a setting that it does not read fails it, so that a misspelt
// fact is not taken for an absent one.
//
// With -update the answers of the files are written anew. Read the difference before
// it is kept: the file is what should hold, and the code what does.
package scenario

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the answers of scenario files anew")

// A Scene is one claim with what is known and what is asked.
type Scene struct {
	Claim   string
	Command *Line
	Facts   []*Line

	head   []string // the lines above the dashes
	answer string
}

// Run asks answer about every scene of the files that match glob, and wants what the
// file says.
func Run(t *testing.T, glob string, answer func(Scene) string) {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario file matches %s: %v", glob, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runFile(t, file, answer) })
	}
}

func runFile(t testing.TB, file string, answer func(Scene) string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	scenes := parse(t, file, string(data))
	claims := map[string]bool{}
	for i, s := range scenes {
		if claims[s.Claim] {
			t.Errorf("%s: the claim %q is there twice", s.Command.at, s.Claim)
		}
		claims[s.Claim] = true
		got := strings.TrimSuffix(answer(s), "\n")
		for _, l := range append([]*Line{s.Command}, s.Facts...) {
			l.unread()
		}
		if slices.Contains(strings.Split(got, "\n"), "") {
			t.Fatalf("%s: an answer with an empty line cannot be written down: %q", s.Command.at, got)
		}
		if got != s.answer && !*update {
			t.Errorf("%s: %s\ngot:\n%s\nwant:\n%s", s.Command.at, s.Claim, got, s.answer)
		}
		scenes[i].answer = got
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(file, []byte(text(scenes)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// text is the file that scenes are parsed from.
func text(scenes []Scene) string {
	var all []string
	for _, s := range scenes {
		all = append(all, strings.Join(s.head, "\n")+"\n"+dashes+"\n"+s.answer+"\n")
	}
	return strings.Join(all, "\n")
}
