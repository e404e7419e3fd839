package refstore_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// signingIn has a repository sign its entries with a key of its own, which the same
// repository holds signatures against.
func signingIn(t testing.TB, dir string) string {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("needs ssh-keygen, of the package openssh-client")
	}
	key := filepath.Join(t.TempDir(), "key")
	run(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key))
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	allowed := key + ".allowed"
	if err := os.WriteFile(allowed, []byte("worker@example.com "+string(public)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, set := range [][2]string{{"gpg.format", "ssh"}, {"user.signingKey", key}, {"gpg.ssh.allowedSignersFile", allowed}, {"dos.sign", "true"}} {
		gitIn(t, dir, "config", set[0], set[1])
	}
	return dir
}

// unsigned are the bytes of a commit without its signature, which tells whether it
// had one.
func unsigned(commit string) (rest string, signed bool) {
	head, body, _ := strings.Cut(commit, "\n\n")
	var lines []string
	inside := false
	for line := range strings.SplitSeq(head, "\n") {
		if inside = strings.HasPrefix(line, "gpgsig") || inside && strings.HasPrefix(line, " "); inside {
			signed = true
		} else {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n\n" + body, signed
}

func TestASignedEntryIsTheSameEntryUnderASignature(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		f := localFixture(t, signingIn(t, initRepo(t, "--object-format="+format)))
		first := f.append(t, f.repo, f.auth, laneRef, entry("ACQUIRE", 1, `{"n":"é"}`))
		second := f.append(t, f.repo, f.auth, laneRef, entry("RELEASE", 1, `{}`))
		gitIn(t, f.raw, "verify-commit", string(first), string(second))
		gitIn(t, f.raw, "config", "dos.sign", "no")
		f.repo = open(t, f.raw)
		plain := f.append(t, f.repo, f.repo.Local(), laneRef, entry("RELEASE", 1, `{}`))

		signed, yes := unsigned(gitIn(t, f.raw, "cat-file", "commit", string(second)))
		bare, no := unsigned(gitIn(t, f.raw, "cat-file", "commit", string(plain)))
		if !yes || no {
			t.Fatalf("%s: signed %v, and without dos.sign %v", format, yes, no)
		}
		if got, want := withoutOwn(signed), withoutOwn(bare); got != want {
			t.Errorf("%s: a signed entry is\n%s\nand a plain one\n%s", format, got, want)
		}
		if tip := f.read(t, "lane").Tip(laneRef); tip.ID != plain || tip.Err != nil {
			t.Errorf("%s: the lane is at %+v", format, tip)
		}
	}
}

// withoutOwn leaves out of a commit what no two entries share.
func withoutOwn(commit string) string {
	var lines []string
	for line := range strings.SplitSeq(commit, "\n") {
		if !strings.HasPrefix(line, "parent ") && !strings.HasPrefix(line, "Dos-Attempt: ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestWhatCannotBeSignedIsNotWritten(t *testing.T) {
	t.Parallel()
	for claim, set := range map[string][2]string{
		"a key that is not there":      {"user.signingKey", filepath.Join(t.TempDir(), "none")},
		"a setting that is no boolean": {"dos.sign", "perhaps"},
	} {
		dir := signingIn(t, initRepo(t))
		gitIn(t, dir, "config", set[0], set[1])
		f := localFixture(t, dir)
		_, err := f.repo.Update(context.Background(), f.auth, queryFor(laneRef), func(refstore.Snapshot) ([]refstore.Write, error) {
			return []refstore.Write{{Ref: laneRef, Entry: entry("ACQUIRE", 1, `{}`)}}, nil
		})
		if err == nil || !strings.Contains(err.Error(), "dos.sign") || f.rev(t, laneRef) != "" {
			t.Errorf("%s: %v, and the lane is at %q", claim, err, f.rev(t, laneRef))
		}
	}
}
