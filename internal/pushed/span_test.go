package pushed

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// A receipt is of what was judged, on every side of a merge, and of no more.
func TestReceiptsCoverWhatWasJudged(t *testing.T) {
	p := newPlace(t)
	ids := map[string]refstore.OID{}
	commit := func(name string) { ids[name] = refstore.OID(p.commit(name, name, name)) }
	commit("root")
	commit("one")
	p.git("checkout", "-q", "-b", "side")
	commit("s1")
	commit("s2")
	p.git("checkout", "-q", "main")
	commit("two")
	p.git("merge", "-q", "side", "-m", "merge")
	ids["merge"] = refstore.OID(p.git("rev-parse", "HEAD"))
	commit("three")
	p.git("checkout", "-q", "-b", "later")
	commit("later")

	tests := []struct {
		claim    string
		receipts string // "tip base base"; each a push
		want     string
	}{
		{"without any", "", "three merge two s2 s1 one root"},
		{"of a push", "three root", "root"},
		{"of the merge on both sides", "three one", "one root"},
		{"of the merge of a branch that was there", "three two s2", "two s2 s1 one root"},
		{"of both", "three two s2, s2 one", "two one root"},
		{"of a tip that came later", "later root", "root"},
		{"of what is not here", "1111111111111111111111111111111111111111 root", "three merge two s2 s1 one root"},
		{"of everything", "three", ""},
		{"of what brought nothing", "three three", "three merge two s2 s1 one root"},
	}
	for _, tt := range tests {
		s, err := ReadSpan(context.Background(), p.open(), ids["three"], nil, MaxCommits)
		if err != nil {
			t.Fatal(err)
		}
		for push := range strings.SplitSeq(tt.receipts, ", ") {
			words := strings.Fields(push)
			if len(words) == 0 {
				continue
			}
			r := Receipt{Tip: ids[words[0]]}
			if r.Tip == "" {
				r.Tip = refstore.OID(words[0])
			}
			for _, base := range words[1:] {
				r.Base = append(r.Base, ids[base])
			}
			s.Cover(r)
		}
		if err := s.CoverOutside(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := named(ids, s.Left()); sorted(got) != sorted(tt.want) {
			t.Errorf("%s: %q is left, want %q", tt.claim, got, tt.want)
		}
	}

	s, err := ReadSpan(context.Background(), p.open(), ids["three"], []refstore.OID{ids["one"]}, MaxCommits)
	if err != nil || s.Len() != 5 {
		t.Errorf("%d commits since one, %v", s.Len(), err)
	}
	s.Before([]refstore.OID{ids["two"], ids["s1"]})
	if got := named(ids, s.Left()); sorted(got) != sorted("three merge s2") {
		t.Errorf("before: %q", got)
	}
	if s, err = ReadSpan(context.Background(), p.open(), ids["three"], nil, 2); err != nil || s.Len() != 2 {
		t.Errorf("the newest two of it: %d, %v", s.Len(), err)
	}
	s.Cover(Receipt{Tip: ids["root"]})
	s.Cover(Receipt{Tip: ids["later"], Base: []refstore.OID{ids["merge"]}})
	if err := s.CoverOutside(context.Background()); err != nil || named(ids, s.Left()) != "merge" {
		t.Errorf("of the newest two %q is left, %v", named(ids, s.Left()), err)
	}
	if _, err := ReadSpan(context.Background(), p.open(), refstore.OID(strings.Repeat("1", 40)), nil, 5); !strings.Contains(err.Error(), ancestry.ErrMissing.Error()) {
		t.Errorf("a tip that is not here: %v", err)
	}
}

func named(ids map[string]refstore.OID, found []refstore.OID) string {
	var words []string
	for _, id := range found {
		for name, is := range ids {
			if is == id {
				words = append(words, name)
			}
		}
	}
	return strings.Join(words, " ")
}

func sorted(words string) string {
	all := strings.Fields(words)
	slices.Sort(all)
	return strings.Join(all, " ")
}
