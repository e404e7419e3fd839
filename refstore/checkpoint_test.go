package refstore_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/git-dos/git-dos/refstore"
)

func (f *fixture) chain(t testing.TB, ref string) []refstore.Tip {
	t.Helper()
	name, _ := refstore.SplitRef(ref)
	var tips []refstore.Tip
	err := f.repo.Chain(ctx, ref, f.read(t, name.Kind).Tip(ref).ID, func(tip refstore.Tip) bool {
		tips = append(tips, tip)
		return true
	})
	if err != nil {
		t.Fatalf("chain of %s: %v", ref, err)
	}
	return tips
}

func (f *fixture) compact(t testing.TB, ref string) refstore.Update {
	t.Helper()
	u, err := f.repo.Compact(ctx, f.auth, ref, at, func(tip refstore.Tip) refstore.Folded {
		return refstore.Folded{Gen: tip.Entry.Gen, Payload: tip.Entry.Payload}
	})
	if err != nil {
		t.Fatalf("compact %s: %v", ref, err)
	}
	return u
}

func (f *fixture) segments(t testing.TB, ref string) []string {
	t.Helper()
	return strings.Split(gitIn(t, f.raw, "ls-tree", f.name(ref)), "\n")
}

func checkpointIsSeenThrough(t *testing.T, f *fixture) {
	const ref = "refs/dos/log/node"
	var before []refstore.Tip
	var kept []string
	for round := range 2 {
		for i := range 2 {
			payload := fmt.Sprintf(`{"n": %d, "s":"<&>é"}`, i)
			if i == 1 {
				payload = `{"big":"` + strings.Repeat("z", 9<<10) + `"}`
			}
			f.append(t, f.repo, f.auth, ref, entry("ROW", uint64(round*2+i), payload))
		}
		tip := f.read(t, "log").Tip(ref)
		before = f.chain(t, ref)
		if len(before) != 2*(round+1) {
			t.Fatalf("round %d: %d rows", round, len(before))
		}
		f.compact(t, ref)
		now := f.read(t, "log").Tip(ref)
		if now.Entry.Op != refstore.OpCheckpoint || now.Parent != tip.ID || now.Entry.Gen != tip.Entry.Gen || string(now.Entry.Payload) != string(tip.Entry.Payload) {
			t.Errorf("round %d: checkpoint %s on %s", round, now.Entry.Op, now.Parent)
		}
		if after := f.chain(t, ref); !reflect.DeepEqual(after, before) {
			t.Errorf("round %d: the chain reads %d rows otherwise than the %d before", round, len(after), len(before))
		}
		files := f.segments(t, ref)
		var segs []string
		for _, line := range files {
			if strings.Contains(line, "seg-") {
				segs = append(segs, line)
			}
		}
		if len(segs) != round+1 || !slices.Equal(segs[:round], kept) {
			t.Errorf("round %d: segments %v after %v", round, segs, kept)
		}
		kept = segs
	}
	if u := f.compact(t, ref); len(u.Wrote) != 0 {
		t.Errorf("nothing new and yet %v", u.Wrote)
	}
	gitIn(t, f.raw, "merge-base", "--is-ancestor", string(before[0].ID), f.name(ref))
}

// TestReadStopsAtTheCheckpoint breaks the chain right behind the
// checkpoint: whoever walks past it notices.
func TestReadStopsAtTheCheckpoint(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const ref = "refs/dos/log/node"
	for i := range 5 {
		f.append(t, f.repo, f.auth, ref, entry("ROW", uint64(i), `{}`))
	}
	before := f.chain(t, ref)
	f.compact(t, ref)
	for _, tip := range before {
		remove(t, loose(f.raw, tip.ID))
	}
	if tip := f.read(t, "log").Tip(ref); tip.Err != nil || tip.Entry.Op != refstore.OpCheckpoint {
		t.Errorf("read %+v", tip)
	}
	if after := f.chain(t, ref); !reflect.DeepEqual(after, before) {
		t.Errorf("the chain reads %d rows, want %d", len(after), len(before))
	}
}

func TestLargestRowsSurviveCompaction(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const ref = "refs/dos/log/node"
	f.append(t, f.repo, f.auth, ref, entry("ROW", 1, `{"x":"`+strings.Repeat("a", 3<<20)+`"}`))
	f.append(t, f.repo, f.auth, ref, entry("ROW", 2, `{"x":"`+strings.Repeat("b", 16<<20-8)+`"}`))
	f.append(t, f.repo, f.auth, ref, entry("ROW", 3, `{}`))
	before := f.chain(t, ref)
	f.compact(t, ref)
	if after := f.chain(t, ref); !reflect.DeepEqual(after, before) {
		t.Errorf("%d rows after, %d before", len(after), len(before))
	}
	_, err := f.repo.WriteEntry(context.Background(), ref, "", entry("ROW", 4, `{"x":"`+strings.Repeat("c", 16<<20)+`"}`))
	if err == nil {
		t.Error("a payload nobody could read was written")
	}
}

func TestPayloadThatLooksLikeTheMarkerReadsBack(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	payload := `{"payload":"payload.json.zst"}`
	f.append(t, f.repo, f.auth, "refs/dos/lane/api", entry("X", 1, payload))
	if tip := f.read(t, "lane").Tip("refs/dos/lane/api"); tip.Err != nil || string(tip.Entry.Payload) != payload {
		t.Errorf("read %q, %v", tip.Entry.Payload, tip.Err)
	}
}

func TestWritesWhatItCouldNotReadAreRefused(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	for claim, c := range map[string]struct {
		ref string
		e   refstore.Entry
	}{
		"payload of two lines":  {"refs/dos/lane/api", entry("X", 1, "{\n}")},
		"payload of no JSON":    {"refs/dos/lane/api", entry("X", 1, "hello")},
		"large, of no JSON":     {"refs/dos/lane/api", entry("X", 1, strings.Repeat("x", 9<<10))},
		"no payload":            {"refs/dos/lane/api", entry("X", 1, "")},
		"op with a line break":  {"refs/dos/lane/api", entry("X\nY", 1, "{}")},
		"no op":                 {"refs/dos/lane/api", entry("", 1, "{}")},
		"ref elsewhere":         {"refs/heads/api", entry("X", 1, "{}")},
		"ref too deep":          {"refs/dos/lane/a/b", entry("X", 1, "{}")},
		"ref with a lock name":  {"refs/dos/lane/a.lock", entry("X", 1, "{}")},
		"ref with upper case":   {"refs/dos/lane/API", entry("X", 1, "{}")},
		"ref that climbs":       {"refs/dos/lane/..", entry("X", 1, "{}")},
		"ref like a flag":       {"refs/dos/lane/-d", entry("X", 1, "{}")},
		"ref of a hundred and1": {"refs/dos/lane/" + strings.Repeat("a", 101), entry("X", 1, "{}")},
	} {
		if id, err := f.repo.WriteEntry(context.Background(), c.ref, "", c.e); err == nil {
			t.Errorf("%s: wrote %s", claim, id)
		}
	}
}

// commitWith plants an entry whose tree holds files.
func (f *fixture) commitWith(t testing.TB, ref, op, payload string, parent refstore.OID, files map[string][]byte) {
	t.Helper()
	var lines strings.Builder
	for name, body := range files {
		fmt.Fprintf(&lines, "100644 blob %s\t%s\n", f.hash(t, "blob", string(body)), name)
	}
	mk := exec.Command("git", "mktree")
	mk.Dir, mk.Env, mk.Stdin = f.raw, elsewhere(), strings.NewReader(lines.String())
	tree := run(t, mk)
	n, _ := refstore.SplitRef(ref)
	body := f.commit(t, message(n.Kind, n.Leaf, op, "1", payload, "1"))
	if parent != "" {
		body = f.commit(t, message(n.Kind, n.Leaf, op, "1", payload, "1"), parent)
	}
	_, rest, _ := strings.Cut(body, "\n")
	f.plant(t, ref, "commit", "tree "+tree+"\n"+rest)
}

func zstdOf(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(b, nil)
}

func TestHostilePayloadFilesAreBroken(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const marker = `{"payload":"payload.json.zst"}`
	bomb := zstdOf(t, make([]byte, 17<<20))
	frames := []byte{}
	for range 8 {
		frames = append(frames, zstdOf(t, []byte(strings.Repeat(" ", 4<<20)))...)
	}
	for leaf, file := range map[string][]byte{
		"bomb":    bomb,
		"frames":  append(frames, zstdOf(t, []byte(`{}`))...),
		"notzstd": []byte(`{"a":1}`),
		"notjson": zstdOf(t, []byte(`hello`)),
		"lines":   zstdOf(t, []byte("{\n}")),
		"cut":     zstdOf(t, []byte(`{"a":"`+strings.Repeat("x", 1000)+`"}`))[:10],
		"none":    nil,
	} {
		ref := "refs/dos/lane/" + leaf
		f.commitWith(t, ref, "X", marker, "", map[string][]byte{"payload.json.zst": file})
		tip := f.read(t, "lane").Tip(ref)
		if !errors.Is(tip.Err, refstore.ErrBroken) {
			t.Errorf("%s reads as %d bytes, %v", leaf, len(tip.Entry.Payload), tip.Err)
		}
		if err := f.repo.Chain(ctx, ref, tip.ID, func(refstore.Tip) bool { return true }); !errors.Is(err, refstore.ErrBroken) {
			t.Errorf("%s walks as %v", leaf, err)
		}
	}
}

func TestHostileSegmentsAreBroken(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	rows := zstdOf(t, []byte(`{"id":"`+strings.Repeat("1", 40)+`","op":"X","gen":1,"at":1,"attempt":"a","payload":{}}`+"\n"))
	for leaf, files := range map[string]map[string][]byte{
		"none":     {},
		"gap":      {"seg-000000.jsonl.zst": rows, "seg-000002.jsonl.zst": rows},
		"nofirst":  {"seg-000001.jsonl.zst": rows},
		"notzstd":  {"seg-000000.jsonl.zst": []byte("x")},
		"notjson":  {"seg-000000.jsonl.zst": zstdOf(t, []byte("hello\n"))},
		"no rows":  {"seg-000000.jsonl.zst": zstdOf(t, nil)},
		"nobytes":  {"seg-000000.jsonl.zst": nil},
		"bomb":     {"seg-000000.jsonl.zst": zstdOf(t, make([]byte, 80<<20))},
		"nopaylod": {"seg-000000.jsonl.zst": zstdOf(t, []byte(`{"id":"`+strings.Repeat("1", 40)+`","op":"X"}`+"\n"))},
		"noid":     {"seg-000000.jsonl.zst": zstdOf(t, []byte(`{"id":"x","op":"X","payload":{}}`+"\n"))},
	} {
		ref := "refs/dos/log/" + strings.ReplaceAll(leaf, " ", "-")
		f.commitWith(t, ref, refstore.OpCheckpoint, `{}`, "", files)
		tip := f.read(t, "log").Tip(ref)
		if tip.Err != nil {
			t.Fatalf("%s: %v", leaf, tip.Err)
		}
		n := 0
		err := f.repo.Chain(ctx, ref, tip.ID, func(refstore.Tip) bool { n++; return true })
		if !errors.Is(err, refstore.ErrBroken) {
			t.Errorf("%s walks %d rows and ends with %v", leaf, n, err)
		}
	}
}

func TestCheckpointWithoutItsTreeIsBroken(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const ref = "refs/dos/log/node"
	f.append(t, f.repo, f.auth, ref, entry("ROW", 1, `{}`))
	f.compact(t, ref)
	tip := f.read(t, "log").Tip(ref)
	tree := refstore.OID(gitIn(t, f.raw, "rev-parse", string(tip.ID)+"^{tree}"))
	remove(t, filepath.Clean(loose(f.raw, tree)))
	if err := f.repo.Chain(ctx, ref, tip.ID, func(refstore.Tip) bool { return true }); !errors.Is(err, refstore.ErrBroken) {
		t.Errorf("walk ended with %v", err)
	}
}
