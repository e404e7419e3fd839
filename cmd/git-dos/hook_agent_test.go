package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// agentStory is a repository in which a worktree has lane api, and what an event of it
// is answered.
type agentStory struct {
	dir string
	env []string
}

func newAgentStory(t *testing.T) agentStory {
	t.Helper()
	dir, env := mcpRepo(t)
	s := agentStory{dir, env}
	if status, out := s.ask(t, "", "lease", "acquire", "api", "--run-id", "r-1"); status != 0 {
		t.Fatalf("acquire: %d %s", status, out)
	}
	return s
}

func (s agentStory) ask(t *testing.T, in string, args ...string) (status int, said string) {
	t.Helper()
	cmd := exec.Command("git-dos", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.dir, s.env, strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// broken makes the lane's ref one that cannot be read.
func (s agentStory) broken(t *testing.T) {
	t.Helper()
	gitIn(t, s.dir, s.env, "update-ref", "refs/dos/lane/api", "main")
}

// What cannot be judged is denied before a tool is called, and holds nothing up at the
// other two events, whatever is wrong: docs/agent-hooks.md promises it.
func TestAnEventThatIsBrokenIsClosedBeforeAToolAndOpenAfterIt(t *testing.T) {
	t.Parallel()
	const write = `{"tool_name":"Write","tool_input":{"file_path":"api/x","content":""},"stop_hook_active":false}`
	none := t.TempDir()
	elsewhere := `{"cwd":"` + filepath.ToSlash(none) + `",` + write[1:]
	s, lost, odd := newAgentStory(t), newAgentStory(t), newAgentStory(t)
	lost.broken(t)
	if err := os.WriteFile(filepath.Join(odd.dir, ".git", "HEAD"), []byte("what\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		story           agentStory
		in              string
		flags           []string
		pre, post, stop int
	}{
		"a file of the lane":      {s, write, nil, 0, 0, 0},
		"nothing":                 {s, "", nil, 2, 1, 1},
		"blanks":                  {s, " \n\t", nil, 2, 1, 1},
		"huge":                    {s, `{"tool_name":"` + strings.Repeat("x", maxAgentEvent) + `"}`, nil, 2, 1, 1},
		"no JSON":                 {s, `{"tool_name":`, nil, 2, 1, 1},
		"bytes":                   {s, "\x00\xff\xfe", nil, 2, 1, 1},
		"two objects":             {s, write + write, nil, 2, 1, 1},
		"a list":                  {s, "[" + write + "]", nil, 2, 1, 1},
		"deep":                    {s, strings.Repeat("[", 20000) + strings.Repeat("]", 20000), nil, 2, 1, 1},
		"a key twice":             {s, `{"tool_name":"Read",` + write[1:], nil, 2, 1, 1},
		"a wrong kind":            {s, `{"tool_name":7,"stop_hook_active":"no","cwd":1}`, nil, 2, 1, 1},
		"no tool":                 {s, `{"tool_input":{}}`, nil, 2, 0, 0},
		"an unknown tool":         {s, `{"tool_name":"Frob","tool_input":{"what":1}}`, nil, 0, 0, 0},
		"an unknown tool writes":  {s, `{"tool_name":"Frob","tool_input":{"path":"web/x","content":""}}`, nil, 2, 0, 0},
		"an input of no object":   {s, `{"tool_name":"Write","tool_input":7}`, nil, 2, 0, 0},
		"a command of no text":    {s, `{"tool_name":"Bash","tool_input":{"command":7}}`, nil, 2, 0, 0},
		"a write without a path":  {s, `{"tool_name":"Write","tool_input":{"content":""}}`, nil, 2, 0, 0},
		"no repository":           {s, elsewhere, nil, 0, 0, 0},
		"no folder":               {s, strings.ReplaceAll(elsewhere, filepath.ToSlash(none), filepath.ToSlash(none)+"/gone"), nil, 2, 1, 1},
		"a lease unreadable":      {lost, write, nil, 2, 1, 1},
		"unreadable, and a read":  {lost, `{"tool_name":"Read","tool_input":{"file_path":"api/x"}}`, nil, 0, 1, 0},
		"a repository unreadable": {odd, write, nil, 2, 1, 1},
		"an operand":              {s, write, []string{"more"}, 2, 1, 1},
		"an unknown flag":         {s, write, []string{"--more"}, 2, 1, 1},
	} {
		for event, want := range map[string]int{"pre-tool": c.pre, "post-tool": c.post, "stop": c.stop} {
			status, said := c.story.ask(t, c.in, append([]string{"hook-agent", event}, c.flags...)...)
			if status != want || want != 0 && strings.TrimSpace(said) == "" || len(said) > 8<<10 || strings.Contains(said, "goroutine") {
				t.Errorf("%s, %s: status %d, want %d: %.300s", name, event, status, want, said)
			}
		}
	}
}

// The settings of others are not written to where they are not to be, and stay as they
// are, to the byte.
func TestSettingsThatAreNotToBeWrittenStay(t *testing.T) {
	t.Parallel()
	s := newAgentStory(t)
	dir := filepath.Join(s.dir, ".claude")
	file := filepath.Join(dir, "settings.json")
	target := filepath.Join(t.TempDir(), "theirs.json")
	for name, c := range map[string]struct {
		text, want string
		mode       os.FileMode
		link       bool
	}{
		"read-only":            {"{\"model\": \"x\"}\n", "is read-only", 0o444, false},
		"a symbolic link":      {"{\"model\": \"x\"}\n", "is a symbolic link", 0o644, true},
		"a key twice":          {"{\"model\": \"x\", \"model\": \"y\"}\n", `the key "model" stands in it twice`, 0o644, false},
		"hooks twice":          {"{\"hooks\": {}, \"hooks\": {\"Stop\": []}}\n", `the key "hooks" stands in it twice`, 0o644, false},
		"an event twice":       {"{\"hooks\": {\"Stop\": [], \"Stop\": []}}\n", `the key "Stop" stands in it twice`, 0o644, false},
		"a key twice, escaped": {"{\"hooks\": {}, \"h\\u006foks\": {}}\n", `the key "hooks" stands in it twice`, 0o644, false},
		"a list":               {"[]\n", "it is no object", 0o644, false},
		"hooks of no object":   {"{\"hooks\": []}\n", "hooks is no object", 0o644, false},
	} {
		_ = os.RemoveAll(dir)
		at := file
		if c.link {
			at = target
		}
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(at, []byte(c.text), c.mode)); err != nil {
			t.Fatal(err)
		}
		if c.link {
			if err := os.Symlink(target, file); err != nil {
				t.Skip(err)
			}
		}
		for _, verb := range []string{"install", "uninstall"} {
			status, said := s.ask(t, "", "hook-agent", verb)
			now, err := os.ReadFile(at)
			if err != nil || !bytes.Equal(now, []byte(c.text)) {
				t.Errorf("%s: after %s it is %q: %v", name, verb, now, err)
			}
			if verb == "uninstall" && c.mode == 0o444 { // there is nothing to take out
				continue
			}
			if status != 2 || !strings.Contains(said, c.want) || !strings.Contains(said, "nothing was written") {
				t.Errorf("%s: %s ends with %d: %s", name, verb, status, said)
			}
		}
	}
}
