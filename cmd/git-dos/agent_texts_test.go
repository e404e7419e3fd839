package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/agentset"
)

// agentTexts are all texts for agents, by name.
func agentTexts() map[string]string {
	texts := map[string]string{agentset.AgentsFile: agentset.Section()}
	for _, t := range agentset.Texts([]string{"s"}) {
		texts[t.Path] = t.Body
	}
	return texts
}

var (
	agentFence  = regexp.MustCompile("(?s)```sh\n(.*?)```")
	agentInline = regexp.MustCompile("`(git dos [^`]*)`")
)

// agentCount writes a number where a text has a word for one.
var agentCount = strings.NewReplacer("--target N", "--target 1", "--max-workers N", "--max-workers 1")

// agentLines are the command lines in a text: those in fences, and those in
// backticks.
func agentLines(text string) (lines []string) {
	for _, m := range agentFence.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(m[1]) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	for _, m := range agentInline.FindAllStringSubmatch(agentFence.ReplaceAllString(text, ""), -1) {
		lines = append(lines, strings.Join(strings.Fields(m[1]), " "))
	}
	return lines
}

// pendingVerbs are verbs that the skills are about and that this program may not
// have yet, with the flags that the skills use of them.
var pendingVerbs = map[string][]string{
	"wave plan": {"max-workers"}, "wave launch": {"plan-id", "max-workers", "live"}, "wave status": nil, "wave harvest": {"commit"},
	"super gate": nil, "super status": {"fast"}, "super tick": nil, "super report": nil,
}

// pendingLine checks a line of a verb that is not there yet.
func pendingLine(words []string) error {
	flags, ok := pendingVerbs[strings.Join(words[:min(2, len(words))], " ")]
	if !ok {
		return fmt.Errorf("it is no verb")
	}
	for _, w := range words[2:] {
		if w == "--" {
			break
		}
		if name, ok := strings.CutPrefix(w, "--"); ok && !slices.Contains(flags, name) {
			return fmt.Errorf("--%s is not known of it", name)
		}
	}
	return nil
}

func hasVerb(name string) bool {
	return slices.ContainsFunc(allVerbs(), func(v verb) bool { return v.command.Name == name })
}

// Every command line in a text for agents names a verb and flags that there are.
func TestTextsForAgentsNameRealVerbs(t *testing.T) {
	n := 0
	for name, text := range agentTexts() {
		for _, line := range agentLines(text) {
			n++
			words := strings.Fields(agentCount.Replace(line))
			if len(words) < 3 || words[0] != "git" || words[1] != "dos" {
				t.Errorf("%s: %q is no command line of git dos", name, line)
				continue
			}
			if words[2] == "-h" {
				continue
			}
			var err error
			if hasVerb(words[2]) {
				var inv invocation
				if inv, err = parse(newApp(streams{}), words[1:]); err == nil && len(inv.path) == 0 {
					err = fmt.Errorf("it names no verb")
				} else if err == nil && len(inv.path[len(inv.path)-1].Subcommands) > 0 {
					err = fmt.Errorf("it lacks a subcommand")
				}
			} else {
				err = pendingLine(words[2:])
			}
			if err != nil {
				t.Errorf("%s: %q: %v", name, line, err)
			}
			if slices.ContainsFunc(words, func(w string) bool { return w == "--force" || w == "--operator" || w == "--enact" }) {
				t.Errorf("%s: %q is an operator's", name, line)
			}
		}
	}
	if n < 60 {
		t.Errorf("%d command lines seen: the test looks in the wrong place", n)
	}
	for _, bad := range []string{"git dos lease aquire", "git dos verify --no-such", "git dos lease"} {
		if inv, err := parse(newApp(streams{}), strings.Fields(bad)[1:]); err == nil && len(inv.path[len(inv.path)-1].Subcommands) == 0 {
			t.Errorf("%q passes the test", bad)
		}
	}
	if pendingLine([]string{"wave", "plan", "--force"}) == nil || pendingLine([]string{"wave", "burn"}) == nil {
		t.Error("what is not there yet passes the test whatever it is")
	}
}

// Each text holds the rules, and is short enough for its reader.
func TestTextsForAgentsHaveTheRules(t *testing.T) {
	for name, text := range agentTexts() {
		for _, want := range []string{"--force", "on the lane that is returned", "third of its ttl", "exit status is the verdict"} {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
		if len(text) > 6000 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
	worker := agentTexts()[agentset.WorkerPrompt]
	if n := len([]rune(worker)); n >= maxPrompt {
		t.Errorf("the worker's prompt has %d characters, and a worker is given less than %d", n, maxPrompt)
	}
	for _, name := range agentset.SkillNames {
		front, _, _ := strings.Cut(strings.TrimPrefix(agentset.Skill(name), "---\n"), "\n---\n")
		if !strings.HasPrefix(front, "name: "+name+"\ndescription: ") || strings.Count(front, "\n") != 1 || len(front) > 1100 {
			t.Errorf("%s begins with %q", name, front)
		}
	}
}

// Every command line of every skill runs, and ends with a verdict of its verb.
func TestTextsForAgentsRun(t *testing.T) {
	dir, env := mcpRepo(t)
	for path, text := range map[string]string{
		"docs/shop-plan.md": "## 1. SHOP API1 - serve it\nin api/a.go\n", "api/a.go": "package api\n", "partition.json": `[{"name":"a","tree":["api/a/**"]},{"name":"b","tree":["api/b/**"]}]`,
	} {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gitIn(t, dir, env, "add", "-A")
	gitIn(t, dir, env, "commit", "-q", "-m", "more")
	statuses := map[string][]int{}
	for _, row := range tableOf(allVerbs()).ExitCodes {
		statuses[row.Verb] = append(statuses[row.Verb], row.Status)
	}
	fill := strings.NewReplacer("PLAN_ID", "w-1", "PLAN/PHASE", "SHOP/API1", "PLAN", "SHOP", "PHASE", "API1", "UNIT", "SHOP/API1", "LANE", "api", "DOCS", "web", "OTHER", "web", "RUN", "r-1",
		"CMD", "true", "PATH", "api/a.go", "SUBJECT", "api:\u00a0more", "TITLE", "more", "SIDECAR", "sidecar.json", "PARTITION", "partition.json", "COMMIT", "HEAD", "WORD", "unknown")
	// Verbs that want something which is not there when the lines are run like this.
	without := map[string]string{
		"gate": "such a sidecar", "status": "a run that holds something", "resume": "the same", "lease heartbeat": "a lease", "lease release": "a lease",
		"push": "a fleet", "commit": "a change", "wave launch": "the name of a plan",
	}
	n := 0
	for _, name := range agentset.SkillNames {
		for _, line := range agentLines(agentset.Skill(name)) {
			words := strings.Fields(fill.Replace(agentCount.Replace(line)))
			if !hasVerb(words[2]) || words[2] == "supervise" { // which would start loops; its own scripts run it
				continue
			}
			inv, err := parse(newApp(streams{}), words[1:])
			if err != nil {
				t.Fatalf("%s: %q: %v", name, line, err)
			}
			verb := pathName(inv.path)
			cmd := exec.Command("git-dos", words[2:]...)
			cmd.Dir, cmd.Env = dir, env
			out, _ := cmd.CombinedOutput()
			status := cmd.ProcessState.ExitCode()
			n++
			if !slices.Contains(statuses[verb], status) || status == 2 && without[verb] == "" {
				t.Errorf("%s: %q ended with status %d: %s", name, line, status, out)
			}
			if status == 2 && !strings.Contains(string(out), "hint: ") {
				t.Errorf("%s: %q does not say what to do: %s", name, line, out)
			}
		}
	}
	if n < 60 {
		t.Errorf("%d command lines were run", n)
	}
}
