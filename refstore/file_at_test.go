package refstore_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// TestFileThatCannotBeReadIsNotAbsent tells apart what is not there and what
// is there and too large or damaged.
func TestFileThatCannotBeReadIsNotAbsent(t *testing.T) {
	t.Parallel()
	dir := committed(t)
	r := open(t, dir)
	write(t, filepath.Join(dir, "large"), strings.Repeat("x", 65<<20))
	write(t, filepath.Join(dir, "cut"), strings.Repeat("some words\n", 1000))
	gitIn(t, dir, "add", ".")
	gitIn(t, dir, "commit", "--quiet", "-m", "files")
	cut := refstore.OID(gitIn(t, dir, "rev-parse", "HEAD:cut"))
	rewrite(t, loose(r.CommonDir, cut), []byte("x\x01K\xca\xc9OR0"))
	head := gitIn(t, dir, "rev-parse", "HEAD")
	for _, c := range []struct {
		rev, path, data string
		want            error
	}{
		{"HEAD", "README", "text\n", nil},
		{head, "README", "text\n", nil},
		{"refs/heads/main", "README", "text\n", nil},
		{"HEAD", "none", "", refstore.ErrNoFile},
		{"refs/heads/none", "README", "", refstore.ErrNoCommit},
		{"--all", "README", "", refstore.ErrNoCommit},
		{strings.Repeat("1", 40), "README", "", refstore.ErrNoCommit},
	} {
		if _, data, err := r.FileAt(ctx, c.rev, c.path); string(data) != c.data || !errors.Is(err, c.want) {
			t.Errorf("%s of %s: %q, %v", c.path, c.rev, data, err)
		}
	}
	id, data, err := r.FileAt(ctx, "HEAD", "large")
	if err == nil || errors.Is(err, refstore.ErrNoFile) || data != nil || string(id) != head {
		t.Errorf("a large file: %d bytes, %v", len(data), err)
	}
	// git cannot say more of a damaged object than that it is missing.
	if _, data, err := r.FileAt(ctx, "HEAD", "cut"); err == nil {
		t.Errorf("a damaged file: %q", data)
	}
}
