package audit

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// change makes a change of files with a line added to each. A path may be
// marked: "-path" lost three lines, "~path" differs in white space, "%path" in
// its mode, "#path" is binary.
func change(subject string, paths ...string) Change {
	c := Change{ID: strings.Repeat("a", 40), Subject: subject}
	for _, p := range paths {
		f := File{Path: p[1:]}
		switch p[0] {
		case '-':
			f.Deleted = 3
		case '~':
			f.WhitespaceOnly = true
		case '%':
			f.ModeOnly = true
		case '#':
			f.Binary = true
		default:
			f = File{Path: p, Added: 1}
		}
		c.Files = append(c.Files, f)
	}
	return c
}

// judged is the finding in one line: outcome, kind, witness, cause.
func judged(c Change) string {
	f := Audit(c)
	return strings.TrimSpace(strings.Join([]string{string(f.Outcome), string(f.Kind), string(f.Witness), string(f.Cause)}, " "))
}

const (
	okCode  = "OK code_effect diff-witnessed"
	okData  = "OK code_effect data-witnessed"
	okTest  = "OK test diff-witnessed"
	okDoc   = "OK doc diff-witnessed"
	noClaim = "ABSTAIN none abstain"
	noCode  = "CLAIM_UNWITNESSED code_effect subject-only "
	noTest  = "CLAIM_UNWITNESSED test subject-only "
	noDoc   = "CLAIM_UNWITNESSED doc subject-only "
)

type claimTest struct {
	claim   string
	subject string
	paths   string // separated by spaces
	want    string
}

func run(t *testing.T, tests []claimTest) {
	t.Helper()
	for _, tt := range tests {
		if got := judged(change(tt.subject, strings.Fields(tt.paths)...)); got != tt.want {
			t.Errorf("%s: %q over %q is %s, want %s", tt.claim, tt.subject, tt.paths, got, tt.want)
		}
	}
}

func TestOnlyLeadingWordsDisclaim(t *testing.T) {
	run(t, []claimTest{
		{"a nit at the end takes no fix back", "fix: resolve race (nit)", "README.md", noCode + "DOCS_ONLY"},
		{"nor does a version that is parsed", "fix: correct version parser", "", noCode + "EMPTY"},
		{"nor a merge that is fixed", "fix: merge adjacent ranges", "README.md", noCode + "DOCS_ONLY"},
		{"nor a format that is added", "add the wire format", "a.go", okCode},
		{"a leading word does", "wip fix the race", "", noClaim},
		{"as a type too", "chore: add the file", "", noClaim},
		{"and after a type that claims nothing by itself", "build: bump deps", "README.md", noClaim},
		{"a phrase does where the description begins", "fix: address review", "", noClaim},
		{"and not elsewhere", "fix: crash, address review comments", "", noCode + "EMPTY"},
		{"a word that only begins like one does not", "merge-queue: add a lane", "", noCode + "EMPTY"},
		{"a revert claims nothing of its own", `Revert "fix: x"`, "a.go", noClaim},
		{"an empty subject claims nothing", "", "a.go", noClaim},
		{"nor does one of punctuation", " :!? ", "a.go", noClaim},
	})
}

func TestAConventionalTypeIsAClaim(t *testing.T) {
	run(t, []claimTest{
		{"feat with a noun", "feat: paging", "README.md", noCode + "DOCS_ONLY"},
		{"perf with a noun", "perf(core)!: hot loop", "", noCode + "EMPTY"},
		{"refactor with a noun", "refactor: the client", "a.go", okCode},
		{"ci with a noun is carried by its configuration", "ci: cache step", ".github/workflows/ci.yml", okCode},
		{"which is data under any other type", "feat: cache step", ".github/workflows/ci.yml", okData},
		{"a word that is no type claims nothing", "client: paging", "README.md", noClaim},
		{"a head of several words is none", "the client says: fix paging", "a.go", noClaim},
		{"nor is a long one", "a-head-of-more-than-thirty-letters: fix paging", "a.go", noClaim},
		{"but its verb does", "client: support paging", "README.md", noCode + "DOCS_ONLY"},
	})
}

func TestCodeUnderADocsSubjectIsUndeclared(t *testing.T) {
	run(t, []claimTest{
		{"code alone", "docs: explain setup", "a.go", noDoc + "UNDECLARED_CODE"},
		{"code and a document is not alone", "docs: explain setup", "a.go README.md", okDoc},
		{"data is no code", "docs: explain setup", "mkdocs.yml", okDoc},
		{"the examples of documents are theirs", "docs: explain setup", "docs/conf.py", okDoc},
		{"white space in code changes none", "docs: wrap lines", "~a.go", okDoc},
		{"nothing carries nothing", "docs: explain setup", "", noDoc + "EMPTY"},
		{"comments live in code, so it cannot be told", "docs: fix the doc comments", "a.go", "ABSTAIN doc abstain UNDECLARED_CODE"},
		{"a path of documents as the head is the same", "docs/setup: rewrite", "a.go", noDoc + "UNDECLARED_CODE"},
		{"and so is the name of one", "guide.md: shorten", "a.go", noDoc + "UNDECLARED_CODE"},
	})
}

func TestAMentionOfADocumentIsNoDocumentClaim(t *testing.T) {
	run(t, []claimTest{
		{"a name in a fix of code", "fix: parse README.md headings", "a.go", okCode},
		{"the same where no code changed", "fix: parse README.md headings", "README.md", okDoc},
		{"comments in a fix of code", "fix: comments are dropped", "a.go", okCode},
		{"at the very start", "comments: handle nesting", "a.go", okCode},
		{"and where no code changed", "comments: handle nesting", "README.md", okDoc},
		{"code under a scope of documents", "fix(docs): drop the route", "a.go", okCode},
		{"which is a document's where none changed", "fix(docs): drop the route", "README.md", okDoc},
		{"no claim remains without a verb", "the tutorial again", "a.go", noClaim},
		{"a list of versions is no document", "pin requirements.txt", "requirements.txt", noClaim},
		{"nor is a build file", "add CMakeLists.txt", "CMakeLists.txt", okCode},
	})
}

func TestWhatFilesAreByName(t *testing.T) {
	for path, want := range map[string]class{
		"LICENSE": doc, "LICENSE-MIT": doc, "license.md": doc, "SKILL.md": doc, "a/AUTHORS": doc, "notes.txt": doc,
		".gitignore": upkeep, "a/.gitattributes": upkeep, "CODEOWNERS": upkeep, ".gitkeep": upkeep,
		"tests/README.md": doc, "tests/fixtures/x.md": doc | test, "testdata/x.txt": doc | test,
		"CMakeLists.txt": source, "Makefile": source, "Dockerfile": source, "bin/run": source, ".bashrc": source, "hooks/pre-commit": source,
		"a.go": source, "A.GO": source, "x.SQL": source, "Makefile.in": source, "tests/x.py": source | test, "a_test.go": source | test,
		"test_a.py": source | test, "a.spec.ts": source | test, "a.test.js": source | test, "pkg/__tests__/a.js": source | test,
		"latest/a.go": source, "attest.go": source, "contest_a.go": source,
		"requirements-dev.txt": data, "constraints.in": data, "go.mod": data, "go.sum": data, "a.yml": data, "web/index.html": data,
		"VERSION": data, "history.json": data, "notice.html": data, "spec/a.json": data | test, "trailing.": source,
		"logo.png": media, "a.PDF": media, "install.exe": media, "tests/golden.png": media | test,
		".github/workflows/x.yml": data | ci, ".github/workflows/x.txt": doc, ".github/x.yml": data, ".gitlab-ci.yml": data | ci, "Jenkinsfile": source | ci,
		"": source, "/": source,
	} {
		if got := classify(File{Path: path}); got != want {
			t.Errorf("%q is %b, want %b", path, got, want)
		}
	}
	if got := classify(File{Path: "sub", Link: true}); got != data {
		t.Errorf("a submodule's commit is %b, want %b", got, data)
	}
	run(t, []claimTest{
		{"a licence carries no code", "add retry", "LICENSE", noCode + "DOCS_ONLY"},
		{"nor does a skill", "feat: add a skill", "SKILL.md", noCode + "DOCS_ONLY"},
		{"nor a list of ignored files", "add retry", ".gitignore", noCode + "UPKEEP_ONLY"},
		{"unless that is the subject", "fix: ignore the build output", ".gitignore", okData},
		{"or its name is", "add .hgignore", ".hgignore", okData},
		{"an image carries none", "add a logo", "#logo.png", noCode + "MEDIA_ONLY"},
		{"a document among tests is no test", "add tests for parser", "tests/README.md", noTest + "NO_TESTS"},
		{"a build file carries code", "add a target", "CMakeLists.txt", okCode},
	})
}

func TestWhatDoesNotCarryAFix(t *testing.T) {
	run(t, []claimTest{
		{"white space", "fix: resolve the race", "~a.go", noCode + "WHITESPACE_ONLY"},
		{"a mode", "fix: resolve the race", "%a.go", noCode + "MODE_ONLY"},
		{"both", "fix: resolve the race", "%a.go ~b.go", noCode + "WHITESPACE_ONLY"},
		{"tests", "fix: resolve the race", "a_test.go", noCode + "TESTS_ONLY"},
		{"data among tests", "fix: resolve the race", "tests/a.json", noCode + "TESTS_ONLY"},
		{"tests and a document", "fix: resolve the race", "a_test.go README.md", noCode + "DOCS_ONLY"},
		{"white space in data", "fix: resolve the race", "~a.yml", noCode + "WHITESPACE_ONLY"},
		{"nothing", "fix: resolve the race", "", noCode + "EMPTY"},
		{"tests that the subject names, after its first words", "fix: resolve the race in the tests", "a_test.go", okCode},
		{"tests as the scope", "fix(tests): resolve the race", "a_test.go", okCode},
		{"a mode that the subject names", "fix: make run.sh executable", "%run.sh", okCode},
		{"which does not stand for white space", "fix: make run.sh executable", "~run.sh", noCode + "WHITESPACE_ONLY"},
		{"white space that the subject names", "fix: wrong indentation", "~a.py", okCode},
		{"which does not stand for a mode", "fix: wrong indentation", "%a.py", noCode + "MODE_ONLY"},
		{"code beside tests", "fix: resolve the race", "a.go a_test.go", okCode},
		{"a deletion", "remove dead code", "-a.go", okCode},
		{"a binary that is code by name", "fix: resolve the race", "#a.go", okCode},
		{"tests in white space", "test: add cases", "~a_test.go", noTest + "NO_TESTS"},
	})
}

func TestTestsThatWentAreNotTestsThatCame(t *testing.T) {
	run(t, []claimTest{
		{"added", "add tests for parser", "-a_test.go", noTest + "TESTS_REMOVED"},
		{"covered", "test: cover the edge", "-a_test.go", noTest + "TESTS_REMOVED"},
		{"made to pass", "fix: all tests green build", "-a_test.go", noTest + "TESTS_REMOVED"},
		{"more, with some put elsewhere", "add tests for parser", "-a_test.go b_test.go", noTest + "TESTS_REMOVED"},
		{"removed, as it says", "remove flaky tests, add none", "-a_test.go", okTest},
		{"moved, as it says", "move tests so that all tests pass", "-a_test.go", okTest},
		{"moved, one more added", "move tests, add one", "-a_test.go", okTest},
		{"updated, which claims neither", "test(app): update cases", "-a_test.go", okTest},
		{"none at all", "test: add cases", "a.go", noTest + "NO_TESTS"},
		{"nor is their output at the start", "test results of the board", "rows.csv", noClaim},
		{"their output is no test", "add test results to the board", "rows.csv", okData},
	})
}

func TestPathsAreRawBytes(t *testing.T) {
	f := Audit(change("fix: resolve", "src/é.go", "src/\xff\n.py", `src/"q".go`))
	if f.Witness != ByDiff || len(f.SourceFiles) != 3 || len(f.DataFiles) != 0 {
		t.Errorf("finding %+v, want three source files", f)
	}
}

func TestDocsOK(t *testing.T) {
	for _, tt := range []struct{ paths, want string }{
		{"README.md", okCode}, {"", noCode + "EMPTY"}, {"#logo.png", noCode + "MEDIA_ONLY"}, {"~README.md", noCode + "WHITESPACE_ONLY"},
	} {
		c := change("fix: resolve", strings.Fields(tt.paths)...)
		c.DocsOK = true
		if got := judged(c); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.paths, got, tt.want)
		}
	}
}

func TestTheZeroFindingIsNoVerdict(t *testing.T) {
	for f, want := range map[Outcome]int{"": verdict.NoVerdict, OK: verdict.Yes, Abstain: verdict.Yes, Unwitnessed: verdict.No} {
		if got := (Finding{Outcome: f}).ExitCode(); got != want {
			t.Errorf("exit code of %q is %d, want %d", f, got, want)
		}
	}
	if got := (&Sweep{}).ExitCode(); got != verdict.NoVerdict {
		t.Errorf("exit code of a sweep of nothing is %d", got)
	}
	if got := NewSweep().ExitCode(); got != verdict.Yes {
		t.Errorf("exit code of an empty sweep is %d", got)
	}
}

func TestASweepCountsEveryFindingOnce(t *testing.T) {
	s := NewSweep()
	for _, c := range []Change{
		change("fix: resolve", "a.go"), change("fix: resolve", "README.md"), change("wip", "a.go"), change("docs: x", "README.md"),
	} {
		s.Add(Audit(c))
	}
	out, err := json.Marshal(s)
	const want = `{"commits":4,"checkable":3,"abstained":1,"witnessed":2,"unwitnessed":1,"drift_rate":0.333333,` +
		`"by_kind":{"code_effect":{"unwitnessed":1,"witnessed":1,"abstain":0},"doc":{"unwitnessed":0,"witnessed":1,"abstain":0},` +
		`"none":{"unwitnessed":0,"witnessed":0,"abstain":1}},` +
		`"by_witness":{"abstain":1,"diff-witnessed":2,"subject-only":1},"by_reason_class":{"DOCS_ONLY":1},` +
		`"unwitnessed_shas":["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}`
	if err != nil || string(out) != want {
		t.Errorf("sweep is\n%s, %v, want\n%s", out, err, want)
	}
	if s.ExitCode() != verdict.No || !strings.HasPrefix(s.String(), "CLAIM_UNWITNESSED 4 commits; 1 unwitnessed") {
		t.Errorf("exit %d, text %s", s.ExitCode(), s)
	}
}

func TestALongSubjectIsReadByItsBeginning(t *testing.T) {
	f := Audit(change("fix: "+strings.Repeat("é ", 1<<20)+"README.md", "a.yml"))
	if f.Kind != Code || len(f.Subject) > 210 || !utf8.ValidString(f.Subject) {
		t.Errorf("kind %s, %d bytes of subject", f.Kind, len(f.Subject))
	}
}

func FuzzAudit(f *testing.F) {
	f.Add("fix(docs)!: é\xff tests pass", "docs/\xff.md", true)
	f.Add("a:", "", false)
	f.Add("()(:)", "/.", false)
	f.Fuzz(func(t *testing.T, subject, path string, docsOK bool) {
		c := Change{ID: "a", Subject: subject, DocsOK: docsOK, Files: []File{{Path: path, Added: 1}, {Path: path, ModeOnly: true}}}
		got := Audit(c)
		if got.ExitCode() == verdict.NoVerdict || !utf8.ValidString(got.Subject) || got.String() == "" {
			t.Errorf("%q over %q: %+v", subject, path, got)
		}
		c.Files = nil
		if got := Audit(c); got.Kind != None && got.Outcome != Unwitnessed {
			t.Errorf("%q over nothing: %+v", subject, got)
		}
	})
}
