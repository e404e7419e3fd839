package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/machine"
	"github.com/git-dos/git-dos/internal/marker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
)

// A reclaiming is one look at what is left over.
type reclaiming struct {
	c       *cli.Context
	book    *life.Book
	node    string
	marks   marker.Folder
	spawns  []marker.Marker
	view    machine.View
	reading admit.Reading
	lapsed  map[string]string // by nonce; nil where that cannot be told
	ev      supervise.ReclaimEvidence
}

// reclaimOpen reads markers, processes and leases.
func reclaimOpen(c *cli.Context) (*reclaiming, error) {
	b, err := lifeBook(c)
	if err != nil {
		return nil, err
	}
	return reclaimOf(c, b)
}

// reclaimOf is reclaimOpen by what is known of runs already.
func reclaimOf(c *cli.Context, b *life.Book) (*reclaiming, error) {
	var err error
	r := &reclaiming{c: c, book: b}
	if r.node, err = journalOwn(c, b.Desk); err != nil {
		return nil, err
	}
	if r.marks, err = marker.In(b.Desk.Repo); err != nil {
		return nil, environmentf("%w", err)
	}
	var unread []string
	if r.spawns, unread, err = r.marks.List(); err != nil {
		return nil, environmentf("the markers: %w", err)
	}
	for _, u := range unread {
		r.ev.Unread = append(r.ev.Unread, "marker "+u)
	}
	if r.view, err = machine.Look(c.Context, r.node, r.spawns); err != nil {
		return nil, environmentf("%w", err)
	}
	if r.reading, err = b.Leases(c.Context); err != nil {
		return nil, lifeError(err)
	}
	if r.lapsed, err = b.Lapsed(c.Context); err != nil {
		warn(c, "which leases have lapsed cannot be told: %v", err)
		r.lapsed = nil
	}
	return r, nil
}

func (r *reclaiming) answer(v supervise.ReclaimVerdict) error {
	return answer(r.c, reclaimAnswer{v, lifeSeenAs(r.book)})
}

// standing is what is known of the lease of a spawn.
func (r *reclaiming) standing(m marker.Marker) supervise.Standing {
	for _, l := range r.reading.Lanes {
		switch {
		case l.Nonce != m.Nonce || l.State == lane.Free:
		case r.lapsed == nil:
			return supervise.LeaseUnknown
		case r.lapsed[l.Nonce] != "":
			return supervise.LeaseLapsed
		default:
			return supervise.LeaseStands
		}
	}
	for _, u := range r.reading.Unread {
		if u.Lane == "" || lane.CanonicalOr(u.Lane) == lane.CanonicalOr(m.Lane) {
			return supervise.LeaseUnknown
		}
	}
	return supervise.LeaseEnded
}

// leftovers gathers markers, and own files that git ignores.
func (r *reclaiming) leftovers() error {
	at := now(r.c)
	running := map[string]int{}
	for _, o := range r.view.Own {
		running[o.RunID]++
	}
	logs := map[string]bool{}
	for _, m := range r.spawns {
		logs[filepath.Base(m.Log)] = true
		r.ev.Traces = append(r.ev.Traces, supervise.Trace{
			RunID: m.RunID, Lane: m.Lane, Node: m.Node, Own: m.Node == r.node, Ended: m.Over(r.node),
			Processes: running[m.RunID], Lease: r.standing(m), Age: at.Sub(m.Started),
		})
	}
	repo := r.book.Desk.Repo
	dir := filepath.Join(repo.CommonDir, "dos", "logs")
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		r.ev.Unread = append(r.ev.Unread, fmt.Sprintf("the logs: %v", err))
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".log") {
			r.stray(filepath.Join(dir, e.Name()), logs[e.Name()])
		}
	}
	return r.scratch()
}

// reclaimScratch is the folder of a worktree that is git-dos's own.
const reclaimScratch = ".dos"

// scratch gathers what git ignores below the own folder of this worktree. Run records
// are kept by a rule of their own.
func (r *reclaiming) scratch() error {
	repo := r.book.Desk.Repo
	if repo.WorkTree == "" {
		return nil
	}
	out, err := repo.Git.Output(r.c.Context, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--full-name", "--", ":(top,literal)"+reclaimScratch)
	if err != nil {
		return environmentf("the files that git ignores: %w", err)
	}
	runs := strings.TrimSuffix(filepath.ToSlash(r.book.Desk.Rules.Policy.Paths.Runs), "/") + "/"
	for _, path := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		if strings.HasPrefix(path, reclaimScratch+"/") && !strings.HasPrefix(path, runs) {
			r.stray(filepath.Join(repo.WorkTree, filepath.FromSlash(path)), false)
		}
	}
	return nil
}

// stray adds a file. What is no plain file is nobody's to remove.
func (r *reclaiming) stray(path string, named bool) {
	st, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
	case err != nil:
		r.ev.Unread = append(r.ev.Unread, fmt.Sprintf("%s: %v", path, err))
	case st.Mode().Type() == fs.FileMode(0):
		r.ev.Strays = append(r.ev.Strays, supervise.Stray{Path: path, Bytes: st.Size(), Named: named, Age: now(r.c).Sub(st.ModTime())})
	}
}
