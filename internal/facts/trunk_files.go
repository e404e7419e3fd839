package facts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/git-dos/git-dos/internal/wholefile"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A treeReader reads files of commits, as a [refstore.FileReader] does.
type treeReader interface {
	At(ctx context.Context, rev, path string) (commit refstore.OID, data []byte, err error)
}

// trunkFiles reads files of commits, and keeps those that it has read of the commit
// which the HEAD of a fleet's remote names here: what a commit holds never changes,
// so the next process needs no git for them. It keeps nothing where that commit was
// not listed when the repository was opened.
type trunkFiles struct {
	repo   *refstore.Repo
	path   string // of the file they are kept in, "" for none
	head   string // what the remote's HEAD is called here
	kept   keptFiles
	learnt bool // kept has what the file has not
	git    *refstore.FileReader
}

// keptFiles are files of one commit. They are a cache: any doubt about them, and
// git is asked.
type keptFiles struct {
	Commit refstore.OID      `json:"commit"`
	Ref    string            `json:"ref"`   // the branch that names it here
	Files  map[string][]byte `json:"files"` // nil where the commit has none
}

func readTrunk(repo *refstore.Repo, remote string) *trunkFiles {
	f := &trunkFiles{repo: repo, head: "refs/remotes/" + remote + "/HEAD"}
	head, listed := repo.RemoteHead(remote)
	if !listed {
		return f
	}
	f.kept = keptFiles{Commit: head.ID, Ref: head.Branch, Files: map[string][]byte{}}
	var err error
	if f.path, err = repo.SharedFile("trunk." + url.PathEscape(remote)); err != nil {
		return f // whoever only reads may not be able to write
	}
	if was, ok := readKept(f.path); ok && was.Commit == head.ID && was.Ref == head.Branch && was.Files != nil {
		f.kept = was
	}
	return f
}

// branch is where the remote's HEAD is known to lead, "" where it is not.
func (f *trunkFiles) branch() string { return f.kept.Ref }

// At is that of [refstore.FileReader]; of a file that is kept no git is asked.
func (f *trunkFiles) At(ctx context.Context, rev, path string) (refstore.OID, []byte, error) {
	here := f.kept.Commit != "" && (rev == f.head || rev == f.kept.Ref || rev == string(f.kept.Commit))
	data, known := f.kept.Files[path]
	switch {
	case here && known && data == nil:
		return f.kept.Commit, nil, fmt.Errorf("%w: %s at %s", refstore.ErrNoFile, path, f.kept.Commit.Short())
	case here && known:
		return f.kept.Commit, data, nil
	}
	if f.git == nil {
		f.git = f.repo.Files(ctx)
	}
	id, data, err := f.git.At(ctx, rev, path)
	if here && id == f.kept.Commit && (err == nil || errors.Is(err, refstore.ErrNoFile)) {
		f.kept.Files[path], f.learnt = data, true
	}
	return id, data, err
}

// keep stores what was read for the next process. It is called when it all made
// sense.
func (f *trunkFiles) keep(ctx context.Context) {
	if !f.learnt || f.path == "" {
		return
	}
	for path, data := range f.kept.Files {
		if data != nil {
			continue
		}
		// A file that cannot be read looks to the reader as one that never was.
		if _, found, err := ancestry.File(ctx, f.repo.Git, f.kept.Commit, path); found || err != nil {
			return
		}
	}
	_ = f.kept.write(f.path) // without it the next process asks git again
}

func (f *trunkFiles) close() {
	if f.git != nil {
		f.git.Close()
	}
}

// readKept reads what write has written. It is not ok when that is not there or not
// as it was written.
func readKept(path string) (k keptFiles, ok bool) {
	f, err := workTreeFile(path)
	sum, text, _ := bytes.Cut(f.data, []byte("\n"))
	if err != nil || string(sum) != digest(text) || json.Unmarshal(text, &k) != nil {
		return keptFiles{}, false
	}
	return k, true
}

// write replaces the file in one step.
func (k keptFiles) write(path string) error {
	text, err := json.Marshal(k)
	if err != nil || len(text) > maxPolicy/2 {
		return err // more than a reader takes is not kept
	}
	return wholefile.Write(path, append([]byte(digest(text)+"\n"), text...), 0o644)
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
