package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs git-dos with its output on a terminal of its own, and
// returns what that shows and the exit status.
func onTerminal(t *testing.T, dir string, env []string, args ...string) (string, int) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	shown := make(chan string)
	go func() {
		all, _ := io.ReadAll(master) // ends with an error when nobody has the terminal open
		shown <- strings.ReplaceAll(string(all), "\r\n", "\n")
	}()
	cmd := exec.Command("git-dos", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(pagerless(), env...), slave, slave
	err = cmd.Run()
	slave.Close()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return <-shown, cmd.ProcessState.ExitCode()
}

// pagerless is the environment without a word about pagers.
func pagerless() []string {
	env := []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "NO_COLOR=1", "LC_ALL=C"}
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "GIT_PAGER", "PAGER", "LESS", "NO_COLOR", "LC_ALL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM":
		default:
			env = append(env, v)
		}
	}
	return env
}

const marking = "sed 's/^/> /'"

// A list goes through the pager that git would use, and the exit status is the
// verdict's all the same.
func TestAListOnATerminalIsPaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gitIn(t, dir, pagerless(), "init", "--quiet")
	setting := func(key, value string) []string {
		return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=" + key, "GIT_CONFIG_VALUE_0=" + value}
	}
	for name, test := range map[string]struct {
		env  []string
		want string
	}{
		"GIT_PAGER":                     {[]string{"GIT_PAGER=" + marking, "PAGER=cat"}, "> "},
		"PAGER":                         {[]string{"PAGER=" + marking}, "> "},
		"core.pager":                    {append(setting("core.pager", marking), "PAGER=cat"), "> "},
		"pager.dos as a command":        {append(setting("pager.dos", marking), "PAGER=cat"), "> "},
		"GIT_PAGER over pager.dos":      {append(setting("pager.dos", "false-pager"), "GIT_PAGER="+marking), "> "},
		"pager.dos off":                 {append(setting("pager.dos", "false"), "GIT_PAGER="+marking), ""},
		"cat is none":                   {[]string{"GIT_PAGER=cat", "PAGER=" + marking}, ""},
		"empty is none":                 {[]string{"GIT_PAGER=", "PAGER=" + marking}, ""},
		"a pager that is not there":     {[]string{"GIT_PAGER=no-such-pager-here"}, ""},
		"a pager that ends with status": {[]string{"GIT_PAGER=" + marking + "; exit 3"}, "> "},
	} {
		shown, code := onTerminal(t, dir, test.env, "exit-codes", "version")
		lines := strings.Split(strings.TrimSpace(shown), "\n")
		last := lines[len(lines)-1]
		if code != 0 || !strings.HasPrefix(last, test.want+"version") {
			t.Errorf("%s: status %d\n%s", name, code, shown)
		}
	}
	if shown, code := onTerminal(t, dir, []string{"GIT_PAGER=head -n 1"}, "exit-codes"); code != 0 || strings.Count(shown, "\n") != 1 {
		t.Errorf("who leaves early: status %d\n%s", code, shown)
	}
}

// Every verb that lists is paged, help too; a verdict, JSON and what is piped are not.
func TestWhatIsPaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := append(pagerless(), "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@example.com", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@example.com")
	gitIn(t, dir, env, "init", "--quiet")
	gitIn(t, dir, env, "commit", "--quiet", "--allow-empty", "-m", "root")
	if out, code := onTerminal(t, dir, env, "lease", "acquire", "--lane", "one", "--tree", "one/**"); code != 0 {
		t.Fatalf("status %d: %s", code, out)
	}
	for line, want := range map[string]bool{
		"log --lane one": true, "journal tail": true, "lease log one": true, "lease live": true, "queue list": true, "decisions": true,
		"config": true, "exit-codes": true, "verify -h": true, "-h": true,
		"version": false, "lease show one": false, "lease live --json": false, "journal tail --json": false, "journal seq": false,
	} {
		shown, _ := onTerminal(t, dir, append(env, "GIT_PAGER="+marking), strings.Fields(line)...)
		if strings.HasPrefix(shown, "> ") != want {
			t.Errorf("%s: paged %v\n%s", line, !want, shown)
		}
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("git-dos", "journal", "tail")
	cmd.Dir, cmd.Env = dir, append(env, "GIT_PAGER="+marking, "GIT_TRACE="+trace)
	out, err := cmd.Output()
	if err != nil || strings.HasPrefix(string(out), "> ") {
		t.Errorf("piped: %v, %s", err, out)
	}
	if said, err := os.ReadFile(trace); err != nil || strings.Contains(string(said), "GIT_PAGER") || strings.Contains(string(said), "pager.") {
		t.Errorf("piped output asks for a pager: %v\n%s", err, said)
	}
}

// Who leaves a long answer before its end has read enough: that is no failure.
func TestAPagerMayBeLeftBeforeTheEnd(t *testing.T) {
	cmd := pagerCommand("head -n 1")
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatal(err)
	}
	err = throughPager(cmd, in, func(w io.Writer) error {
		for {
			if err := writeOut(w, []byte("a line\n")); err != nil {
				return err
			}
		}
	})
	if err != nil || atOnce.Load() != nil {
		t.Errorf("%v; still waited for: %v", err, atOnce.Load() != nil)
	}
}
