package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
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

// prune removes what can go.
func (r *reclaiming) prune() (supervise.ReclaimVerdict, error) {
	if err := r.leftovers(); err != nil {
		return supervise.ReclaimVerdict{}, err
	}
	v := supervise.Reclaim(r.ev)
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
