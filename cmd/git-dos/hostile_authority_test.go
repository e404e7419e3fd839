package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// A hostileAuthority is the repository in which lanes are decided, and the one
// from which they are asked for.
type hostileAuthority struct {
	t      *testing.T
	refs   string // where the refs are
	dir    string // where git-dos runs
	env    []string
	nonces map[string]string
	empty  string // an empty tree
}

const hostileRules = `[lanes]
concurrent = [%s]
exclusive = ["all"]
autopick = ["good"]
[lanes.trees]
all = ["**/*"]
%s[overlap]
policy = "glob"
`

// newHostile makes an authority with a lane for every record, each on files of
// its own, and the lanes good and free.
func newHostile(t *testing.T, fleet bool, records []hostileRecord) *hostileAuthority {
	t.Helper()
	root := t.TempDir()
	h := &hostileAuthority{t: t, dir: filepath.Join(root, "work"), nonces: map[string]string{}}
	h.env = append(os.Environ(), "HOME="+root, "GIT_CONFIG_NOSYSTEM=1", "GIT_DOS_NODE=box", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
		"GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@x", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@x")
	var names, trees string
	for _, name := range append([]string{"good", "free"}, hostileNames(records)...) {
		names += fmt.Sprintf("%q, ", name)
		trees += fmt.Sprintf("%s = [\"%s/**\"]\n", name, name)
	}
	rules := fmt.Sprintf(hostileRules, names, trees)
	h.refs = h.dir
	gitIn(h.t, root, h.env, "init", "--quiet", "-b", "main", h.dir)
	if err := os.WriteFile(filepath.Join(h.dir, "dos.toml"), []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	if fleet {
		h.refs = filepath.Join(root, "hub.git")
		gitIn(h.t, root, h.env, "init", "--quiet", "--bare", "-b", "main", h.refs)
		gitIn(h.t, h.dir, h.env, "remote", "add", "origin", h.refs)
		gitIn(h.t, h.dir, h.env, "add", ".")
		gitIn(h.t, h.dir, h.env, "commit", "--quiet", "-m", "lanes")
		gitIn(h.t, h.dir, h.env, "push", "--quiet", "-u", "origin", "main")
		if code, out := h.dos("init", "--remote", "origin"); code != 0 {
			t.Fatalf("init: %d %s", code, out)
		}
		decideOnTheRemote(t, h.dir)
	}
	gitIn(h.t, h.dir, h.env, "add", ".")
	gitIn(h.t, h.dir, h.env, "commit", "--quiet", "-m", "rules")
	if fleet {
		gitIn(h.t, h.dir, h.env, "push", "--quiet", "origin", "main")
	}
	return h
}

// elsewhere goes on in a clone that has seen nothing: one that has trusts no
// remote that took an entry back.
func (h *hostileAuthority) elsewhere() {
	h.t.Helper()
	fresh := h.dir + "-2"
	gitIn(h.t, filepath.Dir(h.dir), h.env, "clone", "--quiet", h.refs, fresh)
	h.dir = fresh
	h.wants(0, "init", "--remote", "origin")
}

func hostileNames(records []hostileRecord) (names []string) {
	for _, r := range records {
		names = append(names, r.name)
	}
	return names
}

func (h *hostileAuthority) git(args ...string) string {
	h.t.Helper()
	return gitIn(h.t, h.refs, h.env, args...)
}

// dos runs git-dos and returns its status and all it printed, in which there is
// never anything that a terminal would obey.
func (h *hostileAuthority) dos(args ...string) (code int, out string) {
	h.t.Helper()
	cmd := exec.Command("git-dos", args...)
	cmd.Dir, cmd.Env = h.dir, h.env
	b, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		h.t.Fatal(err)
	}
	if bytes.ContainsFunc(b, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		h.t.Errorf("git dos %v printed control characters: %q", args, b)
	}
	if len(b) > 64<<10 {
		h.t.Errorf("git dos %v printed %d bytes", args, len(b))
	}
	return code, string(b)
}

// wants runs git-dos for a status.
func (h *hostileAuthority) wants(want int, args ...string) string {
	h.t.Helper()
	code, out := h.dos(args...)
	if code != want {
		h.t.Errorf("git dos %s: status %d, want %d\n%s", strings.Join(args, " "), code, want, strings.TrimSpace(out))
	}
	return out
}

// lease takes a lane and returns the ref that it stands on.
func (h *hostileAuthority) lease(name string, args ...string) (ref string) {
	h.t.Helper()
	code, out := h.dos(append([]string{"lease", "acquire", "--json", "--lane", name, "--owner", "honest"}, args...)...)
	var v struct {
		Lease struct{ Nonce, Slot string }
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != 0 || v.Lease.Nonce == "" {
		h.t.Fatalf("acquire %s: %d %v %s", name, code, err, out)
	}
	h.nonces[name] = v.Lease.Nonce
	if v.Lease.Slot != "" {
		return "refs/dos/lane/" + v.Lease.Slot
	}
	return "refs/dos/lane/" + name
}
