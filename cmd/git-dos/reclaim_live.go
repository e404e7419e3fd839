package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// reclaimLive removes what can go.
func reclaimLive(c *cli.Context) error {
	r, err := reclaimOpen(c)
	if err != nil {
		return err
	}
	v, err := r.prune()
	if err != nil {
		return err
	}
	return r.answer(v)
}

// prune removes what can go. Where a marker is to go, that is on record before: the
// next wave from here tries the room with one worker.
func (r *reclaiming) prune() (supervise.ReclaimVerdict, error) {
	if err := r.leftovers(); err != nil {
		return supervise.ReclaimVerdict{}, err
	}
	v := supervise.Reclaim(r.ev)
	if n := v.Prunes(); n > 0 {
		if err := r.note(string(supervise.ReclaimDone), verdict.Count(n, "marker")+" of workers that are over"); err != nil {
			return v, err
		}
	}
	for i := range v.Markers {
		row := &v.Markers[i]
		if row.Remedy == supervise.RemedyPrune && r.c.Context.Err() == nil {
			row.Removed, row.Failed = reclaimed(r.marks.Remove(row.RunID))
		}
	}
	for i := range v.Files {
		row := &v.Files[i]
		if r.c.Context.Err() == nil {
			row.Removed, row.Failed = reclaimed(r.remove(row.Path))
		}
	}
	if err := r.c.Context.Err(); err != nil {
		return v, err
	}
	return v.Concluded(true), nil
}

// note records that something is reclaimed here.
func (r *reclaiming) note(outcome, reason string) error {
	d := r.book.Desk
	if err := deskError(d.EnsureNode(r.c.Context)); err != nil {
		return err
	}
	if err := d.Journal(r.c.Context, reclaimRow(now(r.c), outcome, reason)); err != nil {
		return deskError(fmt.Errorf("nothing was removed, since it cannot be journaled: %w", err))
	}
	return nil
}

func reclaimed(err error) (bool, string) {
	if err != nil && !os.IsNotExist(err) {
		return false, err.Error()
	}
	return true, ""
}

// remove removes a file below one of the folders that are git-dos's own. The path is
// followed anew from there, so that no link on it leads elsewhere, and the file must
// still be a plain one that is old.
func (r *reclaiming) remove(path string) error {
	repo := r.book.Desk.Repo
	for _, dir := range []string{filepath.Join(repo.CommonDir, "dos", "logs"), filepath.Join(repo.WorkTree, reclaimScratch)} {
		rest, ok := strings.CutPrefix(path, dir+string(filepath.Separator))
		if !ok {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close()
		st, err := root.Lstat(rest)
		switch {
		case err != nil:
			return err
		case !st.Mode().IsRegular() || now(r.c).Sub(st.ModTime()) < supervise.FileAge:
			return fmt.Errorf("it has changed meanwhile")
		}
		return root.Remove(rest)
	}
	return fmt.Errorf("it is in no folder of git-dos's own")
}
