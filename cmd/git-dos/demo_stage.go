package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"
)

// workersLine stands for the step that runs both workers at once.
const workersLine = "alice & bob"

// A stage is where the demo plays: a folder with the hub and the clones, and a
// git that finds this very program as git dos.
type stage struct {
	c    *cli.Context
	out  io.Writer
	root string

	program string // this very one, as git finds it

	last  string // what the last step printed
	trunk string
	shown performance
}

func newStage(c *cli.Context) (*stage, error) {
	root, err := os.MkdirTemp("", "git-dos-demo-")
	if err != nil {
		return nil, err
	}
	st := &stage{c: c, out: c.App.Writer, root: root}
	if c.Bool("json") || c.Bool("quiet") {
		st.out = io.Discard // the answer alone is wanted
	}
	if err := st.install(); err != nil {
		_ = os.RemoveAll(root)
		return nil, err
	}
	return st, nil
}

// install puts this program on the stage's own PATH under the name git looks
// for, and gives git a home of its own.
func (st *stage) install() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Join(st.root, "bin")
	if err := os.MkdirAll(bin, 0o777); err != nil {
		return err
	}
	st.program = filepath.Join(bin, "git-dos"+filepath.Ext(self))
	if err := os.Symlink(self, st.program); err != nil {
		if err := copyFile(self, st.program); err != nil {
			return err
		}
	}
	config := "[user]\n\tname = worker\n\temail = worker@example.com\n[init]\n\tdefaultBranch = main\n[pull]\n\trebase = true\n[commit]\n\tgpgSign = false\n"
	return os.WriteFile(filepath.Join(st.root, ".gitconfig"), []byte(config), 0o666)
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o777)
}

func (st *stage) say(text string) { fmt.Fprintln(st.out, text) }

func (st *stage) play(a act) error {
	st.say("\n" + a.title)
	for _, s := range a.steps {
		if err := st.step(s); err != nil {
			return err
		}
	}
	return nil
}

func (st *stage) step(s step) error {
	if s.before != nil {
		if err := s.before(st); err != nil {
			return err
		}
	}
	if s.line == workersLine {
		return st.workers(s)
	}
	return st.run(s)
}

// run runs one step and records how it ended.
func (st *stage) run(s step) error {
	cmd := st.command(s.actor, words(s.line))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	st.last = out.String()
	code := cmd.ProcessState.ExitCode()
	prompt := "$ "
	if s.actor != "" {
		prompt = s.actor + "$ "
	}
	st.say("  " + prompt + s.line)
	if s.status != 0 || s.shows != "" || code != s.status {
		line := fmt.Sprintf("    exit %d", code)
		if s.prints || code != s.status {
			line += ": " + masked(firstLineOf(st.last))
		}
		st.say(line)
	}
	st.record(s, code)
	if s.after != nil && code == s.status {
		if err := s.after(st); err != nil {
			st.shown.Missed = append(st.shown.Missed, err.Error())
			st.say("    but " + err.Error())
		}
	}
	if code != s.status && s.shows == "" {
		return fmt.Errorf("%s: exit %d: %s", s.line, code, strings.TrimSpace(st.last))
	}
	return nil
}

func (st *stage) record(s step, code int) {
	if s.shows != "" {
		st.shown.Steps = append(st.shown.Steps, shownStep{s.shows, s.status, code})
	}
	if code != s.status {
		st.shown.Missed = append(st.shown.Missed, fmt.Sprintf("%s: exit %d, announced %d", s.line, code, s.status))
	}
}

// workers runs both workers as processes at the same time and shows what each
// did.
func (st *stage) workers(s step) error {
	type result struct {
		out bytes.Buffer
		cmd *exec.Cmd
	}
	var started []*result
	for _, name := range []string{"alice", "bob"} {
		r := &result{cmd: st.command(name, []string{"git", "dos", "demo", "--worker", name})}
		r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
		if err := r.cmd.Start(); err != nil {
			return err
		}
		started = append(started, r)
	}
	code := 0
	for _, r := range started {
		_ = r.cmd.Wait() // its status says how it ended
		code = max(code, r.cmd.ProcessState.ExitCode())
		fmt.Fprint(st.out, r.out.String())
	}
	st.say(fmt.Sprintf("    exit %d, both", code))
	st.record(s, code)
	return nil
}

// command prepares a program in an actor's clone, with nothing of the caller's
// git in its environment.
func (st *stage) command(actor string, args []string) *exec.Cmd {
	root, _ := filepath.Abs(st.root)
	cmd := exec.CommandContext(st.c.Context, args[0], args[1:]...)
	cmd.Dir = filepath.Join(root, actor)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "DISPATCH_") && !strings.HasPrefix(kv, "FLEET_") && !strings.HasPrefix(kv, "CID_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	node := map[string]string{"alice": "machine-a", "bob": "machine-b"}[actor]
	cmd.Env = append(cmd.Env, "HOME="+root, "XDG_CONFIG_HOME="+root, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "NO_COLOR=1",
		"PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if actor != "" {
		cmd.Env = append(cmd.Env, "GIT_DOS_OWNER="+actor, "GIT_DOS_NODE="+node)
	}
	return cmd
}

// words splits a command line at spaces; double quotes keep a word together.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

func firstLineOf(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// masked hides what differs from one run to the next.
func masked(s string) string {
	s = regexp.MustCompile(`\b[0-9a-f]{12,64}\b`).ReplaceAllString(s, "<commit>")
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:]+Z`).ReplaceAllString(s, "<time>")
}
