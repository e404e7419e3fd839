package refstore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// A claim is something that holds of every authority.
type claim struct {
	claim string
	check func(t *testing.T, f *fixture)
}

// conformance holds every authority to one behaviour. Each claim uses kinds
// of its own, so none can be held up by what another left.
var conformance = []claim{
	{"an authority without refs reads as empty", readsEmpty},
	{"a create is won and reads back", createWins},
	{"the second create from one snapshot is lost", secondCreateLost},
	{"an advance is won and keeps its parent", advanceWins},
	{"a stale expectation is lost and moves nothing", staleLost},
	{"two refs move together or not at all", bothOrNone},
	{"every size of payload reads back", payloadsReadBack},
	{"what is no entry of ours is never absent", nonEntriesAreBroken},
	{"hostile messages are broken and leave others readable", hostileMessages},
	{"a checkpoint changes nothing that readers see", checkpointIsSeenThrough},
	{"a loss is decided again on what the winner left", decidesAgain},
	{"an error of decide ends the update with nothing written", decideErrorEnds},
	{"a deadline ends the update typed", deadlineEnds},
}

func TestConformanceOfLocal(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			if !s.env {
				t.Parallel()
			}
			conform(t, s.make(t))
		})
	}
}

func TestConformanceOfRemote(t *testing.T) {
	for _, by := range transports {
		t.Run(by.name, func(t *testing.T) {
			t.Parallel()
			conform(t, remoteFixture(t, by, ""))
		})
	}
	t.Run("prefix refs/heads/dos", func(t *testing.T) {
		t.Parallel()
		conform(t, remoteFixture(t, transports[0], "refs/heads/dos"))
	})
}

func conform(t *testing.T, f *fixture) {
	for _, c := range conformance {
		t.Run(c.claim, func(t *testing.T) { c.check(t, f) })
	}
	dirs := []string{f.raw, f.repo.CommonDir}
	for _, dir := range dirs {
		for line := range strings.SplitSeq(gitIn(t, dir, "fsck", "--no-dangling"), "\n") {
			if strings.HasPrefix(line, "error") || strings.HasPrefix(line, "missing") || strings.HasPrefix(line, "broken") {
				t.Errorf("fsck of %s: %s", dir, line)
			}
		}
	}
}

var ctx = context.Background()

const laneRef = "refs/dos/lane/api"

// killedLane and killedOrder are moved together.
const killedLane, killedOrder = "refs/dos/lane/api", "refs/dos/order/grants"

func readsEmpty(t *testing.T, f *fixture) {
	s := f.read(t, "nothing")
	if got := s.List("nothing"); len(got) != 0 {
		t.Errorf("listed %v", got)
	}
	if tip := s.Tip("refs/dos/nothing/here"); tip.ID != "" || tip.Err != nil {
		t.Errorf("tip %+v", tip)
	}
}

func createWins(t *testing.T, f *fixture) {
	id := f.append(t, f.repo, f.auth, "refs/dos/created/api", entry("ACQUIRE", 7, `{"holder":"ü"}`))
	if got := f.rev(t, "refs/dos/created/api"); got != id {
		t.Errorf("the authority holds %s, want %s", got, id)
	}
	for _, a := range []refstore.Authority{f.auth, f.peer} {
		s, err := a.Read(ctx, refstore.Query{Kinds: []string{"created"}})
		if err != nil {
			t.Fatal(err)
		}
		tip := s.Tip("refs/dos/created/api")
		e := tip.Entry
		if tip.Err != nil || tip.ID != id || tip.Parent != "" || e.Op != "ACQUIRE" || e.Gen != 7 || string(e.Payload) != `{"holder":"ü"}` || !e.At.Equal(at) {
			t.Errorf("read %+v", tip)
		}
		if s.AsOf.IsZero() || time.Since(s.AsOf) > time.Minute {
			t.Errorf("as of %s", s.AsOf)
		}
	}
}

// swap runs a transaction of new entries on the given expectations.
func (f *fixture) swap(t testing.TB, r *refstore.Repo, a refstore.Authority, expect map[string]refstore.OID, refs ...string) ([]refstore.Move, refstore.Outcome) {
	t.Helper()
	var moves []refstore.Move
	for _, ref := range refs {
		id, err := r.WriteEntry(context.Background(), ref, expect[ref], entry("SWAP", 1, `{}`))
		if err != nil {
			t.Fatal(err)
		}
		moves = append(moves, refstore.Move{Ref: ref, Expect: expect[ref], New: id})
	}
	o, err := transact(ctx, a, moves)
	if err != nil {
		t.Fatal(err)
	}
	return moves, o
}

func secondCreateLost(t *testing.T, f *fixture) {
	const ref = "refs/dos/second/api"
	f.read(t, "second")
	won, o := f.swap(t, f.peerRepo, f.peer, nil, ref)
	if o.Result != refstore.Won {
		t.Fatalf("first create: %+v", o)
	}
	if _, o := f.swap(t, f.repo, f.auth, nil, ref); o.Result != refstore.Lost || o.Ref != ref || len(o.Landed) != 0 {
		t.Errorf("second create: %+v", o)
	}
	if got := f.rev(t, ref); got != won[0].New {
		t.Errorf("holds %s, want the first", got)
	}
}

func advanceWins(t *testing.T, f *fixture) {
	const ref = "refs/dos/advance/api"
	var ids []refstore.OID
	for i := range 3 {
		ids = append(ids, f.append(t, f.repo, f.auth, ref, entry("HEARTBEAT", uint64(i), `{}`)))
	}
	if tip := f.read(t, "advance").Tip(ref); tip.ID != ids[2] || tip.Parent != ids[1] || tip.Entry.Gen != 2 {
		t.Errorf("read %+v", tip)
	}
	var walked []refstore.OID
	err := f.repo.Chain(ctx, ref, ids[2], func(tip refstore.Tip) bool {
		walked = append(walked, tip.ID)
		return len(walked) < 2
	})
	if err != nil || fmt.Sprint(walked) != fmt.Sprint([]refstore.OID{ids[2], ids[1]}) {
		t.Errorf("walked %v, %v", walked, err)
	}
}

func staleLost(t *testing.T, f *fixture) {
	const ref = "refs/dos/stale/api"
	old := f.append(t, f.repo, f.auth, ref, entry("ACQUIRE", 1, `{}`))
	current := f.append(t, f.peerRepo, f.peer, ref, entry("ACQUIRE", 2, `{}`))
	if _, o := f.swap(t, f.repo, f.auth, map[string]refstore.OID{ref: old}, ref); o.Result != refstore.Lost || o.Ref != ref {
		t.Errorf("outcome %+v", o)
	}
	if got := f.rev(t, ref); got != current {
		t.Errorf("holds %s, want %s", got, current)
	}
}

func bothOrNone(t *testing.T, f *fixture) {
	const a, b = "refs/dos/both/a", "refs/dos/both/b"
	first, o := f.swap(t, f.repo, f.auth, nil, a, b)
	if o.Result != refstore.Won {
		t.Fatalf("create of both: %+v", o)
	}
	tips := map[string]refstore.OID{a: first[0].New, b: first[1].New}
	moved := f.append(t, f.peerRepo, f.peer, b, entry("MOVE", 2, `{}`))
	for _, order := range [][]string{{a, b}, {b, a}} {
		if _, o := f.swap(t, f.repo, f.auth, tips, order...); o.Result != refstore.Lost || o.Ref != b || len(o.Landed) != 0 {
			t.Errorf("stale second: %+v", o)
		}
	}
	if f.rev(t, a) != tips[a] || f.rev(t, b) != moved {
		t.Error("a ref moved in a lost transaction")
	}
	tips[b] = moved
	if _, o := f.swap(t, f.repo, f.auth, tips, a, b); o.Result != refstore.Won {
		t.Errorf("advance of both: %+v", o)
	}
}

func payloadsReadBack(t *testing.T, f *fixture) {
	sizes := []struct {
		ref    string
		size   int
		inTree bool
	}{
		{"refs/dos/size/small", 20, false},
		{"refs/dos/size/at", 8 << 10, false},
		{"refs/dos/size/over", 8<<10 + 1, true},
		{"refs/dos/size/large", 3 << 20, true},
		{"refs/dos/order/at", 64 << 10, false},
		{"refs/dos/order/over", 64<<10 + 1, true},
	}
	payload := func(size int) string {
		return `{"text":"` + strings.Repeat("é<", (size-11)/3) + strings.Repeat("x", (size-11)%3) + `"}`
	}
	q := refstore.Query{Kinds: []string{"size", "order"}}
	_, err := f.repo.Update(ctx, f.auth, q, func(refstore.Snapshot) (writes []refstore.Write, err error) {
		for _, c := range sizes {
			writes = append(writes, refstore.Write{Ref: c.ref, Entry: entry("SIZE", 1, payload(c.size))})
		}
		return writes, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.auth.Read(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range sizes {
		tip := s.Tip(c.ref)
		if tip.Err != nil || string(tip.Entry.Payload) != payload(c.size) || len(payload(c.size)) != c.size {
			t.Errorf("%s: %d bytes, %v", c.ref, len(tip.Entry.Payload), tip.Err)
		}
		if inTree := gitIn(t, f.raw, "ls-tree", "--name-only", string(tip.ID)) == "payload.json.zst"; inTree != c.inTree {
			t.Errorf("%s: payload in tree is %t", c.ref, inTree)
		}
		err := f.repo.Chain(ctx, c.ref, tip.ID, func(walked refstore.Tip) bool {
			if string(walked.Entry.Payload) != payload(c.size) {
				t.Errorf("%s: chain has %d bytes", c.ref, len(walked.Entry.Payload))
			}
			return true
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func decidesAgain(t *testing.T, f *fixture) {
	const ref = "refs/dos/again/log"
	f.append(t, f.repo, f.auth, ref, entry("FIRST", 1, `{}`))
	// A foreign writer that takes no lock of ours comes in between.
	parent := f.rev(t, ref)
	foreign := f.hash(t, "commit", f.commit(t, message("again", "log", "FOREIGN", "2", `{}`, "1"), parent))
	var seen []string
	u, err := f.repo.Update(ctx, f.auth, refstore.Query{Kinds: []string{"again"}}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		tip := s.Tip(ref)
		seen = append(seen, tip.Entry.Op)
		if len(seen) == 1 {
			gitIn(t, f.raw, "update-ref", f.name(ref), string(foreign), string(parent))
		}
		return []refstore.Write{{Ref: ref, Entry: entry("MINE", tip.Entry.Gen+1, `{}`)}}, nil
	})
	if err != nil || fmt.Sprint(seen) != "[FIRST FOREIGN]" {
		t.Fatalf("decided on %v: %v", seen, err)
	}
	if tip := f.read(t, "again").Tip(ref); tip.ID != u.Wrote[0].New || tip.Parent != foreign || tip.Entry.Gen != 3 {
		t.Errorf("read %+v", tip)
	}
}

func decideErrorEnds(t *testing.T, f *fixture) {
	refused := errors.New("refused")
	_, err := f.repo.Update(ctx, f.auth, refstore.Query{Kinds: []string{"refusal"}}, func(refstore.Snapshot) ([]refstore.Write, error) {
		return []refstore.Write{{Ref: "refs/dos/refusal/api", Entry: entry("X", 1, `{}`)}}, refused
	})
	if !errors.Is(err, refused) || f.rev(t, "refs/dos/refusal/api") != "" {
		t.Errorf("ended with %v", err)
	}
	u, err := f.repo.Update(ctx, f.auth, refstore.Query{Kinds: []string{"refusal"}}, func(refstore.Snapshot) ([]refstore.Write, error) { return nil, nil })
	if err != nil || len(u.Wrote) != 0 {
		t.Errorf("nothing to write: %+v, %v", u, err)
	}
	// The lock is free again.
	f.append(t, f.peerRepo, f.peer, "refs/dos/refusal/api", entry("X", 1, `{}`))
}

// deadlineEnds lets every try lose until the time is over.
func deadlineEnds(t *testing.T, f *fixture) {
	const ref = "refs/dos/deadline/api"
	f.append(t, f.repo, f.auth, ref, entry("X", 1, `{}`))
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	tries := 0
	_, err := f.repo.Update(short, f.auth, refstore.Query{Kinds: []string{"deadline"}}, func(s refstore.Snapshot) ([]refstore.Write, error) {
		tries++
		tip := s.Tip(ref)
		f.plant(t, ref, "commit", f.commit(t, message("deadline", "api", "X", fmt.Sprint(tries+1), `{}`, "1"), f.rev(t, ref)))
		return []refstore.Write{{Ref: ref, Entry: entry("MINE", tip.Entry.Gen+1, `{}`)}}, nil
	})
	if !errors.Is(err, context.DeadlineExceeded) || tries == 0 {
		t.Errorf("after %d tries: %v", tries, err)
	}
	if op := f.read(t, "deadline").Tip(ref).Entry.Op; op != "X" {
		t.Errorf("holds %s", op)
	}
}

func TestRepositoryIsFoundWhereGitFindsIt(t *testing.T) {
	dir := t.TempDir()
	if _, err := refstore.Open(ctx, dir); !errors.Is(err, refstore.ErrNoRepository) || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("outside: %v", err)
	}
	repo := committed(t)
	sub := filepath.Join(repo, ".git", "refs")
	if r, err := refstore.Open(ctx, sub); err != nil || r.CommonDir != filepath.Join(repo, ".git") || r.WorkTree != "" {
		t.Errorf("inside the git dir: %+v, %v", r, err)
	}
}
