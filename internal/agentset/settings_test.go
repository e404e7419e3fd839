package agentset

import (
	"encoding/json"
	"strings"
	"testing"
)

// Others' settings, however they are written.
var written = map[string]string{
	"none":                 "",
	"empty":                "{}",
	"empty in lines":       "{\n}\n",
	"no hooks":             "{\n  \"model\": \"x\",\n  \"env\": {\"A\": \"\\\"}\"}\n}\n",
	"tabs, no end":         "{\t\"a\" : [ 1 ,2.5e3, null ] }",
	"carriage returns":     "{\r\n  \"a\": 1\r\n}\r\n",
	"hooks without any":    "{\n  \"hooks\": {}\n}\n",
	"hooks with blanks":    "{ \"hooks\": { } , \"z\": true }\n",
	"an event without any": "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
	"an event with blanks": "{\"hooks\":{\"Stop\":[ ],\"Other\":[{}]}}\n",
	"hooks of others":      "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"./check\"}]\n      }\n    ]\n  },\n  \"last\": \"]}\"\n}\n",
	"glued":                `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}`,
	"glued, no events":     `{"hooks":{}}` + "\n",
	"glued and empty":      `{"hooks":{"Stop":[]},"b":{}}`,
}

func TestHooksComeAndGoToTheByte(t *testing.T) {
	for name, was := range written {
		with, err := WithHooks([]byte(was), ClaudeHooks(false))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !json.Valid(with) {
			t.Errorf("%s: no JSON:\n%s", name, with)
		}
		var all struct {
			Hooks map[string][]struct{ Hooks []struct{ Command string } }
		}
		if err := json.Unmarshal(with, &all); err != nil {
			t.Fatal(err)
		}
		for _, h := range ClaudeHooks(false) {
			n := 0
			for _, e := range all.Hooks[h.Event] {
				if len(e.Hooks) == 1 && e.Hooks[0].Command == h.Command {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s: %s stands there %d times:\n%s", name, h.Event, n, with)
			}
		}
		again, err := WithHooks(with, ClaudeHooks(false))
		if err != nil || string(again) != string(with) {
			t.Errorf("%s: not the same a second time: %v\n%s\nfrom\n%s", name, err, again, with)
		}
		strict, err := WithHooks(with, ClaudeHooks(true))
		if err != nil || strings.Count(string(strict), ours) != 3 || !strings.Contains(string(strict), "--require-lease || exit 2") {
			t.Errorf("%s: other hooks in their place: %v\n%s", name, err, strict)
		}
		back, err := WithoutHooks(strict)
		if err != nil || string(back) != was {
			t.Errorf("%s: taken out there is (%v)\n%q, and there was\n%q", name, err, back, was)
		}
	}
}

// No file and a file without a byte are told apart, also where hooks were put in anew.
func TestAFileWithoutAByteIsOneAgain(t *testing.T) {
	for name, was := range map[string][]byte{"no file": nil, "no byte": {}} {
		with, err := WithHooks(was, ClaudeHooks(false))
		if err != nil || !json.Valid(with) {
			t.Fatalf("%s: %v\n%s", name, err, with)
		}
		if with, err = WithHooks(with, ClaudeHooks(true)); err != nil {
			t.Fatal(err)
		}
		back, err := WithoutHooks(with)
		if err != nil || len(back) != 0 || (back == nil) != (was == nil) {
			t.Errorf("%s: taken out there is %q, nil %v (%v)", name, back, back == nil, err)
		}
		if again, err := WithoutHooks(back); err != nil || (again == nil) != (was == nil) {
			t.Errorf("%s: a second time nil is %v (%v)", name, again == nil, err)
		}
	}
}

// What others wrote meanwhile stays.
func TestHooksGoFromBesideOthers(t *testing.T) {
	with, err := WithHooks([]byte("{\n  \"a\": 1\n}\n"), ClaudeHooks(false))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(string) string{
		"a member behind": func(s string) string { return strings.TrimSuffix(s, "\n}\n") + ",\n  \"b\": 2\n}\n" },
		"an entry behind": func(s string) string {
			return strings.Replace(s, "\"timeout\": 60}]}]", "\"timeout\": 60}]}, {\"hooks\": []}]", 1)
		},
		"an entry before": func(s string) string { return strings.Replace(s, `"Stop": [`, `"Stop": [{"hooks": []}, `, 1) },
		"an event of others": func(s string) string {
			return strings.Replace(s, `"hooks": {"PreToolUse"`, `"hooks": {"Setup": [], "PreToolUse"`, 1)
		},
		"indented anew": func(s string) string {
			var v any
			json.Unmarshal([]byte(s), &v)
			d, _ := json.MarshalIndent(v, "", "  ")
			return string(d)
		},
	} {
		changed := change(string(with))
		if changed == string(with) || !json.Valid([]byte(changed)) {
			t.Fatalf("%s: the test is wrong", name)
		}
		back, err := WithoutHooks([]byte(changed))
		if err != nil || !json.Valid(back) || strings.Contains(string(back), ours) {
			t.Errorf("%s: %v\n%s", name, err, back)
		}
	}
}

func TestSettingsThatCannotBeChanged(t *testing.T) {
	for name, was := range map[string]string{
		"comments": "{ // a\n}", "a list": "[]", "hooks as a list": `{"hooks":[]}`, "an event as text": `{"hooks":{"Stop":"x"}}`,
		"a key twice": `{"hooks":{},"hooks":{}}`, "cut short": `{"a":`, "two": "{}{}",
	} {
		if out, err := WithHooks([]byte(was), ClaudeHooks(false)); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
}

func FuzzHooksComeAndGo(f *testing.F) {
	for _, s := range written {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, was string) {
		if strings.Contains(was, ours) || strings.TrimSpace(was) == "" {
			return
		}
		with, err := WithHooks([]byte(was), ClaudeHooks(false))
		if err != nil {
			return
		}
		back, err := WithoutHooks(with)
		if err != nil || string(back) != was || !json.Valid(with) {
			t.Fatalf("%q came back as %q, %v", was, back, err)
		}
	})
}
