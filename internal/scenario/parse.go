package scenario

import (
	"fmt"
	"strings"
	"testing"
)

const dashes = "----"

// parse reads the scenes of a file. Anything that is no scene fails the test.
func parse(t testing.TB, file, data string) (scenes []Scene) {
	t.Helper()
	first := 1
	for block := range strings.SplitSeq(strings.TrimRight(data, "\n"), "\n\n") {
		lines := strings.Split(block, "\n")
		scenes = append(scenes, parseScene(t, file, first, lines))
		first += len(lines) + 1
	}
	return scenes
}

func parseScene(t testing.TB, file string, first int, lines []string) Scene {
	t.Helper()
	var s Scene
	for i, line := range lines {
		at := fmt.Sprintf("%s:%d", file, first+i)
		switch {
		case line == dashes:
			s.head, s.answer = lines[:i], strings.Join(lines[i+1:], "\n")
			if s.Claim == "" || s.Command == nil {
				t.Fatalf("%s: a scene wants a claim behind a #, and a command", at)
			}
			return s
		case strings.HasPrefix(line, "# ") && s.Command == nil:
			s.Claim = strings.TrimSpace(s.Claim + " " + line[2:])
		case s.Command == nil:
			s.Command = parseLine(t, at, line)
		default:
			s.Facts = append(s.Facts, parseLine(t, at, line))
		}
	}
	t.Fatalf("%s:%d: the scene has no line of four dashes", file, first)
	return s
}
