// Package guard judges a command line before somebody runs it: does it use git
// in a way that takes work away from others who share the repository, or that
// goes round the gates?
//
// A line is read as a shell would read it: through pipes, lists, subshells,
// substitutions, programs that start others, and scripts that stand in the line
// itself. Every command found is judged, and the worst answer is the line's.
//
// The package looks at git alone. A program that is not git passes, whatever it
// does, unless the line shows that it starts git or writes into git's own
// directory. What decides and cannot be read, such as a variable where an
// option may stand, is Unknown, and Unknown is never a yes. Nothing is run.
package guard

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// MaxCommand is the longest line that is read, in bytes.
const MaxCommand = 64 << 10

// maxDepth bounds scripts inside scripts, and brackets inside brackets.
const (
	maxDepth    = 8
	maxBrackets = 50
)

// maxFindings bounds what a verdict tells.
const maxFindings = 20

// Outcome is what the guard says of a line.
type Outcome string

// The outcomes. Deny beats Unknown, and that beats Allow.
const (
	Allow   Outcome = "allow"
	Deny    Outcome = "deny"
	Unknown Outcome = "unknown"
)

// Token is the typed reason of a finding.
type Token string

// The tokens.
const (
	PolicyBlock Token = "POLICY_BLOCK"       // what the rules of a shared repository forbid
	NeverAmend  Token = "NEVER_AMEND_SHARED" // a commit that others may have is made anew
	CannotJudge Token = "CANNOT_JUDGE"       // what decides cannot be read
)

// Evidence is the line: Command for a shell, or Argv, the words as a program
// gets them. Argv counts where it is not empty.
type Evidence struct {
	Command string
	Argv    []string
}

// A Finding is one command that does not pass. Words are those it fell over.
type Finding struct {
	Outcome Outcome  `json:"outcome"`
	Token   Token    `json:"token"`
	Words   []string `json:"words"`
	Command string   `json:"command"`
	Reason  string   `json:"reason"`
	Fix     string   `json:"fix"`
}

// Verdict is the answer for the whole line: the first of its worst findings,
// and all of them, at most 20. Token, Words and Fix are empty with Allow.
// Commands counts those that were looked at, as bash reads the line.
type Verdict struct {
	Outcome  Outcome   `json:"outcome"`
	Token    Token     `json:"token,omitempty"`
	Reason   string    `json:"reason"`
	Words    []string  `json:"words,omitempty"`
	Fix      string    `json:"fix,omitempty"`
	Commands int       `json:"commands"`
	Findings []Finding `json:"findings"`
}

// ExitCode is the status that carries the verdict.
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Allow:
		return verdict.Yes
	case Deny:
		return 3
	case Unknown:
		return 4
	}
	return verdict.NoVerdict
}

// String is the verdict for people: each finding, and what to run instead.
func (v Verdict) String() string {
	if len(v.Findings) == 0 {
		return fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
	}
	var b strings.Builder
	for _, f := range v.Findings {
		fmt.Fprintf(&b, "%s: %s: %s: %s\n", f.Outcome, f.Token, verdict.Show(strings.Join(f.Words, " ")), f.Reason)
		fmt.Fprintf(&b, "  instead: %s\n", f.Fix)
	}
	return b.String()
}

// Decide judges the line.
func Decide(ev Evidence) Verdict {
	f := &finder{}
	if len(ev.Argv) > 0 {
		f.argv(ev.Argv)
	} else {
		f.script(ev.Command)
	}
	return f.verdict()
}

// argv judges words that no shell reads.
func (f *finder) argv(args []string) {
	size := 0
	words := make([]word, len(args))
	for i, a := range args {
		size += len(a)
		words[i] = literal(a)
		if !utf8.ValidString(a) || strings.Contains(a, "\x00") {
			f.unknown(words[:1], nil, "a word holds bytes that are no text", "write the line in UTF-8")
			return
		}
	}
	if size > MaxCommand {
		f.unknown(words[:1], nil, fmt.Sprintf("the words have %d bytes, and at most %d are read", size, MaxCommand), "run shorter lines")
		return
	}
	f.command(command{words: words})
}
