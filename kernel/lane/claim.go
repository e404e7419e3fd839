package lane

import (
	"fmt"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Request is what a worker asks for, as it came.
type Request struct {
	Lane string
	Kind string   // empty, cluster, keyword, global or an exclusive lane's name
	Tree []string // empty: the declared tree
}

// A Claim is a request read against the taxonomy: what a lease would record.
type Claim struct {
	Lane      string   // canonical, aliases resolved
	Kind      string   // the decided kind
	Tree      []string // cleaned; empty only for a reserved lane
	Exclusive bool
	Declared  bool
}

// Resolve reads a request before any lease is looked at. When ok is false,
// no is the answer: a refusal (unknown lane, unknown tree, tree outside the
// lane), or no verdict where the request or the taxonomy is malformed.
func Resolve(req Request, lanes Taxonomy) (c Claim, no Verdict, ok bool) {
	r, err := lanes.Roster()
	if err != nil {
		return c, malformed(err), false
	}
	p, err := r.plead(req)
	if err != nil {
		return c, malformed(err), false
	}
	return p.Claim, p.no, p.no.Outcome == ""
}

// A plea is a request read against the taxonomy. When its region could not be
// settled, no is the refusal; the rest of the claim stands all the same.
type plea struct {
	Claim
	asked Request // the lane and the kind that were asked for, canonical
	no    Verdict
}

// plead reads a request. Its error says that the request is malformed.
func (r Roster) plead(req Request) (plea, error) {
	name, kind, err := r.words(req)
	if err != nil {
		return plea{}, err
	}
	tree, err := CleanTree(req.Tree)
	if err != nil {
		return plea{}, err
	}
	p := plea{asked: Request{Lane: req.Lane, Kind: kind, Tree: tree}}
	if Reserved(name) {
		if len(tree) > 0 || kind != "" {
			return plea{}, fmt.Errorf("lane %q is reserved: it takes no tree and no kind", name)
		}
		p.Claim = Claim{Lane: name, Kind: Cluster, Tree: tree}
		return p, nil
	}
	p.Claim = Claim{
		Lane:      name,
		Exclusive: r.excludes(name, kind),
		Declared:  r.declared(name),
	}
	p.Kind = r.decide(p.Claim, kind)
	p.Tree, p.no = r.claimTree(p.Claim, tree)
	return p, nil
}

// words returns the canonical lane and kind of a request.
func (r Roster) words(req Request) (name, kind string, err error) {
	if req.Kind != "" {
		if kind, err = r.kind(req.Kind); err != nil {
			return "", "", err
		}
	}
	name = req.Lane
	if name == "" && (kind == Global || r.exclusive[kind]) {
		name = kind
	}
	if name == "" {
		return "", "", fmt.Errorf("no lane named: say which with --lane")
	}
	name, err = r.canonical(name)
	return name, kind, err
}

// decide returns the kind a lease records. It is never the asked-for word
// where that would hide that the lease excludes others.
func (r Roster) decide(c Claim, kind string) string {
	switch {
	case r.exclusive[c.Lane]:
		return c.Lane
	case c.Exclusive:
		return kind
	case kind == Keyword || !c.Declared:
		return Keyword
	}
	return Cluster
}

// claimTree settles the region. An explicit tree narrows a declared one; a
// lane that is not declared lives by its explicit tree alone.
func (r Roster) claimTree(c Claim, asked []string) (tree []string, no Verdict) {
	declared := r.trees[c.Lane]
	if len(declared) == 0 && c.Exclusive && c.Declared {
		declared = []string{universal}
	}
	switch {
	case !c.Declared && len(asked) == 0:
		return nil, refuse(UnknownLane, "lane "+verdict.Show(c.Lane)+" is not declared in dos.toml: declare it, or give --tree")
	case len(asked) == 0 && len(declared) == 0:
		return nil, refuse(UnknownTree, "lane "+verdict.Show(c.Lane)+" has no tree: declare one in dos.toml, or give --tree")
	case len(asked) == 0:
		return declared, no
	}
	if len(declared) > 0 && !NewScope(declared).holdsAll(asked) {
		return nil, outsideLane(asked, c.Lane, declared)
	}
	return asked, no
}

func outsideLane(tree []string, lane string, declared []string) Verdict {
	return refuse(TreeOutsideLane, fmt.Sprintf("tree %s is not within lane %s, which is %s",
		showAll(tree), verdict.Show(lane), showAll(declared)))
}

func selfModifying(tree, hits []string) Verdict {
	return refuse(SelfModify, "tree "+showAll(tree)+" holds what decides admission: "+showAll(hits))
}
