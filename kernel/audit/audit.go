// Package audit compares what a commit's subject claims with what its diff can
// carry. It answers one question per commit: is there anything in the change
// that could be what the subject says?
//
// A subject is read for one claim: code, tests, documents, or none. The diff is
// the commit's own, against its first parent, with white space left out. The
// audit does not judge whether the code is right; it finds the commit that says
// "fix" and touches a document, says "tests pass" and deletes them, or changes
// nothing at all. Where no claim is made it abstains, and it never believes a
// word that the diff could have shown.
package audit

import "github.com/git-dos/git-dos/kernel/verdict"

// A Change is one commit as the audit sees it.
type Change struct {
	ID      string // full object id
	Subject string // raw bytes, the first paragraph as one line
	Files   []File // every path that differs from the first parent, in order
	DocsOK  bool   // a diff of documents may carry a code claim
}

// A File is one path of a change. A rename is two: the old path deleted and
// the new one added.
type File struct {
	Path    string // raw bytes
	Added   int    // lines, white space apart
	Deleted int
	Binary  bool // lines were not counted
	Link    bool // a submodule's commit, before or after

	// ModeOnly: the content is the same. WhitespaceOnly: it differs in white
	// space and blank lines alone, or is empty where it was added or deleted.
	ModeOnly       bool
	WhitespaceOnly bool
}

// hollow reports whether nothing was changed that a claim could mean.
func (f File) hollow() bool { return f.ModeOnly || f.WhitespaceOnly }

// An Outcome is what the audit makes of one commit.
type Outcome string

const (
	OK          Outcome = "OK"
	Unwitnessed Outcome = "CLAIM_UNWITNESSED"
	Abstain     Outcome = "ABSTAIN"
)

// A Kind is what a subject claims to have done.
type Kind string

const (
	Code Kind = "code_effect"
	Test Kind = "test"
	Doc  Kind = "doc"
	None Kind = "none"
)

// A Witness is what carries a claim, strongest first.
type Witness string

const (
	ByDiff    Witness = "diff-witnessed" // the kind of file the claim is about
	ByData    Witness = "data-witnessed" // configuration or data alone
	BySubject Witness = "subject-only"   // nothing but the words
	ByNothing Witness = "abstain"        // there is no claim to carry
)

// A Cause says why a claim is not witnessed, or what to look at in one that is.
type Cause string

const (
	Empty          Cause = "EMPTY"           // no path differs
	DocsOnly       Cause = "DOCS_ONLY"       // a code claim over documents
	MediaOnly      Cause = "MEDIA_ONLY"      // a code claim over images, archives and the like
	UpkeepOnly     Cause = "UPKEEP_ONLY"     // a code claim over .gitignore and the like
	WhitespaceOnly Cause = "WHITESPACE_ONLY" // a code claim over nothing but white space
	ModeOnly       Cause = "MODE_ONLY"       // a code claim over nothing but file modes
	TestsOnly      Cause = "TESTS_ONLY"      // a code claim over tests
	NoTests        Cause = "NO_TESTS"        // a test claim without a test
	TestsRemoved   Cause = "TESTS_REMOVED"   // more test lines gone than came
	UndeclaredCode Cause = "UNDECLARED_CODE" // a document claim over code alone
)

// A Finding is the audit of one commit.
type Finding struct {
	Sha     string  `json:"sha"`
	Outcome Outcome `json:"verdict"`
	Kind    Kind    `json:"claim_kind"`
	Witness Witness `json:"witness"`
	Cause   Cause   `json:"reason_class,omitempty"`
	Reason  string  `json:"reason"`
	Subject string  `json:"subject"`

	// The paths of the change by class; a path may be in several.
	SourceFiles []string `json:"source_files"`
	TestFiles   []string `json:"test_files"`
	CIFiles     []string `json:"ci_files"`
	DataFiles   []string `json:"data_files"`
	DocFiles    []string `json:"doc_files"`
	OtherFiles  []string `json:"other_files"`
}

// Audit grades one change.
func Audit(c Change) Finding {
	s := readSubject(c.Subject)
	d := sortFiles(c.Files)
	f := d.finding()
	f.Sha, f.Subject = c.ID, excerpt(c.Subject)
	f.Kind = s.claim(d.has(source))
	switch f.Kind {
	case Doc:
		f.rule(judgeDoc(s, d))
	case Test:
		f.rule(judgeTest(s, d))
	case Code:
		f.rule(judgeCode(s, d, c.DocsOK))
	default:
		f.rule(ruling{Abstain, ByNothing, "", "the subject claims no effect that a diff could show"})
	}
	return f
}

func (f *Finding) rule(r ruling) {
	f.Outcome, f.Witness, f.Cause, f.Reason = r.outcome, r.witness, r.cause, r.reason
}

// ExitCode implements verdict.Verdict.
func (f Finding) ExitCode() int {
	switch f.Outcome {
	case OK, Abstain:
		return verdict.Yes
	case Unwitnessed:
		return verdict.No
	}
	return verdict.NoVerdict
}

// String is one line: outcome, commit, claim, witness, subject, and the reason
// unless the claim is carried.
func (f Finding) String() string {
	const digits = 12
	line := string(f.Outcome) + " " + f.Sha[:min(digits, len(f.Sha))] + " " + string(f.Kind) + " " + string(f.Witness) + ": " + f.Subject
	if f.Outcome != OK || f.Cause != "" {
		line += " -- " + f.Reason
	}
	return line
}
