package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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

// agentVerb is the verb of a command line, whose flags it has.
func agentVerb(words []string) (string, error) {
	inv, err := parse(newApp(streams{}), words[1:])
	switch {
	case err != nil:
		return "", err
	case len(inv.path) == 0:
		return "", errors.New("it names no verb")
	case len(inv.path[len(inv.path)-1].Subcommands) > 0:
		return "", errors.New("it lacks a subcommand")
	}
	return pathName(inv.path), nil
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
			if _, err := agentVerb(words); err != nil {
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
	for _, bad := range []string{"git dos lease aquire", "git dos verify --no-such", "git dos lease", "git dos burn", "git dos --json"} {
		if verb, err := agentVerb(strings.Fields(bad)); err == nil {
			t.Errorf("%q passes the test as %s", bad, verb)
		}
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

// agentRules have a command that supervise can start.
const agentRules = `[trunk]
ref = "main"
[lanes]
concurrent = ["api", "web"]
trees.api = ["api/**"]
trees.web = ["web/**"]
[heartbeats]
supervise = "5m"
[supervise]
worker_launch_template = "true {lane}"
`

// agentPlan is the name of a plan of workers, as wave plan tells it.
var agentPlan = regexp.MustCompile(`plan-[0-9a-f-]{8,}`)

// agentMust are the statuses of lines that could end otherwise without being what
// their skill is about.
var agentMust = map[string]int{
	"git dos wave launch --plan-id PLAN_ID --max-workers N --live -- CMD": 0,
	"git dos supervise --target N --max-ticks 1":                          0,
	"git dos account list": 3, // there is none
}

// agentWaits waits for what the skills have started.
func agentWaits(t *testing.T, dir string, env []string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		cmd := exec.Command("git-dos", "wave", "status", "--json")
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(out), `"RUNNING"`) {
			return
		}
	}
	t.Error("a worker does not end")
}

// Every command line of every skill runs, and ends with a verdict of its verb.
func TestTextsForAgentsRun(t *testing.T) {
	dir, env := mcpRepo(t)
	for path, text := range map[string]string{
		"docs/shop-plan.md": "## 1. SHOP API1 - serve it\nin api/a.go\n## 2. SHOP WEB1 - show it\nin web/a.go\n", "api/a.go": "package api\n", "web/a.go": "package web\n", "partition.json": `[{"name":"a","tree":["api/a/**"]},{"name":"b","tree":["api/b/**"]}]`,
		"dos.toml": agentRules,
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
	planID := "none yet"
	fill := func() *strings.Replacer {
		return strings.NewReplacer("PLAN_ID", planID, "PLAN/PHASE", "SHOP/API1", "PLAN", "SHOP", "PHASE", "API1", "UNIT", "SHOP/API1", "LANE", "api", "DOCS", "web", "OTHER", "web", "RUN", "r-1",
			"CMD", "true", "PATH", "api/a.go", "SUBJECT", "api:\u00a0more", "TITLE", "more", "SIDECAR", "sidecar.json", "PARTITION", "partition.json", "COMMIT", "HEAD", "WORD", "unknown")
	}
	// Verbs that want something which is not there when the lines are run like this.
	without := map[string]string{
		"gate": "such a sidecar", "status": "a run that holds something", "resume": "the same", "lease heartbeat": "a lease", "lease release": "a lease",
		"push": "a fleet", "commit": "a change",
	}
	n := 0
	for _, name := range agentset.SkillNames {
		for _, line := range agentLines(agentset.Skill(name)) {
			words := strings.Fields(fill().Replace(agentCount.Replace(line)))
			verb, err := agentVerb(words)
			if err != nil {
				t.Fatalf("%s: %q: %v", name, line, err)
			}
			if slices.Contains([]string{"wave plan", "wave launch", "super tick", "supervise"}, verb) {
				at := 2 + len(strings.Fields(verb))
				words = slices.Insert(words, at, "--host-cap", "9") // whatever runs on this machine beside the test
			}
			cmd := exec.Command("git-dos", words[2:]...)
			cmd.Dir, cmd.Env = dir, env
			out, _ := cmd.CombinedOutput()
			status := cmd.ProcessState.ExitCode()
			n++
			if id := agentPlan.FindString(string(out)); id != "" {
				planID = id
			}
			if want, ok := agentMust[line]; ok && status != want {
				t.Errorf("%s: %q ended with status %d, want %d: %s", name, line, status, want, out)
			}
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
	agentWaits(t, dir, env)
}
