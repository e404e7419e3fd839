package pushed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// A Making is the commit that is being made: what the index has and HEAD does
// not, and its message where that is written. Of a merge it is what the index
// has from no parent.
type Making struct {
	repo    *refstore.Repo
	parents []refstore.OID // none before the first commit
	message []byte

	load    sync.Once
	changes []hooks.Change
	err     error
}

// Staged is the commit that the index would make. message is nil where there is
// none yet.
func Staged(ctx context.Context, repo *refstore.Repo, message []byte) (*Making, error) {
	m := &Making{repo: repo, message: message}
	head, err := ancestry.Resolve(ctx, repo.Git, "HEAD")
	if err != nil {
		if errors.Is(err, ancestry.ErrUnborn) {
			return m, nil
		}
		return nil, err
	}
	m.parents = []refstore.OID{head}
	merged, err := os.ReadFile(filepath.Join(repo.GitDir, "MERGE_HEAD"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for line := range strings.Lines(string(merged)) {
		id, ok := refstore.ParseOID(strings.TrimSpace(line))
		if !ok {
			return nil, fmt.Errorf("MERGE_HEAD holds %.50q", line)
		}
		m.parents = append(m.parents, id)
	}
	return m, nil
}

// Commits yields the one commit.
func (m *Making) Commits(ctx context.Context) iter.Seq2[hooks.Commit, error] {
	return func(yield func(hooks.Commit, error) bool) {
		c := hooks.Commit{Message: string(m.message), Subject: ancestry.Subject(m.message), Trailers: trailersOf(m.message)}
		for _, p := range m.parents {
			c.Parents = append(c.Parents, string(p))
		}
		m.load.Do(func() { m.changes, m.err = m.read(ctx) })
		if m.err != nil {
			yield(hooks.Commit{}, m.err)
			return
		}
		c.Changes = m.changes
		yield(c, nil)
	}
}

// base is what the index is compared with.
func (m *Making) base() []refstore.OID {
	if len(m.parents) == 0 {
		return []refstore.OID{m.repo.Format.EmptyTree()}
	}
	return m.parents
}

func (m *Making) read(ctx context.Context) ([]hooks.Change, error) {
	var kept []hooks.Change
	for i, parent := range m.base() {
		found, err := m.against(ctx, parent)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			kept = found
			continue
		}
		differs := map[string]bool{}
		for _, c := range found {
			differs[c.Path] = true
		}
		all := kept
		kept = nil
		for _, c := range all {
			if differs[c.Path] {
				kept = append(kept, c)
			}
		}
	}
	if len(kept) == 0 {
		return nil, nil
	}
	asked := askSizes(ctx, m.repo.Git)
	for _, c := range kept {
		asked.want(c)
	}
	sizes, err := asked.wait()
	if err != nil {
		return nil, err
	}
	return kept, putSizes(map[string][]hooks.Change{"": kept}, sizes)
}

// against reads what the index changes of one parent.
func (m *Making) against(ctx context.Context, parent refstore.OID) (all []hooks.Change, err error) {
	out, err := m.repo.Git.Offline().Output(ctx, append(append([]string{"diff-index", "--cached"}, without(rawDiff, "-c")...), string(parent), "--")...)
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "what is staged", err)
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(out) == 0 {
		return nil, nil
	}
	if len(fields)%2 != 0 {
		return nil, fmt.Errorf("%w: git diff-index stopped inside a record", ancestry.ErrMissing)
	}
	for i := 0; i < len(fields); i += 2 {
		c, err := changeOf(fields[i], fields[i+1])
		if err != nil {
			return nil, err
		}
		if c.Status == 'U' {
			return nil, fmt.Errorf("%s is unmerged", c.Path)
		}
		all = append(all, c)
	}
	return all, nil
}

func without(args []string, unwanted ...string) (kept []string) {
	for _, a := range args {
		if !slices.Contains(unwanted, a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// Added yields the lines that are staged and those of the message. Of a merge
// it is those of the paths that differ from each parent.
func (m *Making) Added(ctx context.Context) iter.Seq2[hooks.Line, error] {
	return func(yield func(hooks.Line, error) bool) {
		own := map[string]bool{}
		for c, err := range m.Commits(ctx) {
			if err != nil {
				yield(hooks.Line{}, err)
				return
			}
			for _, change := range c.Changes {
				own[change.Path] = true
			}
		}
		p := &patch{isCommit: func(string) bool { return false }, yield: func(l hooks.Line, err error) bool {
			return err == nil && !own[l.Path] || yield(l, err)
		}}
		args := append(append([]string{"diff-index", "--cached"}, without(patchDiff, "-c", "-r")...), string(m.base()[0]), "--")
		more, err := stream(ctx, m.repo.Git, git.Call{Args: args}, p.read)
		if err != nil {
			yield(hooks.Line{}, err)
			return
		}
		if more {
			messageLines("", m.message, yield)
		}
	}
}

// MessageLines yields the lines of the message of a commit that is being made.
func MessageLines(message []byte) iter.Seq2[hooks.Line, error] {
	return func(yield func(hooks.Line, error) bool) { messageLines("", message, yield) }
}
