package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// goGit reports what keeps go-git, and so tools that are built on it, from opening
// this repository. git-dos opens it by git and has no part in that.
func (x *examiner) goGit(conf settings) {
	var why []string
	if x.repo.Format != refstore.SHA1 {
		why = append(why, "objects are "+string(x.repo.Format))
	}
	for _, key := range []string{"extensions.worktreeconfig", "extensions.partialclone", "extensions.refstorage"} {
		switch v := conf.get(key); {
		case v == "" && len(conf[key]) == 0, v == "false", v == "files":
		default:
			why = append(why, key+" is set")
		}
	}
	if len(why) > 0 {
		x.add(Check{ID: "GO_GIT", Severity: Info, Detail: "tools built on go-git will not open it: " + strings.Join(why, ", ") + "; git-dos goes through git"})
	}
}

// identity reports whether git can tell whose commits it makes in this work tree.
func (x *examiner) identity(ctx context.Context) {
	if x.repo.WorkTree == "" {
		return
	}
	const id = "IDENTITY"
	var g *git.Error
	_, err := x.repo.Git.Output(ctx, "var", "GIT_COMMITTER_IDENT")
	switch {
	case err == nil:
	case errors.As(err, &g) && g.Code > 0:
		x.add(Check{ID: id, Severity: Warn, Detail: "git cannot tell whose commits are made here, so no commit can be made",
			Remedy: "git config user.name 'YOUR NAME' && git config user.email YOU@EXAMPLE.ORG"})
	default:
		x.unknown(id, err)
	}
}

// manyRefs is the size of packed refs, about 300,000 of them, from which on to write
// them anew takes a part of a second.
const manyRefs = 24 << 20

// packed reports the size of what git writes anew whenever a packed ref is deleted.
func (x *examiner) packed(context.Context) {
	const id = "PACKED_REFS"
	path := filepath.Join(x.repo.CommonDir, "packed-refs")
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		x.add(Check{ID: id, Severity: Warn, Target: path, Detail: "cannot be looked at: " + err.Error()})
		return
	}
	c := Check{ID: id, Severity: OK, Target: path, Detail: fmt.Sprintf("%d kB", (st.Size()+1023)>>10)}
	if st.Size() >= manyRefs {
		c.Severity, c.Detail = Warn, c.Detail+": git writes it anew for each packed ref that is deleted"
		c.Remedy = "delete refs that nobody needs, then git pack-refs --all"
	}
	x.add(c)
}
