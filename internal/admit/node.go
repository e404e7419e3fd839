package admit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// EnsureNode sets d.Node: GIT_DOS_NODE or DISPATCH_HOST_ID, else git config
// dos.node, else a new id that is stored there. A stored id is bound to this
// machine and to the repository's directory, so that a copied clone gets one
// of its own; an id set by hand, without a binding, is taken as it is.
func (d *Desk) EnsureNode(ctx context.Context) error {
	if id := ledger.NamedNode(); id != "" {
		return d.setNode(id)
	}
	binding, err := nodeBinding(d.Repo)
	if err != nil {
		return fmt.Errorf("node id: %w", err)
	}
	c, err := d.Repo.Config()
	if err != nil {
		return err
	}
	if id, bound := c.Get("dos.node"), c.Get("dos.nodebinding"); id != "" && (bound == "" || bound == binding) {
		return d.setNode(id)
	}
	return d.mintNode(ctx, binding)
}

func (d *Desk) setNode(id string) error {
	if !refstore.ValidLeaf(id) {
		return fmt.Errorf("node id %q: use lower-case letters, digits, dot, dash and underscore, at most 100", id)
	}
	d.Node = id
	return nil
}

// mintNode makes a node id, one process at a time.
func (d *Desk) mintNode(ctx context.Context, binding string) error {
	unlock, err := d.Repo.LockShared(ctx, "node.lock")
	if err != nil {
		return err
	}
	defer unlock()
	if id, err := d.localConfig(ctx, "dos.node"); err != nil {
		return err
	} else if bound, err := d.localConfig(ctx, "dos.nodebinding"); err != nil {
		return err
	} else if id != "" && bound == binding {
		return d.setNode(id) // a sibling process was first
	}
	if err := d.setNode(hostLabel() + "-" + NewNonce()[:6]); err != nil {
		return err
	}
	if err := d.setConfig(ctx, "dos.node", d.Node); err != nil {
		return err
	}
	return d.setConfig(ctx, "dos.nodebinding", binding)
}

func (d *Desk) localConfig(ctx context.Context, key string) (string, error) {
	out, err := d.Repo.Git.Output(ctx, "config", "--local", "--get", key)
	var g *git.Error
	if errors.As(err, &g) && g.Code == 1 {
		return "", nil
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// setConfig writes a setting of this repository.
func (d *Desk) setConfig(ctx context.Context, key, value string) error {
	return d.writeConfig(ctx, key, value)
}

// writeConfig runs git config on this repository's own settings. Other gits
// hold the lock of the configuration file for a moment at a time, which is
// waited out. A git that is under way is not interrupted: it would leave the
// lock behind.
func (d *Desk) writeConfig(ctx context.Context, args ...string) error {
	for try := time.Millisecond; ; try *= 2 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		whole, cancel := detached(ctx)
		_, err := d.Repo.Git.Output(whole, append([]string{"config", "--local"}, args...)...)
		cancel()
		if err == nil || try > time.Second {
			return err
		}
		select {
		case <-time.After(try):
		case <-ctx.Done():
		}
	}
}

// hostLabel is this machine's name as the start of a node id.
func hostLabel() string {
	host, _ := os.Hostname()
	host, _, _ = strings.Cut(strings.ToLower(host), ".")
	label := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, host)
	if label = strings.Trim(label, "-"); label == "" {
		return "node"
	}
	return label[:min(len(label), 40)]
}

// nodeBinding identifies this machine and the repository's directory on it.
func nodeBinding(repo *refstore.Repo) (string, error) {
	return bound(repo.DirID())
}

// worktreeBinding identifies this machine and, on it, the git directory that
// is this worktree's own.
func worktreeBinding(repo *refstore.Repo) (string, error) {
	return bound(repo.WorktreeID())
}

func bound(dir string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(machineID() + "\x00" + dir))
	return hex.EncodeToString(sum[:8]), nil
}

// machineID is the operating system's id of the machine, else its host name.
func machineID() string {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if b, err := os.ReadFile(path); err == nil && len(b) > 1 {
			return strings.TrimSpace(string(b))
		}
	}
	host, _ := os.Hostname()
	return host
}
