package facts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/audit"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// audits runs an audit to its end.
func (h *history) audits(rev string) ([]audit.Finding, error) {
	h.t.Helper()
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	var list []audit.Finding
	for f, err := range Audit(context.Background(), repo, AuditRequest{Rev: rev}) {
		if err != nil {
			return list, err
		}
		list = append(list, f)
	}
	return list, nil
}

// wantAudit compares an audit with "OUTCOME subject" lines, newest first.
func (h *history) wantAudit(claim, rev string, want ...string) {
	h.t.Helper()
	list, err := h.audits(rev)
	var got []string
	for _, f := range list {
		got = append(got, fmt.Sprintf("%s %s", f.Outcome, f.Subject))
	}
	if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
		h.t.Errorf("%s: audit of %q is %q, %v, want %q", claim, rev, got, err, want)
	}
}

func (h *history) wantAuditError(claim, rev string, is func(error) bool) {
	h.t.Helper()
	list, err := h.audits(rev)
	if err == nil || !is(err) {
		h.t.Errorf("%s: audit of %q is %v, %v", claim, rev, list, err)
	}
}

func missing(err error) bool { return errors.Is(err, ancestry.ErrMissing) }

func refused(err error) bool {
	var bad *AuditRangeError
	return errors.As(err, &bad)
}

func TestWhatIsAudited(t *testing.T) {
	h := newHistory(t)
	h.wantAuditError("an unborn branch", "", refused)
	root := h.commit("feat: first", "a.go", "1\n")
	h.commit("fix: second", "README.md", "1\n")
	h.git("tag", "-a", "-m", "v1", "v1")
	tip := h.commit("wip", "a.go", "2\n")
	h.wantAudit("HEAD by default", "", "ABSTAIN wip")
	h.wantAudit("one commit", "HEAD~1", "CLAIM_UNWITNESSED fix: second")
	h.wantAudit("a root, against nothing", root, "OK feat: first")
	h.wantAudit("a range, newest first", root+"..HEAD", "ABSTAIN wip", "CLAIM_UNWITNESSED fix: second")
	h.wantAudit("an end left out is HEAD", "v1..", "ABSTAIN wip")
	h.wantAudit("an empty range", "HEAD..HEAD")
	if list, err := h.audits("v1"); err != nil || len(list) != 1 || list[0].Sha != h.git("rev-parse", "v1^{commit}") {
		t.Errorf("an annotated tag: %+v, %v, want the commit it names", list, err)
	}
	for _, rev := range []string{"nowhere", "nowhere..HEAD", "HEAD..nowhere", "HEAD...v1", "..HEAD", "..", "a..b..c", "^HEAD", "--all", "--all..HEAD", "HEAD..^v1",
		"HEAD^@", "HEAD^!", "HEAD~9", strings.Repeat("0", 40), "-", " ", "\x01", tip + " " + root} {
		h.wantAuditError("what names no range", rev, func(err error) bool { return refused(err) || missing(err) })
	}
}

func TestWhatGitCountedIsWhatIsJudged(t *testing.T) {
	h := newHistory(t)
	h.commit("root", "a.go", "a\n\tb\n", "b.go", "x\x00y", "run", "1\n")
	cause := func(claim string, want audit.Cause) {
		t.Helper()
		list, err := h.audits("")
		if err != nil || len(list) != 1 || list[0].Cause != want {
			t.Errorf("%s: %+v, %v, want cause %q", claim, list, err, want)
		}
	}
	h.commit("fix: the race", "a.go", "a\n b\n\n")
	cause("white space and blank lines", audit.WhitespaceOnly)
	h.commit("fix: the race", "b.go", "x\x00z")
	cause("a binary, whose lines are not counted", "")
	h.git("update-index", "--chmod=+x", "run")
	h.git("commit", "-q", "-m", "fix: the race")
	cause("a mode", audit.ModeOnly)
	h.git("update-index", "--add", "--cacheinfo", "160000,"+h.git("rev-parse", "HEAD")+",sub")
	h.git("commit", "-q", "-m", "fix: the race")
	if list, err := h.audits(""); err != nil || len(list) != 1 || list[0].Witness != audit.ByData {
		t.Errorf("a submodule's commit: %+v, %v, want it data", list, err)
	}
}

func TestAMergeIsAuditedAgainstItsFirstParent(t *testing.T) {
	h := newHistory(t)
	h.commit("root", "a.go", "1\n")
	h.git("checkout", "-q", "-b", "side")
	h.commit("docs: side", "README.md", "1\n")
	h.git("checkout", "-q", "main")
	h.commit("feat: trunk", "a.go", "2\n")
	h.git("merge", "-q", "-m", "fix: merge the side", "side")
	h.wantAudit("code of the first parent is not the merge's", "", "CLAIM_UNWITNESSED fix: merge the side")
	h.wantAudit("a range has both sides", "main~1..", "CLAIM_UNWITNESSED fix: merge the side", "OK docs: side")
}

func TestARangeIsNeverCutShort(t *testing.T) {
	h := newHistory(t)
	const n = 700
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter w <w@example.com> %d +0000\ndata 6\nfix: x\nM 100644 inline f%d.go\ndata 1\nx\n", 1700000000+i, i)
	}
	cmd := exec.Command("git", "-C", h.dir, "fast-import", "--quiet")
	cmd.Stdin = strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if list, err := h.audits("HEAD~699..HEAD"); err != nil || len(list) != n-1 {
		t.Errorf("%d findings, %v, want %d", len(list), err, n-1)
	}
}

func TestAnAuditOfWhatIsNotHereIsMissing(t *testing.T) {
	h := newHistory(t)
	h.commit("root", "a.go", "1\n")
	h.commit("feat: one", "a.go", "2\n")
	h.git("checkout", "-q", "-b", "side")
	h.commit("fix: hidden", "README.md", "2\n")
	h.git("checkout", "-q", "main")
	h.commit("feat: two", "a.go", "3\n")
	h.git("merge", "-q", "-m", "feat: three", "side")
	h.commit("feat: four", "a.go", "4\n")
	h.git("config", "uploadpack.allowFilter", "true")
	clone := func(args ...string) *history {
		c := *h
		c.dir = filepath.Join(t.TempDir(), "clone")
		h.git(append(append([]string{"clone", "-q"}, args...), "file://"+h.dir, c.dir)...)
		return &c
	}
	d1 := clone("--depth=1")
	d1.wantAuditError("an edge, whose own diff is unknown", "HEAD", missing)
	d2 := clone("--depth=2")
	d2.wantAudit("a commit above the edge", "HEAD", "OK feat: four")
	d2.wantAudit("a range above the edge", "HEAD~1..HEAD", "OK feat: four")
	bare := clone("--bare", "--filter=blob:none")
	bare.wantAuditError("contents that were never fetched", "HEAD", missing)

	whole := clone()
	whole.wantAudit("the whole range", "HEAD~3..HEAD", "OK feat: four", "CLAIM_UNWITNESSED feat: three", "OK feat: two", "CLAIM_UNWITNESSED fix: hidden")
	edge := filepath.Join(whole.dir, ".git", "shallow")
	if err := os.WriteFile(edge, []byte(h.git("rev-parse", "HEAD~1")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	whole.wantAuditError("a cut inside the range, every diff still known", h.git("rev-parse", "HEAD~3")+"..HEAD", missing)
	whole.wantAudit("the commit at the cut, whose parent is here", "HEAD~1", "CLAIM_UNWITNESSED feat: three")
}

func TestHostileMessagesAreAudited(t *testing.T) {
	h := newHistory(t)
	h.commit("root", "a.go", "1\n")
	h.raw("fix: caf\xe9 \u2028 wip\n\nbody\n", "caf\xe9\n.go", "1\n")
	h.wantAudit("bytes that are no text, in message and path", "", "OK fix: caf\uFFFD \u2028 wip")
	h.raw("fix: a\x00wip\n", "README.md", "1\n")
	h.wantAudit("a NUL ends nothing", "", "CLAIM_UNWITNESSED fix: a\x00wip")
	h.raw("\n\n", "b.go", "1\n")
	h.wantAudit("no subject at all", "", "ABSTAIN ")
	h.raw("fix: "+strings.Repeat("x", 1<<20), "b.go", "2\n")
	if list, err := h.audits(""); err != nil || len(list) != 1 || list[0].Outcome != audit.OK || len(list[0].Subject) > 300 {
		t.Errorf("a message of 1 MB: %v", err)
	}
}

// Files whose lines are not counted are of no class that a claim of code, tests
// or documents could rest on.
func TestOpaqueFilesCarryNoCode(t *testing.T) {
	for _, suffix := range ancestry.Opaque() {
		f := audit.Audit(audit.Change{Subject: "fix: x", Files: []audit.File{{Path: "a." + suffix, Binary: true}}})
		if f.Cause != audit.MediaOnly || len(f.OtherFiles) != 1 {
			t.Errorf(".%s: %+v", suffix, f)
		}
	}
}

func TestANulDoesNotMakeWhiteSpaceCount(t *testing.T) {
	h := newHistory(t)
	h.commit("root", "src/f.py", "def f():\n  return 1\n\x00")
	h.commit("fix: crash", "src/f.py", "def f():\n    return 1\n\x00")
	h.wantAudit("white space beside a NUL", "HEAD", "CLAIM_UNWITNESSED fix: crash")
	h.commit("fix: another", "src/f.py", "def f():\n    return 2\n\x00")
	h.wantAudit("a line beside one", "HEAD", "OK fix: another")
}
