package refstore_test

import (
	"fmt"
	"net"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A transport serves bare repositories below root and makes urls for them.
type transport struct {
	name  string
	serve func(t testing.TB, root string) (url string, config []string) // config for the clones
}

var transports = []transport{{"file", serveFile}, {"http", serveHTTP}, {"git", serveGit}, {"ssh", serveSSH}}

// hubAt makes a bare repository that every transport may push to.
func hubAt(t testing.TB, root string) string {
	t.Helper()
	dir := filepath.Join(root, "hub.git")
	gitIn(t, root, "init", "--quiet", "--bare", dir)
	gitIn(t, dir, "config", "http.receivepack", "true")
	gitIn(t, dir, "config", "gc.auto", "0")
	return dir
}

// cloneOf makes an empty repository with the hub as origin.
func cloneOf(t testing.TB, url string, config []string) string {
	t.Helper()
	dir := initRepo(t)
	gitIn(t, dir, "remote", "add", "origin", url)
	for _, kv := range config {
		key, value, _ := strings.Cut(kv, "=")
		gitIn(t, dir, "config", key, value)
	}
	return dir
}

func serveFile(t testing.TB, root string) (string, []string) { return root, nil }

func serveHTTP(t testing.TB, root string) (string, []string) {
	t.Helper()
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(gitIn(t, root, "--exec-path"), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=worker", "REMOTE_ADDR=127.0.0.1",
			"HOME=" + os.Getenv("HOME"), "GIT_CONFIG_NOSYSTEM=1"},
		Stderr: silent{},
	})
	t.Cleanup(server.Close)
	return server.URL, nil
}

type silent struct{}

func (silent) Write(p []byte) (int, error) { return len(p), nil }

func serveGit(t testing.TB, root string) (string, []string) {
	t.Helper()
	port := freePort(t)
	cmd := exec.Command(filepath.Join(gitIn(t, root, "--exec-path"), "git-daemon"), "--reuseaddr", "--listen=127.0.0.1", "--port="+port,
		"--base-path="+root, "--export-all", "--enable=receive-pack", root)
	cmd.Env = elsewhere()
	serveUntilEnd(t, cmd, port)
	return "git://127.0.0.1:" + port, nil
}

// serveSSH runs an sshd of the test's own: its keys, its configuration, its
// port. The clones share one connection, as a user who cares would.
func serveSSH(t testing.TB, root string) (string, []string) {
	t.Helper()
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		if sshd, err = exec.LookPath("/usr/sbin/sshd"); err != nil {
			t.Skip("no sshd on this machine: ssh remotes are not tested")
		}
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if me.Uid == "0" { // where sshd wants to confine itself; a service manager makes it at boot
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("sshd has no directory to confine itself in: %v", err)
		}
	}
	dir := shortTemp(t)
	for _, key := range []string{"host", "id"} {
		run(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)))
	}
	port := freePort(t)
	conf := fmt.Sprintf("ListenAddress 127.0.0.1\nHostKey %[1]s/host\nAuthorizedKeysFile %[1]s/id.pub\nStrictModes no\nPidFile none\nUsePAM no\n"+
		"PermitRootLogin yes\nPasswordAuthentication no\nMaxSessions 64\nMaxStartups 100\nSetEnv GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=%[2]s/.gitconfig\n",
		dir, os.Getenv("HOME"))
	write(t, filepath.Join(dir, "sshd_config"), conf)
	client := fmt.Sprintf("Host *\n\tIdentityFile %[1]s/id\n\tIdentitiesOnly yes\n\tUserKnownHostsFile %[1]s/known\n\tStrictHostKeyChecking accept-new\n"+
		"\tLogLevel ERROR\n\tControlMaster auto\n\tControlPath %[1]s/c\n\tControlPersist 60\n", dir)
	write(t, filepath.Join(dir, "ssh_config"), client)
	serveUntilEnd(t, exec.Command(sshd, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"), "-p", port), port)
	url := "ssh://" + me.Username + "@127.0.0.1:" + port + root
	t.Cleanup(func() {
		_ = exec.Command("ssh", "-F", filepath.Join(dir, "ssh_config"), "-p", port, "-O", "exit", me.Username+"@127.0.0.1").Run() // none may be left
	})
	return url, []string{"core.sshCommand=ssh -F " + filepath.Join(dir, "ssh_config")}
}

// shortTemp is a temporary folder whose path leaves room for a socket's name.
func shortTemp(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// serveUntilEnd starts a server, waits until it accepts, and ends it with the
// test.
func serveUntilEnd(t testing.TB, cmd *exec.Cmd, port string) {
	t.Helper()
	var words strings.Builder
	cmd.Stderr = &words
	ownProcessGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endGroup(cmd) })
	for range 1000 { // a machine at work starts some servers slowly
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(30 * time.Millisecond)
	}
	endGroup(cmd)
	t.Fatalf("%s does not accept connections: %s", cmd.Path, words.String())
}

func run(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", cmd.Path, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// script writes an executable shell script.
func script(t testing.TB, path, body string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
