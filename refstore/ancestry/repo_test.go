package ancestry

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// A repo is a scratch repository driven by real git, apart from the
// configuration of whoever runs the test.
type repo struct {
	t    testing.TB
	dir  string
	time int
}

func newRepo(t testing.TB, args ...string) *repo {
	githome.Alone(t)
	r := &repo{t: t, dir: t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

func (r *repo) runner() git.Runner { return git.Runner{Dir: r.dir} }

func (r *repo) git(args ...string) string { return r.feed("", args...) }

func (r *repo) feed(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Stdin = strings.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v: %s", args, err, errs.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// tree writes a tree of files, given as path, content pairs.
func (r *repo) tree(files ...string) string {
	r.t.Helper()
	r.git("read-tree", "--empty")
	for i := 0; i < len(files); i += 2 {
		id := r.feed(files[i+1], "hash-object", "-w", "--stdin")
		r.feed("100644 "+id+"\t"+files[i]+"\x00", "update-index", "-z", "--index-info")
	}
	return r.git("write-tree")
}

// commit writes a raw commit object, so that its bytes are exactly these.
func (r *repo) commit(message, tree string, parents ...string) string {
	r.t.Helper()
	r.time++
	raw := "tree " + tree + "\n"
	for _, p := range parents {
		raw += "parent " + p + "\n"
	}
	stamp := fmt.Sprintf("worker <worker@example.com> %d +0000\n", 1700000000+r.time)
	return r.object(raw + "author " + stamp + "committer " + stamp + "\n" + message)
}

func (r *repo) object(raw string) string {
	r.t.Helper()
	return r.feed(raw, "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
}

func (r *repo) walk(tip string) ([]Commit, []refstore.OID, error) {
	return collect(Walk(r.runner(), refstore.OID(tip)))
}

func collect(log *Log) (commits []Commit, boundary []refstore.OID, err error) {
	for c, err := range log.Commits(context.Background()) {
		if err != nil {
			return commits, nil, err
		}
		commits = append(commits, c)
	}
	return commits, log.Boundary(), nil
}

func ids(commits []Commit) string {
	var list []string
	for _, c := range commits {
		list = append(list, string(c.ID))
	}
	return strings.Join(list, "\n")
}
