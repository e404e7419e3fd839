package setup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

// dosKinds are the kinds of refs whose tips are read.
var dosKinds = []string{"meta", "lane", "order", "delegation", "node", "journal", "queue"}

// refs reports which refs of this repository cannot be read.
func (x *examiner) refs(ctx context.Context) {
	s, err := x.repo.Local().Read(ctx, refstore.Query{Kinds: dosKinds})
	if err != nil {
		x.unknown("REFS", err)
		return
	}
	total, bad := 0, 0
	for _, kind := range dosKinds {
		for _, tip := range s.List(kind) {
			total++
			if err := usable(tip); err != nil {
				bad++
				x.badRef(ctx, tip, err)
			}
		}
	}
	if bad == 0 {
		x.add(Check{ID: "REFS", Severity: OK, Target: "refs/dos", Detail: verdict.Count(total, "ref") + ", all readable"})
	}
}

// usable is the reason why a tip cannot be read as what it should be.
func usable(tip refstore.Tip) error {
	name, ok := refstore.SplitRef(tip.Ref)
	switch {
	case tip.Err != nil:
		return tip.Err
	case !ok:
		return fmt.Errorf("%w: %s is no name that git-dos gives", refstore.ErrBroken, tip.Ref)
	case name.Kind == "lane":
		chain, err := lane.Chain(name.Leaf)
		if err == nil {
			_, err = lease.ParseRecord(chain, tip.Entry.Gen, tip.Entry.Payload)
		}
		return err
	case name.Kind == "order":
		_, err := lease.ParseOrder(tip.Entry.Gen, tip.Entry.Payload)
		return err
	}
	return nil
}

func (x *examiner) badRef(ctx context.Context, tip refstore.Tip, cause error) {
	c := Check{ID: "BROKEN_REF", Severity: Error, Target: tip.Ref, Detail: cause.Error()}
	if errors.Is(cause, refstore.ErrFormat) {
		c.ID, c.Remedy = "FOREIGN_FORMAT", "update git-dos: a newer one has written it"
		x.add(c)
		return
	}
	switch good, err := x.lastGood(ctx, tip); {
	case err != nil:
		c.Detail += "; " + err.Error()
	case good != "":
		c.Detail += "; the last entry that can be read is " + string(good) + ", which can be put back when whoever wrote the rest agrees"
		c.Remedy = fmt.Sprintf("git update-ref %s %s %s", verdict.ShellWord(tip.Ref), good, tip.ID)
	case tip.ID == "":
		path := filepath.Join(x.repo.CommonDir, filepath.FromSlash(tip.Ref))
		c.Remedy = "look at " + verdict.ShellWord(path) + "; a clone that mirrors it may know what it was"
	default:
		c.Detail += "; no entry before it can be read"
		c.Remedy = "a clone that mirrors it below refs/dos/at/ may have what is missing"
	}
	x.add(c)
}

// maxBack is how many unreadable entries are passed on the way to a good one.
const maxBack = 100

// lastGood is the newest entry below a broken tip from which the chain can be
// read again, "" when there is none to be found.
func (x *examiner) lastGood(ctx context.Context, tip refstore.Tip) (refstore.OID, error) {
	id := tip.Parent
	if id == "" {
		id = x.parent(ctx, tip.ID)
	}
	for range maxBack {
		if id == "" {
			return "", nil
		}
		var bad error
		err := x.repo.Chain(ctx, tip.Ref, id, func(t refstore.Tip) bool {
			bad = usable(t)
			return false
		})
		if err == nil && bad == nil {
			return id, nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		id = x.parent(ctx, id)
	}
	return "", fmt.Errorf("none of the %d entries before it can be read", maxBack)
}

func (x *examiner) parent(ctx context.Context, id refstore.OID) refstore.OID {
	if id == "" {
		return ""
	}
	out, err := x.repo.Git.Output(ctx, "rev-parse", "--quiet", "--verify", string(id)+"^1")
	if err != nil {
		return ""
	}
	parent, _ := refstore.ParseOID(strings.TrimSpace(string(out)))
	return parent
}

// mirror reports what of a remote's refs, as last seen, cannot be read.
func (x *examiner) mirror(ctx context.Context, a *refstore.Remote) {
	s, err := a.Cached(ctx, refstore.Query{Kinds: dosKinds})
	if err != nil {
		x.unknown("REFS", err)
		return
	}
	for _, kind := range dosKinds {
		for _, tip := range s.List(kind) {
			err := usable(tip)
			switch {
			case err == nil, refstore.IsProbe(tip.Ref):
			case errors.Is(err, refstore.ErrFormat):
				x.add(Check{ID: "FOREIGN_FORMAT", Severity: Error, Target: a.Name() + " " + tip.Ref, Detail: err.Error(), Remedy: "update git-dos: a newer one has written it"})
			default:
				x.add(Check{ID: "BROKEN_REF", Severity: Error, Target: a.Name() + " " + tip.Ref, Detail: err.Error(), Remedy: "run git dos doctor in the remote's repository"})
			}
		}
	}
}
