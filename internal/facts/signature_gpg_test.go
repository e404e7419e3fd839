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
