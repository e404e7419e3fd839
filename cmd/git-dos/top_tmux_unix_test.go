//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A tmux is a terminal of its own with a shell in a repository.
type tmux struct {
	t           *testing.T
	socket, dir string
	env         []string
}

// openTmux opens a terminal 100 columns wide and 24 rows high.
func openTmux(t *testing.T, more ...string) *tmux {
	t.Helper()
	for _, needs := range []string{"tmux", "bash"} {
		if _, err := exec.LookPath(needs); err != nil {
			t.Skipf("no %s found: install the package %s", needs, needs)
		}
	}
	short, err := os.MkdirTemp("", "tm") // the path of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	m := &tmux{t: t, socket: filepath.Join(short, "s"), dir: filepath.Join(short, "r")}
	if err := os.Mkdir(m.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", m.socket, "kill-server").Run()
		for end := time.Now().Add(5 * time.Second); os.RemoveAll(short) != nil && time.Now().Before(end); {
			time.Sleep(100 * time.Millisecond) // what it started is ending
		}
	})
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "NO_COLOR" && name != "TMUX" && name != "CLICOLOR_FORCE" {
			m.env = append(m.env, v)
		}
	}
	m.env = append(m.env, "HOME="+m.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=w", "GIT_AUTHOR_EMAIL=w@example.com", "GIT_COMMITTER_NAME=w", "GIT_COMMITTER_EMAIL=w@example.com", "LC_ALL=C.UTF-8", "GIT_DOS_OWNER=worker")
	m.env = append(m.env, more...)
	if err := os.WriteFile(filepath.Join(m.dir, "dos.toml"), []byte("[lanes]\nconcurrent = [\"api\", \"web\", \"docs\"]\n[lanes.trees]\napi = [\"api/**\"]\nweb = [\"web/**\"]\ndocs = [\"docs/**\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	gitIn(t, m.dir, m.env, "init", "--quiet", "-b", "main")
	gitIn(t, m.dir, m.env, "add", "dos.toml")
	gitIn(t, m.dir, m.env, "commit", "--quiet", "-m", "root")
	m.do("-f", os.DevNull, "new-session", "-d", "-x", "100", "-y", "24", "env", "PS1=ready> ", "bash", "--norc", "--noprofile", "-i")
	m.shows("ready>")
	return m
}

func (m *tmux) do(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", m.socket}, args...)...)
	cmd.Dir, cmd.Env = m.dir, m.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (m *tmux) keys(keys ...string) { m.do(append([]string{"send-keys"}, keys...)...) }

// run types a command line.
func (m *tmux) run(line string) { m.keys(line, "Enter") }

func (m *tmux) screen() string { return m.do("capture-pane", "-p") }

// until waits until something is so.
func (m *tmux) until(what string, so func() bool) {
	m.t.Helper()
	for end := time.Now().Add(40 * time.Second); !so(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatalf("it never shows %s:\n%s", what, m.screen())
		}
	}
}

func (m *tmux) shows(pattern string) {
	m.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	m.until(pattern, func() bool { return re.MatchString(m.screen()) })
}

func (m *tmux) hides(pattern string) {
	m.t.Helper()
	re := regexp.MustCompile("(?m)" + pattern)
	m.until("a screen without "+pattern, func() bool { return !re.MatchString(m.screen()) })
}

// own waits until the terminal shows the screen of a program, or that of the shell
// with its cursor.
func (m *tmux) own(program bool) {
	m.t.Helper()
	want := "0 1\n"
	if program {
		want = "1 0\n"
	}
	m.until("its own screen: "+want, func() bool { return m.do("display", "-p", "#{alternate_on} #{cursor_flag}") == want })
}

func (m *tmux) dos(args ...string) {
	m.t.Helper()
	cmd := exec.Command("git-dos", args...)
	cmd.Dir, cmd.Env = m.dir, m.env
	if out, err := cmd.CombinedOutput(); err != nil {
		m.t.Fatalf("git dos %v: %v\n%s", args, err, out)
	}
}

// A person keeps top on a terminal.
func TestTopWatchInATerminal(t *testing.T) {
	t.Parallel()
	m := openTmux(t)
	m.run("git dos top --watch --interval 1s; echo ended with $?")
	m.own(true)
	m.shows(`^  api +FREE +never leased`)
	m.shows(`q ends, \? tells the keys   every 1s`)

	m.dos("lease", "acquire", "--lane", "web")
	m.shows(`^  web +ADVANCING +g1 +worker on `)
	m.keys("s")
	m.shows(`by urgency`)
	m.shows(`(?s)^  web.*^  api.*^  docs`)
	m.keys("S")
	m.shows(`(?s)^  api.*^  docs.*^  web`)
	m.keys("/", "doc")
	m.shows(`^filter: doc_`)
	m.hides(`^  api`)
	m.keys("Enter")
	m.shows(`only doc`)
	m.keys("Escape")
	m.shows(`^  api`)
	m.keys("?")
	m.shows(`^KEYS`)
	m.keys("x")
	m.hides(`^KEYS`)

	// What is paused stays, and is not taken for what is now.
	m.keys("p")
	m.shows(`^PAUSED at \d\d:\d\d:\d\d, p goes on`)
	m.dos("lease", "acquire", "--lane", "docs")
	time.Sleep(2500 * time.Millisecond)
	if !regexp.MustCompile(`(?m)^  docs +FREE`).MatchString(m.screen()) {
		t.Errorf("what is paused moves:\n%s", m.screen())
	}
	m.keys("p")
	m.shows(`^  docs +ADVANCING`)

	// Another size is filled at once.
	m.do("resize-window", "-x", "60", "-y", "8")
	m.shows(`1-6 of \d+`)
	m.keys("End")
	m.shows(`^ +24 h`)
	m.keys("Home")
	m.do("resize-window", "-x", "100", "-y", "24")
	m.shows(`^ +24 h`)

	// Where nothing but the time moves, next to nothing is written.
	file := filepath.Join(m.dir, "written")
	m.do("pipe-pane", "-O", "cat > "+file)
	time.Sleep(4 * time.Second)
	m.do("pipe-pane")
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(written) == 0 || len(written) > 3000 || strings.Contains(string(written), "\x1b[2J") {
		t.Errorf("%d bytes in four seconds: %q", len(written), written[:min(len(written), 3000)])
	}

	m.keys("q")
	m.own(false)
	m.shows(`^ended with 0`)
	if strings.Contains(m.screen(), "LANES") {
		t.Errorf("the page is left behind:\n%s", m.screen())
	}
}

// Whatever ends it or stops it gives the terminal back.
func TestTopWatchGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	m := openTmux(t)
	m.run("git dos top --watch --interval 1s; echo ended with $?")
	m.own(true)
	m.shows(`^  api +FREE`)
	m.keys("C-z")
	m.own(false)
	m.shows(`Stopped`)
	m.run("clear; jobs | wc -l")
	m.shows(`^ *1$`)
	time.Sleep(1500 * time.Millisecond)
	m.own(false) // it stays stopped
	m.run("fg")
	m.own(true)
	m.shows(`^  api +FREE`)
	m.dos("lease", "acquire", "--lane", "api")
	m.shows(`^  api +ADVANCING`)
	m.keys("q")
	m.own(false)

	for _, c := range []struct{ signal, shows string }{{"TERM", `^ended with 130`}, {"INT", `^ended with 130`}, {"HUP", `^ended with 130`}} {
		m.run("clear; git-dos top --watch --interval 1s & echo $! > pid; fg; echo ended with $?")
		m.own(true)
		m.shows(`^  api +ADVANCING`)
		m.do("run-shell", "kill -"+c.signal+" $(cat "+filepath.Join(m.dir, "pid")+")")
		m.own(false)
		m.shows(c.shows)
	}

	// Another's request to stop is no other than a key.
	m.run("clear; git-dos top --watch --interval 1s & echo $! > pid; fg")
	m.own(true)
	m.do("run-shell", "kill -TSTP $(cat "+filepath.Join(m.dir, "pid")+")")
	m.own(false)
	m.shows(`Stopped`)
	m.run("fg")
	m.own(true)
	m.keys("C-c")
	m.own(false)
}

// Where no shell minds the job there is nobody to make it go on, and it is not stopped.
func TestTopWatchWithoutAShellIsNotStopped(t *testing.T) {
	t.Parallel()
	m := openTmux(t)
	m.do("new-window", "-c", m.dir, "exec git-dos top --watch --interval 1s")
	m.own(true)
	m.shows(`^  api +FREE`)
	m.keys("C-z")
	m.dos("lease", "acquire", "--lane", "api")
	m.shows(`^  api +ADVANCING`)
	m.keys("q")
	m.shows(`^ready>`)
}

// Without colours the marks and words say all there is.
func TestTopWatchWithoutColours(t *testing.T) {
	t.Parallel()
	m := openTmux(t, "NO_COLOR=1")
	m.run("GIT_DOS_NOW= git dos top --watch --interval 1s")
	m.own(true)
	m.dos("decisions", "add", "may it go?")
	m.shows(`^~ 1 +.*may it go`)
	if colour := regexp.MustCompile(`\x1b\[[0-9;]*(3[0-8]|4[0-8]|9[0-7])m`).FindString(m.do("capture-pane", "-p", "-e")); colour != "" {
		t.Errorf("it writes %q", colour)
	}
	m.keys("q")
	m.own(false)
}
