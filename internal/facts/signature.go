package facts

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// Signatures tells which of the commits carry a good signature by a key that
// the policy allows. The allowed keys are those of verify.allowed_signers, read
// from policyAt, the commit the policy came from: no branch and no work tree
// can add one, and neither can the configuration of git. Without that setting
// nothing is signed.
//
// Git checks the signatures. Yes means a good one by an allowed key; a bad,
// expired or revoked one, one by any other key and none at all are No. Unknown
// is what could not be told: the commit cannot be read, the program that checks
// such signatures is absent or does not work, or the keyring lacks an allowed
// key that may have made this one. An allowed_signers that is absent from the
// commit or malformed is an error.
func Signatures(ctx context.Context, repo *refstore.Repo, policyAt refstore.OID, p policy.Policy, ids []refstore.OID) (map[refstore.OID]ship.Fact, error) {
	facts := make(map[refstore.OID]ship.Fact, len(ids))
	for _, id := range ids {
		facts[id] = ship.No
	}
	if p.Verify.AllowedSigners == "" || len(ids) == 0 {
		return facts, nil
	}
	keys, err := readSigners(ctx, repo, policyAt, p.Verify.AllowedSigners)
	if err != nil {
		return nil, err
	}
	c := &signatureCheck{run: repo.Git.Offline(), format: repo.Format, keys: keys}
	scratch, err := refstore.MakeScratch("signers")
	if err != nil {
		return nil, err
	}
	defer scratch.Close()
	c.dir = scratch.Dir
	if err := c.prepare(); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if facts[id], err = c.commit(ctx, id); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

// A signatureCheck checks the signatures of commits against one set of keys.
type signatureCheck struct {
	run    git.Runner
	format refstore.Format
	keys   signers
	dir    string // private and temporary

	sshWorks *bool // what probe found
	gpgWhole *bool // what wholeKeyring found
}

// prepare makes what git and ssh-keygen will read.
func (c *signatureCheck) prepare() error {
	return errors.Join(
		os.Mkdir(c.file("objects"), 0o700),
		os.WriteFile(c.file("allowed"), c.keys.ssh, 0o600),
		os.WriteFile(c.file("revoked"), nil, 0o600))
}

func (c *signatureCheck) file(name string) string { return filepath.Join(c.dir, name) }

func (c *signatureCheck) commit(ctx context.Context, id refstore.OID) (ship.Fact, error) {
	raw, err := c.run.Output(ctx, "cat-file", "commit", string(id))
	if code, err := exitStatus(err); code != 0 || err != nil {
		return ship.Unknown, err
	}
	switch sig := signatureOf(raw, c.format); {
	case bytes.HasPrefix(sig, []byte("-----BEGIN SSH SIGNATURE-----")) && len(c.keys.ssh) > 0:
		return c.ssh(ctx, id)
	case bytes.HasPrefix(sig, []byte("-----BEGIN PGP ")) && len(c.keys.gpg) > 0:
		return c.gpg(ctx, id)
	}
	return ship.No, nil
}

// signatureOf is the first line of the signature that git would check in a
// repository of this format, nil where the commit has none.
func signatureOf(raw []byte, format refstore.Format) []byte {
	key := []byte("gpgsig ")
	if format == refstore.SHA256 {
		key = []byte("gpgsig-sha256 ")
	}
	head, _, _ := bytes.Cut(raw, []byte("\n\n"))
	for line := range bytes.Lines(head) {
		if sig, ok := bytes.CutPrefix(line, key); ok {
			return sig
		}
	}
	return nil
}

// ssh believes git's exit status, which is 0 only for a good signature by a
// key of the file it is given. Any other status may also mean that nothing was
// checked at all.
func (c *signatureCheck) ssh(ctx context.Context, id refstore.OID) (ship.Fact, error) {
	good, words, err := c.verify(ctx, c.run, id, "allowed", "fully")
	switch {
	case err != nil:
		return ship.Unknown, err
	case good && len(statusLines(words)) == 0:
		return ship.Yes, nil
	}
	works, err := c.probe(ctx)
	if err != nil || !works {
		return ship.Unknown, err
	}
	return ship.No, nil
}

// verify has git check the signature of a commit against one file of allowed
// ssh keys. What the user's own configuration would add to the question is
// switched off; which programs answer it is theirs to choose.
func (c *signatureCheck) verify(ctx context.Context, run git.Runner, id refstore.OID, allowed, trust string) (good bool, words string, err error) {
	run.Config = append(slices.Clone(run.Config), "gpg.ssh.allowedSignersFile="+c.file(allowed),
		"gpg.ssh.revocationFile="+c.file("revoked"), "gpg.minTrustLevel="+trust)
	_, words, err = run.Run(ctx, git.Call{Args: []string{"verify-commit", "--raw", string(id)}})
	code, err := exitStatus(err)
	return code == 0 && err == nil, words, err
}

// exitStatus is the status of a git that ran and ended by itself, and else the
// error.
func exitStatus(err error) (int, error) {
	if code := git.Code(err); code > 0 {
		return code, nil
	}
	return 0, err
}
