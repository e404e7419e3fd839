package refstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrNoFile means that a commit has no such file.
var ErrNoFile = errors.New("no such file in the commit")

// ErrNoCommit means that a revision names no commit here.
var ErrNoCommit = errors.New("no such commit here")

// FileAt is [FileReader.At] for a single question.
func (r *Repo) FileAt(ctx context.Context, rev, path string) (commit OID, data []byte, err error) {
	f := r.Files(ctx)
	defer f.Close()
	return f.At(ctx, rev, path)
}

// A FileReader reads files of commits through one git child. It is not safe
// for concurrent use.
type FileReader struct{ objects *objectReader }

// Files starts the git child, so that it is ready when the first question
// comes. The caller must Close the reader.
func (r *Repo) Files(ctx context.Context) *FileReader {
	o := r.ahead.reader()
	if o == nil {
		o = r.objects()
	}
	_ = o.start(ctx) // the first question tries again and reports it
	return &FileReader{o}
}

// Close ends the git child.
func (f *FileReader) Close() { f.objects.Close() }

// At returns the commit that rev names and the contents of path in it. rev is
// a full ref name or an object id. The error is ErrNoCommit or ErrNoFile, the
// latter with the commit.
func (f *FileReader) At(ctx context.Context, rev, path string) (commit OID, data []byte, err error) {
	if !strings.HasPrefix(rev, "refs/") && rev != "HEAD" {
		if _, ok := ParseOID(rev); !ok {
			return "", nil, fmt.Errorf("%w: %q", ErrNoCommit, rev)
		}
	}
	kind, _, id, err := f.objects.lookup(ctx, rev+"^{commit}")
	if err != nil && !errors.Is(err, errMissing) {
		return "", nil, fmt.Errorf("%s: %w", rev, err)
	}
	if err != nil || kind != "commit" {
		return "", nil, fmt.Errorf("%w: %s", ErrNoCommit, rev)
	}
	kind, data, _, err = f.objects.lookup(ctx, string(id)+":"+path)
	if err != nil && !errors.Is(err, errMissing) {
		return id, nil, fmt.Errorf("%s at %s: %w", path, id.Short(), err)
	}
	if err != nil || kind != "blob" {
		return id, nil, fmt.Errorf("%w: %s at %s", ErrNoFile, path, id.Short())
	}
	return id, data, nil
}

// DirID identifies the directory that all worktrees of the repository share. A
// copy of the repository has another one.
func (r *Repo) DirID() (string, error) { return dirID(r.CommonDir) }

// WorktreeID is DirID for the directory that is private to this worktree.
func (r *Repo) WorktreeID() (string, error) { return dirID(r.GitDir) }

func dirID(dir string) (string, error) {
	st, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", made(st)), nil
}

// StateFile is the path of a file of git-dos's own that this worktree alone
// uses, its directory made.
func (r *Repo) StateFile(elem ...string) (string, error) {
	return stateFile(r.GitDir, r.sharedBits(), elem)
}

// SharedFile is like StateFile for a file that all worktrees use.
func (r *Repo) SharedFile(elem ...string) (string, error) {
	return stateFile(r.CommonDir, r.sharedBits(), elem)
}

// RefID returns the object a ref points at, "" when the ref does not exist.
func (r *Repo) RefID(ctx context.Context, ref string) (OID, error) {
	tips, err := r.list(ctx, []string{ref}, func(name string) (string, bool) { return name, name == ref })
	if err != nil || len(tips) == 0 {
		return "", err
	}
	return tips[0].ID, tips[0].Err
}
