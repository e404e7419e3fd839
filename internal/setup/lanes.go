package setup

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

// maxLanes is how many top-level directories still make a lane each. A tree
// with more is divided better by somebody who knows it.
const maxLanes = 100

// A division is the lanes derived from the directories at the top of a tree.
type division struct {
	lanes   []policy.LaneTree // none means one lane for everything
	left    []string          // directories that make no lane
	tooMany bool
	empty   bool // there is no directory to derive them from
}

// divide derives lanes from the directories at the top of HEAD. With an unborn
// HEAD there are none.
func divide(ctx context.Context, repo *refstore.Repo, unborn bool) (division, error) {
	if unborn {
		return division{empty: true}, nil
	}
	out, err := repo.Git.Output(ctx, "ls-tree", "-z", "--full-tree", "HEAD")
	if err != nil {
		return division{}, fmt.Errorf("list the top of HEAD: %w", err)
	}
	var dirs []string
	var d division
	for record := range strings.SplitSeq(string(out), "\x00") {
		head, name, _ := strings.Cut(record, "\t")
		switch fields := strings.Fields(head); {
		case len(fields) != 3 || name == "":
		case fields[1] == "tree":
			dirs = append(dirs, name)
		case fields[1] == "commit":
			d.left = append(d.left, name) // a submodule: its files are another repository's
		}
	}
	return d.fill(dirs), nil
}

// fill sorts directories into lanes. Directories whose names differ in case
// alone share one; hidden ones, and those whose name cannot be a lane's, make
// none; global's files are covered by the lane of that name anyway.
func (d division) fill(dirs []string) division {
	d.empty = len(dirs) == 0
	at := map[string]int{}
	for _, dir := range dirs {
		name := strings.ToLower(dir)
		switch {
		case name == "global":
			continue
		case strings.HasPrefix(dir, "."), policy.CheckLaneName(dir) != nil:
			d.left = append(d.left, dir)
			continue
		}
		i, seen := at[name]
		if !seen {
			i = len(d.lanes)
			at[name] = i
			d.lanes = append(d.lanes, policy.LaneTree{Lane: name})
		}
		d.lanes[i].Tree = append(d.lanes[i].Tree, dir+"/**")
	}
	if len(d.lanes) > maxLanes {
		return division{tooMany: true}
	}
	return d
}

// String says which lanes there are and what was left out, for people.
func (d division) String() string {
	var names []string
	for _, l := range d.lanes {
		names = append(names, l.Lane)
	}
	if len(names) == 0 {
		names = []string{"main"}
	}
	s := "lanes " + some(append(names, "global"))
	switch {
	case d.empty && len(d.left) == 0:
		s += "; main has all files, because no directory is committed at the top: once there are some, git dos init --undo and git dos init make a lane of each"
	case d.tooMany:
		s += fmt.Sprintf("; HEAD has more than %d directories at the top, so divide them by hand", maxLanes)
	}
	if len(d.left) > 0 {
		var left []string
		for _, name := range d.left {
			left = append(left, strconv.Quote(name))
		}
		s += "; no lane for " + some(left) + ": edited under global, unless you name a lane in lanes.concurrent and state its globs in [lanes.trees]"
	}
	return s
}

// some lists names, not more than fit a line.
func some(names []string) string {
	const most = 12
	rest := ""
	if len(names) > most {
		rest = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	return strings.Join(names, ", ") + rest
}
