package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// NamedNode is the node that the environment names, "" for none. It outranks git
// config dos.node.
func NamedNode() string { return cmp.Or(os.Getenv("GIT_DOS_NODE"), os.Getenv("DISPATCH_HOST_ID")) }

// owns reports whether this repository writes under the name of a node, or may:
// settings that cannot be read say nothing.
func owns(repo *refstore.Repo, node string) bool {
	if id := NamedNode(); id != "" {
		return id == node
	}
	c, err := repo.Config()
	return err != nil || c.Get("dos.node") == node
}

// An Aside is what this repository's own ref of a node holds from when it went by
// that node's name, and the remote's has not. Nothing of it counts.
type Aside struct {
	Node   string
	Ref    string
	ID     refstore.OID // where the ref stands
	Remote string       // whose ref counts
	Tip    refstore.OID // where that stands
	Rows   uint64       // that are here alone, 0 when that cannot be told, and for a record
}

func (a Aside) String() string {
	what := "entries"
	if a.Rows > 0 {
		what = fmt.Sprintf("%d rows", a.Rows)
	}
	if a.Rows == 1 {
		what = "1 row"
	}
	return fmt.Sprintf("holds %s from when this clone was node %s, which %s has not got; nothing is decided by that", what, a.Node, a.Remote)
}

// Drop is the command that gives up what is here alone.
func (a Aside) Drop() string { return fmt.Sprintf("git update-ref %s %s %s", a.Ref, a.Tip, a.ID) }

// Keep is Drop behind a command that keeps it on a ref nobody reads.
func (a Aside) Keep() string {
	kept := "refs/dos-kept/" + strings.TrimPrefix(a.Ref, "refs/dos/") + "/" + a.ID.Short()
	return fmt.Sprintf("git update-ref %s %s && %s", kept, a.ID, a.Drop())
}

// Asides finds what is set aside, of ledgers and of records, by node. The error
// is an *UnreadError for nodes that have two of either, of which one is this
// repository's to write; any other error means that nothing is known.
func Asides(ctx context.Context, repo *refstore.Repo, nodes []string, remotes []*refstore.Remote) ([]Aside, error) {
	c := &commits{repo: repo}
	defer c.close()
	var found []Aside
	var forked []*NodeError
	for _, kind := range []string{journalKind, nodeKind} {
		all, _, err := sources(ctx, repo, kind, nodes, remotes)
		if err != nil {
			return nil, err
		}
		for _, src := range all {
			tip, err := src.newer(ctx, repo)
			switch {
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case errors.Is(err, ErrForked):
				forked = append(forked, c.nodeError(ctx, src, err))
			case tip.aside != "":
				found = append(found, c.aside(ctx, src, tip))
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Aside) int { return strings.Compare(a.Node, b.Node) })
	if forked != nil {
		return found, &UnreadError{forked}
	}
	return found, nil
}

func (c *commits) aside(ctx context.Context, src source, tip place) Aside {
	a := Aside{Node: src.node, Ref: tip.Ref, ID: tip.aside, Remote: tip.remote, Tip: tip.ID}
	here := c.good(ctx, a.Ref, a.ID)
	base, err := base(ctx, c.repo, a.ID, a.Tip)
	if here == nil || err != nil {
		return a
	}
	a.Rows = here.Seq
	if base != "" {
		common := c.good(ctx, a.Ref, base)
		if common == nil || common.Seq > here.Seq {
			common = here
		}
		a.Rows -= common.Seq
	}
	return a
}

// base is the newest entry that two chains have in common, "" for none.
func base(ctx context.Context, repo *refstore.Repo, a, b refstore.OID) (refstore.OID, error) {
	out, err := repo.Git.Output(ctx, "merge-base", string(a), string(b))
	var g *git.Error
	if errors.As(err, &g) && g.Code == 1 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	id, _ := refstore.ParseOID(strings.TrimSpace(string(out)))
	return id, nil
}
