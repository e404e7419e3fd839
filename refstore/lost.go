package refstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore/git"
)

// remember lists the mirror before a fetch prunes it and keeps the list in a
// file until the fetch has been looked at, so that a crash in between does not
// make a lost ref look as if it had never been. It returns what was known of
// the kinds of q.
func (a *Remote) remember(ctx context.Context, q Query) (map[string]OID, error) {
	if len(q.Kinds) == 0 {
		return nil, nil
	}
	var patterns []string
	for _, k := range q.Kinds {
		patterns = append(patterns, a.mirror+k+"/")
	}
	out, err := a.repo.Git.Output(ctx, append([]string{"for-each-ref", "--format=%(refname) %(objectname)"}, patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("read the mirror of %s: %w", a.name, err)
	}
	known, err := a.remembered()
	if err != nil {
		return nil, err
	}
	maps.Copy(known, a.parseKnown(out))
	return ofKinds(known, q.Kinds), a.keep(known)
}

// remembered reads what remember has kept, by local names.
func (a *Remote) remembered() (map[string]OID, error) {
	b, err := os.ReadFile(filepath.Join(a.repo.CommonDir, "dos", a.stateName("before")))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what %s had: %w", a.name, err)
	}
	return a.parseKnown(b), nil
}

func (a *Remote) parseKnown(b []byte) map[string]OID {
	known := map[string]OID{}
	for line := range strings.SplitSeq(string(b), "\n") {
		ref, id, _ := strings.Cut(line, " ")
		name, mine := strings.CutPrefix(ref, a.mirror)
		if oid, ok := ParseOID(id); mine && ok {
			known["refs/dos/"+name] = oid
		}
	}
	return known
}

// keep replaces the file of remember as a whole.
func (a *Remote) keep(known map[string]OID) error {
	path, err := a.repo.SharedFile(a.stateName("before"))
	if err != nil {
		return err
	}
	if len(known) == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	var b strings.Builder
	for _, ref := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintln(&b, a.mirror+strings.TrimPrefix(ref, "refs/dos/"), known[ref])
	}
	if err := os.WriteFile(path+".new", []byte(b.String()), 0o666); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// forget drops the kinds of q from what is kept, once a read of them is whole.
func (a *Remote) forget(q Query) {
	known, err := a.remembered()
	if err != nil {
		return // what is kept only repeats the check
	}
	for ref := range ofKinds(known, q.Kinds) {
		delete(known, ref)
	}
	_ = a.keep(known) // as above
}

func ofKinds(known map[string]OID, kinds []string) map[string]OID {
	some := map[string]OID{}
	for ref, id := range known {
		kind, _, _ := strings.Cut(strings.TrimPrefix(ref, "refs/dos/"), "/")
		if slices.Contains(kinds, kind) {
			some[ref] = id
		}
	}
	return some
}

// lost lists what the remote had and has no more: refs that are gone, and refs
// that stand at a commit which does not build on what they held. Every move of
// a dos ref is a fast-forward, so either means that somebody took state away. What
// was no entry of git-dos was never state of ours.
func (a *Remote) lost(ctx context.Context, before map[string]OID, now Snapshot) (lost []string, err error) {
	lost, err = a.gone(ctx, before, now)
	if len(lost) == 0 {
		return nil, err
	}
	objects := a.repo.objects()
	defer objects.Close()
	return slices.DeleteFunc(lost, func(ref string) bool { return objects.foreign(ctx, ref, before[ref]) }), err
}

// gone is lost, of whatever stood there.
func (a *Remote) gone(ctx context.Context, before map[string]OID, now Snapshot) (lost []string, err error) {
	var moved []string
	var in strings.Builder
	for _, ref := range slices.Sorted(maps.Keys(before)) {
		t := now.Tip(ref)
		switch {
		case t.Err != nil || t.ID == before[ref]:
		case t.ID == "":
			lost = append(lost, ref)
		default:
			moved = append(moved, ref)
			fmt.Fprintf(&in, "%s\n^%s\n", before[ref], t.ID)
		}
	}
	if len(moved) == 0 {
		return lost, nil
	}
	// Is any old tip reached by no new one? Chains share no commits, so one
	// question serves all of them; what it answers in doubt is asked singly.
	out, _, err := a.repo.Git.Run(ctx, git.Call{Args: []string{"rev-list", "--max-count=1", "--ignore-missing", "--stdin"}, Stdin: strings.NewReader(in.String())})
	if err != nil || len(out) == 0 {
		return lost, err
	}
	for _, ref := range moved {
		built, err := a.repo.IsAncestor(ctx, before[ref], now.Tip(ref).ID)
		if err != nil {
			return lost, err
		}
		if !built {
			lost = append(lost, ref)
		}
	}
	return lost, nil
}

// foreign reports whether a commit is surely no entry of the ref, of whichever
// version: somebody put it there by hand.
func (o *objectReader) foreign(ctx context.Context, ref string, id OID) bool {
	kind, _, err := o.get(ctx, string(id))
	if err != nil {
		return false // what is not here any more may have been an entry
	}
	if kind != "commit" {
		return true
	}
	c, err := o.commit(ctx, id)
	if err != nil {
		return false
	}
	_, _, err = parseMessage(ref, c.message)
	return errors.Is(err, ErrBroken)
}

// restore puts lost refs back into the mirror as they were, so that the next
// read reports them too.
func (a *Remote) restore(ctx context.Context, q Query, before map[string]OID, now Snapshot, lost []string) error {
	var moves []Move
	for _, ref := range lost {
		moves = append(moves, Move{Ref: a.mirror + strings.TrimPrefix(ref, "refs/dos/"), Expect: now.Tip(ref).ID, New: before[ref]})
	}
	_, _, err := a.repo.Git.Run(ctx, git.Call{Args: []string{"update-ref", "--stdin"}, Stdin: strings.NewReader(updateRefScript(a.repo.Format, moves))})
	if err == nil {
		a.forget(q)
	}
	e := &LostStateError{Remote: a.name, Refs: lost, Had: map[string]OID{}, Has: map[string]OID{}}
	for _, ref := range lost {
		e.Had[ref], e.Has[ref] = before[ref], now.Tip(ref).ID
	}
	return errors.Join(e, err)
}
