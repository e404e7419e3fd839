package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/guard"
)

type kind int

const (
	unknownTool kind = iota
	readsOnly
	runs
	writes
	patches
)

// The tools of the runtimes by name, without the server that an MCP tool comes
// from, in lower case. A tool that is in none of the lists is judged by what it
// is given: a command, or a path beside content.
var (
	readers = []string{
		"read", "glob", "grep", "ls", "notebookread", "webfetch", "websearch", "todowrite", "todoread", "task", "agent", "skill", "read_file", "read_many_files",
		"list_directory", "list_dir", "search_file_content", "grep_search", "codebase_search", "file_search", "google_web_search", "web_fetch", "view", "rg", "view_image",
	}
	runners = []string{
		"bash", "shell", "powershell", "run_shell_command", "exec_command", "local_shell", "shell_command", "execute_command", "run_terminal_cmd", "run_in_terminal", "terminal",
	}
	writers = []string{
		"write", "edit", "multiedit", "notebookedit", "write_file", "edit_file", "replace", "replace_in_file", "write_to_file", "create", "create_file", "insert_edit_into_file",
		"search_replace", "strreplace", "replace_string_in_file", "multi_replace_string_in_file", "edit_notebook_file", "tabwrite", "delete", "delete_file", "move_file", "create_directory",
	}
	patchers = []string{"apply_patch", "applypatch"}
)

// kindOf tells what a tool does by its name.
func kindOf(tool string) kind {
	name := strings.ToLower(tool[strings.LastIndex(tool, "__")+1:])
	name = strings.TrimLeft(name, "_")
	mcp := strings.Contains(tool, "__")
	switch {
	case slices.Contains(patchers, name):
		return patches
	case slices.Contains(runners, name):
		return runs
	case slices.Contains(writers, name):
		return writes
	case slices.Contains(readers, name) && !mcp: // another's tool may be named anything
		return readsOnly
	}
	return unknownTool
}

// Where tools name a file, and what they write to it.
var (
	pathKeys = []string{
		"file_path", "filePath", "path", "notebook_path", "target_file", "target_notebook", "absolute_path", "relative_workspace_path", "relative_path", "filename", "file",
		"source", "destination", "old_path", "new_path",
	}
	contentKeys = []string{
		"content", "contents", "new_string", "new_str", "new_source", "newText", "newString", "newCode", "file_text", "edits", "diff", "patch", "replacement", "replacements", "code_edit", "insert_line", "destination",
	}
	listKeys    = []string{"edits", "replacements", "files", "changes", "paths"}
	commandKeys = []string{"command", "cmd", "argv", "script"}
	patchKeys   = []string{"command", "input", "patch", "diff"}
)

// fill reads what the tool would run and write.
func (c *Call) fill(k kind, fields map[string]json.RawMessage) error {
	if k == readsOnly {
		return nil
	}
	if k == patches {
		return c.patch(fields)
	}
	if err := c.commands(fields); err != nil {
		return err
	}
	if k == runs && len(c.Commands) == 0 {
		return fmt.Errorf("the input of %s has no command", clip(c.Tool))
	}
	_, edits := present(fields, contentKeys)
	if k != writes && !edits {
		return nil
	}
	for _, key := range pathKeys {
		if err := c.path(key, fields[key]); err != nil {
			return err
		}
	}
	for _, key := range listKeys {
		c.listed(fields[key])
	}
	if k == writes && len(c.Paths) == 0 {
		return fmt.Errorf("the input of %s names no file", clip(c.Tool))
	}
	return nil
}

func present(fields map[string]json.RawMessage, keys []string) (string, bool) {
	for _, key := range keys {
		if raw := fields[key]; len(raw) > 0 && string(raw) != "null" {
			return key, true
		}
	}
	return "", false
}

func (c *Call) path(key string, raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var p string
	if json.Unmarshal(raw, &p) != nil || p == "" || strings.ContainsRune(p, 0) {
		return fmt.Errorf("%s of %s is no path", key, clip(c.Tool))
	}
	c.Paths = append(c.Paths, strings.TrimPrefix(p, "file://"))
	return nil
}

// listed reads the paths of a list, each by itself or in an object.
func (c *Call) listed(raw json.RawMessage) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return
	}
	for _, item := range items {
		var p string
		var fields map[string]json.RawMessage
		if json.Unmarshal(item, &p) == nil && p != "" {
			c.Paths = append(c.Paths, p)
		} else if json.Unmarshal(item, &fields) == nil {
			for _, key := range pathKeys {
				_ = c.path(key, fields[key])
			}
		}
	}
}

// commands reads what would be run: a line for a shell, or words.
func (c *Call) commands(fields map[string]json.RawMessage) error {
	for _, key := range commandKeys {
		raw := fields[key]
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		var line string
		var words []string
		switch {
		case json.Unmarshal(raw, &line) == nil:
			c.Commands = append(c.Commands, guard.Evidence{Command: line})
			if strings.Contains(line, patchBegins) {
				return c.headers(line)
			}
		case json.Unmarshal(raw, &words) == nil && len(words) > 0:
			c.Commands = append(c.Commands, guard.Evidence{Argv: words})
			for _, w := range words {
				if strings.Contains(w, patchBegins) {
					return c.headers(w)
				}
			}
		default:
			return fmt.Errorf("%s of %s is neither text nor a list of words", key, clip(c.Tool))
		}
	}
	return nil
}

const patchBegins = "*** Begin Patch"

// patch reads the files that a patch names.
func (c *Call) patch(fields map[string]json.RawMessage) error {
	key, ok := present(fields, patchKeys)
	if !ok {
		return fmt.Errorf("the input of %s has no patch", clip(c.Tool))
	}
	var text string
	if json.Unmarshal(fields[key], &text) == nil {
		return c.headers(text)
	}
	var words []string
	if json.Unmarshal(fields[key], &words) != nil || len(words) == 0 {
		return fmt.Errorf("%s of %s is no patch", key, clip(c.Tool))
	}
	return c.headers(words[len(words)-1])
}

// headers reads the lines of a patch that name files.
func (c *Call) headers(patch string) error {
	before := len(c.Paths)
	for line := range strings.Lines(patch) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if p, ok := strings.CutPrefix(line, mark); ok && p != "" {
				c.Paths = append(c.Paths, p)
			}
		}
		for _, mark := range []string{"+++ ", "--- "} { // of a unified diff
			if p, ok := strings.CutPrefix(line, mark); ok && !strings.Contains(patch, patchBegins) {
				p, _, _ = strings.Cut(p, "\t")
				if p = strings.TrimPrefix(strings.TrimPrefix(p, "a/"), "b/"); p != "/dev/null" && p != "" {
					c.Paths = append(c.Paths, p)
				}
			}
		}
	}
	if len(c.Paths) == before {
		return errors.New("the patch names no file")
	}
	return nil
}
