package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-dos/git-dos/refstore"
)

// A record is what Init wrote in this worktree, kept in its git directory so
// that Undo takes back exactly that. It is written before what it is about: a
// record of something that never came to be does no harm.
type record struct {
	Policy       string `json:"policy,omitempty"`        // digest of dos.toml as Init left it
	PolicyMade   bool   `json:"policy_made,omitempty"`   // Init created it
	PolicyAdded  string `json:"policy_added,omitempty"`  // what Init appended to a dos.toml
	IgnoreMade   bool   `json:"ignore_made,omitempty"`   // Init created .gitignore
	IgnoreAdded  string `json:"ignore_added,omitempty"`  // what Init appended to it
	Remote       string `json:"remote,omitempty"`        // what Init set dos.remote to
	RemoteBefore string `json:"remote_before,omitempty"` // what it was
}

const recordName = "init.json"

// loadPath is where the record is, in a directory that may not be there.
func loadPath(repo *refstore.Repo) string { return filepath.Join(repo.GitDir, "dos", recordName) }

// loadRecord returns an empty record when there is none.
func loadRecord(repo *refstore.Repo) (record, error) {
	var r record
	path := loadPath(repo)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, problemf("remove it; what init wrote earlier is then left to you", "read the record of an earlier init, %s: %w", path, err)
	}
	return r, nil
}

func (r record) save(repo *refstore.Repo) error {
	path, err := repo.StateFile(recordName)
	if err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(data, '\n'), 0o666); err != nil {
		return fmt.Errorf("keep a record of what init writes: %w", err)
	}
	return os.Rename(path+".new", path)
}

// settle keeps what the record still has to say, else removes it.
func (r record) settle(repo *refstore.Repo) error {
	if r.Policy != "" || r.PolicyAdded != "" || r.IgnoreAdded != "" || r.Remote != "" {
		return r.save(repo)
	}
	if err := os.Remove(loadPath(repo)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
