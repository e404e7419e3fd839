package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// A bench is where things are measured: a temporary folder with its own home,
// the product, and the product made to exit before it does anything.
type bench struct {
	ctx     context.Context
	count   int    // pairs asked for, 0 for the usual number
	history string // stream to import, "" for none

	processor bool // measure processor time in place of time
	fewest    int  // pairs that the medians of this line are of, at least

	root  string
	dos   string
	start string
	words *os.File // what processes said
	made  int      // repositories made so far
	atEnd []func()
}

// exitAtOnce is a file of the product's main package. Every package that the
// product links is initialised before it runs.
const exitAtOnce = "package main\n\nimport \"os\"\n\nfunc init() { os.Exit(0) }\n"

func newBench(ctx context.Context, count int, history string) (_ *bench, err error) {
	if history != "" {
		if history, err = filepath.Abs(history); err != nil {
			return nil, err
		}
	}
	root, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	b := &bench{ctx: ctx, count: count, history: history, root: root}
	if err := b.prepare(); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) prepare() error {
	var err error
	if b.words, err = os.OpenFile(filepath.Join(b.root, "words"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
		return err
	}
	if b.dos, err = b.build("git-dos", "", ""); err != nil {
		return err
	}
	if b.start, err = b.build("start", "cmd/git-dos/exit_at_once.go", exitAtOnce); err != nil {
		return err
	}
	return b.ownHome()
}

// buildTag leaves out of urfave/cli what the product does not use.
const buildTag = "urfave_cli_no_docs"

// build compiles as the product is released, static and without what debuggers read:
// the product, or the folder of one more file of this source, which is not there
// yet. It returns the path of the binary.
func (b *bench) build(name, file, source string) (string, error) {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	out, folder := filepath.Join(b.root, name), "cmd/git-dos"
	args := []string{"build", "-tags", buildTag, "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", out}
	if file != "" {
		overlay, err := b.overlay(file, source)
		if err != nil {
			return "", err
		}
		args, folder = append(args, "-overlay", overlay), path.Dir(file)
	}
	cmd := exec.CommandContext(b.ctx, "go", append(args, "./"+folder)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if words, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, words)
	}
	return out, nil
}

func (b *bench) overlay(file, text string) (string, error) {
	source := filepath.Join(b.root, "extra.go")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return "", err
	}
	target, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		return "", err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {target: source}})
	if err != nil {
		return "", err
	}
	list := filepath.Join(b.root, "overlay.json")
	return list, os.WriteFile(list, replace, 0o600)
}

// ownHome keeps the user's settings out of what is measured, for this process
// and all it starts.
func (b *bench) ownHome() error {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		for _, prefix := range []string{"GIT_", "DISPATCH_", "FLEET_", "CID_"} {
			if strings.HasPrefix(name, prefix) {
				_ = os.Unsetenv(name) // fails only for a name that cannot exist
			}
		}
	}
	for name, value := range map[string]string{
		"HOME": b.root, "XDG_CONFIG_HOME": b.root, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DOS_OWNER": "bench", "LC_ALL": "C", "NO_COLOR": "1",
	} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	config := "[user]\n\tname = bench\n\temail = bench@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	return os.WriteFile(filepath.Join(b.root, ".gitconfig"), []byte(config), 0o600)
}

// lastWords is the end of what processes said.
func (b *bench) lastWords() string {
	text, err := os.ReadFile(b.words.Name())
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-500):]))
}

// close ends the servers and removes everything.
func (b *bench) close() {
	for _, f := range b.atEnd {
		f()
	}
	if b.words != nil {
		_ = b.words.Close()
	}
	_ = os.RemoveAll(b.root) // a rest in the temporary folder harms nobody
}
