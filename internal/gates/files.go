package gates

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"path"
	"strconv"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// files are the paths of a commit or of the index.
type files struct {
	run     git.Runner
	all     map[string]entry
	folders map[string]bool
}

// An entry is what a tree has at a path.
type entry struct{ mode, kind, id string }

// regular reports whether the entry is a file with a content of its own.
func (e entry) regular() bool { return e.mode == "100644" || e.mode == "100755" }

// hides reports whether what lies below the entry cannot be told here.
func (e entry) hides() bool { return e.mode == "120000" || e.mode == "160000" }

// cutEntry reads a record of git ls-tree.
func cutEntry(record string) (e entry, path string, ok bool) {
	about, path, ok := strings.Cut(record, "\t")
	part := strings.Fields(about)
	if !ok || len(part) != 3 || path == "" {
		return e, "", false
	}
	return entry{part[0], part[1], part[2]}, path, true
}

// Files lists the files of a commit, or those that are staged. They are nil for
// an object that leads to no files, such as a tag of a blob.
func (s *Site) Files(ctx context.Context, commit string) (hooks.Files, error) {
	run := s.Repo.Git.Offline()
	args := []string{"ls-tree", "-r", "-z", "--full-tree", commit}
	if commit == "" {
		args = []string{"ls-files", "--stage", "-z", "--full-name", "--", ":/"}
	} else if _, ok := refstore.ParseOID(commit); !ok {
		return nil, fmt.Errorf("%q is not a full object id", commit)
	}
	out, err := run.Output(ctx, args...)
	if err != nil && commit != "" {
		if kind, told := s.kind(ctx, run, commit); told && kind == "blob" {
			return nil, nil
		}
	}
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "the files of the commit", err)
	}
	f := &files{run, map[string]entry{}, map[string]bool{}}
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if record == "" {
			continue
		}
		if err := f.add(record, commit == ""); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// kind is what an id leads to behind its tags.
func (s *Site) kind(ctx context.Context, run git.Runner, id string) (string, bool) {
	out, err := run.Output(ctx, "cat-file", "-t", "--end-of-options", id+"^{}")
	return strings.TrimSpace(string(out)), err == nil
}

// add takes a record of a tree, or of the index: there a stage stands where a
// tree has the id, and the id before it.
func (f *files) add(record string, staged bool) error {
	e, p, ok := cutEntry(record)
	if !ok {
		return fmt.Errorf("%w: git listed %.80q", ancestry.ErrMissing, record)
	}
	if staged {
		e.kind, e.id = "blob", e.kind
	}
	f.all[p] = e
	for dir := path.Dir(p); dir != "." && !f.folders[dir]; dir = path.Dir(dir) {
		f.folders[dir] = true
	}
	return nil
}

func (f *files) Has(p string) bool {
	_, ok := f.all[p]
	return ok || f.folders[p] || f.beyond(p)
}

func (f *files) Folder(p string) bool {
	return f.folders[p] || f.all[p].hides() || f.beyond(p)
}

// beyond reports whether a path lies behind a symbolic link or in a submodule.
func (f *files) beyond(p string) bool {
	for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if f.all[dir].hides() {
			return true
		}
	}
	return false
}

// Read reads documents through one git.
func (f *files) Read(ctx context.Context, paths []string, most int64) iter.Seq2[hooks.Document, error] {
	return func(yield func(hooks.Document, error) bool) {
		var wanted []string
		var ids strings.Builder
		for _, p := range paths {
			if e, ok := f.all[p]; ok && e.regular() {
				wanted = append(wanted, p)
				ids.WriteString(e.id + "\n")
			}
		}
		if len(wanted) == 0 {
			return
		}
		if err := f.read(ctx, wanted, ids.String(), most, yield); err != nil {
			yield(hooks.Document{}, err)
		}
	}
}

func (f *files) read(ctx context.Context, paths []string, ids string, most int64, yield func(hooks.Document, error) bool) error {
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd, err := f.run.Command(own, git.Call{Args: []string{"cat-file", "--buffer", "--batch"}, Stdin: strings.NewReader(ids)})
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	answers := bufio.NewReader(out)
	for _, p := range paths {
		var doc hooks.Document
		if doc, err = document(answers, p, f.all[p].id, most); err != nil || !yield(doc, nil) {
			break
		}
	}
	cancel()
	_ = cmd.Wait() // answers are framed, so git's own end tells nothing more
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// document reads one answer of git cat-file.
func document(answers *bufio.Reader, p, id string, most int64) (hooks.Document, error) {
	doc := hooks.Document{Path: p}
	torn := fmt.Errorf("%w: %s of %q", ancestry.ErrMissing, id, p)
	head, err := answers.ReadString('\n')
	part := strings.Fields(head)
	if err != nil || len(part) != 3 || part[0] != id || part[1] != "blob" {
		return doc, torn
	}
	if doc.Size, err = strconv.ParseInt(part[2], 10, 64); err != nil || doc.Size < 0 {
		return doc, torn
	}
	if doc.Size > most {
		_, err = io.CopyN(io.Discard, answers, doc.Size+1)
	} else {
		doc.Data = make([]byte, doc.Size+1)
		_, err = io.ReadFull(answers, doc.Data)
		doc.Data = doc.Data[:doc.Size]
	}
	if err != nil {
		return doc, torn
	}
	return doc, nil
}
