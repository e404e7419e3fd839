package ancestry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// Resolve returns the commit that rev names, tags peeled. The error is
// ErrUnborn, ErrNoRevision, or ErrMissing when rev names an object that cannot
// be read here or a ref that is broken.
func Resolve(ctx context.Context, run git.Runner, rev string) (refstore.OID, error) {
	if len(rev) > maxRev || strings.HasSuffix(rev, "/") {
		return "", fmt.Errorf("%w: %.40q", ErrNoRevision, rev)
	}
	id, err := parseRev(ctx, run, rev)
	if err != nil {
		if git.Code(err) == 1 {
			return "", absent(ctx, run, rev)
		}
		return "", Unreadable(ctx, rev, err)
	}
	commit, err := parseRev(ctx, run, string(id)+"^{commit}")
	if err == nil {
		return commit, nil
	}
	kind, kindErr := run.Offline().Output(ctx, "cat-file", "-t", string(id))
	if kind := strings.TrimSpace(string(kind)); kindErr == nil && (kind == "tree" || kind == "blob") {
		return "", fmt.Errorf("%w: %s names a %s and no commit", ErrNoRevision, rev, kind)
	}
	return "", fmt.Errorf("%w: %s names %s, which cannot be read as a commit", ErrMissing, rev, id)
}

// maxRev bounds the length of a revision; no ref can have a longer name.
const maxRev = 4096

// FullName returns the full name of the ref that rev abbreviates, "" when rev
// is not the name of a ref.
func FullName(ctx context.Context, run git.Runner, rev string) string {
	out, err := run.Offline().Output(ctx, "rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", rev)
	name := strings.TrimSuffix(string(out), "\n")
	if err != nil || !strings.HasPrefix(name, "refs/") {
		return ""
	}
	return name
}

// Refs lists the full names of the branches and tags, here or of a remote, that
// a short name may mean.
func Refs(ctx context.Context, run git.Runner, short string) ([]string, error) {
	if strings.ContainsAny(short, "*?[\\ ~^:@") {
		return nil, nil // no name of a ref
	}
	out, err := run.Offline().Output(ctx, "for-each-ref", "--format=%(refname)", "refs/heads/"+short, "refs/tags/"+short, "refs/remotes/"+short)
	if err != nil {
		return nil, Unreadable(ctx, short, err)
	}
	var names []string
	for name := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(name, "/"+short) && strings.Count(name, "/") == strings.Count(short, "/")+2 {
			names = append(names, name)
		}
	}
	return names, nil
}

// Symbolic returns the ref that the symbolic ref name points at, "" when name
// is no symbolic ref. A broken ref at its end is ErrMissing.
func Symbolic(ctx context.Context, run git.Runner, name string) (string, error) {
	out, err := run.Offline().Output(ctx, "symbolic-ref", "--quiet", name)
	switch {
	case err == nil:
		return strings.TrimSuffix(string(out), "\n"), nil
	case git.Code(err) == 1:
		return "", nil
	}
	return "", Unreadable(ctx, name, err)
}

// ReachesAll reports whether from is, or descends from, each of the commits,
// whatever their dates.
func ReachesAll(ctx context.Context, run git.Runner, from refstore.OID, all []refstore.OID) (bool, error) {
	if err := checked(append([]refstore.OID{from}, all...)...); err != nil {
		return false, err
	}
	if len(all) > oneByOne {
		d, err := Descents(ctx, run, from, []refstore.OID{from}, all)
		if err != nil {
			return false, err
		}
		return !slices.ContainsFunc(all, func(id refstore.OID) bool { return !d.Reaches(from, id) }), nil
	}
	for _, id := range all {
		_, err := run.Offline().Output(ctx, "merge-base", "--is-ancestor", "--end-of-options", string(id), string(from))
		switch {
		case err != nil && git.Code(err) == 1:
			return false, nil
		case err != nil:
			return false, Unreadable(ctx, "ancestry of "+string(from), err)
		}
	}
	return true, nil
}

// oneByOne is up to how many commits ReachesAll asks git one at a time.
const oneByOne = 8

func parseRev(ctx context.Context, run git.Runner, rev string) (refstore.OID, error) {
	out, err := run.Offline().Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev)
	if err != nil {
		return "", err
	}
	id, ok := refstore.ParseOID(strings.TrimSuffix(string(out), "\n"))
	if !ok {
		return "", fmt.Errorf("%w: %s does not name an object", ErrNoRevision, rev)
	}
	return id, nil
}

// absent tells apart the ways of not resolving. A ref whose file exists and
// yet says nothing is broken, not absent.
func absent(ctx context.Context, run git.Runner, rev string) error {
	head, err := Symbolic(ctx, run, "HEAD")
	if err != nil {
		return err
	}
	name := rev
	if rev == "HEAD" && head != "" {
		name = head
	}
	for _, ref := range []string{name, "refs/heads/" + name, "refs/remotes/" + name} {
		out, err := run.Offline().Output(ctx, "rev-parse", "--path-format=absolute", "--git-path", ref)
		if err != nil {
			return err
		}
		if info, err := os.Lstat(strings.TrimSuffix(string(out), "\n")); err == nil && !info.IsDir() && strings.HasPrefix(ref, "refs/") {
			return fmt.Errorf("%w: %s exists and cannot be read", ErrMissing, ref)
		}
	}
	if head != "" && (name == head || "refs/heads/"+name == head) {
		return fmt.Errorf("%w: %s", ErrUnborn, head)
	}
	return fmt.Errorf("%w: %s", ErrNoRevision, rev)
}

// Unreadable turns the error of a git that was refused an object into
// ErrMissing. One that did not end by itself, or was cancelled, stays as it is.
func Unreadable(ctx context.Context, what string, err error) error {
	var g *git.Error
	if ctx.Err() != nil || !errors.As(err, &g) || errors.Is(err, ErrNoRevision) {
		return err
	}
	if g.Code < 0 {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrMissing, what, err)
}
