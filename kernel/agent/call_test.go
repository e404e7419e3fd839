package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Events as the runtimes send them.
var events = map[string]struct {
	json    string
	dialect Dialect
	cmds    string // what would be run
	paths   string // what would be written
}{
	"claude bash": {`{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/r","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force","description":"push","timeout":120000},"tool_use_id":"toolu_01"}`,
		Claude, "[git push --force]", "[]"},
	"claude write":    {`{"cwd":"/r","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/r/api/a.go","content":"x"}}`, Claude, "[]", "[/r/api/a.go]"},
	"claude edit":     {`{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"/r/a","old_string":"a","new_string":"b","replace_all":false}}`, Claude, "[]", "[/r/a]"},
	"claude multi":    {`{"hook_event_name":"PreToolUse","tool_name":"MultiEdit","tool_input":{"file_path":"/r/a","edits":[{"old_string":"a","new_string":"b"}]}}`, Claude, "[]", "[/r/a]"},
	"claude notebook": {`{"hook_event_name":"PreToolUse","tool_name":"NotebookEdit","tool_input":{"notebook_path":"/r/n.ipynb","new_source":"x","cell_id":"c"}}`, Claude, "[]", "[/r/n.ipynb]"},
	"claude read":     {`{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/r/a"}}`, Claude, "[]", "[]"},
	"claude grep":     {`{"hook_event_name":"PreToolUse","tool_name":"Grep","tool_input":{"pattern":"git push --force","path":"/r"}}`, Claude, "[]", "[]"},
	"claude mcp file": {`{"hook_event_name":"PreToolUse","tool_name":"mcp__fs__write_file","tool_input":{"path":"/r/a","content":""}}`, Claude, "[]", "[/r/a]"},
	"claude mcp move": {`{"hook_event_name":"PreToolUse","tool_name":"mcp__fs__move_file","tool_input":{"source":"a","destination":"b"}}`, Claude, "[]", "[a b]"},
	"claude mcp read": {`{"hook_event_name":"PreToolUse","tool_name":"mcp__fs__read_file","tool_input":{"path":"/r/a"}}`, Claude, "[]", "[]"},
	"an mcp tool that is called read and writes": {`{"hook_event_name":"PreToolUse","tool_name":"mcp__x__read","tool_input":{"path":"/r/a","content":"x"}}`, Claude, "[]", "[/r/a]"},
	"claude editor": {`{"hook_event_name":"PreToolUse","tool_name":"str_replace_based_edit_tool","tool_input":{"command":"create","path":"/r/a","file_text":"x"}}`, Claude, "[create]", "[/r/a]"},
	"codex bash": {`{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/r","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"git add -A"},"tool_use_id":"c1"}`,
		Claude, "[git add -A]", "[]"},
	"codex patch": {`{"cwd":"/r","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: api/a.go\n*** Move to: web/b.go\n@@\n-a\n+*** Delete File: in/the/text\n*** Add File: c.go\n+x\n*** End Patch\n"}}`,
		Claude, "[]", "[api/a.go web/b.go c.go]"},
	"codex patch in a shell": {`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"apply_patch <<'E'\n*** Begin Patch\n*** Delete File: web/a\n*** End Patch\nE"}}`,
		Claude, "", "[web/a]"},
	"codex words":                   {`{"hook_event_name":"PreToolUse","tool_name":"local_shell","tool_input":{"command":["git","stash"]}}`, Claude, "[git stash]", "[]"},
	"gemini shell":                  {`{"session_id":"s","cwd":"/r","hook_event_name":"BeforeTool","timestamp":"2026-01-02T12:00:00Z","tool_name":"run_shell_command","tool_input":{"command":"git reset --hard","description":"d"}}`, Gemini, "[git reset --hard]", "[]"},
	"gemini write":                  {`{"hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{"file_path":"web/x","content":"y"}}`, Gemini, "[]", "[web/x]"},
	"gemini replace":                {`{"hook_event_name":"BeforeTool","tool_name":"replace","tool_input":{"file_path":"web/x","old_string":"a","new_string":"b"}}`, Gemini, "[]", "[web/x]"},
	"gemini read":                   {`{"hook_event_name":"BeforeTool","tool_name":"read_many_files","tool_input":{"paths":["web/x"]}}`, Gemini, "[]", "[]"},
	"cursor shell":                  {`{"hook_event_name":"beforeShellExecution","conversation_id":"c","generation_id":"g","workspace_roots":["/r"],"command":"git commit --amend","cwd":""}`, Cursor, "[git commit --amend]", "[]"},
	"cursor write":                  {`{"hook_event_name":"preToolUse","conversation_id":"c","workspace_roots":["/r"],"tool_name":"Write","tool_input":{"file_path":"/r/a","content":"x"},"cwd":"/r/sub"}`, Cursor, "[]", "[/r/a]"},
	"cursor mcp":                    {`{"hook_event_name":"beforeMCPExecution","conversation_id":"c","tool_name":"query","tool_input":"{\"query\":\"SELECT 1\"}","command":"npx server"}`, Cursor, "[]", "[]"},
	"copilot shell":                 {`{"timestamp":1,"cwd":"/r","toolName":"bash","toolArgs":"{\"command\":\"git clean -fd\",\"description\":\"d\"}"}`, Copilot, "[git clean -fd]", "[]"},
	"copilot create":                {`{"cwd":"/r","toolName":"create","toolArgs":{"path":"/r/a","file_text":"x"}}`, Copilot, "[]", "[/r/a]"},
	"copilot view":                  {`{"cwd":"/r","toolName":"view","toolArgs":"{\"path\":\"/r/a\"}"}`, Copilot, "[]", "[]"},
	"copilot in an editor":          {`{"cwd":"/r","hook_event_name":"PreToolUse","tool_name":"replace_string_in_file","tool_input":{"filePath":"/r/a","oldString":"a","newString":""}}`, Claude, "[]", "[/r/a]"},
	"copilot in an editor, several": {`{"hook_event_name":"PreToolUse","tool_name":"multi_replace_string_in_file","tool_input":{"explanation":"e","replacements":[{"filePath":"/r/a","oldString":"a","newString":"b"},{"filePath":"/r/b","oldString":"a","newString":"b"}]}}`, Claude, "[]", "[/r/a /r/b]"},
	"copilot in an editor, a book":  {`{"hook_event_name":"PreToolUse","tool_name":"edit_notebook_file","tool_input":{"filePath":"/r/n.ipynb","editType":"delete","cellId":"c"}}`, Claude, "[]", "[/r/n.ipynb]"},
	"a tool of nobody's":            {`{"tool_name":"rewrite","tool_input":{"filePath":"/r/a","newString":"b"}}`, Plain, "[]", "[/r/a]"},
	"a tool of nobody's, several":   {`{"tool_name":"rewrites","tool_input":{"replacements":[{"filePath":"/r/a"}]}}`, Plain, "[]", "[/r/a]"},
	"an mcp server's own path":      {`{"tool_name":"mcp__serena__create_text_file","tool_input":{"relative_path":"a","content":"b"}}`, Plain, "[]", "[a]"},
	"plain":                         {`{"tool_name":"shell","tool_input":{"argv":["git","rebase"]},"cwd":"/r"}`, Plain, "[git rebase]", "[]"},
	"several files":                 {`{"tool_name":"edit_files","tool_input":{"edits":[{"path":"a","new_string":"x"},{"file_path":"b"}],"files":["c"]}}`, Plain, "[]", "[a b c]"},
	"a unified diff":                {`{"tool_name":"apply_patch","tool_input":{"patch":"--- a/x.go\n+++ b/y.go\n@@ -1 +1 @@\n-a\n+b\n"}}`, Plain, "[]", "[x.go y.go]"},
}

func TestTheRuntimesAreUnderstood(t *testing.T) {
	for name, e := range events {
		call, err := ReadTool([]byte(e.json))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var cmds []string
		for _, c := range call.Commands {
			cmds = append(cmds, strings.Join(append([]string{c.Command}, c.Argv...), " "))
		}
		for i := range cmds {
			cmds[i] = strings.TrimSpace(cmds[i])
		}
		if call.Dialect != e.dialect || e.cmds != "" && fmt.Sprint(cmds) != e.cmds || fmt.Sprint(call.Paths) != e.paths {
			t.Errorf("%s: %s runs %q and writes %q; want %s, %s and %s", name, call.Dialect, cmds, call.Paths, e.dialect, e.cmds, e.paths)
		}
	}
	call, _ := ReadTool([]byte(events["cursor shell"].json))
	if call.Cwd != "/r" {
		t.Errorf("without cwd it stands in %q", call.Cwd)
	}
}

func TestWhatCannotBeReadIsNoCall(t *testing.T) {
	for name, c := range map[string]struct{ json, want string }{
		"no tool":           {`{"hook_event_name":"PreToolUse"}`, "names no tool"},
		"an empty tool":     {`{"tool_name":""}`, "names no tool"},
		"a tool of number":  {`{"tool_name":7}`, "no event"},
		"no object":         {`[]`, "no event"},
		"no input":          {`{"tool_name":"Bash"}`, "no command"},
		"input of text":     {`{"tool_name":"Bash","tool_input":"git push"}`, "no object"},
		"command of number": {`{"tool_name":"Bash","tool_input":{"command":7}}`, "neither text nor"},
		"no words":          {`{"tool_name":"Bash","tool_input":{"command":[]}}`, "neither text nor"},
		"write of nothing":  {`{"tool_name":"Write","tool_input":{"content":"x"}}`, "names no file"},
		"path of number":    {`{"tool_name":"Write","tool_input":{"file_path":7}}`, "no path"},
		"empty path":        {`{"tool_name":"Edit","tool_input":{"file_path":"","new_string":""}}`, "no path"},
		"path with NUL":     {`{"tool_name":"Edit","tool_input":{"file_path":"a\u0000b"}}`, "no path"},
		"patch of nothing":  {`{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** End Patch"}}`, "names no file"},
		"no patch":          {`{"tool_name":"apply_patch","tool_input":{}}`, "no patch"},
	} {
		if _, err := ReadTool([]byte(c.json)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestWhichStopItIs(t *testing.T) {
	for js, want := range map[string]string{
		`{"hook_event_name":"Stop","stop_hook_active":false}`:                   "false true",
		`{"hook_event_name":"Stop","stop_hook_active":true}`:                    "true true",
		`{"hook_event_name":"AfterAgent","stop_hook_active":true}`:              "true true",
		`{"conversation_id":"c","status":"completed","loop_count":0}`:           "false true",
		`{"conversation_id":"c","status":"completed","loop_count":3}`:           "true true",
		`{"hook_event_name":"Stop"}`:                                            "false false",
		`{"hook_event_name":"Stop","stop_hook_active":null,"last_message":"x"}`: "false false",
	} {
		c, err := ReadStop([]byte(js))
		if got := fmt.Sprint(c.Again, " ", c.AgainKnown); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", js, got, err, want)
		}
	}
}

func FuzzReadTool(f *testing.F) {
	for _, e := range events {
		f.Add([]byte(e.json))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		call, err := ReadTool(data)
		if err != nil {
			return
		}
		if !json.Valid(data) || call.Tool == "" {
			t.Fatalf("%q is %+v", data, call)
		}
		Guarded(call)
		for _, p := range call.Paths {
			if p == "" {
				t.Fatalf("%q writes a file without a name", data)
			}
		}
	})
}
