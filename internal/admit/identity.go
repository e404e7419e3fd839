package admit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// A Held is what a worktree remembers of a lease it took, so that the lane's
// name is enough to renew and release it from there. Binding ties it to this
// machine and this worktree's git directory: in a copy of the repository it is
// the original's.
type Held struct {
	Lane  string `json:"lane"`
	Nonce string `json:"nonce"`
	RunID string `json:"run_id"`
	Gen   uint64 `json:"gen"`
	Under string `json:"under,omitempty"` // the delegation it was granted under

	Binding string `json:"binding"`
}

const heldDir = "leases"

// Remember stores a lease for this worktree.
func (d *Desk) Remember(r lease.Record) error {
	path, err := d.heldPath(r.Lane)
	if err != nil {
		return err
	}
	binding, err := worktreeBinding(d.Repo)
	if err != nil {
		return err
	}
	data, err := json.Marshal(Held{Lane: r.Lane, Nonce: r.Nonce, RunID: r.RunID, Gen: r.Gen, Under: r.Under, Binding: binding})
	if err != nil {
		return err
	}
	tmp := path + "." + NewNonce()
	if err := os.WriteFile(tmp, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// Forget drops what this worktree remembers of a lane, if it is that lease,
// wherever it was taken.
func (d *Desk) Forget(name, nonce string) error {
	h, err := d.stored(name)
	if err != nil || h == nil || h.Nonce != nonce {
		return err
	}
	path, err := d.heldPath(h.Lane)
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Recall returns what this worktree remembers of a lane, nil for nothing.
func (d *Desk) Recall(name string) (*Held, error) {
	h, err := d.stored(name)
	if err != nil || h == nil {
		return nil, err
	}
	if own, err := d.took(*h); err != nil || !own {
		return nil, err
	}
	return h, nil
}

// Copied lists the lanes of which this worktree stores a lease that was taken
// in another copy of the repository, or that does not say where.
func (d *Desk) Copied() ([]string, error) {
	_, others, err := d.storedByPlace()
	var lanes []string
	for _, h := range others {
		lanes = append(lanes, h.Lane)
	}
	return lanes, err
}

// took reports whether a lease was taken in this worktree.
func (d *Desk) took(h Held) (bool, error) {
	binding, err := worktreeBinding(d.Repo)
	return err == nil && h.Binding == binding, err
}

func (d *Desk) stored(name string) (*Held, error) {
	name, err := d.canonical(name)
	if err != nil || lane.IsSlot(name) {
		return nil, err // what is remembered goes by lanes
	}
	return d.storedAs(name)
}

// storedAs is stored for a name that is no alias.
func (d *Desk) storedAs(name string) (*Held, error) {
	path, err := d.heldPath(name)
	if err != nil {
		return nil, err
	}
	return readHeld(path, name)
}

// RecallAll returns every lease this worktree remembers, by lane.
func (d *Desk) RecallAll() ([]Held, error) {
	own, _, err := d.storedByPlace()
	return own, err
}

// storedByPlace is what this worktree stores: the leases that were taken in it,
// and all others. What the place is, is looked up once for all of them.
func (d *Desk) storedByPlace() (own, others []Held, err error) {
	all, err := d.allStored()
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	binding, err := worktreeBinding(d.Repo)
	if err != nil {
		return nil, nil, err
	}
	for _, h := range all {
		if h.Binding == binding {
			own = append(own, h)
		} else {
			others = append(others, h)
		}
	}
	return own, others, nil
}

func (d *Desk) allStored() ([]Held, error) {
	dir := filepath.Join(d.Repo.GitDir, "dos", heldDir)
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // and none is made: who reads may not be able to write
	}
	if err != nil {
		return nil, err
	}
	var out []Held
	for _, f := range files {
		leaf, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok {
			continue
		}
		name, err := lane.FromLeaf(leaf)
		if err != nil {
			continue
		}
		h, err := readHeld(filepath.Join(dir, f.Name()), name)
		if err != nil {
			return nil, err
		}
		if h != nil {
			out = append(out, *h)
		}
	}
	return out, nil
}

func (d *Desk) heldPath(name string) (string, error) {
	leaf, err := lane.Leaf(name)
	if err != nil {
		return "", err
	}
	return d.Repo.StateFile(heldDir, leaf+".json")
}

func readHeld(path, name string) (*Held, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var h Held
	if err := json.Unmarshal(data, &h); err != nil || h.Lane != name || h.Nonce == "" {
		return nil, fmt.Errorf("%s does not hold a lease of lane %s; remove it and use --nonce", path, name)
	}
	return &h, nil
}
