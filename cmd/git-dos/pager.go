package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/refstore/git"
)

// page gives what write writes to a person through the pager that git would
// use, and to anybody else as it is. JSON is never paged. How the pager ends
// says nothing, and who leaves it early has read enough: the answer stands.
func page(c *cli.Context, write func(io.Writer) error) error {
	if c.Bool("json") || c.Bool("quiet") {
		return write(c.App.Writer)
	}
	return pageFrom(c.Context, workspace(c), c.App.Writer, write)
}

// pageFrom is page for the settings of a directory. Only a terminal has git
// asked for a pager, so what is piped starts nothing more.
func pageFrom(ctx context.Context, dir string, w io.Writer, write func(io.Writer) error) error {
	terminal, ok := w.(*os.File)
	if !ok || !isTerminal(terminal) {
		return write(w)
	}
	cmd := pagerCommand(gitPager(ctx, dir))
	if cmd == nil {
		return write(w)
	}
	cmd.Stdout, cmd.Stderr = terminal, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return write(w)
	}
	err = throughPager(cmd, in, write)
	if code := cmd.ProcessState.ExitCode(); code == 126 || code == 127 {
		return write(w) // the shell found no such program: nobody has seen a word
	}
	return err
}

// throughPager waits until the person has read. A second signal, which ends the
// process, waits for that too: their pager and their shell would otherwise share
// one keyboard.
func throughPager(cmd *exec.Cmd, in io.WriteCloser, write func(io.Writer) error) error {
	wait := sync.OnceFunc(func() {
		_ = in.Close()
		_ = cmd.Wait() // its status is no part of the answer
	})
	before := atOnce.Swap(&wait)
	defer atOnce.Store(before)
	err := write(in)
	wait()
	if errors.Is(err, errClosedOutput) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// gitPager is the command line of the pager, "" for none, found as git does for
// a command of its own: pager.dos says whether there is one; which it is say
// GIT_PAGER, a pager.dos that is a command, core.pager, PAGER and git's default.
func gitPager(ctx context.Context, dir string) string {
	r := git.Runner{Dir: dir}
	if said, err := r.Output(ctx, "config", "-z", "--get-regexp", `^pager\.dos$`); err == nil {
		command, on := pagerSetting(string(said))
		_, stronger := os.LookupEnv("GIT_PAGER")
		switch {
		case !on:
			return ""
		case command != "" && !stronger:
			return command
		}
	}
	line, err := r.Output(ctx, "var", "GIT_PAGER")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(line))
}

// pagerSetting reads what git config prints of pager.dos, the last of which
// counts: a boolean, else a command. A key alone is true.
func pagerSetting(config string) (command string, on bool) {
	records := strings.Split(strings.TrimSuffix(config, "\x00"), "\x00")
	_, value, stated := strings.Cut(records[len(records)-1], "\n")
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return "", true
	case "false", "no", "off", "0":
		return "", false
	case "":
		return "", !stated
	}
	return value, true
}

// pagerCommand runs a pager by git's own rule: through sh, because what people
// set is a command line. It has git's defaults for less and lv. nil is no pager.
func pagerCommand(line string) *exec.Cmd {
	if strings.TrimSpace(line) == "" || line == "cat" {
		return nil
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		return nil
	}
	cmd := exec.Command(sh, "-c", line)
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "GIT_PAGER_IN_USE" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	for _, d := range [][2]string{{"LESS", "FRX"}, {"LV", "-c"}} {
		if _, set := os.LookupEnv(d[0]); !set {
			cmd.Env = append(cmd.Env, d[0]+"="+d[1])
		}
	}
	return cmd
}
