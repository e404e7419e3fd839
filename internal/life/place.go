package life

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/host"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// A place is the worktree of this repository that took a lease.
type place struct {
	found bool
	gone  bool   // its folder is not there any more
	head  string // how git names its HEAD, "" for the one that asks
}

// maxHeld bounds the file in which a worktree remembers a lease.
const maxHeld = 64 << 10

// workplace finds the worktree that remembers the run's lease. It reads what git
// and git-dos keep of worktrees, and changes nothing.
func (r Run) workplace() place {
	if r.Lease == nil || !r.Live {
		return place{}
	}
	repo := r.book.Desk.Repo
	if remembers(repo.GitDir, r.Lease) {
		return place{found: true}
	}
	if repo.GitDir != repo.CommonDir && remembers(repo.CommonDir, r.Lease) {
		return place{found: true, head: "main-worktree/HEAD"}
	}
	all, err := os.ReadDir(filepath.Join(repo.CommonDir, "worktrees"))
	if err != nil {
		return place{}
	}
	for _, w := range all {
		dir := filepath.Join(repo.CommonDir, "worktrees", w.Name())
		if dir == repo.GitDir || !remembers(dir, r.Lease) {
			continue
		}
		return place{found: true, gone: folderGone(dir), head: "worktrees/" + w.Name() + "/HEAD"}
	}
	return place{}
}

// Here reports whether the worktree that asks is the one that has the run's lease.
func (r Run) Here() bool {
	p := r.workplace()
	return p.found && p.head == ""
}

// remembers reports whether a worktree's git directory holds the lease.
func remembers(gitDir string, r *lease.Record) bool {
	leaf, err := lane.Leaf(r.Lane)
	if err != nil {
		return false
	}
	path := filepath.Join(gitDir, "dos", "leases", leaf+".json")
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() || st.Size() > maxHeld {
		return false
	}
	data, err := os.ReadFile(path)
	var h admit.Held
	return err == nil && json.Unmarshal(data, &h) == nil && h.Nonce == r.Nonce
}

// folderGone reports whether the folder of a linked worktree is not there.
func folderGone(gitDir string) bool {
	data, err := os.ReadFile(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return false
	}
	path := strings.TrimSpace(string(data))
	if !filepath.IsAbs(path) {
		path = filepath.Join(gitDir, path)
	}
	_, err = os.Lstat(path)
	return os.IsNotExist(err)
}

// workspace says whether the folder of the run is there, nil where it is not known.
func (p place) workspace() *bool {
	if !p.found {
		return nil
	}
	there := !p.gone
	return &there
}

// process says whether the process that a lease names is running, nil where that
// cannot be told.
func process(p *lease.Proc) *bool {
	if p == nil {
		return nil
	}
	named := host.Proc{PID: p.PID, Start: p.Start, Boot: p.Boot, PIDNS: p.PIDNS}
	if host.Gone(named) {
		no := false
		return &no
	}
	if now, err := host.Process(p.PID); err == nil && now == named {
		yes := true
		return &yes
	}
	return nil
}
