package receive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/hooks"
)

// Hooks are those that a repository which others push to has of git-dos.
var Hooks = []string{hooks.PreReceive, hooks.PostReceive}

// mark is in every hook file that git-dos wrote.
const mark = "# git-dos hook: written by git dos hooks install --server"

// An Installed is one hook file, and what became of it.
type Installed struct {
	Hook  string `json:"hook"`
	Path  string `json:"path"`
	State string `json:"state"`
}

// What becomes of a hook file.
const (
	Written   = "installed"
	Unchanged = "unchanged"
)

// Install writes the hooks into a repository's folder of hooks, each a few lines of
// sh that run binary. A file that is another's is never written over: then nothing
// is written at all.
func Install(dir, binary string) ([]Installed, error) {
	if strings.ContainsAny(binary, "\n\r") {
		return nil, fmt.Errorf("the path of git-dos holds a newline: %q", binary)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var all []Installed
	for _, hook := range Hooks {
		path := filepath.Join(dir, hook)
		had, err := os.ReadFile(path)
		state := Written
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case !strings.Contains(string(had), mark):
			return nil, &TakenError{path, command(hook, binary)}
		case string(had) == shim(hook, binary) && executable(path):
			state = Unchanged
		}
		all = append(all, Installed{hook, path, state})
	}
	for _, h := range all {
		if h.State == Unchanged {
			continue
		}
		if err := place(h.Path, shim(h.Hook, binary)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A TakenError is a hook of another that is in the way.
type TakenError struct{ Path, Command string }

func (e *TakenError) Error() string {
	return e.Path + " is there and is not of git-dos: have it run " + e.Command + ", or move it away"
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

func shim(hook, binary string) string {
	return "#!/bin/sh\n" + mark + "\nexec " + command(hook, binary) + " \"$@\"\n"
}

// command is how a shell runs a hook.
func command(hook, binary string) string {
	return "'" + strings.ReplaceAll(binary, "'", `'\''`) + "' hook " + hook
}

// place puts a hook where it is, whole or not at all.
func place(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".git-dos-hook-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Chmod(0o755)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
