package refstore_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// A repository that others push to keeps the refs of a fleet where its prefix says.
func TestReadBelowAPrefix(t *testing.T) {
	repo := open(t, initRepo(t))
	const ref = "refs/dos/lane/api"
	id, err := repo.WriteEntry(context.Background(), ref, "", refstore.Entry{Op: "ACQUIRE", Gen: 1, Payload: []byte(`{"a":1}`), At: time.Unix(1700000000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	gitIn(t, repo.GitDir, "update-ref", "refs/heads/dos/lane/api", string(id))
	gitIn(t, repo.GitDir, "update-ref", "refs/heads/dosx/lane/web", string(id))
	s, err := repo.ReadBelow(ctx, "refs/heads/dos/", "lane", "order")
	if err != nil || len(s.List("lane")) != 1 || s.Tip(ref).ID != id || s.Tip(ref).Err != nil {
		t.Errorf("%+v, %v", s.List("lane"), err)
	}
	if name, ok := refstore.LocalName("refs/heads/dos", "refs/heads/dosx/lane/api"); ok {
		t.Errorf("another folder's ref is %s", name)
	}
}

// Most entries have no files; a large payload is one.
func TestBareNamesTheFilesOfAnEntry(t *testing.T) {
	repo := open(t, initRepo(t))
	const ref = "refs/dos/lane/api"
	for payload, want := range map[string][]string{`{"a":1}`: nil, `{"a":"` + strings.Repeat("x", 10000) + `"}`: {"payload.json.zst"}} {
		id, err := repo.WriteEntry(context.Background(), ref, "", refstore.Entry{Op: "ACQUIRE", Gen: 1, Payload: []byte(payload), At: time.Unix(1700000000, 0)})
		if err != nil {
			t.Fatal(err)
		}
		entries := repo.Entries()
		tip, files, err := entries.Bare(ctx, ref, id)
		entries.Close()
		if err != nil || !slices.Equal(files, want) || string(tip.Entry.Payload) != payload {
			t.Errorf("%d bytes: files %q, %v", len(payload), files, err)
		}
	}
}
