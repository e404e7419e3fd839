package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"time"
)

// A serveFunc makes the repositories below root reachable and returns the url
// of root with the settings that its clients need.
type serveFunc func(b *bench, root string) (url string, config []string, err error)

func serveFile(_ *bench, root string) (string, []string, error) { return root, nil, nil }

func serveHTTP(b *bench, root string) (string, []string, error) {
	libexec, err := b.output("", "", "git", "--exec-path")
	if err != nil {
		return "", nil, err
	}
	backend := filepath.Join(libexec, "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		return "", nil, skipped("this git has no http-backend")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: &cgi.Handler{
		Path: backend, Stderr: b.words,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=bench", "HOME=" + b.root, "GIT_CONFIG_NOSYSTEM=1"},
	}}
	go func() { _ = server.Serve(l) }() // it always ends with an error: that it was closed
	b.atEnd = append(b.atEnd, func() { _ = server.Close() })
	return "http://" + l.Addr().String(), nil, nil
}

// serveSSH runs an sshd with keys and settings of its own. The clients share
// one connection, so that the handshake does not hide what is measured.
func serveSSH(b *bench, root string) (string, []string, error) {
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		if sshd, err = exec.LookPath("/usr/sbin/sshd"); err != nil {
			return "", nil, skipped("there is no sshd on this machine")
		}
	}
	me, err := user.Current()
	if err != nil {
		return "", nil, err
	}
	if me.Uid == "0" { // sshd confines itself to this folder, which a service manager makes
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return "", nil, skipped("sshd has no folder to confine itself in: " + err.Error())
		}
	}
	dir, err := os.MkdirTemp("", "s") // short: a socket's name must fit
	if err != nil {
		return "", nil, err
	}
	b.atEnd = append(b.atEnd, func() { _ = os.RemoveAll(dir) })
	port, err := freePort()
	if err != nil {
		return "", nil, err
	}
	if err := b.sshFiles(dir); err != nil {
		return "", nil, err
	}
	if err := b.daemon(port, sshd, "-D", "-f", filepath.Join(dir, "sshd_config"), "-p", port); err != nil {
		return "", nil, err
	}
	clientConfig := filepath.Join(dir, "ssh_config")
	b.atEnd = append([]func(){func() {
		_ = exec.Command("ssh", "-F", clientConfig, "-p", port, "-O", "exit", me.Username+"@127.0.0.1").Run() // none may be left
	}}, b.atEnd...)
	return "ssh://" + me.Username + "@127.0.0.1:" + port + root, []string{"core.sshCommand=ssh -F " + clientConfig}, nil
}

func (b *bench) sshFiles(dir string) error {
	for _, key := range []string{"host", "id"} {
		if err := b.quiet("", []string{"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)}); err != nil {
			return err
		}
	}
	server := fmt.Sprintf("ListenAddress 127.0.0.1\nHostKey %[1]s/host\nAuthorizedKeysFile %[1]s/id.pub\nStrictModes no\nPidFile none\nUsePAM no\n"+
		"PermitRootLogin yes\nPasswordAuthentication no\nMaxSessions 64\nMaxStartups 100\nSetEnv GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=%[2]s/.gitconfig\n", dir, b.root)
	if err := os.WriteFile(filepath.Join(dir, "sshd_config"), []byte(server), 0o600); err != nil {
		return err
	}
	client := fmt.Sprintf("Host *\n\tIdentityFile %[1]s/id\n\tIdentitiesOnly yes\n\tUserKnownHostsFile %[1]s/known\n\tStrictHostKeyChecking accept-new\n"+
		"\tLogLevel ERROR\n\tControlMaster auto\n\tControlPath %[1]s/c\n\tControlPersist 60\n", dir)
	return os.WriteFile(filepath.Join(dir, "ssh_config"), []byte(client), 0o600)
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// daemon starts a server that lives until the bench ends and waits until it
// accepts connections.
func (b *bench) daemon(port string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = b.words
	if err := cmd.Start(); err != nil {
		return err
	}
	b.atEnd = append(b.atEnd, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 100 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			return c.Close()
		}
		time.Sleep(30 * time.Millisecond)
	}
	return fmt.Errorf("%s does not accept connections: %s", args[0], b.lastWords())
}
