package main

import (
	"cmp"
	"slices"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/refstore"
)

// live are the candidates for what a usage calls what. They are as this
// repository has them; of what cannot be read there are none.
func (l *completionLine) live(what string) []candidate {
	switch what {
	case "LANE":
		return l.leases(completionLanes)
	case "RUN":
		return l.leases(completionRuns)
	case "REMOTE", "R":
		return l.remotes()
	case "VERB":
		var list []candidate
		for _, c := range l.app.Commands {
			list = append(list, candidate{c.Name, c.Usage})
		}
		return list
	}
	return nil
}

func (l *completionLine) open() (*refstore.Repo, error) {
	return refstore.OpenAhead(l.ctx.Context, cmp.Or(l.where, workspace(l.ctx)), refstore.Ahead{Kinds: admit.LaneKinds()})
}

func (l *completionLine) leases(list func(*admit.Desk, admit.Reading) []candidate) []candidate {
	repo, err := l.open()
	if err != nil {
		return nil
	}
	d, err := deskOf(l.ctx, repo, admit.OpenToLook)
	if err != nil {
		return nil
	}
	seen, err := d.Leases(l.ctx.Context, true)
	if err != nil {
		return nil
	}
	words := list(d, seen)
	slices.SortFunc(words, func(a, b candidate) int { return cmp.Compare(a.Word, b.Word) })
	return slices.CompactFunc(words, func(a, b candidate) bool { return a.Word == b.Word })
}

// completionLanes are the lanes that are declared, and those that are held
// without being so.
func completionLanes(d *admit.Desk, seen admit.Reading) []candidate {
	var list []candidate
	for _, r := range seen.Lanes {
		if r.State != lane.Free {
			list = append(list, candidate{r.Lane, stateOf(r, d.Now())})
		}
	}
	for _, u := range seen.Unread {
		list = append(list, candidate{u.Lane, "cannot be read"})
	}
	for _, name := range d.Declared() {
		if !slices.ContainsFunc(list, func(c candidate) bool { return c.Word == name }) {
			list = append(list, candidate{name, "free"})
		}
	}
	return list
}

// completionRuns are the runs that a lease is held for.
func completionRuns(d *admit.Desk, seen admit.Reading) []candidate {
	var list []candidate
	for _, r := range slices.Concat(seen.Lanes, seen.Claims) {
		if r.State != lane.Free {
			list = append(list, candidate{r.RunID, "on lane " + r.Lane})
		}
	}
	return list
}

func (l *completionLine) remotes() []candidate {
	repo, err := l.open()
	if err != nil {
		return nil
	}
	conf, err := repo.Config()
	if err != nil {
		return nil
	}
	var list []candidate
	for _, name := range conf.Remotes() {
		list = append(list, candidate{Word: name})
	}
	return list
}
