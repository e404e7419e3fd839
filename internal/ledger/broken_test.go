package ledger

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

func idOf(t testing.TB, r *refstore.Repo, rev string) refstore.OID {
	t.Helper()
	return refstore.OID(gitIn(t, r.CommonDir, "rev-parse", rev))
}

// damage cuts a loose object to its first n bytes, or takes it away.
func damage(t testing.TB, r *refstore.Repo, id refstore.OID, n int64) {
	t.Helper()
	path := filepath.Join(r.Objects, string(id[:2]), string(id[2:]))
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if n < 0 {
		err = os.Remove(path)
	} else {
		err = os.Truncate(path, n)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// plant puts an entry on a ref as package refstore would not.
func plant(t testing.TB, r *refstore.Repo, ref, op, payload string) {
	t.Helper()
	name, _ := refstore.SplitRef(ref)
	if _, err := r.Update(t.Context(), r.Local(), refstore.Query{Kinds: []string{name.Kind}}, func(refstore.Snapshot) ([]refstore.Write, error) {
		return []refstore.Write{{Ref: ref, Entry: refstore.Entry{Op: op, Payload: []byte(payload), At: at}}}, nil
	}); err != nil {
		t.Fatal(err)
	}
}

// plantCommit puts a commit with any message on top of a ref.
func plantCommit(t testing.TB, r *refstore.Repo, ref, message string, more ...string) {
	t.Helper()
	args := []string{"-c", "user.name=w", "-c", "user.email=w@x", "commit-tree", ref + "^{tree}", "-p", ref}
	cmd := exec.Command("git", append(args, more...)...)
	cmd.Dir, cmd.Stdin = r.CommonDir, strings.NewReader(message)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	gitIn(t, r.CommonDir, "update-ref", ref, strings.TrimSpace(string(out)))
}

// below replaces the newest of five rows by a commit with any message and puts
// a row on top.
func below(t testing.TB, r *refstore.Repo, ref, text string, more ...string) {
	t.Helper()
	gitIn(t, r.CommonDir, "update-ref", ref, ref+"^")
	plantCommit(t, r, ref, text, more...)
	plantCommit(t, r, ref, message("bad", "ACK", `{"v":1,"op":"ACK","seq":6}`, 1))
}

func message(leaf, op, payload string, format int) string {
	return fmt.Sprintf("dos journal: %s %s g0\n\n%s\n\nDos-Format: %d\nDos-Op: %s\nDos-Gen: 0\nDos-Attempt: 00112233445566aa\n", op, leaf, payload, format, op)
}

// TestUnreadableNodeIsNamedAndOthersAnswer breaks the ledger of node bad, which
// has five rows, in many ways.
func TestUnreadableNodeIsNamedAndOthersAnswer(t *testing.T) {
	t.Parallel()
	const ref = "refs/dos/journal/bad"
	for claim, c := range map[string]struct {
		harm   func(t *testing.T, r *refstore.Repo)
		is     error
		at     string // what is named, as it was before the harm; "tip" for the tip after it
		good   string // likewise
		rows   uint64 // above it, where it is not the newest
		guess  bool   // the good one is not sure
		intact bool   // a writer may still go on
	}{
		"newest entry cut to half": {at: ref, good: ref + "^", is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { damage(t, r, idOf(t, r, ref), 140) }},
		"newest entry emptied": {at: ref, good: ref + "^", guess: true, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { damage(t, r, idOf(t, r, ref), 0) }},
		"newest entry gone": {at: ref, good: ref + "^", guess: true, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { damage(t, r, idOf(t, r, ref), -1) }},
		"entry in the middle emptied": {at: ref + "~2", good: ref + "~3", guess: true, is: refstore.ErrBroken, intact: true,
			harm: func(t *testing.T, r *refstore.Repo) { damage(t, r, idOf(t, r, ref+"~2"), 0) }},
		"row of a newer version": {at: "tip", good: ref, is: ErrVersion,
			harm: func(t *testing.T, r *refstore.Repo) { plant(t, r, ref, "ACK", `{"v":2,"op":"ACK","seq":6}`) }},
		"checkpoint of a newer version": {at: "tip", good: ref, is: ErrVersion,
			harm: func(t *testing.T, r *refstore.Repo) {
				plantCommit(t, r, ref, message("bad", "CHECKPOINT", `{"v":3,"seq":5}`, 1))
			}},
		"entry of a newer format": {at: "tip", good: ref, is: refstore.ErrFormat,
			harm: func(t *testing.T, r *refstore.Repo) {
				plantCommit(t, r, ref, message("bad", "ACK", `{"v":1,"op":"ACK","seq":6}`, 2))
			}},
		"newer format below the tip": {at: ref, good: ref + "^", is: refstore.ErrFormat,
			harm: func(t *testing.T, r *refstore.Repo) {
				below(t, r, ref, message("bad", "ACK", `{"v":1,"op":"ACK","seq":5}`, 2))
			}},
		"entry of another node below the tip": {at: ref, good: ref + "^", is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) {
				below(t, r, ref, message("other", "ACK", `{"v":1,"op":"ACK","seq":5}`, 1))
			}},
		"payload of no JSON below the tip": {at: ref, good: ref + "^", is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { below(t, r, ref, message("bad", "ACK", `hello`, 1)) }},
		"payload of two lines below the tip": {at: ref, good: ref + "^", is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) {
				below(t, r, ref, message("bad", "ACK", "{\"v\":1,\"op\":\"ACK\",\n\"seq\":5}", 1))
			}},
		"merge below the tip": {at: ref, good: ref + "^", is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) {
				below(t, r, ref, message("bad", "ACK", `{"v":1,"op":"ACK","seq":5}`, 1), "-p", ref+"^")
			}},
		"commit of somebody else below the tip": {at: ref, good: ref + "^", is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { below(t, r, ref, "work\n\nmore\n") }},
		"checkpoint without a seq below the tip": {at: ref, good: ref + "^", is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) {
				below(t, r, ref, message("bad", "CHECKPOINT", `{"v":1}`, 1))
			}},
		"entry of another node": {at: "tip", good: ref, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) {
				plantCommit(t, r, ref, message("other", "ACK", `{"v":1,"op":"ACK","seq":6}`, 1))
			}},
		"row that hides one": {at: "tip", good: ref, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { plant(t, r, ref, "ACK", `{"v":1,"op":"ACK","seq":7}`) }},
		"row with a number that was given": {at: "tip", good: ref, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { plant(t, r, ref, "ACK", `{"v":1,"op":"ACK","seq":2}`) }},
		"row on one with a number that was given": {at: "tip^", good: ref, rows: 1, is: refstore.ErrBroken, intact: true,
			harm: func(t *testing.T, r *refstore.Repo) {
				plant(t, r, ref, "ACK", `{"v":1,"op":"ACK","seq":2}`)
				plant(t, r, ref, "ACK", `{"v":1,"op":"ACK","seq":3}`)
			}},
		"rows on either side of a wrong number": {at: "tip^", good: ref, rows: 1, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) {
				plant(t, r, ref, "ACK", `{"v":1,"op":"ACK","seq":9}`)
				plant(t, r, ref, "ACK", `{"v":1,"op":"ACK","seq":7}`)
			}},
		"first row with rows before it": {at: "root", is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) {
				gitIn(t, r.CommonDir, "update-ref", "-d", ref)
				plant(t, r, ref, "ACK", `{"v":1,"op":"ACK","seq":2}`)
			}},
		"row without a seq": {at: "tip", good: ref, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { plant(t, r, ref, "ACK", `{"v":1,"op":"ACK"}`) }},
		"row without a version": {at: "tip", good: ref, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { plant(t, r, ref, "ACK", `{"op":"ACK","seq":6}`) }},
		"row of another op": {at: "tip", good: ref, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { plant(t, r, ref, "ACK", `{"v":1,"op":"HALT","seq":6}`) }},
		"row that is a list": {at: "tip", good: ref, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { plant(t, r, ref, "ACK", `[]`) }},
		"commit of somebody else": {at: "tip", good: ref, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) { plantCommit(t, r, ref, "work\n") }},
		"ref emptied": {good: ref, guess: true, is: refstore.ErrBroken,
			harm: func(t *testing.T, r *refstore.Repo) {
				if err := os.WriteFile(filepath.Join(r.CommonDir, filepath.FromSlash(ref)), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}},
	} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			add(t, r, "bad", 1, 5)
			add(t, r, "good", 1, 2)
			now := time.Now()
			for i, rev := range []string{ref, ref + "~1", ref + "~2", ref + "~3"} { // as if made one after the other
				id := string(idOf(t, r, rev))
				when := now.Add(-time.Duration(i) * time.Minute)
				if err := os.Chtimes(filepath.Join(r.Objects, id[:2], id[2:]), when, when); err != nil {
					t.Fatal(err)
				}
			}
			ids := map[string]refstore.OID{"": ""}
			for _, rev := range []string{ref, ref + "~1", ref + "^", ref + "~2", ref + "~3"} {
				ids[rev] = idOf(t, r, rev)
			}
			c.harm(t, r)
			switch out := gitIn(t, r.CommonDir, "for-each-ref", "--format=%(refname) %(objectname)"); {
			case c.at == "tip", c.at == "root":
				_, rest, _ := strings.Cut(out, ref+" ")
				id, _, _ := strings.Cut(rest, "\n")
				ids["tip"], ids["root"] = refstore.OID(id), refstore.OID(id)
			case c.at == "tip^":
				ids["tip^"] = idOf(t, r, ref+"^")
			case strings.Contains(claim, "below the tip"):
				ids[ref], ids[ref+"^"] = idOf(t, r, ref+"^"), idOf(t, r, ref+"~2")
			}
			for _, q := range []Query{{}, {Oldest: true}, {History: true}} {
				var got []string
				rep, err := Read(t.Context(), r, q, func(e Entry) bool {
					if e.Node == "good" {
						got = append(got, numberOf(t, e))
					}
					if e.Node == "bad" && q.Oldest {
						t.Errorf("%+v: visited %d of what cannot be read", q, e.Seq)
					}
					return true
				})
				if want(t, sorted(q, got), "1:1 2:2"); len(rep.Nodes) != 1 || rep.Nodes[0].Node != "good" {
					t.Errorf("%+v: report %+v", q, rep)
				}
				var unread *UnreadError
				if !errors.As(err, &unread) || len(unread.Nodes) != 1 || !errors.Is(err, c.is) {
					t.Fatalf("%+v: error %v", q, err)
				}
				e := unread.Nodes[0]
				if e.Node != "bad" || e.Ref != ref || e.ID != ids[c.at] {
					t.Errorf("%+v: named %s %s, want %s: %v", q, e.Ref, e.ID, ids[c.at], err)
				}
				rows := c.rows
				if strings.Contains(claim, "below the tip") {
					rows = 1
				} else if strings.Contains(claim, "in the middle") {
					rows = 2
				}
				if e.Rows != rows {
					t.Errorf("%+v: %d rows above, want %d", q, e.Rows, rows)
				}
				switch {
				case c.good == "" && e.Good != nil, c.good != "" && e.Good == nil:
					t.Errorf("%+v: good is %+v: %v", q, e.Good, err)
				case e.Good != nil && (e.Good.ID != ids[c.good] || e.Good.Sure == c.guess):
					t.Errorf("%+v: good is %+v, want %s", q, e.Good, ids[c.good])
				}
			}
			if _, err := Append(t.Context(), r, "bad", row("ACK", 9)); (err == nil) != c.intact {
				t.Errorf("append: %v", err)
			}
			if !c.intact {
				if _, err := Compact(t.Context(), r, "bad", at, sum(0)); err == nil {
					t.Error("compacted")
				}
			}
		})
	}
}

// sorted is what was read, the oldest first.
func sorted(q Query, got []string) []string {
	if q.Oldest {
		return got
	}
	var back []string
	for i := len(got) - 1; i >= 0; i-- {
		back = append(back, got[i])
	}
	return back
}

func TestNothingIsCompactedOverWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	const ref = "refs/dos/journal/n1"
	add(t, r, "n1", 1, 3)
	plant(t, r, ref, "ACK", `{"v":1,"op":"ACK","seq":9}`)
	tip := idOf(t, r, ref)
	if _, err := Compact(t.Context(), r, "n1", at, sum(0)); !errors.Is(err, refstore.ErrBroken) {
		t.Errorf("compacted over a gap: %v", err)
	}
	if now := idOf(t, r, ref); now != tip {
		t.Errorf("moved to %s", now)
	}
}

func TestFoldThatFailsLeavesTheLedgerAlone(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	add(t, r, "n1", 1, 3)
	mine := errors.New("mine")
	for claim, fold := range map[string]Fold{
		"fails":          func(iter.Seq[Entry]) ([]byte, []refstore.Part, error) { return nil, nil, mine },
		"gives no JSON":  func(iter.Seq[Entry]) ([]byte, []refstore.Part, error) { return []byte("x"), nil, nil },
		"gives nothing":  func(iter.Seq[Entry]) ([]byte, []refstore.Part, error) { return nil, nil, nil },
		"gives a list":   func(iter.Seq[Entry]) ([]byte, []refstore.Part, error) { return []byte("[]"), nil, nil },
		"gives too much": sum(17 << 20),
	} {
		if id, err := Compact(t.Context(), r, "n1", at, fold); err == nil || claim == "fails" && !errors.Is(err, mine) {
			t.Errorf("%s: %s, %v", claim, id, err)
		}
	}
	got, _, err := numbers(t, r, Query{})
	if want(t, got, "3:3 2:2 1:1"); err != nil {
		t.Error(err)
	}
}

func TestLostPayloadOfACheckpointIsNoEmptyOne(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	add(t, r, "n1", 1, 3)
	id := compact(t, r, "n1", 20000)
	add(t, r, "n1", 4, 4)
	blob := idOf(t, r, string(id)+":payload.json.zst")
	damage(t, r, blob, -1)
	got, _, err := numbers(t, r, Query{})
	var unread *UnreadError
	if !errors.As(err, &unread) || unread.Nodes[0].ID != id || !errors.Is(err, refstore.ErrBroken) {
		t.Errorf("read %v, %v", got, err)
	}
	if _, _, err = numbers(t, r, Query{History: true}); !errors.Is(err, refstore.ErrBroken) {
		t.Errorf("history: %v", err)
	}
}
