package hooks

import (
	"context"
	"iter"
	"strings"
)

// A Token names what a gate refuses.
type Token string

// The gates' tokens, and that of what no gate could judge.
const (
	LeaseFence       Token = "LEASE_FENCE"
	ScopeEscape      Token = "SCOPE_ESCAPE"
	ClaimUnwitnessed Token = "CLAIM_UNWITNESSED"
	WouldNotCompile  Token = "TRUNK_WOULD_NOT_COMPILE"
	Ungated          Token = "UNGATED"
	SecretShape      Token = "SECRET_SHAPE"
	PublicLeak       Token = "PUBLIC_LEAK"
	FileAdmission    Token = "FILE_ADMISSION"
	FreshDeletion    Token = "FRESH_DELETION"
	BrokenLink       Token = "BROKEN_LINK"
	CommitMessage    Token = "COMMIT_MSG"
	OffTrunk         Token = "OFF_TRUNK"
	CannotJudge      Token = "CANNOT_JUDGE"
)

// Tokens are all of them, in the order people read them.
var Tokens = []Token{
	LeaseFence, ScopeEscape, ClaimUnwitnessed, WouldNotCompile, Ungated, SecretShape, PublicLeak,
	FileAdmission, FreshDeletion, BrokenLink, CommitMessage, OffTrunk, CannotJudge,
}

// Name is what dos.toml calls the gate.
func (t Token) Name() string { return strings.ToLower(string(t)) }

// A Push is what git said to the hook: the refs that are to move, or for a
// commit that is being made none.
type Push struct {
	Hook    string   // the hook that asks
	Remote  string   // of a pre-push, as git calls it: a name, or an address
	URL     string   // its address
	Trunk   string   // the full name of the trunk where it is received, "" where that is not known
	Updates []Update // without those of git-dos's own refs
	Riding  []Update // those of git-dos's own refs, which a git dos push sends along
}

// MovesTrunk returns the update of the trunk, if the push has one.
func (p Push) MovesTrunk() (Update, bool) {
	for _, u := range p.Updates {
		if p.Trunk != "" && u.Ref == p.Trunk {
			return u, true
		}
	}
	return Update{}, false
}

// A Commit is one that the push brings, or the one that is being made, whose ID
// is "".
type Commit struct {
	ID       string
	Tree     string
	Parents  []string
	Subject  string
	Message  string // "" where it is not written yet
	Trailers []Trailer
	Changes  []Change // a merge's: those that it does not have from any parent
}

// A Trailer is one of a message, by git's rules.
type Trailer struct{ Key, Value string }

// Merge reports whether the commit has several parents.
func (c Commit) Merge() bool { return len(c.Parents) > 1 }

// A Change is one path that a commit changes. A rename is a deletion and an
// addition.
type Change struct {
	Status byte   // A, M, D or T, as git says it
	Path   string // raw bytes, from the top of the repository
	Mode   string // what it is now, in octal; "" for a deletion
	Blob   string // its content now, "" for a deletion
	Size   int64  // of the content, 0 where there is none; -1 where it is not known
	Was    string // its mode before, "" where it was not there or a merge has several
	Same   bool   // the content is what it was, of a commit with one parent
}

// A Line is one line that a commit adds.
type Line struct {
	Commit string // or tag, if it is a line of its message; "" for the commit that is being made
	Path   string // "" for a message
	Number int    // in the file after the change, or in the message, from 1
	Text   []byte // without its newline; good until the next line is asked for
}

// History is what a push brings.
type History interface {
	// Commits yields each new commit once, newest first and none before its
	// children. An error is the last thing yielded.
	Commits(ctx context.Context) iter.Seq2[Commit, error]
	// Added yields the lines that the commits add, and those of messages: theirs,
	// and of the tags that are pushed.
	// An error is the last thing yielded.
	Added(ctx context.Context) iter.Seq2[Line, error]
}

// A Finding is one thing that a gate found wrong.
type Finding struct {
	Token  Token  `json:"token"`
	Commit string `json:"commit,omitempty"`
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
	Fix    string `json:"fix"`
}

// A Gate judges pushes by one rule. What else it must know than the push and
// its history, it was made with. Judge returns an error where evidence cannot
// be read, which is never "nothing found".
type Gate struct {
	Token Token
	Judge func(ctx context.Context, p Push, h History) ([]Finding, error)
}
