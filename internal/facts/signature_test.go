package facts

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// signing is a history whose commits are signed by ssh keys a and b.
type signing struct {
	*history
	keys string // the directory of the keys
	pub  map[string]string
}

func newSigning(t *testing.T, args ...string) *signing {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("needs ssh-keygen, of the package openssh-client")
	}
	s := &signing{history: newHistory(t, args...), keys: t.TempDir(), pub: map[string]string{}}
	for _, name := range []string{"a", "b"} {
		key := filepath.Join(s.keys, name)
		s.exec("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key)
		pub, err := os.ReadFile(key + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		s.pub[name] = strings.TrimSpace(string(pub))
	}
	return s
}

func (s *signing) exec(name string, args ...string) string {
	s.t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		s.t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out)
}

// by makes a commit that the ssh key signs.
func (s *signing) by(key, message string) refstore.OID {
	s.t.Helper()
	s.git("-c", "gpg.format=ssh", "-c", "user.signingkey="+filepath.Join(s.keys, key), "commit", "-q", "--allow-empty", "-S", "-m", message)
	return refstore.OID(s.git("rev-parse", "HEAD"))
}

// forged stores a copy of a commit with some of its text replaced.
func (s *signing) forged(id refstore.OID, old, new string) refstore.OID {
	s.t.Helper()
	raw := s.git("cat-file", "commit", string(id)) + "\n"
	if !strings.Contains(raw, old) {
		s.t.Fatalf("%s does not hold %q", id, old)
	}
	return s.store(strings.Replace(raw, old, new, 1))
}

func (s *signing) store(raw string) refstore.OID {
	s.t.Helper()
	path := filepath.Join(s.dir, ".git", "raw")
	if err := os.WriteFile(path, []byte(raw), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return refstore.OID(s.git("hash-object", "-t", "commit", "-w", "--literally", path))
}

// signature is the signature header of a commit, as it stands.
func (s *signing) signature(id refstore.OID) string {
	s.t.Helper()
	raw := s.git("cat-file", "commit", string(id))
	from := strings.Index(raw, "gpgsig")
	to := strings.Index(raw, "SIGNATURE-----\n\n")
	if from < 0 || to < from {
		s.t.Fatalf("%s is not signed", id)
	}
	return raw[from : to+len("SIGNATURE-----\n")]
}

// allow commits a file of allowed signers and returns that commit.
func (s *signing) allow(lines ...string) refstore.OID {
	s.t.Helper()
	return refstore.OID(s.commit("signers", "keys/allowed", strings.Join(lines, "\n")+"\n"))
}

func (s *signing) ask(at refstore.OID, ids ...refstore.OID) (map[refstore.OID]ship.Fact, error) {
	s.t.Helper()
	repo, err := refstore.Open(context.Background(), s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	p := policy.Default()
	p.Verify.AllowedSigners = "keys/allowed"
	return Signatures(context.Background(), repo, at, p, ids)
}

func (s *signing) want(claim string, at, id refstore.OID, want ship.Fact) {
	s.t.Helper()
	got, err := s.ask(at, id)
	if err != nil {
		s.t.Errorf("%s: %v", claim, err)
	} else if got[id] != want {
		s.t.Errorf("%s: %s, want %s", claim, factWord(got[id]), factWord(want))
	}
}

func factWord(f ship.Fact) string {
	return map[ship.Fact]string{ship.Yes: "signed", ship.No: "not signed", ship.Unknown: "unknown"}[f]
}

func TestSSHSignatures(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			s := newSigning(t, "--object-format="+format)
			at := s.allow("# keys", "", "a@x "+s.pub["a"])
			good, other := s.by("a", "one"), s.by("a", "another")
			s.want("an allowed key", at, good, ship.Yes)
			s.want("a key that is not listed", at, s.by("b", "one"), ship.No)
			s.want("no signature", at, refstore.OID(s.commit("plain")), ship.No)
			s.want("another message under the signature", at, s.forged(good, "\none\n", "\ntwo\n"), ship.No)
			s.want("another author", at, s.forged(good, "author worker", "author Worker"), ship.No)
			s.want("the signature of another commit", at, s.forged(good, s.signature(good), s.signature(other)), ship.No)
			s.want("half a signature", at, s.forged(good, "\n -----END SSH SIGNATURE-----", ""), ship.No)
			s.want("an empty file allows nobody", s.allow(""), good, ship.No)
			s.want("nor does one of the other key", s.allow("a@x "+s.pub["b"]), good, ship.No)
			s.want("a key whose time was over", s.allow(`a@x valid-before="20230101" `+s.pub["a"]), good, ship.No)
			s.want("a key whose time has not come", s.allow(`a@x valid-after="20240101" `+s.pub["a"]), good, ship.No)
			s.want("a key in its time", s.allow(`a@x valid-after="20230101",valid-before="20240101" `+s.pub["a"]), good, ship.Yes)
			s.want("a key that is for files", s.allow(`a@x namespaces="file" `+s.pub["a"]), good, ship.No)
			s.want("lines for gpg do not disturb", s.allow("b@x gpg "+strings.Repeat("0a", 20), "a@x "+s.pub["a"]), good, ship.Yes)
			s.want("nor line ends of another system", s.allow("\r\n\t\r\na@x "+s.pub["a"]+"\r"), good, ship.Yes)
			s.want("what is no commit here", at, refstore.OID(strings.Repeat("12", len(good)/2)), ship.Unknown)
		})
	}
}

// What a commit says of itself never reads as the word of a program.
func TestSignatureTextIsNotBelieved(t *testing.T) {
	s := newSigning(t)
	fpr := strings.Repeat("0A", 20)
	at := s.allow("a@x "+s.pub["a"], "b@x gpg "+fpr)
	lies := "[GNUPG:] GOODSIG 1 a\n[GNUPG:] VALIDSIG " + fpr + " 2026-01-01 1 0 4 0 22 8 00 " + fpr + "\nGood \"git\" signature for a@x with ED25519 key"
	for name, begin := range map[string]string{"ssh": "SSH SIGNATURE", "pgp": "PGP SIGNATURE", "pgp message": "PGP MESSAGE", "x509": "SIGNED MESSAGE"} {
		sig := "gpgsig -----BEGIN " + begin + "-----\n " + strings.ReplaceAll(lies, "\n", "\n ") + "\n -----END " + begin + "-----\n"
		id := refstore.OID(s.commit("text\n\n" + lies))
		id = s.forged(id, "\n\ntext", "\n"+sig+"\ntext")
		s.want(name, at, id, ship.No)
	}
}

func TestWhoseSigners(t *testing.T) {
	s := newSigning(t)
	old := s.allow("a@x " + s.pub["a"])
	new := s.allow("b@x " + s.pub["b"])
	a, b := s.by("a", "a"), s.by("b", "b")
	s.want("the commit that the policy came from decides", old, a, ship.Yes)
	s.want("and not the tip", old, b, ship.No)
	s.want("nor what was before it", new, a, ship.No)
	if err := os.WriteFile(filepath.Join(s.dir, "keys", "allowed"), []byte("a@x "+s.pub["a"]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.want("nor the work tree", new, a, ship.No)

	mine := filepath.Join(s.keys, "mine")
	if err := os.WriteFile(mine, []byte("a@x "+s.pub["a"]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"--global", "--local"} {
		s.git("config", where, "gpg.ssh.allowedSignersFile", mine)
		s.git("config", where, "gpg.ssh.revocationFile", mine)
		s.git("config", where, "gpg.minTrustLevel", "ultimate")
		s.want("what git is told with "+where+" allows nobody", new, a, ship.No)
		s.want("and forbids nobody", old, a, ship.Yes)
	}

	repo, err := refstore.Open(context.Background(), s.dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Signatures(context.Background(), repo, old, policy.Default(), []refstore.OID{a})
	if err != nil || got[a] != ship.No {
		t.Errorf("without allowed_signers: %s, %v", factWord(got[a]), err)
	}
}

func TestBrokenSigners(t *testing.T) {
	s := newSigning(t)
	id := s.by("b", "one")
	for name, c := range map[string]struct{ content, want string }{
		"a line without a key":        {"a@x " + s.pub["a"] + "\nnonsense", "line 2"},
		"a key of another type":       {"a@x ssh-rsa " + strings.Fields(s.pub["a"])[1], "line 1"},
		"a key of a type as long":     {"a@x ssh-ed25518 " + strings.Fields(s.pub["a"])[1], "line 1"},
		"a key that is cut short":     {"a@x ssh-ed25519 AAAA", "line 1"},
		"a key and no principal":      {s.pub["a"], "line 1"},
		"a fingerprint that is short": {"a@x gpg 0A0B", "line 1"},
		"a fingerprint with spaces":   {"\na@x gpg 0A0B 0A0B", "line 2"},
		"a line that ends after gpg":  {"a@x gpg", "line 1"},
		"more than is read":           {strings.Repeat("# comment\n", 450_000), "larger"},
	} {
		if got, err := s.ask(s.allow(c.content), id); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want an error that says %q", name, got, err, c.want)
		}
	}
	s.git("rm", "-q", "keys/allowed")
	s.git("commit", "-q", "-m", "none")
	refuse := func(claim, want string) {
		t.Helper()
		if got, err := s.ask(refstore.OID(s.git("rev-parse", "HEAD")), id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want an error that says %q", claim, got, err, want)
		}
	}
	refuse("no file", "has no file keys/allowed")
	if err := os.MkdirAll(filepath.Join(s.dir, "keys"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(s.keys, "a.pub"), filepath.Join(s.dir, "keys", "allowed")); err != nil {
		t.Fatal(err)
	}
	s.git("add", "keys/allowed")
	s.git("commit", "-q", "-m", "link")
	refuse("a symbolic link", "not a regular file")
	s.git("rm", "-q", "keys/allowed")
	s.commit("folder", "keys/allowed/x", "1")
	refuse("a directory", "not a regular file")
	if got, err := s.ask("", id); err == nil {
		t.Errorf("no commit to read it from: %v", got)
	}
}

// A checker that does not work has found nothing, which is not a no.
func TestNobodyToCheck(t *testing.T) {
	s := newSigning(t)
	at := s.allow("a@x "+s.pub["a"], "b@x gpg "+strings.Repeat("0A", 20))
	good, other, plain := s.by("a", "one"), s.by("b", "one"), refstore.OID(s.commit("plain"))
	pgp := s.forged(good, s.signature(good), "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n")
	x509 := s.forged(pgp, "BEGIN PGP SIGNATURE", "BEGIN SIGNED MESSAGE")
	for _, program := range []string{filepath.Join(s.keys, "absent"), "false", "true"} {
		s.git("config", "gpg.ssh.program", program)
		s.git("config", "gpg.program", program)
		s.git("config", "gpg.x509.program", program)
		for name, id := range map[string]refstore.OID{"an allowed key": good, "another key": other, "gpg": pgp} {
			s.want(name+" with "+program, at, id, ship.Unknown)
		}
		s.want("what is not signed needs nobody, with "+program, at, plain, ship.No)
		s.want("nor does a signature of a kind that cannot be allowed", at, x509, ship.No)
	}
	s.want("nor one of a kind that is not allowed here", s.allow("a@x "+s.pub["a"]), pgp, ship.No)
	s.want("which may be that of ssh", s.allow("b@x gpg "+strings.Repeat("0A", 20)), good, ship.No)
}

func TestSignaturesLeaveNothing(t *testing.T) {
	s := newSigning(t)
	at := s.allow("a@x " + s.pub["a"])
	id := s.by("b", "one")
	before := s.git("count-objects")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	s.want("a probe is made", at, id, ship.No)
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if after := s.git("count-objects"); after != before {
		t.Errorf("objects were %s and are %s", before, after)
	}
	ctx, cancel := context.WithCancel(context.Background())
	repo, err := refstore.Open(ctx, s.dir)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	p := policy.Default()
	p.Verify.AllowedSigners = "keys/allowed"
	if got, err := Signatures(ctx, repo, at, p, []refstore.OID{id}); err == nil {
		t.Errorf("interrupted: %v", fmt.Sprint(got))
	}
}
