package refstore_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// nonEntriesAreBroken plants beside a good ref what a lane's ref must never
// hold.
func nonEntriesAreBroken(t *testing.T, f *fixture) {
	const good = "refs/dos/foreign/good"
	id := f.append(t, f.repo, f.auth, good, entry("ACQUIRE", 1, `{}`))
	planted := map[string]error{
		"format2": f.plants(t, "format2", message("foreign", "format2", "X", "1", `{}`, "2"), refstore.ErrFormat),
		"format0": f.plants(t, "format0", message("foreign", "format0", "X", "1", `{}`, "0"), refstore.ErrBroken),
		"noform":  f.plants(t, "noform", message("foreign", "noform", "X", "1", `{}`, "new"), refstore.ErrBroken),
		"moved":   f.plants(t, "moved", message("foreign", "good", "X", "1", `{}`, "1"), refstore.ErrBroken),
		"kind":    f.plants(t, "kind", message("lane", "kind", "X", "1", `{}`, "1"), refstore.ErrBroken),
		"gen":     f.plants(t, "gen", strings.Replace(message("foreign", "gen", "X", "1", `{}`, "1"), "Dos-Gen: 1", "Dos-Gen: 2", 1), refstore.ErrBroken),
		"op":      f.plants(t, "op", strings.Replace(message("foreign", "op", "X", "1", `{}`, "1"), "Dos-Op: X", "Dos-Op: Y", 1), refstore.ErrBroken),
		"nogen":   f.plants(t, "nogen", message("foreign", "nogen", "X", "-1", `{}`, "1"), refstore.ErrBroken),
		"notjson": f.plants(t, "notjson", message("foreign", "notjson", "X", "1", `{"a":`, "1"), refstore.ErrBroken),
		"human":   f.plants(t, "human", "Fix the thing\n\nIt was broken.\n", refstore.ErrBroken),
		"empty":   f.plants(t, "empty", "", refstore.ErrBroken),
		"nobody":  f.plants(t, "nobody", message("foreign", "nobody", "X", "1", `{"payload":"payload.json.zst"}`, "1"), refstore.ErrBroken),
		"merge":   f.plantMerge(t, "merge", id),
		"symref":  f.plantSymref(t, "symref", good),
	}
	if !strings.HasPrefix(f.prefix, "refs/heads/") { // a branch holds commits only
		planted["blob"] = f.plantObject(t, "blob", "blob", "hello")
		planted["tree"] = f.plantObject(t, "tree", "tree", "")
		planted["tag"] = f.plantObject(t, "tag", "tag", "object "+string(id)+"\ntype commit\ntag v\ntagger a <a@b> 1 +0000\n\n"+message("foreign", "tag", "X", "1", `{}`, "1"))
	}
	s := f.read(t, "foreign")
	for name, want := range planted {
		if tip := s.Tip("refs/dos/foreign/" + name); !errors.Is(tip.Err, want) {
			t.Errorf("%s reads as %q, %v", name, tip.ID, tip.Err)
		}
	}
	if tip := s.Tip(good); tip.ID != id || tip.Err != nil {
		t.Errorf("the good one beside them: %+v", tip)
	}
	for _, leaf := range []string{"merge", "format2", "moved"} {
		ref := "refs/dos/foreign/" + leaf
		if err := f.repo.Chain(ctx, ref, s.Tip(ref).ID, func(refstore.Tip) bool { return true }); !errors.Is(err, planted[leaf]) {
			t.Errorf("the chain of %s ends with %v", leaf, err)
		}
	}
	if got := len(s.List("foreign")) - len(s.Broken()); got != 1 {
		t.Errorf("%d refs are good", got)
	}
	f.refusesToExtend(t, "refs/dos/foreign/format2", refstore.ErrFormat)
	f.refusesToExtend(t, "refs/dos/foreign/merge", refstore.ErrBroken)
}

func (f *fixture) refusesToExtend(t *testing.T, ref string, want error) {
	t.Helper()
	before := f.rev(t, ref)
	name, _ := refstore.SplitRef(ref)
	_, err := f.repo.Update(ctx, f.auth, refstore.Query{Kinds: []string{name.Kind}}, func(refstore.Snapshot) ([]refstore.Write, error) {
		return []refstore.Write{{Ref: ref, Entry: entry("X", 2, `{}`)}}, nil
	})
	if !errors.Is(err, want) || f.rev(t, ref) != before {
		t.Errorf("a write on %s ended with %v", ref, err)
	}
}

func (f *fixture) plants(t *testing.T, leaf, msg string, want error) error {
	f.plant(t, "refs/dos/foreign/"+leaf, "commit", f.commit(t, msg))
	return want
}

func (f *fixture) plantMerge(t *testing.T, leaf string, id refstore.OID) error {
	other := f.hash(t, "commit", f.commit(t, "x"))
	f.plant(t, "refs/dos/foreign/"+leaf, "commit", f.commit(t, message("foreign", leaf, "X", "1", `{}`, "1"), id, other))
	return refstore.ErrBroken
}

func (f *fixture) plantObject(t *testing.T, leaf, kind, body string) error {
	f.plant(t, "refs/dos/foreign/"+leaf, kind, body)
	return refstore.ErrBroken
}

func (f *fixture) plantSymref(t *testing.T, leaf, target string) error {
	gitIn(t, f.raw, "symbolic-ref", f.name("refs/dos/foreign/"+leaf), f.name(target))
	return refstore.ErrBroken
}

// hostileMessages are commits no git would make by itself.
func hostileMessages(t *testing.T, f *fixture) {
	const good = "refs/dos/hostile/good"
	id := f.append(t, f.repo, f.auth, good, entry("ACQUIRE", 1, `{}`))
	valid := func(leaf, payload string) string { return message("hostile", leaf, "X", "1", payload, "1") }
	f.plantsAll(t, id, []hostile{
		{"nul", "dos hostile: X nul g1\x00\n\n{}\n\nDos-Format: 1\nDos-Op: X\nDos-Gen: 1\n", true},
		{"record", valid("record", `{}`) + "\nrefs/dos/hostile/good\x00" + strings.Repeat("1", 40) + "\x00commit\x00\x00\x00\x001\x000\x00\n", false},
		{"latin", valid("latin", "{\"name\":\"caf\xe9\"}"), false},
		{"crlf", strings.ReplaceAll(valid("crlf", `{}`), "\n", "\r\n"), true},
		{"gen", message("hostile", "gen", "X", "99999999999999999999", `{}`, "1"), true},
	})
}

// TestHugeMessagesAreBoundedAndLeaveOthersReadable is apart from the others
// because each read of the kind carries all of them.
func TestHugeMessagesAreBoundedAndLeaveOthersReadable(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*fixture{"local": localFixture(t, initRepo(t)), "remote": remoteFixture(t, transports[0], "")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := f.append(t, f.repo, f.auth, "refs/dos/hostile/good", entry("ACQUIRE", 1, `{}`))
			payload := func(n int) string { return `{"x":"` + strings.Repeat("y", n) + `"}` }
			f.plantsAll(t, id, []hostile{
				{"words", strings.Repeat("word ", 2<<20), true},
				{"huge", message("hostile", "huge", "X", "1", payload(10<<20), "1"), false},
				{"toobig", message("hostile", "toobig", "X", "1", payload(17<<20), "1"), true},
			})
		})
	}
}

type hostile struct {
	leaf, msg string
	broken    bool
}

// plantsAll plants one message after another beside a good ref.
func (f *fixture) plantsAll(t *testing.T, id refstore.OID, all []hostile) {
	t.Helper()
	const good = "refs/dos/hostile/good"
	for _, c := range all {
		f.plant(t, "refs/dos/hostile/"+c.leaf, "commit", f.commit(t, c.msg))
		s := f.read(t, "hostile")
		tip := s.Tip("refs/dos/hostile/" + c.leaf)
		if tip.ID == "" || c.broken != errors.Is(tip.Err, refstore.ErrBroken) {
			t.Errorf("%s reads as %q, %v", c.leaf, tip.ID, tip.Err)
		}
		if tip := s.Tip(good); tip.ID != id || tip.Err != nil || string(tip.Entry.Payload) != "{}" {
			t.Errorf("the good one beside %s: %q %v", c.leaf, tip.ID, tip.Err)
		}
	}
}

// TestDamagedLocalRefIsNeverAbsent damages one ref after another beside a good
// one, in ways git itself passes over in silence or stops at.
func TestDamagedLocalRefIsNeverAbsent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		claim  string
		damage func(t *testing.T, git, ref string, id refstore.OID)
	}{
		{"zero bytes", func(t *testing.T, git, ref string, _ refstore.OID) { write(t, filepath.Join(git, ref), "") }},
		{"words", func(t *testing.T, git, ref string, _ refstore.OID) { write(t, filepath.Join(git, ref), "not an id\n") }},
		{"a cut id", func(t *testing.T, git, ref string, id refstore.OID) {
			write(t, filepath.Join(git, ref), string(id[:20]))
		}},
		{"an id of another format", func(t *testing.T, git, ref string, id refstore.OID) {
			write(t, filepath.Join(git, ref), string(id+id[:24])+"\n")
		}},
		{"a dangling symbolic ref", func(t *testing.T, git, ref string, _ refstore.OID) {
			write(t, filepath.Join(git, ref), "ref: refs/dos/lane/nowhere\n")
		}},
		{"a dangling link", func(t *testing.T, git, ref string, _ refstore.OID) {
			remove(t, filepath.Join(git, ref))
			if err := os.Symlink("/nonexistent", filepath.Join(git, ref)); err != nil {
				t.Fatal(err)
			}
		}},
		{"a missing object", func(t *testing.T, git, ref string, id refstore.OID) { remove(t, loose(git, id)) }},
		{"an object of zero bytes", func(t *testing.T, git, ref string, id refstore.OID) { rewrite(t, loose(git, id), nil) }},
		{"a truncated object", func(t *testing.T, git, ref string, id refstore.OID) {
			b, _ := os.ReadFile(loose(git, id))
			rewrite(t, loose(git, id), b[:len(b)/2])
		}},
		{"an object cut in its header", func(t *testing.T, git, ref string, id refstore.OID) {
			b, _ := os.ReadFile(loose(git, id))
			rewrite(t, loose(git, id), b[:5])
		}},
		{"an object of another id", func(t *testing.T, git, ref string, id refstore.OID) {
			var b bytes.Buffer
			z := zlib.NewWriter(&b)
			fmt.Fprintf(z, "commit 4\x00junk")
			_ = z.Close()
			rewrite(t, loose(git, id), b.Bytes())
		}},
		{"an id nobody has", func(t *testing.T, git, ref string, id refstore.OID) {
			write(t, filepath.Join(git, ref), strings.Repeat("5", len(id))+"\n")
		}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			t.Parallel()
			f := localFixture(t, initRepo(t))
			ids := map[string]refstore.OID{}
			for _, leaf := range []string{"a", "bad", "z"} {
				ids[leaf] = f.append(t, f.repo, f.auth, "refs/dos/lane/"+leaf, entry("ACQUIRE", 1, `{"leaf":"`+leaf+`"}`))
			}
			c.damage(t, f.raw, "refs/dos/lane/bad", ids["bad"])
			s := f.read(t, "lane")
			if tip := s.Tip("refs/dos/lane/bad"); !errors.Is(tip.Err, refstore.ErrBroken) {
				t.Errorf("reads as %+v", tip)
			}
			for _, leaf := range []string{"a", "z"} {
				if tip := s.Tip("refs/dos/lane/" + leaf); tip.ID != ids[leaf] || tip.Err != nil || string(tip.Entry.Payload) != `{"leaf":"`+leaf+`"}` {
					t.Errorf("%s beside it: %+v", leaf, tip)
				}
			}
			content, _ := os.ReadFile(filepath.Join(f.raw, "refs/dos/lane/bad"))
			_, err := f.repo.Update(ctx, f.auth, refstore.Query{Kinds: []string{"lane"}}, func(refstore.Snapshot) ([]refstore.Write, error) {
				return []refstore.Write{{Ref: "refs/dos/lane/bad", Entry: entry("X", 2, `{}`)}}, nil
			})
			if after, _ := os.ReadFile(filepath.Join(f.raw, "refs/dos/lane/bad")); !errors.Is(err, refstore.ErrBroken) || !bytes.Equal(after, content) {
				t.Errorf("a write on it: %v; holds %q", err, after)
			}
			f.append(t, f.repo, f.auth, "refs/dos/lane/a", entry("ACQUIRE", 2, `{}`))
		})
	}
}

// TestKindThatCannotBeListedIsAnError gives a kind a folder that git passes
// over in silence.
func TestKindThatCannotBeListedIsAnError(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	dir := filepath.Join(f.raw, "refs", "dos", "lane")
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, dir); err != nil {
		t.Fatal(err)
	}
	if s, err := f.auth.Read(ctx, refstore.Query{Kinds: []string{"lane"}}); err == nil {
		t.Errorf("read %v", s.List("lane"))
	}
}

func loose(git string, id refstore.OID) string {
	return filepath.Join(git, "objects", string(id[:2]), string(id[2:]))
}

func rewrite(t testing.TB, path string, b []byte) {
	t.Helper()
	remove(t, path)
	write(t, path, string(b))
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
