//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A farHub is a bare repository behind a server and a proxy, both of which fail
// when they are told to.
type farHub struct {
	dir    string // the repository
	files  string // where failures are ordered
	url    string
	config []string // for a clone: key, value, ...
	kills  bool     // this machine can kill a server between two renames
	cuts   atomic.Int64
}

// serveFar has servers of the repositories below home, which serve a push through
// the script push. Each returns where it listens and the URL of the hub there.
var serveFar = map[string]func(t *testing.T, h *farHub, home, push string) (address, url string){
	"http": farHTTP,
	"ssh":  farSSH,
}

func newFarHub(t *testing.T, by, home string) *farHub {
	t.Helper()
	h := &farHub{dir: filepath.Join(home, "hub.git"), files: t.TempDir()}
	gitIn(t, home, nil, "init", "--quiet", "--bare", "-b", "main", h.dir)
	for _, kv := range [][2]string{{"http.receivepack", "true"}, {"gc.auto", "0"}, {"receive.denyNonFastForwards", "true"}} {
		gitIn(t, h.dir, nil, "config", kv[0], kv[1])
	}
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("no flock on this machine: it cannot be told when a server has ended")
	}
	_, err := exec.LookPath("strace")
	h.kills = err == nil
	push, hook := h.script(t, "push", farPush), h.script(t, "hook", farHook)
	if err := os.Symlink(hook, filepath.Join(h.dir, "hooks", "reference-transaction")); err != nil {
		t.Fatal(err)
	}
	address, url := serveFar[by](t, h, home, push)
	h.url = strings.Replace(url, address, h.proxy(t, address), 1)
	return h
}

// farPush runs a server of pushes, with others beside it. When it is ordered to,
// it runs one alone, kills it right before its first or second rename of a ref,
// and takes away the locks that are left, as whoever runs the server would.
const farPush = `case ${REQUEST_METHOD-POST}${PATH_INFO-/git-receive-pack} in
POST*/git-receive-pack) ;;
*) exec "$@" ;;
esac
for n in 1 2; do
	if rm FILES/kill.$n 2>/dev/null; then
		exec flock -x FILES/turn sh -c '
			strace -f -qq -o /dev/null -e trace=rename,renameat,renameat2 -e inject=rename,renameat,renameat2:signal=SIGKILL:when='$n' "$@"
			find HUB -name "*.lock" -delete -print | grep -q . && echo '$n' >>FILES/killed' sh "$@"
	fi
done
exec flock -s FILES/turn "$@"`

// farHook has the connections cut when the refs have moved and nobody knows yet.
const farHook = `cat >/dev/null
[ "$1" = committed ] && rm FILES/cut 2>/dev/null || exit 0
: >FILES/cutting
while [ -e FILES/cutting ]; do sleep 0.01; done`

func (h *farHub) script(t *testing.T, name, body string) string {
	t.Helper()
	path := filepath.Join(h.files, name)
	body = strings.NewReplacer("FILES", h.files, "HUB", h.dir).Replace(body)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// order has the next push fail in a way: cut, kill.1 or kill.2.
func (h *farHub) order(t *testing.T, way string) {
	if err := os.WriteFile(filepath.Join(h.files, way), nil, 0o644); err != nil {
		t.Error(err)
	}
}

// calm takes back what was ordered and waits until no push is served any more.
func (h *farHub) calm(t *testing.T) {
	t.Helper()
	for _, way := range []string{"cut", "kill.1", "kill.2"} {
		_ = os.Remove(filepath.Join(h.files, way)) // most have been carried out
	}
	f, err := os.OpenFile(filepath.Join(h.files, "turn"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}

// killed is how many servers were killed before which rename.
func (h *farHub) killed() map[string]int {
	b, _ := os.ReadFile(filepath.Join(h.files, "killed"))
	count := map[string]int{}
	for _, n := range strings.Fields(string(b)) {
		count[n]++
	}
	return count
}

// proxy forwards to the server, and cuts all connections when the hook waits for
// it.
func (h *farHub) proxy(t *testing.T, to string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	var all sync.WaitGroup
	closeAll := func() {
		mu.Lock()
		defer mu.Unlock()
		for c := range open {
			_ = c.Close()
		}
		clear(open)
	}
	done := make(chan struct{})
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			mu.Lock()
			open[in], open[out] = true, true
			mu.Unlock()
			for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
				all.Go(func() {
					_, _ = io.Copy(way[0], way[1]) // until either end is closed
					_, _ = in.Close(), out.Close()
				})
			}
		}
	})
	all.Go(func() {
		for ; ; time.Sleep(3 * time.Millisecond) {
			select {
			case <-done:
				return
			default:
			}
			if _, err := os.Lstat(filepath.Join(h.files, "cutting")); err == nil {
				closeAll()
				h.cuts.Add(1)
				_ = os.Remove(filepath.Join(h.files, "cutting"))
			}
		}
	})
	t.Cleanup(func() { close(done); _ = l.Close(); closeAll(); all.Wait() })
	return l.Addr().String()
}

func farHTTP(t *testing.T, _ *farHub, home, push string) (address, url string) {
	backend := filepath.Join(strings.TrimSpace(gitIn(t, home, nil, "--exec-path")), "git-http-backend")
	server := httptest.NewServer(&cgi.Handler{
		Path: push, Args: []string{backend}, Stderr: io.Discard, InheritEnv: []string{"PATH"},
		Env: []string{"GIT_PROJECT_ROOT=" + home, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=worker", "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"},
	})
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://"), server.URL + "/hub.git"
}

// farSSH runs an sshd of the test's own. Clones share one connection each.
func farSSH(t *testing.T, h *farHub, home, push string) (address, url string) {
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		if sshd, err = exec.LookPath("/usr/sbin/sshd"); err != nil {
			t.Skip("no sshd on this machine: ssh remotes are not raced for")
		}
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if me.Uid == "0" {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("sshd has no directory to confine itself in: %v", err)
		}
	}
	dir, err := os.MkdirTemp("", "s") // a socket's name must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, key := range []string{"host", "id"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	_ = l.Close()
	_, port, _ := net.SplitHostPort(address)
	for name, text := range map[string]string{
		"sshd_config": "ListenAddress " + address + "\nHostKey DIR/host\nAuthorizedKeysFile DIR/id.pub\nStrictModes no\nPidFile none\nUsePAM no\nPermitRootLogin yes\n" +
			"PasswordAuthentication no\nMaxSessions 64\nMaxStartups 100\nSetEnv GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null\n",
		"ssh_config": "Host *\n\tIdentityFile DIR/id\n\tIdentitiesOnly yes\n\tUserKnownHostsFile DIR/known\n\tStrictHostKeyChecking accept-new\n\tLogLevel ERROR\n" +
			"\tControlMaster auto\n\tControlPath DIR/c%C\n\tControlPersist 60\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"), "-p", port)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sockets, _ := filepath.Glob(filepath.Join(dir, "c*"))
		for _, s := range sockets {
			_ = exec.Command("ssh", "-F", filepath.Join(dir, "ssh_config"), "-o", "ControlPath="+s, "-O", "exit", "x").Run() // none may be left
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait()
	})
	for range 1000 { // a machine at work starts some servers slowly
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			h.config = []string{"core.sshCommand", "ssh -F " + filepath.Join(dir, "ssh_config"), "remote.origin.receivepack", push + " git-receive-pack"}
			return address, fmt.Sprintf("ssh://%s@%s%s", me.Username, address, h.dir)
		}
		time.Sleep(30 * time.Millisecond)
	}
	t.Fatal("sshd does not accept connections")
	return "", ""
}
