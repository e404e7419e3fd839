// Package agentset puts into a repository what agents read there: the hooks of
// a runtime's settings, a section of AGENTS.md, and skills. What others wrote in
// the same files stays as it is, to the byte, also when all of it is taken out
// again.
package agentset

import (
	"encoding/json"
	"fmt"
	"strings"
)

// SettingsFile is where Claude Code keeps the settings of a project.
const SettingsFile = ".claude/settings.json"

// A Hook is one entry of the settings: at an event, for the tools that Matcher
// is about, a command is run.
type Hook struct {
	Event, Matcher, Command string
	Timeout                 int // in seconds
}

// ours marks the commands that are put in and taken out here.
const ours = "git dos hook-agent "

// ClaudeHooks are the hooks for Claude Code. Where git-dos itself is missing, a
// tool is not called, as every other fault there denies; the other two events
// then hold nothing up.
func ClaudeHooks(requireLease bool) []Hook {
	pre := ours + "pre-tool"
	if requireLease {
		pre += " --require-lease"
	}
	const tools = "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit|mcp__.*"
	return []Hook{
		{"PreToolUse", tools, pre + " || exit 2", 30},
		{"PostToolUse", tools, ours + "post-tool", 30},
		{"Stop", "", ours + "stop", 60},
	}
}

func (h Hook) text() string {
	matcher := ""
	if h.Matcher != "" {
		matcher = `"matcher": ` + quoted(h.Matcher) + ", "
	}
	return fmt.Sprintf(`{%s"hooks": [{"type": "command", "command": %s, "timeout": %d}]}`, matcher, quoted(h.Command), h.Timeout)
}

// member is the hook with an event of its own.
func (h Hook) member() string { return quoted(h.Event) + ": [" + h.text() + "]" }

func quoted(s string) string {
	data, _ := json.Marshal(s)
	return strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(string(data))
}

// WithHooks puts hooks into settings; of nil, which is no file, it makes some, and
// likewise of a file without a byte, by whose missing line end it is known. Hooks
// that are there already and are others of ours are taken out first.
func WithHooks(settings []byte, hooks []Hook) ([]byte, error) {
	data, err := WithoutHooks(settings)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 && len(hooks) > 0 {
		end := "\n"
		if data != nil {
			end = ""
		}
		data = []byte(`{"hooks": {` + hooks[0].member() + "}}" + end)
		hooks = hooks[1:]
	}
	for _, h := range hooks {
		if data, err = withHook(data, h); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func withHook(data []byte, h Hook) ([]byte, error) {
	newline := "\n"
	if strings.Contains(string(data), "\r\n") {
		newline = "\r\n"
	}
	top, err := settingsOf(data)
	if err != nil {
		return nil, err
	}
	_, events := top.member("hooks")
	if events == nil {
		return add(data, &top, newline+`  "hooks": {`+h.member()+"}"), nil
	}
	_, list := events.member(h.Event)
	if list == nil {
		return add(data, events, newline+"    "+h.member()), nil
	}
	return add(data, list, newline+"      "+h.text()), nil
}

// settingsOf reads settings, as far as hooks go.
func settingsOf(data []byte) (node, error) {
	top, err := parse(data)
	if err != nil {
		return top, err
	}
	if top.open != '{' {
		return top, fmt.Errorf("it is no object")
	}
	_, events := top.member("hooks")
	if events == nil {
		return top, nil
	}
	if events.open != '{' {
		return top, fmt.Errorf("hooks is no object")
	}
	for i, list := range events.items {
		if list.open != '[' {
			return top, fmt.Errorf("hooks.%s is no list", events.keys[i])
		}
	}
	return top, nil
}

// WithoutHooks takes all hooks of ours out of settings. Of settings that were made
// here nil is left, and of those that were made in a file without a byte, none.
func WithoutHooks(settings []byte) ([]byte, error) {
	data := settings
	for len(data) > 0 {
		top, err := settingsOf(data)
		if err != nil {
			return nil, err
		}
		less, found := withoutOne(data, &top)
		if !found {
			return data, nil
		}
		data = less
	}
	return data, nil
}

// withoutOne takes one hook out, with what was made for it, if one is there.
func withoutOne(data []byte, top *node) (less []byte, found bool) {
	at, events := top.member("hooks")
	if events == nil {
		return nil, false
	}
	for i := range events.items {
		list := &events.items[i]
		for k := range list.items {
			if !isOurs(data[list.items[k].start:list.items[k].end]) {
				continue
			}
			switch {
			case len(list.items) > 1 || !list.glued():
				return drop(data, list, k), true
			case len(events.items) > 1 || !events.glued():
				return drop(data, events, i), true
			case len(top.items) == 1 && top.glued() && string(data[top.end:]) == "\n":
				return nil, true
			case len(top.items) == 1 && top.glued() && top.end == len(data):
				return []byte{}, true
			}
			return drop(data, top, at), true
		}
	}
	return nil, false
}

// isOurs says whether an entry runs a command of ours and nothing else.
func isOurs(data []byte) bool {
	var entry struct {
		Hooks []struct {
			Command string `json:"command"`
		} `json:"hooks"`
	}
	return json.Unmarshal(data, &entry) == nil && len(entry.Hooks) == 1 && strings.HasPrefix(entry.Hooks[0].Command, ours)
}
