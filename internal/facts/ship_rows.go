package facts

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/git-dos/git-dos/internal/shipindex"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// rowsVersion changes whenever rowOf does, so that no row of an older reading
// is taken for one of this.
const rowsVersion = 4

// eachRow yields the rows that may name a unit: out of the index as far as it
// reaches, the rest by a walk that extends it and yields every row. A history
// that is cut short is always walked.
func (s *shipSearch) eachRow(ctx context.Context, yield func(shipindex.Row)) error {
	if s.scope.Cold || s.repo.Shallow {
		return s.coldRows(ctx, nil, "", yield)
	}
	x := shipindex.Open(filepath.Join(s.repo.CommonDir, "dos", "index"), indexKey(s.repo, s.policy.Stamp))
	base := s.tip
	if !x.Have(s.tip) {
		var err error
		if base, err = s.indexedAncestor(ctx, x); err != nil {
			return err
		}
		if err := s.coldRows(ctx, x, base, yield); err != nil {
			return err
		}
	}
	if base == "" {
		return nil
	}
	s.index, s.indexed = x, base
	return s.rows(base, s.wanted(), yield)
}

// rows yields those rows below tip in the index that q wants.
func (s *shipSearch) rows(tip refstore.OID, q shipindex.Query, yield func(shipindex.Row)) error {
	for r, err := range s.index.Search(tip, q) {
		if err != nil {
			return err
		}
		yield(r)
	}
	return nil
}

func indexKey(repo *refstore.Repo, stamp policy.Stamp) shipindex.Key {
	grammar, _ := json.Marshal(struct {
		Version int
		Stamp   policy.Stamp
	}{rowsVersion, stamp})
	return shipindex.Key{Format: repo.Format, Digest: sha256.Sum256(grammar)}
}

// wanted are the rows that may matter to a unit.
func (s *shipSearch) wanted() shipindex.Query {
	var q shipindex.Query
	for _, u := range s.units {
		q.Any = append(q.Any, u.needles...)
		for id := range u.recorded {
			q.IDs = append(q.IDs, id)
		}
	}
	return q
}

// indexedAncestor is the newest tip in the index that the tip descends from,
// "" without one.
func (s *shipSearch) indexedAncestor(ctx context.Context, x *shipindex.Index) (refstore.OID, error) {
	for _, old := range x.Candidates() {
		reached, err := ancestry.ReachesAll(ctx, s.repo.Git, s.tip, []refstore.OID{old})
		switch {
		case err == nil && reached:
			return old, nil
		case err != nil && !errors.Is(err, ancestry.ErrMissing):
			return "", err // an old tip that is gone from the repository is no ancestor
		}
	}
	return "", nil
}

// coldRows walks base..tip and writes it into the index x, unless that is nil
// or the history turns out to be cut short.
func (s *shipSearch) coldRows(ctx context.Context, x *shipindex.Index, base refstore.OID, yield func(shipindex.Row)) (err error) {
	keep := func(shipindex.Row) {}
	if x != nil {
		_, _ = s.repo.SharedFile("index") // makes the directory it stands in
		w := x.NewWriter(s.tip, base)
		defer w.Abort()
		keep = w.Add
		defer func() {
			if err == nil && len(s.boundary) == 0 {
				_ = w.Commit() // without an index the answer is the same
			}
		}()
	}
	read, usual := 0, debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	log := ancestry.Range(s.repo.Git, base, s.tip).ByDate()
	for c, err := range log.Commits(ctx) {
		if err != nil {
			return err
		}
		if read++; read == longWalk {
			debug.SetGCPercent(40)
		}
		r := rowOf(c, s.policy.Stamp).Folded() // both ask for its text
		keep(r)
		yield(r)
	}
	s.boundary = log.Boundary()
	return nil
}

// longWalk is how many commits make a walk long: from there on a lean heap is
// worth the few hundredths of its time that it costs.
const longWalk = 200_000

func unixTime(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
