package refstore_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
)

// TestEntryIsTheSameLooseAndPacked reads entries, one of them with a large
// payload, that lie in files of their own, and once more when git has packed them.
func TestEntryIsTheSameLooseAndPacked(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"--object-format=sha256"}} {
		f := localFixture(t, initRepo(t, flags...))
		const ref = "refs/dos/lane/a"
		ids := []refstore.OID{
			f.append(t, f.repo, f.auth, ref, entry("ACQUIRE", 1, `{}`)),
			f.append(t, f.repo, f.auth, ref, entry("HEARTBEAT", 1, `{"x":"`+strings.Repeat("x", 20000)+`"}`)),
			f.append(t, f.repo, f.auth, ref, entry("RELEASE", 1, `{"y":1}`)),
		}
		read := func() (all []refstore.Tip) {
			for _, id := range ids {
				e := f.repo.Entries()
				tip, err := e.Entry(t.Context(), ref, id)
				if e.Close(); err != nil {
					t.Fatal(err)
				}
				all = append(all, tip)
			}
			return all
		}
		loose := read()
		if loose[2].Parent != ids[1] || string(loose[2].Entry.Payload) != `{"y":1}` || len(loose[1].Entry.Payload) < 20000 {
			t.Errorf("read %+v", loose)
		}
		gitIn(t, f.raw, "repack", "-a", "-d", "--quiet")
		if packed := read(); !reflect.DeepEqual(packed, loose) {
			t.Errorf("packed: %+v, want %+v", packed, loose)
		}
	}
}

// TestEntriesTakeOneBlockOrAreCompressed: a short one is not looked through for
// repetitions, a long one is, and git reads both.
func TestEntriesTakeOneBlockOrAreCompressed(t *testing.T) {
	t.Parallel()
	f := localFixture(t, initRepo(t))
	const record = `{"lane":"api","state":"held","holder":"box"}`
	for copies, most := range map[int]int64{1: 4096, 80: 4096, 150: 1024} {
		payload := "[" + strings.Repeat(record+",", copies-1) + record + "]"
		id := f.append(t, f.repo, f.auth, laneRef, entry("X", 1, payload))
		st, err := os.Stat(filepath.Join(f.repo.Objects, string(id[:2]), string(id[2:])))
		if err != nil || st.Size() > most {
			t.Errorf("%d bytes take %d (%v), at most %d", len(payload), st.Size(), err, most)
		}
		if text := gitIn(t, f.raw, "cat-file", "commit", string(id)); !strings.Contains(text, payload) {
			t.Errorf("git reads %q", text)
		}
	}
	gitIn(t, f.raw, "fsck", "--strict")
}

// TestDamagedObjectIsNotCalledMissing: what is left of it may be of use.
func TestDamagedObjectIsNotCalledMissing(t *testing.T) {
	t.Parallel()
	for claim, c := range map[string]struct {
		harm func(t *testing.T, path string)
		want string
	}{
		"cut in its header": {func(t *testing.T, path string) { cut(t, path, 5) }, "object is damaged"},
		"cut to 40 bytes":   {func(t *testing.T, path string) { cut(t, path, 40) }, "object is damaged"},
		"cut to half":       {func(t *testing.T, path string) { cut(t, path, 120) }, "object is damaged"},
		"emptied":           {func(t *testing.T, path string) { cut(t, path, 0) }, "object is damaged"},
		"gone":              {func(t *testing.T, path string) { remove(t, path) }, "object is missing"},
	} {
		f := localFixture(t, initRepo(t))
		const ref = "refs/dos/lane/a"
		id := f.append(t, f.repo, f.auth, ref, entry("ACQUIRE", 1, `{"x":"`+strings.Repeat("abcdefgh", 20)+`"}`))
		c.harm(t, loose(f.raw, id))
		e := f.repo.Entries()
		_, err := e.Entry(t.Context(), ref, id)
		e.Close()
		for _, err := range []error{err, f.read(t, "lane").Tip(ref).Err} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", claim, err, c.want)
			}
		}
	}
}

func cut(t *testing.T, path string, n int64) {
	t.Helper()
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, n); err != nil {
		t.Fatal(err)
	}
}
