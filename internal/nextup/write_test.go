package nextup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/kernel/packet"
	"github.com/git-dos/git-dos/kernel/pick"
	"github.com/git-dos/git-dos/refstore"
)

func TestMain(m *testing.M) { os.Exit(githome.Run(m, nil)) }

var at = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

const where = "out/next"

func repo(t *testing.T) *refstore.Repo {
	t.Helper()
	dir := t.TempDir()
	githome.Git(t, dir, "init", "--quiet")
	r, err := refstore.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func folder(t *testing.T, r *refstore.Repo) *Folder {
	t.Helper()
	f, err := OpenFolder(r, where)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// live is a packet of units that are free.
func live(phases ...string) packet.Packet {
	p := packet.Packet{At: at, Ref: "refs/heads/main", RefID: strings.Repeat("a", 40)}
	for _, ph := range phases {
		p.Picks = append(p.Picks, packet.Candidate{Plan: "A", Phase: ph, Until: packet.Until{Unit: true}})
	}
	return p
}

func TestPacketsAreNotWrittenWhereTheyMustNotBe(t *testing.T) {
	r := repo(t)
	if err := os.WriteFile(filepath.Join(r.WorkTree, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{".git/refs/heads": "git's own folder", "a/.GIT/x": "git's own folder", "file/x": "file is no folder"} {
		f, err := OpenFolder(r, dir)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var told *FolderError
		if _, _, err := f.Write(t.Context(), live("A1")); !errors.As(err, &told) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
		if _, err := os.Lstat(filepath.Join(r.WorkTree, "a")); err == nil {
			t.Error("a folder was made on the way")
		}
	}
	heads, err := os.ReadDir(filepath.Join(r.WorkTree, ".git", "refs", "heads"))
	if err != nil || len(heads) > 0 {
		t.Errorf("%v, %v", heads, err)
	}
}

func TestWhatKilledRenderersLeftGoesInTime(t *testing.T) {
	r := repo(t)
	dir := filepath.Join(r.WorkTree, where)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	old, young, other := ".next-up-0000000000000000.tmp", ".next-up-1111111111111111.tmp", ".next-up-notes.tmp"
	for _, name := range []string{old, young, other} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{old, other} {
		if err := os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Now().Add(-2*leftoverAge)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := folder(t, r).Write(t.Context(), live("A1")); err != nil {
		t.Fatal(err)
	}
	names := strings.Join(left(t, r), " ")
	if strings.Contains(names, old) || !strings.Contains(names, young) || !strings.Contains(names, other) {
		t.Error(names)
	}
}

// left are the names in the folder.
func left(t *testing.T, r *refstore.Repo) (names []string) {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(r.WorkTree, where))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, f := range found {
		names = append(names, f.Name())
	}
	return names
}

func TestAPacketIsWrittenAndReadBack(t *testing.T) {
	r := repo(t)
	f := folder(t, r)
	for n, want := range []string{"2026-01-02-1", "2026-01-02-2"} {
		p, w, err := f.Write(t.Context(), live("A1", "A2"))
		if err != nil {
			t.Fatal(err)
		}
		if p.Tag != want || w.Gate.Outcome != pick.Live || len(w.Gate.Evidence) != 2 {
			t.Errorf("packet %d: %s, %+v", n, p.Tag, w)
		}
		for _, name := range []string{w.Packet, w.Prompts, w.Sidecar} {
			if st, err := os.Stat(filepath.Join(r.WorkTree, name)); err != nil || st.Size() == 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, w, err := f.Write(t.Context(), live()); err != nil || w.Gate.Outcome != pick.Drain {
		t.Errorf("of nothing: %+v, %v", w, err)
	}
	if got := left(t, r); len(got) != 9 {
		t.Errorf("files %q", got)
	}
}

func TestATagThatAnyFileHasIsTaken(t *testing.T) {
	for _, name := range []string{"next-up-2026-01-02-1.md", "next-up-2026-01-02-1.prompts.json", ".dispositions-2026-01-02-1.json", ".race-2026-01-02-1.json"} {
		r := repo(t)
		f := folder(t, r)
		if err := os.MkdirAll(filepath.Join(r.WorkTree, where), 0o777); err != nil {
			t.Fatal(err)
		}
		mine := filepath.Join(r.WorkTree, where, name)
		if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, _, err := f.Write(t.Context(), live("A1")); err != nil || p.Tag != "2026-01-02-2" {
			t.Errorf("%s: tag %q, %v", name, p.Tag, err)
		}
		if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestWhatCannotBeWrittenLeavesNothing(t *testing.T) {
	r := repo(t)
	f := folder(t, r)
	if _, _, err := f.Write(t.Context(), live("A1", "a1")); err == nil {
		t.Error("a unit that stands twice was written")
	}
	if got := left(t, r); len(got) != 0 {
		t.Errorf("files %q", got)
	}
}

// TestWhatIsNotAsItWasWrittenIsNoSuccess changes a file between its writing and
// its reading.
func TestWhatIsNotAsItWasWrittenIsNoSuccess(t *testing.T) {
	for name, c := range map[string]struct {
		file int
		text string // "" removes it
		want string
	}{
		"no packet":             {0, "", "sidecar_absent"},
		"no prompts":            {1, "", "sidecar_absent"},
		"no sidecar":            {2, "", "sidecar_absent"},
		"a packet that is cut":  {0, "# Next", "sidecar_corrupt"},
		"prompts that are cut":  {1, `{"schema":`, "sidecar_corrupt"},
		"a sidecar that is cut": {2, `{"schema":`, "sidecar_corrupt"},
		"a prompt without text": {1, `{"schema":"next-up-prompts-v1","tag":"2026-01-02-1","picks":[{"n":1,"prompt_text":""}]}`, "sidecar_empty_bodies"},
		"a prompt too few":      {1, `{"schema":"next-up-prompts-v1","tag":"2026-01-02-1","picks":[]}`, "sidecar_count"},
		"other words":           {1, `{"schema":"next-up-prompts-v1","tag":"2026-01-02-1","picks":[{"n":1,"prompt_text":"x"}]}`, "sidecar_corrupt"},
		"another sidecar":       {2, `{"schema":"oc3-dispositions-v1","tag":"2026-01-02-1","dispositions":[]}`, "sidecar_corrupt"},
	} {
		f := folder(t, repo(t))
		p, _, err := f.Write(t.Context(), live("A1"))
		if err != nil {
			t.Fatal(err)
		}
		files, err := f.files(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.confirm(p, files); err != nil {
			t.Fatalf("%s: before it was changed: %v", name, err)
		}
		if err := f.root.Remove(filepath.FromSlash(files[c.file].name)); err != nil {
			t.Fatal(err)
		}
		if c.text != "" {
			if err := f.create(files[c.file].name, []byte(c.text)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.confirm(p, files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestOfManyRenderersOneWritesAndTheOthersSayRace has them all at once.
func TestOfManyRenderersOneWritesAndTheOthersSayRace(t *testing.T) {
	r := repo(t)
	unlock, held, err := folder(t, r).Lock(nil)
	if err != nil || held != nil {
		t.Fatalf("%+v, %v", held, err)
	}
	const n = 8
	tags := make(chan string, n)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			f, err := OpenFolder(r, where)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			_, held, err := f.Lock(nil)
			if err != nil || held == nil || held.PID != int64(os.Getpid()) {
				t.Errorf("%+v, %v", held, err)
				return
			}
			tag, w, err := f.Race(*held, at)
			if err != nil || w.Gate.Outcome != pick.Raced || w.Packet != "" {
				t.Errorf("%s: %+v, %v", tag, w, err)
			}
			if race := w.Gate.Race; race == nil || race.LockPath != ".git/dos/next-up.lock" || race.AttemptedAt == nil {
				t.Errorf("%s: %+v", tag, race)
			}
			tags <- tag
		})
	}
	all.Wait()
	close(tags)
	seen := map[string]bool{}
	for tag := range tags {
		seen[tag] = true
	}
	_, w, err := folder(t, r).Write(t.Context(), live("A1"))
	if unlock(); err != nil || w.Gate.Outcome != pick.Live || len(seen) != n || len(left(t, r)) != n+3 {
		t.Errorf("%+v, %v; %d tags, files %q", w.Gate, err, len(seen), left(t, r))
	}
	if again, held, err := folder(t, r).Lock(nil); err != nil || held != nil {
		t.Errorf("after that: %+v, %v", held, err)
	} else {
		again()
	}
}

func TestWithoutAWorkTreeThereIsNoFolder(t *testing.T) {
	dir := t.TempDir()
	githome.Git(t, dir, "init", "--quiet", "--bare")
	r, err := refstore.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(r, where); !errors.Is(err, ErrNoTree) {
		t.Error(err)
	}
}
