package facts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// A keyring is a GNUPGHOME of its own. Its path is short because that of a
// socket in it must be.
type keyring struct {
	*signing
	home string
}

func newKeyring(t *testing.T, s *signing) keyring {
	t.Helper()
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("needs gpg, of the package gnupg")
	}
	home, err := os.MkdirTemp("", "gpg")
	if err != nil {
		t.Fatal(err)
	}
	k := keyring{s, home}
	t.Cleanup(func() {
		_ = exec.Command("gpgconf", "--homedir", home, "--kill", "all").Run()
		_ = os.RemoveAll(home)
	})
	return k
}

func (k keyring) gpg(stdin string, args ...string) string {
	k.t.Helper()
	cmd := exec.Command("gpg", append([]string{"--homedir", k.home, "--batch", "--quiet", "--no-tty", "--pinentry-mode", "loopback", "--passphrase", ""}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		k.t.Fatalf("gpg %v: %v: %s", args, err, out)
	}
	return string(out)
}

// key makes a key for signing and returns its fingerprint.
func (k keyring) key(name string) string {
	k.t.Helper()
	k.gpg("", "--quick-generate-key", name, "ed25519", "sign", "never")
	return k.fingerprints(name)[0]
}

// lapsed makes a key that was good for a day of the year 2020, and a commit
// that it signed on that day.
func (k keyring) lapsed(name string) (fingerprint string, commit refstore.OID) {
	k.t.Helper()
	const then = "--faked-system-time=20200101T000000!"
	k.gpg("", then, "--quick-generate-key", name, "ed25519", "sign", "1d")
	fingerprint = k.fingerprints(name)[0]
	program := filepath.Join(k.keys, "gpg-then")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec gpg "+then+" \"$@\"\n"), 0o700); err != nil {
		k.t.Fatal(err)
	}
	k.git("config", "gpg.program", program)
	defer k.git("config", "--unset", "gpg.program")
	return fingerprint, k.by(fingerprint, name)
}

// fingerprints lists the primary key's and then its subkeys'.
func (k keyring) fingerprints(name string) []string {
	k.t.Helper()
	var list []string
	for line := range strings.Lines(k.gpg("", "--with-colons", "--list-keys", name)) {
		if field := strings.Split(line, ":"); field[0] == "fpr" {
			list = append(list, field[9])
		}
	}
	return list
}

func (k keyring) by(key, message string) refstore.OID {
	k.t.Helper()
	k.t.Setenv("GNUPGHOME", k.home)
	k.git("-c", "gpg.format=openpgp", "-c", "user.signingkey="+key+"!", "commit", "-q", "--allow-empty", "-S", "-m", message)
	return refstore.OID(k.git("rev-parse", "HEAD"))
}

func TestGPGSignatures(t *testing.T) {
	s := newSigning(t)
	k, elsewhere := newKeyring(t, s), newKeyring(t, s)
	one, two, revoked := k.key("one"), k.key("two"), k.key("revoked")
	lapsed, late := k.lapsed("lapsed")
	k.gpg("", "--quick-add-key", one, "ed25519", "sign", "never")
	subkey := k.fingerprints("one")[1]
	stranger := elsewhere.key("stranger")

	away := elsewhere.by(stranger, "stranger")
	good, other, sub, dead := k.by(one, "one"), k.by(two, "one"), k.by(subkey, "one"), k.by(revoked, "one")
	k.revoke(revoked)

	at := s.allow("one@x gpg "+strings.ToLower(one)+" a comment", "lapsed@x gpg "+lapsed, "revoked@x gpg "+revoked)
	s.want("an allowed key", at, good, ship.Yes)
	s.want("a subkey of it", at, sub, ship.Yes)
	s.want("a key of the keyring that is not listed", at, other, ship.No)
	s.want("another message under the signature", at, s.forged(good, "\none\n", "\ntwo\n"), ship.No)
	s.want("the signature of another commit", at, s.forged(good, s.signature(good), s.signature(sub)), ship.No)
	s.want("a second signature after it", at, s.forged(good, s.signature(good), s.signature(good)+s.signature(other)), ship.No)
	s.want("a second signature before it", at, s.forged(good, s.signature(good), s.signature(other)+s.signature(good)), ship.No)
	s.want("an expired key", at, late, ship.No)
	s.want("a revoked key", at, dead, ship.No)
	s.want("a stranger's key, all allowed ones at hand", at, away, ship.No)
	s.want("a subkey is not listed by its own name", s.allow("one@x gpg "+subkey), sub, ship.No)
	s.want("nobody is listed for gpg", s.allow("a@x "+s.pub["a"]), good, ship.No)
	s.want("a listed key that the keyring lacks", s.allow("stranger@x gpg "+stranger), away, ship.Unknown)
	s.want("a stranger's key that may be a subkey of one it lacks", s.allow("x@x gpg "+strings.Repeat("0A", 20)), away, ship.Unknown)
	s.want("an allowed key, whatever else is lacking", s.allow("x@x gpg "+strings.Repeat("0A", 20), "one@x gpg "+one), good, ship.Yes)

	elsewhere.gpg(k.gpg("", "--armor", "--export", one), "--import")
	t.Setenv("GNUPGHOME", elsewhere.home)
	s.want("an allowed key that the user has not said to trust", at, good, ship.Yes)
	t.Setenv("GNUPGHOME", k.home)
	s.git("config", "gpg.minTrustLevel", "ultimate")
	if err := os.WriteFile(filepath.Join(k.home, "gpg.conf"), []byte("trust-model always\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.want("trust allows nobody", at, other, ship.No)
	s.want("and forbids nobody", at, good, ship.Yes)
	s.git("config", "gpg.openpgp.program", filepath.Join(s.keys, "absent"))
	s.want("no gpg", at, good, ship.Unknown)
}

// revoke imports the revocation certificate that gpg made beside the key.
func (k keyring) revoke(fingerprint string) {
	k.t.Helper()
	data, err := os.ReadFile(filepath.Join(k.home, "openpgp-revocs.d", fingerprint+".rev"))
	if err != nil {
		k.t.Fatal(err)
	}
	k.gpg(strings.Replace(string(data), ":-----BEGIN", "-----BEGIN", 1), "--import")
}

// What gpg says is taken together, and only what it says in its own way.
func TestWhatGPGSays(t *testing.T) {
	s := newSigning(t)
	const fpr = "0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A"
	const good, valid = "[GNUPG:] TRUST_UNDEFINED 0 pgp\n[GNUPG:] GOODSIG 0A0A one\n", "[GNUPG:] VALIDSIG 0B 2026-01-01 1 0 4 0 22 8 00 "
	at := s.allow("a@x "+s.pub["a"], "b@x gpg "+fpr)
	ssh := s.by("a", "one")
	id := s.forged(ssh, "BEGIN SSH SIGNATURE", "BEGIN PGP SIGNATURE")
	said := filepath.Join(s.keys, "said")
	program := func(key, script string) {
		t.Helper()
		file := filepath.Join(s.keys, "program")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		s.git("config", key, file)
	}
	program("gpg.program", "cat >/dev/null; cat '"+said+"'")
	for _, c := range []struct {
		claim, said string
		want        ship.Fact
	}{
		{"one good signature by an allowed key", good + valid + fpr, ship.Yes},
		{"by two keys", good + valid + strings.Repeat("0C", 20) + "\n" + valid + fpr, ship.No},
		{"good and nothing said of its key", good, ship.No},
		{"nothing said of the primary key", good + strings.TrimSpace(valid), ship.No},
		{"valid by a key that has expired", "[GNUPG:] EXPKEYSIG 0A0A one\n" + valid + fpr, ship.No},
		{"not by this name", strings.ReplaceAll(good+valid+fpr, "[GNUPG:] ", "gpg: "), ship.Unknown},
		{"an algorithm that gpg lacks", "[GNUPG:] ERRSIG 0A0A 22 8 00 1 4 " + fpr, ship.Unknown},
		{"no reason", "[GNUPG:] ERRSIG 0A0A", ship.Unknown},
		{"no signature in it", "[GNUPG:] NODATA 4", ship.No},
	} {
		if err := os.WriteFile(said, []byte(c.said+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.want(c.claim, at, id, c.want)
	}
	program("gpg.ssh.program", `case $2 in find-principals) echo a@x;; *) cat >/dev/null; echo 'Good "git" signature for a@x with ED25519 key SHA256:x'; echo '`+strings.TrimSpace(good)+`' >&2;; esac`)
	s.want("words of gpg under a signature of ssh", at, ssh, ship.No)
}
