package receive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/wholefile"
	"github.com/git-dos/git-dos/refstore"
)

// A note is what the judge of a push leaves for whoever writes its receipt once it
// has landed: no ref may be written before. It is a file of the repository, one a
// ref, named by the move that was judged, so that no other move is taken for it.
type note struct {
	Commit   string            `json:"commit"` // that the ref leads to
	Tree     string            `json:"tree"`
	Policy   string            `json:"policy"`   // digest of the dos.toml it was judged by
	Verdicts map[string]string `json:"verdicts"` // what LEASE_FENCE came to, and each gate that was asked
	Gated    bool              `json:"gated"`    // gates judged what the ref brings on top of the base
	Base     []string          `json:"base,omitempty"`
	Override *Override         `json:"override,omitempty"`
}

// Bounds of notes: of a push that never landed they are removed in time.
const (
	maxNote = 64 << 10
	noteAge = 24 * time.Hour
)

func notePath(repo *refstore.Repo, u hooks.Update) (string, error) {
	sum := sha256.Sum256([]byte(u.Old + " " + u.New + " " + u.Ref))
	return repo.SharedFile("receive", hex.EncodeToString(sum[:])+".json")
}

// Note leaves, of a push that was taken, what a receipt says of each branch that it
// moves and of each ref that brings commits; where an override let it through, of
// every ref.
func Note(ctx context.Context, repo *refstore.Repo, req Request, r Report) error {
	if req.Hook != hooks.PreReceive {
		return nil
	}
	for _, u := range req.Updates {
		n := note{Commit: u.New, Override: r.Override, Verdicts: r.outcomes(), Policy: r.Policy}
		if tip, ok := r.Gated.tip(u.Ref); ok {
			n.Commit, n.Tree, n.Gated, n.Base = tip.ID, tip.Tree, true, r.Gated.Base
		}
		if r.Override == nil && !n.Gated && (!u.IsBranch() || u.Deletes()) {
			continue
		}
		if err := n.leave(ctx, repo, u); err != nil {
			return err
		}
	}
	if len(r.Gated.Base) > maxBase {
		return fmt.Errorf("what it brings stands on %d commits, more than the %d that a receipt can name", len(r.Gated.Base), maxBase)
	}
	return nil
}

// leave writes a note of one ref.
func (n note) leave(ctx context.Context, repo *refstore.Repo, u hooks.Update) error {
	path, err := notePath(repo, u)
	if err != nil {
		return err
	}
	sweep(filepath.Dir(path))
	if n.Tree == "" && !u.Deletes() {
		out, err := repo.Git.Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", u.New+"^{tree}")
		if tree, ok := refstore.ParseOID(strings.TrimSuffix(string(out), "\n")); err == nil && ok {
			n.Tree = string(tree)
		} // else it leads to no files
	}
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return wholefile.Write(path, data, 0o600)
}

// take reads a note and removes it; it is not ok where there is none.
func take(repo *refstore.Repo, u hooks.Update) (n note, ok bool, err error) {
	path, err := notePath(repo, u)
	if err != nil {
		return n, false, err
	}
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return n, false, nil
	}
	if err != nil {
		return n, false, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxNote))
	_ = f.Close()
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	if err != nil {
		return n, false, fmt.Errorf("what was judged of %.100q: %w", u.Ref, err)
	}
	return n, true, nil
}

// sweep removes the notes of pushes that never landed.
func sweep(dir string) {
	all, _ := os.ReadDir(dir) // what cannot be seen stays
	for _, e := range all {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > noteAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
