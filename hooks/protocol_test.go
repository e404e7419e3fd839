package hooks

import (
	"reflect"
	"strings"
	"testing"
)

const (
	idA  = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	idB  = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	zero = "0000000000000000000000000000000000000000"
)

func TestPrePushLinesAreReadAsGitWritesThem(t *testing.T) {
	tests := []struct {
		claim, stdin string
		want         []Update
	}{
		{"nothing to push is no line", "", nil},
		{"a branch that moves", "refs/heads/a " + idB + " refs/heads/main " + idA + "\n",
			[]Update{{"refs/heads/main", idA, idB, "refs/heads/a"}}},
		{"a branch that is new", "refs/heads/a " + idB + " refs/heads/a " + zero + "\n",
			[]Update{{"refs/heads/a", "", idB, "refs/heads/a"}}},
		{"a branch that goes", "(delete) " + zero + " refs/heads/a " + idA + "\n",
			[]Update{{"refs/heads/a", idA, "", "(delete)"}}},
		{"what was typed may hold blanks", "HEAD^{/fix the thing} " + idB + " refs/heads/main " + idA + "\n",
			[]Update{{"refs/heads/main", idA, idB, "HEAD^{/fix the thing}"}}},
		{"a tag and a branch", "refs/tags/v1 " + idB + " refs/tags/v1 " + zero + "\nrefs/heads/a " + idB + " refs/heads/a " + idA + "\n",
			[]Update{{"refs/tags/v1", "", idB, "refs/tags/v1"}, {"refs/heads/a", idA, idB, "refs/heads/a"}}},
		{"ids of the other width", "a " + strings.Repeat("c", 64) + " refs/heads/a " + strings.Repeat("0", 64) + "\n",
			[]Update{{"refs/heads/a", "", strings.Repeat("c", 64), "a"}}},
		{"names need not be ASCII", "a " + idA + " refs/heads/größe " + zero + "\n", []Update{{"refs/heads/größe", "", idA, "a"}}},
	}
	for _, tt := range tests {
		p, err := ParsePrePush([]string{"origin", "url"}, []byte(tt.stdin))
		if err != nil || !reflect.DeepEqual(p.Updates, tt.want) {
			t.Errorf("%s: %+v, %v; want %+v", tt.claim, p.Updates, err, tt.want)
		}
	}
}

func TestPrePushRefusesWhatGitDoesNotWrite(t *testing.T) {
	good := "a " + idB + " refs/heads/main " + idA + "\n"
	tests := []struct{ claim, stdin, want string }{
		{"no newline at the end", strings.TrimSuffix(good, "\n"), "line 1 of its input: it does not end in a newline"},
		{"a carriage return", strings.Replace(good, "\n", "\r\n", 1), "is no object id"},
		{"an empty line", good + "\n", "line 2 of its input: 1 fields"},
		{"a field too few", idB + " refs/heads/main " + idA + "\n", "3 fields"},
		{"no local ref", " " + idB + " refs/heads/main " + idA + "\n", "the local ref is empty"},
		{"a short id", "a bbbb refs/heads/main " + idA + "\n", `"bbbb" is no object id`},
		{"an id in capitals", "a " + strings.ToUpper(idB) + " refs/heads/main " + idA + "\n", "is no object id"},
		{"two widths", "a " + idB + " refs/heads/main " + strings.Repeat("c", 64) + "\n", "not all of one width"},
		{"no full name", "a " + idB + " main " + idA + "\n", `"main" is no name of a ref`},
		{"a name that climbs", "a " + idB + " refs/heads/../x " + idA + "\n", "is no name of a ref"},
		{"a control byte", "a " + idB + " refs/heads/\x1bx " + idA + "\n", "is no name of a ref"},
		{"one ref twice", good + good, "a second time"},
		{"a deletion that has an id", "(delete) " + idB + " refs/heads/main " + idA + "\n", "does not go with the id"},
		{"an id that is none without a deletion", "a " + zero + " refs/heads/main " + idA + "\n", "does not go with the id"},
		{"too much", strings.Repeat("x", MaxInput+1), "longer than"},
	}
	for _, tt := range tests {
		if p, err := ParsePrePush([]string{"origin", "url"}, []byte(tt.stdin)); err == nil || !strings.Contains(err.Error(), tt.want) || p.Updates != nil {
			t.Errorf("%s: %+v, %v; want %q", tt.claim, p.Updates, err, tt.want)
		}
	}
	for _, args := range [][]string{nil, {"origin"}, {"", "url"}, {"a", "b", "c"}} {
		if _, err := ParsePrePush(args, nil); err == nil {
			t.Errorf("arguments %q: no error", args)
		}
	}
}

func TestServerLinesAreReadAsGitWritesThem(t *testing.T) {
	line := idA + " " + idB + " refs/heads/main\n"
	p, err := ParseReceive(PreReceive, nil, []byte(line+zero+" "+idB+" refs/dos/lanes/a\n"))
	want := []Update{{Ref: "refs/heads/main", Old: idA, New: idB}, {Ref: "refs/dos/lanes/a", New: idB}}
	if err != nil || !reflect.DeepEqual(p.Updates, want) {
		t.Errorf("%+v, %v", p.Updates, err)
	}
	for _, bad := range []string{idA + " " + idB + "\n", zero + " " + zero + " refs/heads/a\n", idA + " " + idB + " refs/heads/a b\n", "x\n"} {
		if p, err := ParseReceive(PreReceive, nil, []byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
	if _, err := ParseReceive(PostReceive, []string{"x"}, nil); err == nil {
		t.Error("arguments are taken")
	}
	if p, err := ParseUpdate([]string{"refs/heads/main", idA, zero}); err != nil || !p.Updates[0].Deletes() {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range [][]string{nil, {"refs/heads/main", idA}, {"main", idA, idB}, {"refs/heads/main", idA, strings.Repeat("c", 64)}} {
		if p, err := ParseUpdate(bad); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}

func TestTransactionsAreReadAsGitWritesThem(t *testing.T) {
	stdin := zero + " " + idB + " refs/heads/new\n" + idA + " " + idB + " HEAD\n" + zero + " ref:refs/heads/new refs/remotes/o/HEAD\n"
	state, p, err := ParseTransaction([]string{"prepared"}, []byte(stdin))
	if want := []Update{{Ref: "refs/heads/new", New: idB}}; err != nil || state != "prepared" || !reflect.DeepEqual(p.Updates, want) {
		t.Errorf("%s, %+v, %v", state, p.Updates, err)
	}
	for _, bad := range []string{"x\n", zero + " x refs/heads/new\n", zero + " " + idB + " refs/heads/a b\n", zero + " " + idB + " refs/heads/new"} {
		if _, p, err := ParseTransaction([]string{"prepared"}, []byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
	for _, args := range [][]string{nil, {"later"}, {"prepared", "x"}} {
		if _, _, err := ParseTransaction(args, nil); err == nil {
			t.Errorf("arguments %q are taken", args)
		}
	}
}

func TestTheArgumentsOfCommitHooks(t *testing.T) {
	if file, err := ParseCommitMsg([]string{".git/COMMIT_EDITMSG"}); err != nil || file != ".git/COMMIT_EDITMSG" {
		t.Errorf("%q, %v", file, err)
	}
	for _, bad := range [][]string{nil, {""}, {"a", "b"}} {
		if _, err := ParseCommitMsg(bad); err == nil {
			t.Errorf("commit-msg %q is taken", bad)
		}
	}
	if ParsePreCommit(nil) != nil || ParsePreCommit([]string{"x"}) == nil {
		t.Error("pre-commit has arguments, or may not have none")
	}
}

func TestOwnRefsAreOnlyThoseUnderThePrefix(t *testing.T) {
	for ref, own := range map[string]bool{
		"refs/dos/lanes/a": true, "refs/fleet/x/lanes/a": true, "refs/heads/main": false, "refs/dosx/a": false, "refs/fleet/xy": false,
	} {
		if got := (Update{Ref: ref}).Own("refs/fleet/x"); got != own {
			t.Errorf("%s: own is %v", ref, got)
		}
	}
}

// What is read is what was written, whatever comes.
func FuzzPrePush(f *testing.F) {
	f.Add([]byte("refs/heads/a " + idB + " refs/heads/main " + idA + "\n"))
	f.Add([]byte("(delete) " + zero + " refs/heads/a " + idA + "\n"))
	f.Add([]byte("a b c d\n"))
	f.Fuzz(func(t *testing.T, stdin []byte) {
		p, err := ParsePrePush([]string{"origin", "url"}, stdin)
		if err != nil {
			return
		}
		var back strings.Builder
		for _, u := range p.Updates {
			if !ValidRef(u.Ref) {
				t.Errorf("ref %q", u.Ref)
			}
			back.WriteString(u.Local + " " + spelled(u.New, u.Old) + " " + u.Ref + " " + spelled(u.Old, u.New) + "\n")
		}
		if len(p.Updates) > 0 && !sameLines(back.String(), string(stdin)) {
			t.Errorf("%q was read as %q", stdin, back.String())
		}
	})
}

// spelled is an id as git writes it; none is as long as the other.
func spelled(id, other string) string {
	if id == "" {
		return strings.Repeat("0", max(40, len(other)))
	}
	return id
}

// sameLines compares but for how many zeros a missing id has.
func sameLines(a, b string) bool {
	short := func(s string) string { return strings.ReplaceAll(s, strings.Repeat("0", 64), zero) }
	return short(a) == short(b)
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte(idA + " " + idB + " refs/heads/main\n"))
	f.Fuzz(func(t *testing.T, stdin []byte) {
		p, err := ParseReceive(PreReceive, nil, stdin)
		if err == nil && len(p.Updates) != strings.Count(string(stdin), "\n") {
			t.Errorf("%q: %d updates", stdin, len(p.Updates))
		}
		_, _, _ = ParseTransaction([]string{"prepared"}, stdin)
	})
}
