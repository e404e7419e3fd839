package receive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

func compare(a, b string) int { return cmp.Compare(a, b) }

// A chainEntry is one entry that a push puts on a ref.
type chainEntry struct {
	refstore.Tip
	files []string // in its tree
}

// maxEntries bounds the entries that one push puts on one ref.
const maxEntries = 200_000

const orderRef = "refs/dos/order/grants"

// one judges a ref of git-dos by itself, and keeps what is to be judged with others.
func (j *judge) one(ctx context.Context, u hooks.Update) *Finding {
	ref := j.rules.local(u.Ref)
	name, ok := refstore.SplitRef(ref)
	kept := ok && slices.Contains([]string{"lane", "order", "node", "journal", "queue", "meta"}, name.Kind)
	switch {
	case ok && name.Kind == "meta" && strings.HasPrefix(name.Leaf, refstore.ProbePrefix):
		return j.probe(ctx, u)
	case u.Deletes():
		return &Finding{Token: Deletion, Reason: "refs of git-dos are never deleted: what they hold would read as nothing", Fix: "release lanes with git dos lease; a ref that is only in the way is for whoever keeps the repository to remove"}
	case !kept, name.Kind == "order" && ref != orderRef:
		return &Finding{Token: UnknownRef, Reason: "this is no ref that is kept on a server", Fix: "push no refs of git-dos by hand, and not with --mirror; git dos sync publishes what belongs here"}
	case name.Kind == "meta" && !u.Creates():
		return &Finding{Token: FormatFixed, Reason: "it says whose these refs are, and is made once", Fix: "another fleet needs another repository or another [fleet] prefix"}
	}
	added, f := j.added(ctx, ref, u)
	if f != nil {
		return f
	}
	switch name.Kind {
	case "lane":
		j.lanes[ref] = added
	case "order":
		j.order = added
	case "meta":
		return metaOf(added)
	}
	return nil
}

// probe judges a scratch ref of git dos doctor, which makes it, moves it and takes it
// away again. Nobody reads what it holds.
func (j *judge) probe(ctx context.Context, u hooks.Update) *Finding {
	if u.Creates() || u.Deletes() {
		return nil
	}
	builds, err := j.repo.IsAncestor(ctx, refstore.OID(u.Old), refstore.OID(u.New))
	switch {
	case err != nil:
		f := unjudged("", err)
		return &f
	case !builds:
		return rewound(u)
	}
	return nil
}

func rewound(u hooks.Update) *Finding {
	return &Finding{Token: Rewind, Reason: fmt.Sprintf("%.12s does not build on %.12s, which is there", u.New, u.Old), Fix: "run the command again: it decides on what is there now"}
}

// added walks from the new tip to the old one and returns what is between, oldest
// first.
func (j *judge) added(ctx context.Context, ref string, u hooks.Update) (added []chainEntry, f *Finding) {
	for id := refstore.OID(u.New); string(id) != u.Old; {
		if id == "" {
			return nil, rewound(u)
		}
		if len(added) == maxEntries {
			f := unjudged(ref, fmt.Errorf("the push puts more than %d entries on it", maxEntries))
			return nil, &f
		}
		t, files, err := j.entries.Bare(ctx, ref, id)
		if err != nil {
			return nil, entryFinding(ctx, err)
		}
		if f := bare(ref, t, files); f != nil {
			return nil, f
		}
		added = append(added, chainEntry{t, files})
		id = t.Parent
	}
	slices.Reverse(added)
	return added, nil
}

func entryFinding(ctx context.Context, err error) *Finding {
	f := Finding{Token: NotAnEntry, Reason: err.Error(), Fix: "push nothing to it that git dos has not made"}
	switch {
	case ctx.Err() != nil:
		f = unjudged("", context.Cause(ctx))
	case errors.Is(err, refstore.ErrFormat):
		f.Token, f.Fix = NewerFormat, "install the newer git-dos where the hook runs"
	case !errors.Is(err, refstore.ErrBroken):
		f = unjudged("", err)
	}
	return &f
}

// bare refuses files in the tree of an entry that is none to have them.
func bare(ref string, t refstore.Tip, files []string) *Finding {
	if t.Entry.Op == refstore.OpCheckpoint || strings.HasPrefix(ref, "refs/dos/queue/") {
		return nil
	}
	for _, file := range files {
		if file != "payload.json.zst" {
			return &Finding{Token: NotAnEntry, Reason: fmt.Sprintf("entry %s has %.100q in its tree, where an entry has nothing", t.ID.Short(), file), Fix: "push nothing to it that git dos has not made"}
		}
	}
	return nil
}

// metaOf holds the first entry of meta/format to the layout that is known.
func metaOf(added []chainEntry) *Finding {
	var m admit.Meta
	if len(added) != 1 || json.Unmarshal(added[0].Entry.Payload, &m) != nil || m.V < 1 {
		return &Finding{Token: BadRecord, Reason: "it does not say which layout the refs follow", Fix: "git dos init --remote makes it"}
	}
	if m.V > admit.LayoutVersion {
		return &Finding{Token: NewerFormat, Reason: fmt.Sprintf("it is of layout %d, and %d is known here", m.V, admit.LayoutVersion), Fix: "install the newer git-dos where the hook runs"}
	}
	return nil
}

// recordFinding is a record of a chain that cannot be read.
func recordFinding(ref string, err error) Finding {
	if errors.Is(err, lease.ErrRecord) {
		return Finding{Token: BadRecord, Ref: ref, Reason: err.Error(), Fix: "move lanes with git dos lease, never by hand"}
	}
	return unjudged(ref, err)
}
