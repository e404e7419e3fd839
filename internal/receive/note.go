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
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore"
)

// A note is what the judge of a push leaves for whoever writes its receipt once it
// has landed: no ref may be written before. It is a file of the repository, one a
// ref, named by the move that was judged, so that no other move is taken for it.
type note struct {
	Tree     string    `json:"tree"`
	Policy   string    `json:"policy"` // digest of the dos.toml it was judged by
	Fence    string    `json:"fence"`  // what LEASE_FENCE came to
	Override *Override `json:"override,omitempty"`
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
// moves; where an override let it through, of every ref.
func Note(ctx context.Context, repo *refstore.Repo, req Request, r Report) error {
	var notes []hooks.Update
	for _, u := range req.Updates {
		if r.Override != nil || u.IsBranch() && !u.Deletes() {
			notes = append(notes, u)
		}
	}
	if len(notes) == 0 || req.Hook != hooks.PreReceive {
		return nil
	}
	n := note{Override: r.Override, Fence: r.Fence, Policy: r.Policy}
	for _, u := range notes {
		path, err := notePath(repo, u)
		if err != nil {
			return err
		}
		sweep(filepath.Dir(path))
		n.Tree = ""
		if !u.Deletes() {
			out, err := repo.Git.Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", u.New+"^{tree}")
			if err != nil {
				continue // it is no commit
			}
			if tree, ok := refstore.ParseOID(string(out[:max(0, len(out)-1)])); ok {
				n.Tree = string(tree)
			}
		}
		data, _ := json.Marshal(n) // it holds nothing that cannot be encoded
		if err := writeNote(path, data); err != nil {
			return err
		}
	}
	return nil
}

func writeNote(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "note-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
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
