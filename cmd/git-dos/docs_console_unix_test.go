//go:build unix

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// A console block of a document is a session that a reader can repeat:
//
//   - "$ COMMAND" is a line for sh, in the folder where the line before it ended;
//   - below it stands all that it prints, on standard output and standard error,
//     where "..." is some text of a line and, alone on a line, any lines;
//   - "# exit N" ends it and states its exit status. It stands below every git dos;
//     another command without it ends with 0.
//
// The blocks of a document are one session, which begins in an empty folder.
type consoleStep struct {
	line    int // of the document, from 1
	command string
	want    []string
	exit    int
	stated  bool
}

// README.md's one block is the demo's output, which TestREADMEShowsTheDemo holds.
const consoleElsewhere = "README.md"

func TestConsoleBlocksOfTheDocumentsAreTrue(t *testing.T) {
	sessions := 0
	eachDocument(t, func(name, text string) {
		if name == consoleElsewhere {
			if n := len(consoleFence.FindAllString(text, -1)); n != 1 {
				t.Errorf("%s has %d console blocks, want the one of the demo", name, n)
			}
			return
		}
		steps, err := consoleSteps(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && len(steps) > 0 {
			sessions++
			t.Run(name, func(t *testing.T) { playConsole(t, name, steps) })
		}
	})
	if sessions < 3 {
		t.Errorf("%d documents with a session: the test looks in the wrong place", sessions)
	}
}

// eachDocument gives the documents of the tree, by their paths from its top.
func eachDocument(t *testing.T, read func(name, text string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".md"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			read(name, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// consoleFence is the start of a console block, however it is written.
var consoleFence = regexp.MustCompile("(?im)^[ \t>]*(?:```+|~~~+)[ \t]*console.*$")

// consoleSteps are the steps of a document's console blocks.
func consoleSteps(text string) ([]consoleStep, error) {
	var steps []consoleStep
	inside, blocks := false, 0
	for i, line := range strings.Split(text, "\n") {
		fail := func(what string) error { return errors.New("line " + strconv.Itoa(i+1) + ": " + what) }
		last := len(steps) - 1
		command, isCommand := strings.CutPrefix(line, "$ ")
		status, isStatus := strings.CutPrefix(line, "# exit ")
		switch {
		case !inside && line == "```console":
			inside = true
			blocks++
			steps = append(steps, consoleStep{})
		case !inside:
			if consoleFence.MatchString(line) {
				return nil, fail("a console block starts with ```console and nothing else")
			}
		case line == "```":
			inside = false
			if steps[last].command == "" {
				return nil, fail("a console block without a command")
			}
		case isCommand:
			if steps[last].command == "" {
				steps = steps[:last]
			}
			steps = append(steps, consoleStep{line: i + 1, command: command})
		case steps[last].command == "" || steps[last].stated:
			return nil, fail("output of no command")
		case isStatus:
			n, err := strconv.Atoi(status)
			if err != nil {
				return nil, fail("no exit status: " + status)
			}
			steps[last].exit, steps[last].stated = n, true
		default:
			steps[last].want = append(steps[last].want, line)
		}
	}
	if inside {
		return nil, errors.New("the last console block has no end")
	}
	for _, s := range steps {
		if strings.Contains(s.command, "git dos ") && !s.stated {
			return nil, errors.New("line " + strconv.Itoa(s.line) + ": the exit status of " + s.command + " is not stated")
		}
	}
	return steps, nil
}

// playConsole runs a session and stops at the first step that is not as written.
func playConsole(t *testing.T, name string, steps []consoleStep) {
	env := testscript.Env{WorkDir: t.TempDir()}
	if err := isolate(&env); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(env.WorkDir, ".home", "at")
	env.Vars = append(env.Vars, "PATH="+os.Getenv("PATH"), "TMPDIR="+env.WorkDir, "AT="+at)
	folder := filepath.Join(env.WorkDir, "work")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for _, s := range steps {
		cmd := exec.CommandContext(ctx, "sh", "-c", s.command+"\ns=$?; pwd >\"$AT\"; exit $s")
		cmd.Dir, cmd.Env, cmd.WaitDelay = folder, env.Vars, 5*time.Second
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatalf("%s:%d: %s: %v", name, s.line, s.command, err)
		}
		if got := cmd.ProcessState.ExitCode(); got != s.exit || !consoleMatches(s.want, consoleLines(string(out))) {
			t.Fatalf("%s:%d: this is not what the document says:\n$ %s\n%s# exit %d", name, s.line, s.command, out, got)
		}
		now, err := os.ReadFile(at)
		if err != nil {
			t.Fatalf("%s:%d: %v", name, s.line, err)
		}
		folder = strings.TrimSuffix(string(now), "\n")
	}
}

// consoleLines are the lines of an output, without the blanks that end them.
func consoleLines(out string) []string {
	var lines []string
	for line := range strings.Lines(out) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

// consoleMatches tells whether the lines are those that are written.
func consoleMatches(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "...":
		return consoleMatches(want[1:], got) || len(got) > 0 && consoleMatches(want, got[1:])
	case len(got) == 0:
		return false
	}
	line := strings.ReplaceAll(regexp.QuoteMeta(want[0]), `\.\.\.`, ".+")
	return regexp.MustCompile("^"+line+"$").MatchString(got[0]) && consoleMatches(want[1:], got[1:])
}

func TestConsoleMatches(t *testing.T) {
	for claim, c := range map[string]struct {
		want, got string
		matches   bool
	}{
		"nothing is nothing":               {"", "", true},
		"output that is not written":       {"", "a", false},
		"output that does not come":        {"a", "", false},
		"the same lines":                   {"a\nb", "a\nb", true},
		"another line":                     {"a\nb", "a\nc", false},
		"text that differs":                {"landed main: ... under api", "landed main: 1f under api", true},
		"a dot is a dot":                   {"a.b", "axb", false},
		"some text is at least one letter": {"a...", "a", false},
		"any lines":                        {"a\n...\nd", "a\nb\nc\nd", true},
		"any lines are also none":          {"a\n...\nd", "a\nd", true},
		"what follows them stands":         {"a\n...\nd", "a\nb\ne", false},
		"a part of a line is no line":      {"landed", "landed main", false},
	} {
		if got := consoleMatches(consoleLines(c.want), consoleLines(c.got)); got != c.matches {
			t.Errorf("%s: %v", claim, got)
		}
	}
}

func TestConsoleStepsRefuseWhatCannotBeRun(t *testing.T) {
	for claim, text := range map[string]string{
		"output before a command": "```console\nhello\n```\n",
		"no command at all":       "```console\n```\n",
		"no end":                  "```console\n$ true\n",
		"another fence":           "````console\n$ true\n````\n",
		"an indented fence":       "- x\n  ```console\n  $ true\n  ```\n",
		"a word after it":         "```console title\n$ true\n```\n",
		"a status that is none":   "```console\n$ true\n# exit none\n```\n",
		"output after the status": "```console\n$ true\n# exit 0\nhello\n```\n",
		"git dos without status":  "```console\n$ git dos push\nlanded\n```\n",
	} {
		if steps, err := consoleSteps(text); err == nil {
			t.Errorf("%s: taken, as %d steps", claim, len(steps))
		}
	}
	steps, err := consoleSteps("x\n\n```console\n$ false\n# exit 1\n$ true\n```\ny\n```sh\n$ no\n```\n")
	if err != nil || len(steps) != 2 || steps[0].exit != 1 || steps[1].command != "true" || steps[1].line != 6 {
		t.Errorf("%+v, %v", steps, err)
	}
}
