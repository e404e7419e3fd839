package pushed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
	"github.com/git-dos/git-dos/refstore/git"
)

// Outgoing is what a pre-push brings to its remote: what the new ids reach, and
// neither what the remote had at these refs, where that is here, nor what the
// remote-tracking refs of it reach. A remote that is given by its address is the
// one that is configured with that address. Of a remote that nothing here knows
// of, neither an old id nor a ref of it, whatever any remote has counts as there.
func Outgoing(ctx context.Context, repo *refstore.Repo, p hooks.Push) (*History, error) {
	remotes, err := remotesOf(repo, p)
	if err != nil {
		return nil, err
	}
	var prefixes []string
	for _, name := range remotes {
		prefixes = append(prefixes, "refs/remotes/"+name+"/")
	}
	had := refsBelow(ctx, repo, prefixes...) // beside what is looked up first
	ends, err := endsOf(ctx, repo, p)
	there, refsErr := had()
	if err == nil {
		err = refsErr
	}
	if err != nil {
		return nil, err
	}
	if len(there) == 0 && len(ends.known) == 0 {
		if there, err = refsBelow(ctx, repo, "refs/remotes/")(); err != nil {
			return nil, err
		}
	}
	return ends.history(ctx, repo, append(ends.known, there...))
}

// Incoming is what a push brings to this repository, asked before its refs
// move: what the new ids reach and no ref here does. What the pusher says that a
// ref had counts for nothing, and so does what git-dos's own refs reach, those
// under prefix among them: no gate judges what comes to these.
func Incoming(ctx context.Context, repo *refstore.Repo, p hooks.Push, prefix string) (*History, error) {
	had := refsBut(ctx, repo, func(ref string) bool { return hooks.Update{Ref: ref}.Own(prefix) }, "refs/")
	ends, err := endsOf(ctx, repo, p)
	there, refsErr := had()
	if err == nil {
		err = refsErr
	}
	if err != nil {
		return nil, err
	}
	return ends.history(ctx, repo, there)
}

// ends are the commits that a push's ids name.
type ends struct {
	tips, known []refstore.OID
	refs        map[refstore.OID]string // the first that is to point at each tip
	leads       map[string]refstore.OID // the tip of each ref
	tags        []refstore.OID          // new ids that name tags
}

func (e ends) history(ctx context.Context, repo *refstore.Repo, known []refstore.OID) (*History, error) {
	h, err := Between(ctx, repo, e.tips, known)
	if err == nil {
		h.refs, h.leads = e.refs, e.leads
		h.tags, err = readTags(ctx, repo.Git, e.tags)
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// endsOf peels the ids of a push. A new one must be here; it names no commit
// where it is a tree or a blob, or a tag of one. An old one may be out of sight.
func endsOf(ctx context.Context, repo *refstore.Repo, p hooks.Push) (e ends, err error) {
	var news, refs, olds []string
	for _, u := range p.Updates {
		if u.New != "" {
			news, refs = append(news, u.New), append(refs, u.Ref)
		}
		if u.Old != "" {
			olds = append(olds, u.Old)
		}
	}
	found, err := peel(ctx, repo.Git, append(slices.Clone(news), olds...))
	if err != nil {
		return e, err
	}
	e.refs, e.leads = map[refstore.OID]string{}, map[string]refstore.OID{}
	for i, f := range found {
		if i < len(news) && f.kind != "" && string(f.id) != news[i] {
			e.tags = addNew(e.tags, refstore.OID(news[i]))
		}
		switch {
		case i < len(news) && f.kind == "":
			return e, fmt.Errorf("%w: %s, which is pushed, cannot be read", ancestry.ErrMissing, news[i])
		case f.kind != "commit":
		case i < len(news):
			e.tips, e.leads[refs[i]] = addNew(e.tips, f.id), f.id
			if e.refs[f.id] == "" {
				e.refs[f.id] = refs[i]
			}
		default:
			e.known = addNew(e.known, f.id)
		}
	}
	return e, nil
}

func addNew(ids []refstore.OID, id refstore.OID) []refstore.OID {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// A peeled object is what an id names behind its tags; the kind is "" for one
// that is not here.
type peeled struct {
	id   refstore.OID
	kind string
}

func peel(ctx context.Context, run git.Runner, ids []string) ([]peeled, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, _, err := run.Offline().Run(ctx, git.Call{
		Args:  []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"},
		Stdin: strings.NewReader(strings.Join(ids, "^{}\n") + "^{}\n"),
	})
	if err != nil {
		return nil, ancestry.Unreadable(ctx, "what is pushed", err)
	}
	answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(answers) != len(ids) {
		return nil, fmt.Errorf("%w: git cat-file answered %d of %d", ancestry.ErrMissing, len(answers), len(ids))
	}
	all := make([]peeled, len(ids))
	for i, line := range answers {
		name, kind, _ := strings.Cut(line, " ")
		if id, ok := refstore.ParseOID(name); ok && kind != "missing" {
			all[i] = peeled{id, kind}
		}
	}
	return all, nil
}

// refsBelow starts to list the commits that the refs below prefixes name; what it
// returns waits for them. Below none there is none.
func refsBelow(ctx context.Context, repo *refstore.Repo, prefixes ...string) func() ([]refstore.OID, error) {
	return refsBut(ctx, repo, func(string) bool { return false }, prefixes...)
}

// refsBut is refsBelow without the refs that skip is true of.
func refsBut(ctx context.Context, repo *refstore.Repo, skip func(ref string) bool, prefixes ...string) func() ([]refstore.OID, error) {
	if len(prefixes) == 0 {
		return func() ([]refstore.OID, error) { return nil, nil }
	}
	format := "--format=%(refname) %(objectname) %(objecttype) %(*objectname) %(*objecttype)"
	args := append([]string{"for-each-ref", format, "--"}, prefixes...)
	child, err := repo.Git.Offline().Start(ctx, git.Call{Args: args})
	return func() (ids []refstore.OID, _ error) {
		if err != nil {
			return nil, err
		}
		out, _, err := child.Wait()
		if err != nil {
			return nil, ancestry.Unreadable(ctx, "the refs below "+strings.Join(prefixes, " "), err)
		}
		seen := map[refstore.OID]bool{}
		for line := range strings.Lines(string(out)) {
			words := strings.Fields(line)
			if len(words) == 0 || skip(words[0]) {
				continue
			}
			for i := 2; i < len(words); i += 2 {
				if id, ok := refstore.ParseOID(words[i-1]); ok && words[i] == "commit" && !seen[id] {
					seen[id] = true
					ids = append(ids, id)
				}
			}
		}
		return ids, nil
	}
}

// remotesOf names the remotes here that a push goes to: the one it names, or
// those whose address it names.
func remotesOf(repo *refstore.Repo, p hooks.Push) ([]string, error) {
	conf, err := repo.Config()
	if err != nil {
		return nil, err
	}
	var at []string
	for _, name := range conf.Remotes() {
		if name == p.Remote {
			return []string{name}, nil
		}
		urls := append(conf.All("remote."+name+".url"), conf.All("remote."+name+".pushurl")...)
		if slices.Contains(urls, p.Remote) || slices.Contains(urls, p.URL) {
			at = append(at, name)
		}
	}
	return at, nil
}

// RemoteName is the name of the remote that a push goes to, or its address
// where it has no name here, or several.
func RemoteName(repo *refstore.Repo, p hooks.Push) (string, error) {
	names, err := remotesOf(repo, p)
	if err == nil && len(names) == 1 {
		return names[0], nil
	}
	return p.Remote, err
}
