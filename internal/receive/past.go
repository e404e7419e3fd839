package receive

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// reached tells of every SHIP entry of the push whether what it names is on the
// branch it names, once the push has landed. A commit that is not here is not.
func (j *judge) reached(ctx context.Context, lanes map[string][]lease.LaneEntry, others []hooks.Update) (map[lease.Reach]bool, error) {
	reached := map[lease.Reach]bool{}
	if j.blind() {
		return reached, nil
	}
	for _, added := range lanes {
		for _, e := range added {
			if e.Record.Ship == nil {
				continue
			}
			at := lease.Reach{Ref: e.Record.Ship.Ref, Commit: e.Record.Ship.New}
			if _, known := reached[at]; !known {
				var err error
				if reached[at], err = j.on(ctx, at, others); err != nil {
					return nil, err
				}
			}
		}
	}
	return reached, nil
}

// on reports whether a commit is on a branch as it is after the push.
func (j *judge) on(ctx context.Context, at lease.Reach, others []hooks.Update) (bool, error) {
	commit, ok := refstore.ParseOID(at.Commit)
	if !ok || !strings.HasPrefix(at.Ref, "refs/heads/") || !hooks.ValidRef(at.Ref) {
		return false, nil
	}
	tip, moved := refstore.OID(""), false
	for _, u := range others {
		if u.Ref == at.Ref {
			tip, moved = refstore.OID(u.New), true
		}
	}
	if !moved {
		var err error
		if tip, err = j.repo.RefID(ctx, at.Ref); err != nil {
			return false, err
		}
	}
	if tip == "" || tip == commit {
		return tip == commit, nil
	}
	if _, err := j.entries.Commit(ctx, commit); err != nil {
		return false, ctx.Err()
	}
	return j.repo.IsAncestor(ctx, commit, tip)
}

// packs holds a checkpoint to the rows before it: what it packs is what a reader of
// history takes for them.
func (j *judge) packs(ctx context.Context, ref string, e chainEntry) *Finding {
	if e.Entry.Op != refstore.OpCheckpoint {
		return nil
	}
	packed, err := j.rows(ctx, ref, e.ID)
	if err != nil {
		return entryFinding(ctx, err)
	}
	before, err := j.rows(ctx, ref, e.Parent)
	if err != nil {
		return entryFinding(ctx, err)
	}
	if packed != before {
		return &Finding{Token: ForgedPast, Ref: ref, Reason: fmt.Sprintf("checkpoint %s packs other rows than those before it", e.ID.Short()), Fix: "git dos gc makes checkpoints"}
	}
	return nil
}

// rows is a digest of every row at or below a tip.
func (j *judge) rows(ctx context.Context, ref string, tip refstore.OID) (digest string, err error) {
	h := sha256.New()
	err = j.repo.Chain(ctx, ref, tip, func(t refstore.Tip) bool {
		fmt.Fprintf(h, "%s %s %q %d %d %q %d ", t.ID, t.Parent, t.Entry.Op, t.Entry.Gen, t.Entry.At.Unix(), t.Entry.Attempt, len(t.Entry.Payload))
		h.Write(t.Entry.Payload)
		return true
	})
	return string(h.Sum(nil)), err
}
