package ship

import (
	"fmt"
	"strings"
	"testing"
)

func TestReverts(t *testing.T) {
	id := strings.Repeat("ab", 20)
	for _, c := range []struct{ name, message, want string }{
		{"git's own words", "Revert \"x\"\n\nThis reverts commit " + id + ".\n", id + "<"},
		{"a merge names the side it kept", "This reverts commit " + id + ", reversing\nchanges made to 1234567890.\n", id + "<1234567890"},
		{"an abbreviation", "This reverts commit ab12cd3 (x, 2024-01-01).\n", "ab12cd3<"},
		{"sha256", "This reverts commit " + strings.Repeat("c", 64) + ".\n", strings.Repeat("c", 64) + "<"},
		{"wrapped", "This reverts\n  commit\n" + id + "\n", id + "<"},
		{"indented in a squash, several", " This reverts commit 1111111.\n * this reverts commit 2222222.\n", "1111111< 2222222<"},
		{"behind a NUL", "x\x00This reverts commit 1111111.\n", "1111111<"},
		{"upper case digits", "This reverts commit ABCDEF1.\n", "abcdef1<"},
		{"as short as git abbreviates", "This reverts commit ab12.\n", "ab12<"},
		{"too short", "This reverts commit abc.\n", ""},
		{"a merge by reference", "This reverts commit ab12 (x (P 1), 2024-01-01), reversing\nchanges made to cd34 (y, 2024-01-01).\n", "ab12<cd34"},
		{"two by reference", "This reverts commit ab12 (x, 2024-01-01).\nThis reverts commit cd34 (y, 2024-01-01), reversing\nchanges made to ef56 (z).\n", "ab12< cd34<ef56"},
		{"other tools", "This backs out commit 1111111.\nReverted commit `2222222`.\nThis reverts commit: 3333333\nReverts 4444444\nReverts: 5555555\nThis reverts commits 6666666 and 7777777.\n", "1111111< 2222222< 3333333< 4444444< 5555555< 6666666<"},
		{"backed out", "Backed out commit 1111111.", "1111111<"},
		{"in the middle of a sentence", "Nobody reverted commit 1111111.\nThe branch reverted 2222222 in part.\nHad we backed out commit 3333333, ...\n", ""},
		{"a short word is no id", "Reverts dead\nreverts added\n", ""},
		{"no id", "This reverts commit deadbeefx.\n", ""},
		{"a part only", "This partially reverts commit 1111111.\n", ""},
		{"too long", "This reverts commit " + strings.Repeat("a", 65) + "\n", ""},
		{"a squash of a revert and its revert", "* Revert \"x\"\n\nThis reverts commit 1111111.\n\n* Revert \"Revert \"x\"\"\n\nThis reverts commit 2222222.\n", ""},
		{"as git writes it, newest first", "Squashed commit\n\ncommit aa\n\n    Reapply \"x\"\n\n    This reverts commit 2222222.\n\ncommit bb\n\n    Revert \"x\"\n\n    This reverts commit 1111111.\n", ""},
		{"with one more revert", "* Revert \"x\"\nThis reverts commit 1111111.\n* Revert \"Revert \"x\"\"\nThis reverts commit 2222222.\n* Revert \"x\"\nThis reverts commit 3333333.\n", "1111111< 2222222< 3333333<"},
		{"of two, one is restored", "* Revert \"x\"\nThis reverts commit 1111111.\n* Revert \"y\"\nThis reverts commit 4444444.\n* Reapply \"x\"\nThis reverts commit 2222222.\n", "4444444<"},
	} {
		var got []string
		for _, r := range Reverts("", []byte(c.message)) {
			got = append(got, fmt.Sprintf("%s<%s", r.ID, r.Base))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTitlesThatAreTakenBack(t *testing.T) {
	for subject, want := range map[string]string{
		`Revert "AUTH: AUTH2 add"`:                   "auth: auth2 add",
		`Revert "AUTH: AUTH2 add (#12)" (#13)`:       "auth: auth2 add (#12)",
		`Revert "Revert "AUTH: AUTH2 add""`:          `revert "auth: auth2 add"`,
		`Reapply "AUTH: AUTH2 add"`:                  `revert "auth: auth2 add"`,
		`revert: AUTH: AUTH2 add`:                    "auth: auth2 add",
		`revert(api)!: AUTH: AUTH2 add`:              "auth: auth2 add",
		`AUTH: AUTH2 Revert "x"`:                     "",
		`Do not revert "x"`:                          "",
		`docs: explain how to revert "x"`:            "",
		`feat: button to revert "x"`:                 "",
		`Partially revert "x"`:                       "",
		`reverting "x"`:                              "",
		`Revert AUTH2`:                               "auth2",
		`Revert "AUTH: AUTH2 add" [skip ci]`:         "auth: auth2 add",
		`Revert "AUTH: AUTH2 add" (JIRA-7)`:          "auth: auth2 add",
		`Revert "AUTH: AUTH2 add".`:                  "auth: auth2 add",
		`Revert 'AUTH: AUTH2 add'`:                   "auth: auth2 add",
		`Reverts "AUTH: AUTH2 add"`:                  "auth: auth2 add",
		`Reverted "AUTH: AUTH2 add"`:                 "auth: auth2 add",
		`Revert AUTH: AUTH2 add`:                     "auth: auth2 add",
		`revert: "AUTH: AUTH2 add"`:                  "auth: auth2 add",
		`[Backport] Revert "AUTH: AUTH2 add"`:        "auth: auth2 add",
		`fix(auth): Revert "AUTH: AUTH2 add"`:        "auth: auth2 add",
		`Merged PR 13: Revert "AUTH: AUTH2 add"`:     "auth: auth2 add",
		`Back out "AUTH: AUTH2 add"`:                 "auth: auth2 add",
		`don't revert "x"`:                           "",
		`say "x" and 'y'`:                            "",
		`Revert "` + strings.Repeat("x", maxSubject): "",
	} {
		if got := Reverts(subject, nil); len(got) != min(len(want), 1) || len(got) == 1 && got[0] != (Taken{Title: want}) {
			t.Errorf("%.60q takes back %q, want %q", subject, got, want)
		}
	}
	byReference := Reverts("back it out", []byte("This reverts commit 1111111 (AUTH: AUTH2 (x), y (#3), 2023-11-14).\n"))
	if len(byReference) != 1 || byReference[0] != (Taken{ID: "1111111", Title: "auth: auth2 (x), y (#3)"}) {
		t.Errorf("got %v", byReference)
	}
	lost := Reverts(`Revert "x" (#13)`, []byte("This reverts commit 1111111.\nThis reverts commit 2222222.\n"))
	if len(lost) != 3 || lost[2] != (Taken{Title: "x"}) {
		t.Errorf("two ids leave the title: %v", lost)
	}
	withID := Reverts(`Revert "x"`, []byte("This reverts commit 1111111."))
	if len(withID) != 1 || withID[0] != (Taken{ID: "1111111", Title: "x"}) {
		t.Errorf("got %v", withID)
	}
	if Title("A (#1) (!2) ") != "a" || Title("A (#1) b") != "a (#1) b" {
		t.Error("a title keeps its pull requests")
	}
	if got := Copies([]byte("x\n\n(cherry picked from commit ABCDEF1)\n(cherry picked from commit 123)\n")); len(got) != 1 || got[0] != "abcdef1" {
		t.Errorf("copied from %q", got)
	}
}

func TestTitlesAreOneWithoutTheirRequests(t *testing.T) {
	for _, c := range []struct {
		quoted, subject string
		want            bool
	}{
		{"Add it (#12)", "add  it (#12)", true},
		{"Add it", "Add it (#12)", true},
		{"Add it (#12)", "Add it", true},
		{"Add it (#12)", "Add it (#12) (#14)", true},
		{"Update login (#9)", "Update login (#1)", false},
		{"Add it", "Add it now", false},
	} {
		if got := SameTitle(c.quoted, c.subject); got != c.want {
			t.Errorf("%q means %q: %v", c.quoted, c.subject, got)
		}
	}
}

func TestUndoing(t *testing.T) {
	undo := func(id string, covers Fact, targets ...string) Revert {
		r := Revert{ID: id}
		for _, target := range targets {
			r.Undoes = append(r.Undoes, Undo{ID: target, Covers: covers})
		}
		return r
	}
	for name, c := range map[string]struct {
		reverts []Revert
		want    Fact
	}{
		"nothing undoes it":                          {nil, No},
		"a revert of something else":                 {[]Revert{undo("r", Yes, "other")}, No},
		"a revert by words alone withdraws":          {[]Revert{undo("r", Unknown, "s")}, Yes},
		"a revert of the revert restores":            {[]Revert{undo("r", Unknown, "s"), undo("rr", Yes, "r")}, No},
		"by words alone it does not":                 {[]Revert{undo("r", Unknown, "s"), undo("rr", No, "r")}, Yes},
		"if its paths are unreadable nobody knows":   {[]Revert{undo("r", Unknown, "s"), undo("rr", Unknown, "r")}, Unknown},
		"the third withdraws again":                  {[]Revert{undo("r", Unknown, "s"), undo("rr", Yes, "r"), undo("rrr", Yes, "rr")}, Yes},
		"one of two reverts still stands":            {[]Revert{undo("r", Unknown, "s"), undo("q", Unknown, "s"), undo("rr", Yes, "r")}, Yes},
		"one revert of both":                         {[]Revert{undo("r", Unknown, "s"), undo("q", Unknown, "s"), undo("rr", Yes, "r", "q")}, No},
		"a ring restores nothing":                    {[]Revert{undo("r", Yes, "s", "q"), undo("q", Yes, "r")}, Yes},
		"a known revert outweighs an unknown one":    {[]Revert{undo("r", Unknown, "s"), undo("rr", Unknown, "r"), undo("q", Unknown, "s")}, Yes},
		"a restoring that was withdrawn by no paths": {[]Revert{undo("r", Unknown, "s"), undo("rr", Yes, "r"), undo("rrr", No, "rr")}, No},
	} {
		if got := newUndoing(c.reverts).ship("s"); got.undone != c.want {
			t.Errorf("%s: undone %v by %q, want %v", name, got.undone, got.by, c.want)
		}
	}
}
