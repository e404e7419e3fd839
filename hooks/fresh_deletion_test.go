package hooks

import (
	"context"
	"testing"
)

// Of the tests' commits c1 moves nothing, c2 the file, and of c3 nobody can tell.
func (n newcomers) Moved(_ context.Context, commit string) (map[string]bool, error) {
	return map[string]bool{"pkg/deep/new.go": commit == "c2"}, map[string]error{"c3": errTorn}[commit]
}

type newcomers map[string]Arrival

func (n newcomers) Arrivals(_ context.Context, _ Push, paths []string) (map[string]Arrival, error) {
	if n == nil {
		return nil, errTorn
	}
	out := map[string]Arrival{}
	for _, p := range paths {
		if a, ok := n[p]; ok {
			out[p] = a
		}
	}
	return out, nil
}

func TestFreshDeletion(t *testing.T) {
	fresh := newcomers{"pkg/deep/new.go": {Commits: []string{"abcdef0123456789", "fedcba9876543210"}, Blob: "b1"}}
	deleting := func(message string, more ...Change) brought {
		return brought{{ID: "c1", Message: message, Changes: append(more, Change{Status: 'D', Path: "pkg/deep/new.go"}, Change{Status: 'D', Path: "old.go"}, Change{Status: 'M', Path: "x"})}}
	}
	const says = "pkg/deep/new.go it came to the trunk with abcdef012345"
	alike := []Change{{Status: 'A', Path: "elsewhere.go", Blob: "b2"}, {Status: 'D', Path: "pkg/deep/new.go"}}
	tests := []struct {
		claim string
		h     History
		want  []string
	}{
		{"a fresh file that nobody names", deleting("tidy up"), []string{says}},
		{"it is named by its path", deleting("tidy\n\npkg/deep/new.go is not needed."), nil},
		{"by its name", deleting("drop new.go"), nil},
		{"at the end of a sentence", deleting("drop new.go."), nil},
		{"quoted", deleting("drop `new.go`, which nobody calls"), nil},
		{"by its folder", deleting("drop pkg/deep"), nil},
		{"by a folder above", deleting("drop pkg/"), nil},
		{"another file of its folder is another", deleting("drop pkg/deep/other.go and pkg/other.go"), []string{says}},
		{"the name of the topmost folder alone is a word like any other", deleting("pkg: tidy"), []string{says}},
		{"a longer name is another", deleting("drop renew.go and new.go.old and new.gox"), []string{says}},
		{"a longer path too", deleting("drop other/pkg/deep/new.go2"), []string{says}},
		{"by the commit that added it", deleting("This reverts commit abcdef0123456789."), nil},
		{"by the beginning of its id", deleting("undo ABCDEF0"), nil},
		{"by one of several that added it", deleting("undo fedcba98"), nil},
		{"too little of it", deleting("undo abcdef"), []string{says}},
		{"it is moved as it was", deleting("move", Change{Status: 'A', Path: "elsewhere.go", Blob: "b1"}), nil},
		{"something else is added", deleting("move", Change{Status: 'A', Path: "elsewhere.go", Blob: "b2"}), []string{says}},
		{"something like it is added", brought{{ID: "c2", Message: "move", Changes: alike}}, nil},
		{"whether it is like it cannot be told", brought{{ID: "c3", Message: "move", Changes: alike}}, []string{"error: an object is missing"}},
		{"nobody needs to tell where it is named", brought{{ID: "c3", Message: "move new.go", Changes: alike}}, nil},
		{"nor where nothing is added", brought{{ID: "c3", Message: "drop", Changes: alike[1:]}}, []string{says}},
		{"nothing is deleted, so nothing is asked", brought{{ID: "c1", Changes: []Change{{Status: 'M', Path: "pkg/deep/new.go"}}}}, nil},
		{"history cannot be read", torn{deleting("new.go")}, []string{"error: an object is missing"}},
	}
	for _, tt := range tests {
		finds(t, tt.claim, wrong(t, FreshDeletionGate(fresh), toTrunk(), tt.h), tt.want...)
	}
	finds(t, "the trunk cannot be read", wrong(t, FreshDeletionGate(newcomers(nil)), toTrunk(), deleting("")), "error: an object is missing")
	finds(t, "there is no message yet", wrong(t, FreshDeletionGate(fresh), Push{Hook: PreCommit}, deleting("")))
}

func FuzzMentions(f *testing.F) {
	f.Add("drop new.go.", "new.go")
	f.Add("\xffnew", "new")
	f.Add("a/b/", "b/")
	f.Add("drop it", "//f") // a tree that was made by hand can have it
	f.Fuzz(func(t *testing.T, text, name string) {
		if mentions(text, name) && name == "" {
			t.Error("nothing is mentioned")
		}
		if name != "" && !mentions("see "+name+" there", name) {
			t.Errorf("%q alone is not found", name)
		}
		names(text, name, []string{"abcdef0123456789"})
	})
}
