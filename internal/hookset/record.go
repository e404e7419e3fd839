package hookset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-dos/git-dos/refstore"
)

// A record is what install did here, for all worktrees of a repository. It says
// which hooks are wanted; whether they are there is looked up each time.
type record struct {
	Format int      `json:"format"`
	Hooks  []string `json:"hooks"`
	Order  Order    `json:"order"`
	// Paths are the relative values of core.hooksPath that were installed under.
	Paths []string `json:"paths,omitempty"`
	// Made are the folders that were made, as paths from the common directory.
	Made []string `json:"made,omitempty"`
	// Moved says that core.hooksPath was set by install.
	Moved *moved `json:"moved,omitempty"`
}

type moved struct {
	Before string `json:"before,omitempty"` // the local value that stood, empty when none did
	From   string `json:"from"`             // where the hooks are that are passed on to
	Set    string `json:"set"`              // the value install gave it; another one once the repository has moved
}

const maxRecord = 64 << 10

func recordPath(repo *refstore.Repo) string {
	return filepath.Join(repo.CommonDir, "dos", "hooks.json")
}

// readRecord returns nil where nothing was installed.
func readRecord(repo *refstore.Repo) (*record, error) {
	path := recordPath(repo)
	f, err := os.Open(path)
	if errors.Is(err, errNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return nil, err
	}
	r := &record{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(r); err != nil || len(data) > maxRecord || r.Format != Format {
		return nil, fmt.Errorf("%s cannot be understood by this version: remove it, then run git dos hooks install", path)
	}
	bad := func(name string) bool { return !Known(name) }
	local := func(path string) bool { return !filepath.IsLocal(path) }
	if slices.ContainsFunc(r.Hooks, bad) || slices.ContainsFunc(r.Paths, local) || len(r.Hooks) == 0 || r.Order != First && r.Order != Last {
		return nil, fmt.Errorf("%s says what install never writes: remove it, then run git dos hooks install", path)
	}
	return r, nil
}

func (r *record) write(repo *refstore.Repo) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return err
	}
	path := recordPath(repo)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b.Bytes()) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return put(path, b.Bytes(), 0o644)
}

// dirs are the folders in which install may have put something, as seen from
// this worktree.
func (r *record) dirs(repo *refstore.Repo, p Place) []string {
	dirs := []string{filepath.Join(repo.CommonDir, "hooks"), ownDir(repo)}
	if r != nil {
		for _, path := range r.Paths {
			dirs = append(dirs, filepath.Join(top(repo), path))
		}
	}
	if !p.Shared {
		dirs = append(dirs, p.Dir)
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !within(dir, repo) })
	slices.Sort(dirs)
	return slices.Compact(dirs)
}
