package refstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

func (f *fixture) compactWith(t testing.TB, ref string, parts ...refstore.Part) (refstore.OID, error) {
	t.Helper()
	u, err := f.repo.Compact(ctx, f.auth, ref, at, func(tip refstore.Tip) refstore.Folded {
		return refstore.Folded{Payload: []byte(`{}`), Parts: parts}
	})
	if err != nil {
		return "", err
	}
	return u.Wrote[0].New, nil
}

func (f *fixture) parts(t testing.TB, ref string, id refstore.OID, names ...string) ([]refstore.Part, error) {
	t.Helper()
	e := f.repo.Entries()
	defer e.Close()
	return e.Parts(ctx, ref, id, names...)
}

func TestPartsOfACheckpointAreReadByTheirNames(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := localFixture(t, initRepo(t, flags...))
			const ref = "refs/dos/log/node"
			big := bytes.Repeat([]byte("z"), 9<<20)
			var kept string
			for round := range 2 {
				f.append(t, f.repo, f.auth, ref, entry("ROW", 1, `{}`))
				id, err := f.compactWith(t, ref, refstore.Part{Name: "b-1", Data: big}, refstore.Part{Name: "a", Data: fmt.Append(nil, round)}, refstore.Part{Name: "none"})
				if err != nil {
					t.Fatal(err)
				}
				got, err := f.parts(t, ref, id, "none", "b-1", "a")
				if err != nil || len(got) != 3 || got[0].Name != "none" || len(got[0].Data) != 0 || !bytes.Equal(got[1].Data, big) || string(got[2].Data) != fmt.Sprint(round) {
					t.Errorf("%d parts, %v", len(got), err)
				}
				blob := gitIn(t, f.raw, "rev-parse", string(id)+":part-b-1.zst")
				if kept != "" && blob != kept {
					t.Error("an equal part is another object")
				}
				kept = blob
			}
			if rows := f.chain(t, ref); len(rows) != 2 {
				t.Errorf("beside parts, %d rows", len(rows))
			}
		})
	}
}

func TestPartsThatCannotBeReadAreNamed(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const ref = "refs/dos/log/node"
	f.append(t, f.repo, f.auth, ref, entry("ROW", 1, `{}`))
	id, err := f.compactWith(t, ref, refstore.Part{Name: "good", Data: []byte("x")}, refstore.Part{Name: "lost", Data: []byte("y")})
	if err != nil {
		t.Fatal(err)
	}
	f.commitWith(t, "refs/dos/log/hostile", refstore.OpCheckpoint, `{}`, "", map[string][]byte{
		"part-bomb.zst": zstdOf(t, make([]byte, 17<<20)), "part-raw.zst": []byte("x"), "part-A.zst": zstdOf(t, []byte("x")),
	})
	hostile := f.read(t, "log").Tip("refs/dos/log/hostile").ID
	remove(t, loose(f.raw, refstore.OID(gitIn(t, f.raw, "rev-parse", string(id)+":part-lost.zst"))))
	for _, c := range []struct {
		id   refstore.OID
		name string
	}{
		{id, "lost"}, {id, "other"}, {id, ""}, {hostile, "bomb"}, {hostile, "raw"}, {hostile, "A"},
		{refstore.OID(strings.Repeat("1", 40)), "good"}, {refstore.OID(gitIn(t, f.raw, "rev-parse", string(id)+":part-good.zst")), "good"},
	} {
		if got, err := f.parts(t, ref, c.id, c.name); !errors.Is(err, refstore.ErrBroken) || !strings.Contains(err.Error(), ref) {
			t.Errorf("part %q of %s: %v, %v", c.name, c.id, got, err)
		} else if known := c.id == id || c.id == hostile; known && !strings.Contains(err.Error(), c.name) {
			t.Errorf("part %q is not named: %v", c.name, err)
		}
	}
	if got, err := f.parts(t, ref, id, "good"); err != nil || string(got[0].Data) != "x" {
		t.Errorf("beside a lost part: %v, %v", got, err)
	}
}

func TestPartsThatNobodyCouldReadAreNotWritten(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const ref = "refs/dos/log/node"
	f.append(t, f.repo, f.auth, ref, entry("ROW", 1, `{}`))
	for claim, parts := range map[string][]refstore.Part{
		"no name":       {{Name: ""}},
		"capitals":      {{Name: "A"}},
		"a path":        {{Name: "a/b"}},
		"a long name":   {{Name: strings.Repeat("a", 61)}},
		"two of a name": {{Name: "a"}, {Name: "b"}, {Name: "a", Data: []byte("x")}},
		"too large":     {{Name: "a", Data: make([]byte, 16<<20+1)}},
		"too large all": {{Name: "a", Data: make([]byte, 9<<20)}, {Name: "b", Data: make([]byte, 9<<20)}},
		"too many":      make([]refstore.Part, 4097),
	} {
		if id, err := f.compactWith(t, ref, parts...); err == nil {
			t.Errorf("%s: wrote %s", claim, id)
		}
	}
	if _, err := f.compactWith(t, ref, refstore.Part{Name: strings.Repeat("a", 60), Data: make([]byte, 16<<20)}); err != nil {
		t.Error(err)
	}
}

// Many names of one small object are as much as what each expands to.
func TestPartsThatExpandToMoreThanAnEntryMayHaveAreNotRead(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	files := map[string][]byte{}
	var names []string
	bomb := zstdOf(t, make([]byte, 6<<20))
	for n := range 8 {
		names = append(names, fmt.Sprintf("p%d", n))
		files["part-"+names[n]+".zst"] = bomb
	}
	f.commitWith(t, "refs/dos/log/hostile", refstore.OpCheckpoint, `{}`, "", files)
	id := f.read(t, "log").Tip("refs/dos/log/hostile").ID
	if got, err := f.parts(t, "refs/dos/log/hostile", id, names...); !errors.Is(err, refstore.ErrBroken) || !strings.Contains(err.Error(), "p2") {
		t.Errorf("%d parts, %v", len(got), err)
	}
	if got, err := f.parts(t, "refs/dos/log/hostile", id, names[:2]...); err != nil || len(got) != 2 {
		t.Errorf("as many as there may be: %d parts, %v", len(got), err)
	}
}

// A part that was damaged is written again where an equal one is to be kept.
func TestADamagedPartIsWrittenAgain(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const ref = "refs/dos/log/node"
	part := refstore.Part{Name: "a", Data: bytes.Repeat([]byte("row "), 5000)}
	for claim, harm := range map[string]func(path string) error{
		"cut off": func(path string) error { return os.Truncate(path, 20) },
		"another": func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
		"lost":    os.Remove,
	} {
		f.append(t, f.repo, f.auth, ref, entry("ROW", 1, `{}`))
		id, err := f.compactWith(t, ref, part)
		if err != nil {
			t.Fatal(err)
		}
		path := loose(f.raw, refstore.OID(gitIn(t, f.raw, "rev-parse", string(id)+":part-a.zst")))
		if err := errors.Join(os.Chmod(path, 0o600), harm(path)); err != nil {
			t.Fatal(err)
		}
		f.append(t, f.repo, f.auth, ref, entry("ROW", 1, `{}`))
		if id, err = f.compactWith(t, ref, part); err != nil {
			t.Fatal(err)
		}
		if got, err := f.parts(t, ref, id, "a"); err != nil || !bytes.Equal(got[0].Data, part.Data) {
			t.Errorf("%s: %v", claim, err)
		}
	}
}
