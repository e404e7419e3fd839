package nextup

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/pick"
)

func TestOnlyPacketsOfTheSameLaneRace(t *testing.T) {
	for name, c := range map[string]struct {
		one, other []string
		race       string // the lock that is taken, "" for none
	}{
		"the same lane":               {[]string{"api"}, []string{"api"}, "next-up.api.lock"},
		"the same lane, as it may be": {[]string{"Api"}, []string{"api"}, "next-up.api.lock"},
		"all units":                   {nil, []string{}, "next-up.lock"},
		"another lane":                {[]string{"api"}, []string{"web"}, ""},
		"one lane of several":         {[]string{"web", "api"}, []string{"docs", "web"}, "next-up.web.lock"},
		"none of several":             {[]string{"web", "api"}, []string{"docs", "ops"}, ""},
		"one lane, and all units":     {[]string{"api"}, nil, ""},
	} {
		r := repo(t)
		unlock, held, err := folder(t, r).Lock(c.one)
		if err != nil || held != nil {
			t.Fatalf("%s: %+v, %v", name, held, err)
		}
		again, held, err := folder(t, r).Lock(c.other)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case (held != nil) != (c.race != ""):
			t.Errorf("%s: %+v, want %q", name, held, c.race)
		case held != nil && filepath.Base(held.Path) != c.race:
			t.Errorf("%s: %s, want %s", name, held.Path, c.race)
		}
		if again != nil {
			again()
		}
		unlock()
		if free, held, err := folder(t, r).Lock(c.other); err != nil || held != nil {
			t.Errorf("%s: after that: %+v, %v", name, held, err)
		} else {
			free()
		}
	}
	if _, _, err := folder(t, repo(t)).Lock([]string{"a\x00b"}); err == nil {
		t.Error("a lane that is none is locked")
	}
}

// TestTheLosersOfARaceKeepNoLock has one lane of a scope free: whoever loses gives it
// back.
func TestTheLosersOfARaceKeepNoLock(t *testing.T) {
	r := repo(t)
	unlock, _, err := folder(t, r).Lock([]string{"web"})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, held, err := folder(t, r).Lock([]string{"api", "web"}); err != nil || held == nil {
		t.Fatalf("%+v, %v", held, err)
	}
	free, held, err := folder(t, r).Lock([]string{"api"})
	if err != nil || held != nil {
		t.Fatalf("%+v, %v", held, err)
	}
	free()
}

func TestPacketsThatAreWrittenAtOnceHaveTagsOfTheirOwn(t *testing.T) {
	r := repo(t)
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
			p, w, err := f.Write(t.Context(), live("A1"))
			if err != nil || w.Gate.Outcome != pick.Live {
				t.Errorf("%+v, %v", w.Gate, err)
			}
			tags <- p.Tag
		})
	}
	all.Wait()
	close(tags)
	seen := map[string]bool{}
	for tag := range tags {
		seen[tag] = true
	}
	if len(seen) != n || len(left(t, r)) != 3*n {
		t.Errorf("%d tags, files %q", len(seen), left(t, r))
	}
}

func TestWhoNeverEndsWritingIsNotWaitedForForever(t *testing.T) {
	was := folderPatience
	folderPatience = 50 * time.Millisecond
	defer func() { folderPatience = was }()
	r := repo(t)
	unlock, err := folder(t, r).alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, _, err := folder(t, r).Write(t.Context(), live("A1")); err == nil || !strings.Contains(err.Error(), "another process has been writing a packet") {
		t.Error(err)
	}
	if names := left(t, r); len(names) != 0 {
		t.Errorf("files %q", names)
	}
}
