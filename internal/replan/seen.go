package replan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/refstore"
)

// seenLayout names what a mark is made of; another meaning has another name.
const seenLayout = "git-dos replan seen 1"

// A Seen is a look that found nothing to do and left nothing to do, kept in this
// clone so that the same look need not be made again. It is a cache: without it
// everything is looked at.
type Seen struct {
	Mark    string    `json:"mark"` // what was looked at, see Mark
	At      time.Time `json:"at"`
	Quiet   int       `json:"quiet_total"`
	Outside int       `json:"outside"`
	Lines   int       `json:"unread_total"`

	Ref   string `json:"ref"`
	RefID string `json:"ref_id,omitempty"`
}

// Mark names everything that a look goes by that finds nothing to stamp: the
// build, the node, the lanes asked for, the trunk and its commit, the rules, and
// the tips of queue, lanes and ledgers, here and as last seen of the remote. Two
// looks of one mark find the same. It is "" where that cannot be said: a ref
// cannot be read, or the rules go by signatures, which keys outside of this
// repository decide.
func Mark(ctx context.Context, book *life.Book, build string, scope []string) (string, error) {
	d := book.Desk
	at, err := facts.TrunkStands(ctx, d.Repo)
	if err != nil {
		return "", err
	}
	if d.Rules.Policy.Verify.AllowedSigners != "" || at.Policy.Verify.AllowedSigners != "" {
		return "", nil
	}
	rules, err := json.Marshal([]any{d.Rules.Policy, at.Policy})
	if err != nil {
		return "", fmt.Errorf("rules: %w", err)
	}
	sum := sha256.New()
	for _, part := range append([]string{seenLayout, build, d.Node, d.Remote(), at.Ref, string(at.ID), string(rules)}, scope...) {
		fmt.Fprintf(sum, "%d:%s,", len(part), part)
	}
	kinds := append(admit.LifeKinds(), tasks.Kind)
	shared, err := d.See(ctx, kinds, true) // what the book and the queue were just read from
	if err != nil {
		return "", err
	}
	own, err := d.Repo.Local().Read(ctx, refstore.Query{Kinds: kinds})
	if err != nil {
		return "", err
	}
	for _, s := range []refstore.Snapshot{shared, own} {
		for _, kind := range kinds {
			for _, t := range s.List(kind) {
				if t.Err != nil {
					return "", nil
				}
				fmt.Fprintf(sum, "%s %s\n", t.Ref, t.ID)
			}
		}
		io.WriteString(sum, "\n")
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// maxSeen bounds a file of a Seen.
const maxSeen = 4096

// seenFile is where the last such look at some lanes is kept.
func seenFile(repo *refstore.Repo, scope []string) (string, error) {
	lanes := slices.Sorted(slices.Values(scope))
	sum := sha256.Sum256([]byte(strings.Join(lanes, "\x00")))
	return repo.SharedFile("replan", hex.EncodeToString(sum[:8])+".json")
}

// LastSeen is the look of a mark, if it was made last here. What cannot be read
// was not made.
func LastSeen(repo *refstore.Repo, scope []string, mark string) (s Seen, ok bool) {
	name, err := seenFile(repo, scope)
	if err != nil || mark == "" {
		return Seen{}, false
	}
	if st, err := os.Lstat(name); err != nil || !st.Mode().IsRegular() || st.Size() > maxSeen {
		return Seen{}, false
	}
	data, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(data, &s) != nil || s.Mark != mark || s.At.IsZero() || min(s.Quiet, s.Outside, s.Lines) < 0 {
		return Seen{}, false
	}
	return s, true
}

// Keep keeps a look for the next; a Seen without a mark forgets the last one. A
// failure costs no more than the next look.
func (s Seen) Keep(repo *refstore.Repo, scope []string) {
	name, err := seenFile(repo, scope)
	if err != nil {
		return
	}
	data, err := json.Marshal(s)
	tmp := name + "." + admit.NewNonce() + ".tmp"
	if err == nil && s.Mark != "" && os.WriteFile(tmp, append(data, '\n'), 0o666) == nil && os.Rename(tmp, name) == nil {
		return
	}
	_ = os.Remove(tmp)
	_ = os.Remove(name)
}
