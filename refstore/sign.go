package refstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore/git"
)

// signs reports whether git config dos.sign asks for signed entries. Which words mean
// yes is git's to say, and it is asked only where the setting is made.
func (r *Repo) signs(ctx context.Context) (bool, error) {
	c, err := r.Config()
	if err != nil || len(c.All("dos.sign")) == 0 {
		return false, err
	}
	out, err := r.Git.Output(ctx, "config", "--type=bool", "--get", "dos.sign")
	if err != nil {
		return false, fmt.Errorf("git config dos.sign: %w", err)
	}
	return strings.TrimSpace(string(out)) == "true", nil
}

// signedCommit stores an entry's commit as git commit-tree makes it: the bytes of
// encodeCommit and a signature by the program, the format and the key that git
// signs with for this user. What cannot be signed is not stored.
func (r *Repo) signedCommit(ctx context.Context, tree, parent OID, at time.Time, msg string) (OID, error) {
	date := fmt.Sprintf("@%d +0000", at.Unix())
	run := r.Git.With(
		"GIT_AUTHOR_NAME="+authorName, "GIT_AUTHOR_EMAIL="+authorEmail, "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME="+authorName, "GIT_COMMITTER_EMAIL="+authorEmail, "GIT_COMMITTER_DATE="+date,
	)
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S"}
	if parent != "" {
		args = append(args, "-p", string(parent))
	}
	out, _, err := run.Run(ctx, git.Call{Args: append(args, string(tree)), Stdin: strings.NewReader(msg)})
	if err != nil {
		return "", fmt.Errorf("sign an entry, as git config dos.sign asks, with the key user.signingKey: %w", err)
	}
	return OID(strings.TrimSpace(string(out))), nil
}
