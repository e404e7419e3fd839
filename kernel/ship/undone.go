package ship

// undoing answers which commits are undone by which revert.
type undoing struct {
	by   map[string][]undo // undone id -> its reverts
	memo map[string]answer
	open map[string]bool
}

type undo struct {
	revert string
	covers Fact
}

type answer struct {
	undone Fact
	by     string // the revert that decided
}

func newUndoing(reverts []Revert) *undoing {
	u := &undoing{by: map[string][]undo{}, memo: map[string]answer{}, open: map[string]bool{}}
	for _, r := range reverts {
		for _, target := range r.Undoes {
			u.by[target.ID] = append(u.by[target.ID], undo{r.ID, target.Covers})
		}
	}
	return u
}

// ship reports whether a ship is undone: by any revert that stands, whatever
// the revert changed.
func (u *undoing) ship(id string) answer { return u.fold(id, false) }

// revert reports whether a revert is itself undone: by a revert that stands
// and that puts every path back.
func (u *undoing) revert(id string) Fact {
	if a, ok := u.memo[id]; ok {
		return a.undone
	}
	if u.open[id] {
		return No // commits that undo one another in a ring restore nothing
	}
	u.open[id] = true
	u.memo[id] = u.fold(id, true)
	delete(u.open, id)
	return u.memo[id].undone
}

func (u *undoing) fold(id string, mustCover bool) answer {
	result := answer{undone: No}
	for _, r := range u.by[id] {
		stands := u.revert(r.revert).not()
		if mustCover {
			stands = stands.and(r.covers)
		}
		switch {
		case stands == Yes:
			return answer{Yes, r.revert}
		case stands == Unknown && result.undone == No:
			result = answer{Unknown, r.revert}
		}
	}
	return result
}
