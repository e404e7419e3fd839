package hooks

import "strings"

// An Update is one ref that a push or a transaction moves.
type Update struct {
	Ref   string // its full name, in a push that on the receiving side
	Old   string // what it pointed at, "" for nothing
	New   string // what it is to point at, "" for nothing
	Local string // what the pusher calls New, in a pre-push alone
}

// Creates reports whether the ref is new.
func (u Update) Creates() bool { return u.Old == "" && u.New != "" }

// Deletes reports whether the ref goes away.
func (u Update) Deletes() bool { return u.New == "" }

// IsBranch reports whether the ref is a branch.
func (u Update) IsBranch() bool { return strings.HasPrefix(u.Ref, "refs/heads/") }

// Branch is the name of a branch without refs/heads/.
func (u Update) Branch() string { return strings.TrimPrefix(u.Ref, "refs/heads/") }

// Own reports whether the ref is one of git-dos's own, which no gate judges:
// one under refs/dos/, or under the fleet's prefix where that is another.
func (u Update) Own(prefix string) bool {
	under := func(dir string) bool {
		return dir != "" && strings.HasPrefix(u.Ref, strings.TrimSuffix(dir, "/")+"/")
	}
	return under("refs/dos") || under(prefix)
}
