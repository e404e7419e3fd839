package facts

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// signers are the keys that verify.allowed_signers lists.
type signers struct {
	ssh []byte          // lines in the form of ssh-keygen(1), ALLOWED SIGNERS
	gpg map[string]bool // fingerprints of primary keys, in upper case
}

func readSigners(ctx context.Context, repo *refstore.Repo, at refstore.OID, path string) (signers, error) {
	data, found, err := ancestry.File(ctx, repo.Git, at, path)
	switch {
	case err != nil:
		return signers{}, fmt.Errorf("verify.allowed_signers: %w", err)
	case !found:
		return signers{}, fmt.Errorf("verify.allowed_signers: %s has no file %s: commit it there, or take the setting out of dos.toml", at.Short(), path)
	}
	return parseSigners(data, at.Short()+":"+path)
}

// parseSigners reads a file of allowed signers. A line "PRINCIPAL gpg
// FINGERPRINT" allows an OpenPGP key by its primary fingerprint; every other
// line is for ssh-keygen, in its own form. Empty lines and lines that begin
// with # say nothing.
func parseSigners(data []byte, where string) (signers, error) {
	s := signers{gpg: map[string]bool{}}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		word := strings.Fields(string(line))
		switch {
		case len(word) > 2 && word[1] == "gpg" && isFingerprint(word[2]):
			s.gpg[strings.ToUpper(word[2])] = true
		case len(word) > 1 && word[1] == "gpg":
			return signers{}, fmt.Errorf("%s, line %d: want PRINCIPAL gpg FINGERPRINT, the fingerprint as 40 or 64 hex digits without spaces", where, n)
		case hasSSHKey(word):
			s.ssh = append(append(s.ssh, line...), '\n')
		default:
			return signers{}, fmt.Errorf("%s, line %d: no ssh key and no gpg fingerprint: want PRINCIPAL [OPTIONS] TYPE KEY or PRINCIPAL gpg FINGERPRINT", where, n)
		}
	}
	return s, nil
}

func isFingerprint(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// hasSSHKey reports whether a type of key and, as the next word, a key of that
// type stand behind the principals. ssh-keygen passes over a line that has
// none, and whoever wrote it would not learn why a signature does not count.
func hasSSHKey(word []string) bool {
	for i := 1; i+1 < len(word); i++ {
		kind := word[i]
		key, err := base64.StdEncoding.DecodeString(word[i+1])
		if err == nil && len(key) > 4+len(kind) && binary.BigEndian.Uint32(key) == uint32(len(kind)) && string(key[4:4+len(kind)]) == kind {
			return true
		}
	}
	return false
}
