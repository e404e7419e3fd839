package facts

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// probeKey signed the two probes and nothing else; its private half is gone.
const probeKey = "probe ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBiZiHcRPL21zC+pfkZXfzOhJTuOT2O5Fa84kSz5lT1n\n"

// The probes' signatures, by object format. What both begin with, the key and
// the algorithms, is probeHead.
const probeHead = "U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgGJmIdxE8vbXML6l+Rld/M6ElO4\n" +
	" 5PY7kVrziRLPmVPWcAAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5\n"

var probeSignatures = map[refstore.Format]string{
	refstore.SHA1: "AAAAQCNoEiIT53vemNs21Oxo66W588FX1dG3XH3CoM8eM6eFys7+2+nfYr8xget7Fq6RSv\n" +
		" kHft7iMcP5OWv8t9YsXQ0=",
	refstore.SHA256: "AAAAQMi+VqmfxUQSAQkSao5DqBAHcZxRvJ//LfGaRXZljXxJVspMb/UBd5Qki5mix/+7O1\n" +
		" o4y7ljilyIJitjaTSJPw8=",
}

// probeCommit is a commit of the empty tree that probeKey signed.
func probeCommit(format refstore.Format) string {
	header := "gpgsig"
	if format == refstore.SHA256 {
		header = "gpgsig-sha256"
	}
	const who = "probe <probe> 1700000000 +0000"
	return fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n%s -----BEGIN SSH SIGNATURE-----\n %s %s\n -----END SSH SIGNATURE-----\n\nprobe\n",
		format.EmptyTree(), who, who, header, probeHead, probeSignatures[format])
}

// probe reports whether ssh signatures can be checked here at all: whether git
// finds a commit well signed that is, with its key below the allowed ones. The
// commit is an object of the temporary directory alone.
func (c *signatureCheck) probe(ctx context.Context) (bool, error) {
	if c.sshWorks != nil {
		return *c.sshWorks, nil
	}
	if err := os.WriteFile(c.file("probe"), append(bytes.Clone(c.keys.ssh), probeKey...), 0o600); err != nil {
		return false, err
	}
	run := c.run
	run.Env = append(slices.Clone(run.Env), "GIT_OBJECT_DIRECTORY="+c.file("objects"))
	out, _, err := run.Run(ctx, git.Call{Args: []string{"hash-object", "-t", "commit", "-w", "--stdin"}, Stdin: strings.NewReader(probeCommit(c.format))})
	if code, err := exitStatus(err); code != 0 || err != nil {
		return false, err
	}
	id, ok := refstore.ParseOID(string(bytes.TrimSpace(out)))
	if !ok {
		return false, fmt.Errorf("git hash-object answered %q", out)
	}
	works, _, err := c.verify(ctx, run, id, "probe", "fully")
	if err == nil {
		c.sshWorks = &works
	}
	return works, err
}
