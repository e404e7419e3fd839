package refstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore/git"
)

// listFormat frames each ref: NUL-ended fields, then exactly as many bytes of
// message as the last field says. Nothing a commit holds can end a record.
const listFormat = "%(refname)%00%(objectname)%00%(objecttype)%00%(symref)%00%(tree)%00%(parent)%00%(committerdate:unix)%00%(contents:size)%00%(contents)"

// list reads the tips of every ref under the given patterns (as git
// for-each-ref takes them) in one process. name turns a ref of the repository
// into the name of its tip; refs it declines are left out.
//
// Broken refs make git skip or give up. Where it did, by its words or by a
// loose ref it left out in silence, the refs are read one by one so that each
// failure stays with its own ref.
func (r *Repo) list(ctx context.Context, patterns []string, name func(string) (string, bool)) ([]Tip, error) {
	if len(patterns) == 0 {
		return nil, nil // git would list everything
	}
	if tips, ok := r.whole(ctx, forEachRef(ctx, r.Git, patterns), patterns, name); ok {
		return tips, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return r.listOneByOne(ctx, patterns, name)
}

// listing is what git for-each-ref printed; it is whole when git succeeded and
// had nothing to say.
type listing struct {
	refs  []listedRef
	names map[string]bool // of all refs, as git has them
	whole bool
}

// A listedRef is a ref as git printed it.
type listedRef struct {
	name, id, kind, symref, tree, parents, at string

	msg string
}

// forEachRef starts git; what it returns waits for git to end.
func forEachRef(ctx context.Context, run git.Runner, patterns []string) func() listing {
	child, err := run.Start(ctx, callOf(append([]string{"for-each-ref", "--format=" + listFormat}, patterns...)...))
	if err != nil {
		return func() listing { return listing{} }
	}
	return func() listing {
		out, words, err := child.Wait()
		if err != nil || words != "" {
			return listing{}
		}
		return parseListing(string(out))
	}
}

// parseListing reads what git printed by listFormat.
func parseListing(out string) listing {
	l := listing{names: map[string]bool{}}
	for len(out) > 0 {
		ref, rest, ok := cutListed(out)
		if !ok {
			return listing{}
		}
		l.refs, l.names[ref.name], out = append(l.refs, ref), true, rest
	}
	l.whole = true
	return l
}

// cutListed reads one record; it is not ok when that is short or of another size
// than it says.
func cutListed(out string) (ref listedRef, rest string, ok bool) {
	var size string
	for _, field := range []*string{&ref.name, &ref.id, &ref.kind, &ref.symref, &ref.tree, &ref.parents, &ref.at, &size} {
		if *field, out, ok = strings.Cut(out, "\x00"); !ok {
			return ref, "", false
		}
	}
	n, err := strconv.Atoi(size)
	if err != nil || n < 0 || len(out) < n+1 || out[n] != '\n' {
		return ref, "", false
	}
	ref.msg = out[:n]
	return ref, out[n+1:], true
}

func (l listedRef) raw() rawTip {
	return rawTip{id: l.id, kind: l.kind, symref: l.symref, tree: l.tree, parents: strings.Fields(l.parents), at: unixTime(l.at), msg: l.msg}
}

// whole reads a listing that may hold more than the patterns ask for. It is
// not ok when it may also hold less. The loose refs are looked at while git
// still runs: one that breaks later was sound, or not there, when the read began.
func (r *Repo) whole(ctx context.Context, wait func() listing, patterns []string, name func(string) (string, bool)) (tips []Tip, ok bool) {
	loose, err := r.looseRefs(patterns)
	l := wait()
	if !l.whole || err != nil || len(unlisted(loose, l.names)) > 0 {
		return nil, false
	}
	objects := r.objects() // large payloads are read through one git, if there are any
	defer objects.Close()
	for _, listed := range l.refs {
		if !below(patterns, listed.name) {
			continue
		}
		if ref, ok := name(listed.name); ok {
			tips = append(tips, tipFrom(ctx, objects, ref, listed.raw()))
		}
	}
	return tips, true
}

// rawTip is a ref as git printed it.
type rawTip struct {
	id, kind, symref, tree string
	parents                []string
	at                     time.Time
	msg                    string
}

func tipFrom(ctx context.Context, objects *objectReader, ref string, raw rawTip) Tip {
	t := Tip{Ref: ref}
	id, ok := ParseOID(raw.id)
	if t.ID = id; !ok {
		t.Err = fmt.Errorf("%w: %s names no object", ErrBroken, ref)
		return t
	}
	if !strings.HasPrefix(ref, "refs/dos/") {
		return t
	}
	if raw.symref != "" {
		t.Err = fmt.Errorf("%w: %s is a symbolic ref", ErrBroken, ref)
		return t
	}
	if raw.kind != "commit" || len(raw.parents) > 1 {
		t.Err = fmt.Errorf("%w: %s does not hold an entry of git-dos", ErrBroken, ref)
		return t
	}
	if len(raw.parents) == 1 {
		t.Parent = OID(raw.parents[0])
	}
	var external bool
	if t.Entry, external, t.Err = parseMessage(ref, raw.msg); t.Err == nil && external {
		t.Entry.Payload, t.Err = objects.payload(ctx, ref, OID(raw.tree))
	}
	t.Entry.At = raw.at
	return t
}

// listOneByOne is the slow, careful form of list.
func (r *Repo) listOneByOne(ctx context.Context, patterns []string, name func(string) (string, bool)) ([]Tip, error) {
	out, err := r.Git.Output(ctx, append([]string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)"}, patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("read refs: %w", err)
	}
	objects := r.objects()
	defer objects.Close()
	var tips []Tip
	listed := map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\n"), "\n") {
		f := strings.Split(line, "\x00")
		if len(f) != 3 {
			continue
		}
		listed[f[0]] = true
		if ref, ok := name(f[0]); ok {
			tips = append(tips, r.tipOf(ctx, objects, ref, f[1], f[2]))
		}
	}
	loose, err := r.looseRefs(patterns)
	if err != nil {
		return nil, fmt.Errorf("read refs: %w", err)
	}
	for _, full := range unlisted(loose, listed) {
		if ref, ok := name(full); ok && r.brokenLoose(full) {
			tips = append(tips, Tip{Ref: ref, Err: fmt.Errorf("%w: %s is empty or malformed", ErrBroken, full)})
		}
	}
	return tips, nil
}

func (r *Repo) tipOf(ctx context.Context, objects *objectReader, ref, id, symref string) Tip {
	raw := rawTip{id: id, symref: symref, kind: "commit"}
	if !strings.HasPrefix(ref, "refs/dos/") || symref != "" {
		return tipFrom(ctx, objects, ref, raw)
	}
	c, err := objects.commit(ctx, OID(id))
	if err != nil {
		return Tip{Ref: ref, ID: OID(id), Err: fmt.Errorf("%w: %s: %w", ErrBroken, ref, err)}
	}
	raw.tree, raw.at, raw.msg = string(c.tree), c.at, c.message
	for _, p := range c.parents {
		raw.parents = append(raw.parents, string(p))
	}
	return tipFrom(ctx, objects, ref, raw)
}

// unlisted returns the loose refs that git has not listed.
func unlisted(loose []string, listed map[string]bool) []string {
	return slices.DeleteFunc(loose, func(ref string) bool { return listed[ref] })
}

// looseRefs names the loose ref files under patterns. It serves only to find
// refs that git passes over: a folder it cannot read is an error here, and
// empty to git.
func (r *Repo) looseRefs(patterns []string) ([]string, error) {
	var refs []string
	for _, p := range patterns {
		path := filepath.Join(r.CommonDir, filepath.FromSlash(p))
		if !strings.HasSuffix(p, "/") {
			if st, err := os.Lstat(path); err == nil && !st.IsDir() {
				refs = append(refs, p)
			}
			continue
		}
		files, err := os.ReadDir(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, f := range files {
			if name := f.Name(); !f.IsDir() && name[0] != '.' && !strings.HasSuffix(name, ".lock") {
				refs = append(refs, p+name)
			}
		}
	}
	return refs, nil
}

// brokenLoose reports whether a loose ref stays empty or malformed while it is
// looked at three times; a ref created a moment ago is neither.
func (r *Repo) brokenLoose(ref string) bool {
	path := filepath.Join(r.CommonDir, filepath.FromSlash(ref))
	for range 3 {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return false
		}
		b, err := os.ReadFile(path)
		if id, ok := ParseOID(strings.TrimSpace(string(b))); ok && err == nil && len(id) == r.Format.hexLen() {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
	return true
}
