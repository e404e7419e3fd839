package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/git"
)

// A GcRequest asks for a repository to be tidied.
type GcRequest struct {
	Node   string // whose ledger and record to compact, "" for none
	Keep   policy.Retention
	Now    time.Time
	Fold   Fold // of the ledger
	DryRun bool // say what is due and change nothing
}

// A Tidied says what gc did, or with a dry run what it would do.
type Tidied struct {
	Due     Due          // of the ledger
	Journal refstore.OID // the CHECKPOINT of the ledger, "" for none
	Node    refstore.OID // the CHECKPOINT of the record's chain, "" for none
	Before  Objects
	After   Objects
	Advice  []string // what git-dos leaves to the user
}

// Objects is what git count-objects says of a repository.
type Objects struct {
	Loose    int64 // how many
	LooseKiB int64
	Packs    int64
	PacksKiB int64
}

// KiB is the size of all.
func (o Objects) KiB() int64 { return o.LooseKiB + o.PacksKiB }

// Gc compacts the ledger and the record's chain of a node where that is due,
// and has git put loose objects into packs. Nothing is dropped: git removes
// only loose copies of what is packed.
func Gc(ctx context.Context, repo *refstore.Repo, req GcRequest) (done Tidied, err error) {
	if done.Before, err = countObjects(ctx, repo); err != nil {
		return done, err
	}
	if req.Node != "" {
		if err := done.compact(ctx, repo, req); err != nil {
			return done, err
		}
	}
	if !req.DryRun {
		if err := packLoose(ctx, repo); err != nil {
			return done, err
		}
	}
	if done.After, err = countObjects(ctx, repo); err != nil {
		return done, err
	}
	done.Advice, err = advice(ctx, repo, done.After)
	return done, err
}

func (t *Tidied) compact(ctx context.Context, repo *refstore.Repo, req GcRequest) (err error) {
	if req.Fold == nil {
		return errors.New("gc: no fold for the ledger of node " + req.Node)
	}
	if t.Due, err = DueFor(ctx, repo, req.Node, req.Keep, req.Now); err != nil {
		return err
	}
	if t.Due.Reason != "" && !req.DryRun {
		if t.Journal, err = Compact(ctx, repo, req.Node, req.Now, req.Fold); err != nil {
			return err
		}
	}
	due, err := nodeDue(ctx, repo, req)
	if err != nil || !due || req.DryRun {
		return err
	}
	t.Node, err = compactNode(ctx, repo, req.Node, req.Now)
	return err
}

// nodeDue reports whether a checkpoint of the record's chain is due.
func nodeDue(ctx context.Context, repo *refstore.Repo, req GcRequest) (bool, error) {
	target, err := refOf(nodeKind, req.Node)
	if err != nil {
		return false, err
	}
	s, err := repo.Local().Read(ctx, refstore.Query{Kinds: []string{nodeKind}})
	if err != nil {
		return false, err
	}
	tip := s.Tip(target)
	c := &commits{repo: repo}
	defer c.close()
	rows, oldest := uint64(0), req.Now
	for tip.Err == nil && tip.ID != "" && tip.Entry.Op != refstore.OpCheckpoint {
		rows, oldest = rows+1, tip.Entry.At
		if dueReason(rows, 0, req.Keep) != "" {
			return true, nil
		}
		if tip.Parent == "" {
			break
		}
		if tip, err = c.entry(ctx, target, tip.Parent); err != nil {
			return false, err
		}
	}
	return rows > 0 && dueReason(rows, req.Now.Sub(oldest), req.Keep) != "", tip.Err
}

// compactNode adds a CHECKPOINT to the chain of a node's record, which goes on
// as it is.
func compactNode(ctx context.Context, repo *refstore.Repo, node string, now time.Time) (refstore.OID, error) {
	target, err := refOf(nodeKind, node)
	if err != nil {
		return "", err
	}
	u, err := repo.Compact(ctx, repo.Local(), target, now.UTC().Truncate(time.Second), func(tip refstore.Tip) refstore.Folded {
		return refstore.Folded{Gen: tip.Entry.Gen, Payload: tip.Entry.Payload}
	})
	if err != nil || len(u.Wrote) == 0 {
		return "", err
	}
	return u.Wrote[0].New, nil
}

// maxRounds bounds how often git is asked to pack. Each time it removes what it
// packed the time before, and packs some tens of thousands at most.
const maxRounds = 20

func packLoose(ctx context.Context, repo *refstore.Repo) error {
	last := int64(-1)
	for range maxRounds {
		if _, err := repo.Git.Output(ctx, "maintenance", "run", "--quiet", "--task=loose-objects"); err != nil {
			return fmt.Errorf("pack loose objects: %w", err)
		}
		now, err := countObjects(ctx, repo)
		if err != nil || now.Loose == 0 || now.Loose == last {
			return err
		}
		last = now.Loose
	}
	return nil
}

func countObjects(ctx context.Context, repo *refstore.Repo) (o Objects, err error) {
	out, err := repo.Git.Output(ctx, "count-objects", "-v")
	if err != nil {
		return o, fmt.Errorf("count objects: %w", err)
	}
	fields := map[string]*int64{"count": &o.Loose, "size": &o.LooseKiB, "packs": &o.Packs, "size-pack": &o.PacksKiB}
	for line := range bytes.Lines(out) {
		key, value, _ := strings.Cut(string(bytes.TrimSpace(line)), ": ")
		if to := fields[key]; to != nil {
			if *to, err = strconv.ParseInt(value, 10, 64); err != nil {
				return o, fmt.Errorf("count objects: %s: %w", key, err)
			}
		}
	}
	return o, nil
}

// manyPacks is how many packs slow git down.
const manyPacks = 50

// advice is what the user may want to do about what is left.
func advice(ctx context.Context, repo *refstore.Repo, now Objects) (all []string, err error) {
	out, err := repo.Git.Output(ctx, "config", "--type=bool", "--get", "gc.cruftPacks")
	if err != nil && git.Code(err) != 1 { // 1 is unset
		return nil, fmt.Errorf("gc.cruftPacks: %w", err)
	}
	switch strings.TrimSpace(string(out)) {
	case "true":
	case "false":
		all = append(all, "git gc is told not to keep unreachable entries in a cruft pack and turns them back into one loose file each: git config gc.cruftPacks true")
	default:
		all = append(all, "before git 2.41, git gc turns unreachable entries back into one loose file each unless it keeps them in a cruft pack: git config gc.cruftPacks true (needs git 2.37)")
	}
	if now.Packs > manyPacks {
		all = append(all, fmt.Sprintf("there are %d packs: git maintenance run --task=incremental-repack joins them", now.Packs))
	}
	return all, nil
}
