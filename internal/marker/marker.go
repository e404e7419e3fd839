// Package marker keeps a file for each worker process that this node started,
// so that it can be told later which processes are ours, what they were started
// for, and what they left behind.
//
// A marker is a trace, not an authority: whether a lane is held is said by its
// ref. It lies below the repository's common directory, where no other machine
// writes; one that names another boot or another pid namespace is of a process
// that is not there any more, or is not ours to judge.
package marker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/refstore"
)

// Bounds of what is read. What is larger is not ours.
const (
	maxFile    = 64 << 10
	maxMarkers = 10_000
	version    = 1
)

// A Proc names a process as [host.Proc] does.
type Proc struct {
	PID   int64  `json:"pid"`
	Start string `json:"start"`
	Boot  string `json:"boot"`
	PIDNS string `json:"pidns"`
}

// Of names a process for a marker.
func Of(p host.Proc) Proc { return Proc(p) }

// Host is the process as the operating system is asked about it.
func (p Proc) Host() host.Proc { return host.Proc(p) }

// gone reports whether a process of this machine has provably ended. One of
// another boot has.
func (p Proc) gone() bool {
	boot, _, err := host.Clock()
	return err == nil && p.Boot != "" && p.Boot != boot || host.Gone(p.Host())
}

// A Marker is one spawn. Keeper is the git dos that looks after the worker, and
// Worker the process that it started, nil until it has. Of a launch, Keeper is the
// loop that was launched, which looks after workers of its own.
type Marker struct {
	V       int       `json:"v"`
	Node    string    `json:"node"`
	RunID   string    `json:"run_id"`
	Lane    string    `json:"lane"`
	Unit    string    `json:"unit,omitempty"`
	Seat    string    `json:"seat,omitempty"`
	Gen     uint64    `json:"gen"`
	Nonce   string    `json:"nonce"` // of the lease it works under, or of the launch, which its environment carries
	Launch  bool      `json:"launch,omitempty"`
	Keeper  Proc      `json:"keeper"`
	Worker  *Proc     `json:"worker,omitempty"`
	Dir     string    `json:"dir"` // where it works
	Log     string    `json:"log,omitempty"`
	Started time.Time `json:"started"`
}

// Over reports whether both keeper and worker have provably ended. Of another
// node's, which a folder shared between machines may hold, that is never said.
func (m Marker) Over(node string) bool {
	return m.Node == node && m.Keeper.gone() && (m.Worker == nil || m.Worker.gone())
}

// Ends reports which of keeper and worker have provably ended. A worker that was
// never started ended with its keeper. Of another node's that is never said.
func (m Marker) Ends(node string) (keeper, worker bool) {
	if m.Node != node {
		return false, false
	}
	keeper = m.Keeper.gone()
	return keeper, m.Worker == nil && keeper || m.Worker != nil && m.Worker.gone()
}

// Abandoned reports whether the worker may be running while its keeper has
// provably ended: nobody renews its lease or looks after it.
func (m Marker) Abandoned(node string) bool {
	return m.Node == node && m.Keeper.gone() && m.Worker != nil && !m.Worker.gone()
}

// Ended reports whether the worker that held a lease has provably ended, with its
// keeper and whatever else worked under that lease: there is a marker of the lease's
// own run, and all that name it are over. One that only rode it says nothing of it.
func Ended(all []Marker, node, runID, nonce string) bool {
	own := false
	for _, m := range all {
		if m.Nonce != nonce || m.Launch {
			continue
		}
		if !m.Over(node) {
			return false
		}
		own = own || m.RunID == runID
	}
	return own
}

// A Folder holds the markers of a repository.
type Folder struct{ dir string }

// In is the folder of a repository, which need not exist.
func In(repo *refstore.Repo) (Folder, error) {
	path, err := repo.SharedFile("markers", "x")
	return Folder{filepath.Dir(path)}, err
}

// name is the file of a run: any run id has one, and no run id leaves the folder.
func (f Folder) name(runID string) string {
	sum := sha256.Sum256([]byte(runID))
	return filepath.Join(f.dir, hex.EncodeToString(sum[:12])+suffix)
}

const suffix = ".json"

// Put writes the marker of a run in the place of the one there was. A reader
// sees all of the old one or all of the new one.
func (f Folder) Put(m Marker) error {
	m.V = version
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	path := f.name(m.RunID)
	tmp := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(tmp, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("marker of run %q: %w", m.RunID, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	f.sweep(time.Now())
	return nil
}

// Remove takes the marker of a run away. One that is not there is no error.
func (f Folder) Remove(runID string) error {
	if err := os.Remove(f.name(runID)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List reads all markers. Those that cannot be read are told apart by their
// files in unread: what they stand for is not known, which is not "nothing".
func (f Folder) List() (markers []Marker, unread []string, err error) {
	dir, err := os.Open(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxMarkers + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if len(entries) > maxMarkers {
		return nil, nil, fmt.Errorf("%s holds more than %d files", f.dir, maxMarkers)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) {
			continue // on its way to be one
		}
		m, err := read(filepath.Join(f.dir, e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist): // over since the listing
		case err != nil:
			unread = append(unread, fmt.Sprintf("%s: %v", e.Name(), err))
		default:
			markers = append(markers, m)
		}
	}
	return markers, unread, nil
}

func read(path string) (m Marker, err error) {
	if st, err := os.Lstat(path); err != nil {
		return m, err
	} else if !st.Mode().IsRegular() {
		return m, errors.New("not a file")
	}
	file, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return m, err
	case len(data) > maxFile:
		return m, fmt.Errorf("larger than %d bytes", maxFile)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, err
	}
	switch {
	case m.V != version:
		return m, fmt.Errorf("version %d is not known here", m.V)
	case m.RunID == "" || m.Nonce == "" || m.Keeper.PID <= 0:
		return m, errors.New("it names no run, lease or process")
	}
	return m, nil
}
