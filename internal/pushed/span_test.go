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

// Gates began where the first receipts stand, whatever the clocks say.
func TestWhatWasBeforeTheGatesIsNotAskedFor(t *testing.T) {
	p := newPlace(t)
	ids := map[string]refstore.OID{}
	commit := func(name string) { ids[name] = refstore.OID(p.commit(name, name, name)) }
	commit("root")
	p.git("checkout", "-q", "-b", "side")
	commit("side")
	p.git("checkout", "-q", "main")
	commit("one")
	commit("two")
	p.git("merge", "-q", "side", "-m", "merge")
	ids["merge"] = refstore.OID(p.git("rev-parse", "HEAD"))
	p.git("checkout", "-q", "-b", "later")
	commit("later")
	r := func(tip string, base ...string) Receipt {
		one := Receipt{Tip: ids[tip]}
		for _, b := range base {
			one.Base = append(one.Base, ids[b])
		}
		return one
	}
	tests := []struct {
		claim    string
		receipts []Receipt
		want     string
		commits  int
	}{
		{"without receipts all of it is asked for", nil, "root one two side merge", 5},
		{"a branch that comes in later is asked for", []Receipt{r("merge", "two", "side"), r("two", "one")}, "side", 3},
		{"what only one of two first ones stands on too", []Receipt{r("two", "one"), r("side", "root")}, "one merge", 4},
		{"a first push that is not there yet stands on all of it", []Receipt{r("later", "merge")}, "", 0},
		{"one of another history says nothing", []Receipt{{Tip: refstore.OID(strings.Repeat("1", 40))}}, "root one two side merge", 5},
	}
	for _, tt := range tests {
		s, err := ReadSpan(context.Background(), p.open(), ids["merge"], nil, MaxCommits)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range tt.receipts {
			s.Cover(one)
		}
		if err := s.CoverOutside(context.Background()); err != nil {
			t.Fatal(err)
		}
		n := s.Began(tt.receipts)
		if got := named(ids, s.Left()); sorted(got) != sorted(tt.want) || n != tt.commits {
			t.Errorf("%s: %q of %d, want %q of %d", tt.claim, got, n, tt.want, tt.commits)
		}
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
