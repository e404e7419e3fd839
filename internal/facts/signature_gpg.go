package facts

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/ship"
	"github.com/git-dos/git-dos/refstore"
)

// gpg believes git's exit status together with the status lines that gpg
// writes for programs. The keyring is the user's and holds keys that nobody
// allowed, so it is the fingerprint that decides; how far the user trusts a
// key does not.
func (c *signatureCheck) gpg(ctx context.Context, id refstore.OID) (ship.Fact, error) {
	good, words, err := c.verify(ctx, c.run, id, "revoked", "undefined")
	if err != nil {
		return ship.Unknown, err
	}
	status := statusLines(words)
	if len(status) == 0 {
		return ship.Unknown, nil // gpg did not run
	}
	primary, unread := "", false
	var goodsigs, validsigs int
	for _, word := range status {
		switch word[0] {
		case "GOODSIG":
			goodsigs++
		case "VALIDSIG":
			validsigs++
			if len(word) > validPrimary {
				primary = word[validPrimary]
			}
		case "ERRSIG":
			unread = true
			if len(word) > errReason && word[errReason] == errNoKey && c.wholeKeyring(ctx) {
				unread = false
			}
		}
	}
	switch {
	case unread:
		return ship.Unknown, nil
	case good && goodsigs == 1 && validsigs == 1 && c.keys.gpg[strings.ToUpper(primary)]:
		return ship.Yes, nil
	}
	return ship.No, nil
}

// Where the words of gpg's status lines stand.
const (
	validPrimary = 10 // of VALIDSIG: the fingerprint of the primary key
	errReason    = 6  // of ERRSIG: why the signature was not checked
	errNoKey     = "9"
)

// statusLines are the words of each line that gpg writes for programs, from
// the keyword on. Text in them, such as a name, cannot hold a line feed.
func statusLines(words string) [][]string {
	var status [][]string
	for line := range strings.Lines(words) {
		rest, ok := strings.CutPrefix(line, "[GNUPG:] ")
		if word := strings.Fields(rest); ok && len(word) > 0 {
			status = append(status, word)
		}
	}
	return status
}

// wholeKeyring reports whether the keyring holds every allowed key. A
// signature by a key it lacks is then by none of them, subkeys included.
func (c *signatureCheck) wholeKeyring(ctx context.Context) bool {
	if c.gpgWhole == nil {
		whole := c.holdsAll(ctx)
		c.gpgWhole = &whole
	}
	return *c.gpgWhole
}

func (c *signatureCheck) holdsAll(ctx context.Context) bool {
	args := append([]string{"--batch", "--with-colons", "--list-keys", "--"}, slices.Sorted(maps.Keys(c.keys.gpg))...)
	out, err := exec.CommandContext(ctx, c.gpgProgram(ctx), args...).Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return false
	}
	held := 0
	primary := false
	for line := range bytes.Lines(out) {
		field := strings.Split(string(bytes.TrimSpace(line)), ":")
		if primary = primary || field[0] == "pub"; field[0] == "fpr" && primary && len(field) > 9 {
			primary = false
			if c.keys.gpg[strings.ToUpper(field[9])] {
				held++
			}
		}
	}
	return held == len(c.keys.gpg)
}

// gpgProgram is the program that git runs to check an OpenPGP signature.
func (c *signatureCheck) gpgProgram(ctx context.Context) string {
	out, err := c.run.Output(ctx, "config", "-z", "--type=path", "--get-regexp", `^gpg\.(openpgp\.)?program$`)
	records := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	_, program, found := strings.Cut(records[len(records)-1], "\n")
	if err != nil || !found || program == "" {
		return "gpg"
	}
	return program
}
