package ship

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

const stamped = "AUTH: AUTH2 add refresh"

// clean is a candidate that ships by its subject, its lane unknown.
func clean(id string) Candidate {
	return Candidate{ID: id, Subject: stamped, Substantive: Yes, Whole: Yes}
}

// in puts a candidate into a lane with a declared tree.
func in(c Candidate, inside Fact) Candidate {
	c.Lane, c.InTree = "api", inside
	return c
}

func with(c Candidate, change func(*Candidate)) Candidate {
	change(&c)
	return c
}

func trailer(c Candidate) Candidate {
	c.Subject, c.Units = "add refresh", []string{"AUTH/AUTH2"}
	return c
}

func evidence(t testing.TB, candidates ...Candidate) Evidence {
	return Evidence{
		Query: query(t, "AUTH", "AUTH2", policy.Stamp{TrailerStamp: true}),
		Ref:   "refs/heads/main", RefID: "tip", History: Complete, Candidates: candidates,
	}
}

func entry(commit string, inside Fact) LedgerEntry {
	return LedgerEntry{ID: "entry", Lane: "api", Gen: 1, Plan: "auth", Phase: "auth2", Commit: commit, Inside: inside, Leased: Yes}
}

func TestDecide(t *testing.T) {
	parens := func(c *Candidate) { c.Subject = "feat: y (AUTH AUTH2)" }
	for name, c := range map[string]struct {
		ev   func(Evidence) Evidence
		list []Candidate
		want string // outcome witness rung sha
	}{
		"a clean stamp ships":                             {nil, []Candidate{clean("a")}, "SHIPPED subject direct a"},
		"nothing names it":                                {nil, nil, "NOT_SHIPPED   "},
		"a commit of another unit is nothing":             {nil, []Candidate{with(clean("a"), func(c *Candidate) { c.Subject = "AUTH: AUTH20" })}, "NOT_SHIPPED   "},
		"an empty or plan-only commit ships nothing":      {nil, []Candidate{with(clean("a"), func(c *Candidate) { c.Substantive = No })}, "NOT_SHIPPED subject direct a"},
		"a later empty claim hides no earlier ship":       {nil, []Candidate{with(clean("b"), func(c *Candidate) { c.Substantive = No }), clean("a")}, "SHIPPED subject direct a"},
		"the newest of equals is named":                   {nil, []Candidate{clean("b"), clean("a")}, "SHIPPED subject direct b"},
		"an old direct stamp beats a new one in brackets": {nil, []Candidate{with(clean("b"), parens), clean("a")}, "SHIPPED subject direct a"},
		"a stamp in brackets alone":                       {nil, []Candidate{with(clean("b"), parens)}, "SHIPPED subject trailer b"},
		"paths that cannot be read decide nothing":        {nil, []Candidate{with(clean("a"), func(c *Candidate) { c.Substantive = Unknown })}, "INDETERMINATE subject direct a"},
		"a known ship outweighs an unknown one":           {nil, []Candidate{with(clean("b"), func(c *Candidate) { c.Substantive = Unknown }), clean("a")}, "SHIPPED subject direct a"},

		"inside the lane's tree":                           {nil, []Candidate{in(clean("a"), Yes)}, "SHIPPED subject-in-tree direct a"},
		"outside a known tree is below the floor":          {nil, []Candidate{in(clean("a"), No)}, "NOT_SHIPPED subject direct a"},
		"outside it, with a lower floor":                   {floor(Subject), []Candidate{in(clean("a"), No)}, "SHIPPED subject direct a"},
		"an unreadable tree may still lift it":             {nil, []Candidate{with(in(clean("a"), Unknown), func(c *Candidate) { c.Substantive = Unknown })}, "INDETERMINATE subject direct a"},
		"a stamp is below the floor trailer":               {floor(Trailer), []Candidate{in(clean("a"), Yes)}, "NOT_SHIPPED subject-in-tree direct a"},
		"whatever its paths turn out to be":                {floor(Trailer), []Candidate{with(in(clean("a"), Unknown), func(c *Candidate) { c.Substantive = Unknown })}, "NOT_SHIPPED subject direct a"},
		"a trailer inside the tree":                        {floor(Trailer), []Candidate{in(trailer(clean("a")), Yes)}, "SHIPPED trailer trailer-block a"},
		"a trailer whose paths cannot be read":             {floor(Trailer), []Candidate{with(in(trailer(clean("a")), Unknown), func(c *Candidate) { c.Substantive = Unknown })}, "INDETERMINATE subject trailer-block a"},
		"a trailer outside it is no trailer":               {nil, []Candidate{in(trailer(clean("a")), No)}, "NOT_SHIPPED subject trailer-block a"},
		"a trailer without a lane is worth a subject":      {nil, []Candidate{trailer(clean("a"))}, "SHIPPED subject trailer-block a"},
		"a trailer beats a newer stamp":                    {nil, []Candidate{in(clean("b"), Yes), in(trailer(clean("a")), Yes)}, "SHIPPED trailer trailer-block a"},
		"a trailer in a commit that reverts ships nothing": {nil, []Candidate{with(trailer(clean("a")), func(c *Candidate) { c.Subject = `Revert "x"` })}, "NOT_SHIPPED   "},

		"a ledger entry the commit bears out":            {ledger(entry("a", Yes)), []Candidate{clean("a")}, "SHIPPED ledger ledger a"},
		"at the floor ledger":                            {both(floor(Ledger), ledger(entry("a", Yes))), []Candidate{in(clean("a"), No)}, "SHIPPED ledger ledger a"},
		"a ledger entry beats a newer trailer":           {ledger(entry("a", Yes)), []Candidate{in(trailer(clean("b")), Yes), clean("a")}, "SHIPPED ledger ledger a"},
		"outside the leased tree it is a trailer":        {ledger(entry("a", No)), []Candidate{in(clean("a"), Yes)}, "SHIPPED trailer ledger a"},
		"a commit that does not name it is a trailer":    {ledger(entry("a", Yes)), []Candidate{with(in(clean("a"), Yes), func(c *Candidate) { c.Subject = "other" })}, "SHIPPED trailer ledger a"},
		"so the floor ledger refuses it":                 {both(floor(Ledger), ledger(entry("a", Yes))), []Candidate{with(in(clean("a"), Yes), func(c *Candidate) { c.Subject = "other" })}, "NOT_SHIPPED trailer ledger a"},
		"an unreadable lease tree may still lift it":     {both(floor(Ledger), ledger(entry("a", Unknown))), []Candidate{clean("a")}, "INDETERMINATE subject ledger a"},
		"an entry without a lease below it is a trailer": {ledger(unleased(entry("a", Yes))), []Candidate{in(clean("a"), Yes)}, "SHIPPED trailer ledger a"},
		"and no witness of the ledger":                   {both(floor(Ledger), ledger(unleased(entry("a", Yes)))), []Candidate{clean("a")}, "NOT_SHIPPED subject ledger a"},
		"an entry of a revert ships nothing":             {ledger(entry("a", Yes)), []Candidate{with(clean("a"), func(c *Candidate) { c.Subject = `Revert "AUTH: AUTH2 add refresh"` })}, "NOT_SHIPPED   "},
		"an entry for a commit the ref lacks":            {ledger(entry("z", Yes)), nil, "NOT_SHIPPED   "},
		"an entry of another unit":                       {ledger(ofPhase(entry("a", Yes), "AUTH3")), []Candidate{with(clean("a"), func(c *Candidate) { c.Subject = "other" })}, "NOT_SHIPPED   "},
		"an empty commit with an entry":                  {ledger(entry("a", Yes)), []Candidate{with(clean("a"), func(c *Candidate) { c.Substantive = No })}, "NOT_SHIPPED ledger ledger a"},
		"a reverted commit with an entry":                {both(ledger(entry("a", Yes)), reverted("a")), []Candidate{clean("a")}, "NOT_SHIPPED ledger ledger a"},

		"a release mention is below the floor":          {nil, []Candidate{release(clean("a"))}, "NOT_SHIPPED mention release-prefix a"},
		"at the floor mention it counts":                {floor(Mention), []Candidate{release(clean("a"))}, "SHIPPED mention release-prefix a"},
		"an old stamp beats a newer mention":            {floor(Mention), []Candidate{release(clean("b")), clean("a")}, "SHIPPED subject direct a"},
		"a mention that the plan contradicts":           {both(floor(Mention), section(SectionContradicts)), []Candidate{release(clean("a"))}, "NOT_SHIPPED mention demoted-by-plan-body a"},
		"a mention that the plan agrees with":           {both(floor(Mention), section(SectionAgrees)), []Candidate{release(clean("a"))}, "SHIPPED mention release-prefix a"},
		"prose does not veto a stamp":                   {section(SectionContradicts), []Candidate{clean("a")}, "SHIPPED subject direct a"},
		"nor a trailer":                                 {section(SectionContradicts), []Candidate{trailer(clean("a"))}, "SHIPPED subject trailer-block a"},
		"a mention whose tree cannot be read stays one": {floor(SubjectInTree), []Candidate{in(release(clean("a")), Unknown)}, "NOT_SHIPPED mention release-prefix a"},

		"the plan's files":                          {files, []Candidate{touching(clean("a"), "src/a.go", "src/b.go")}, "SHIPPED subject file-path a"},
		"more of them beat newer ones":              {files, []Candidate{touching(clean("b"), "src/a.go", "src/b.go"), touching(clean("a"), "src/a.go", "src/b.go", "src/c.go")}, "SHIPPED subject file-path a"},
		"a stamp beats them":                        {files, []Candidate{touching(clean("b"), "src/a.go", "src/b.go"), clean("a")}, "SHIPPED subject direct a"},
		"where the lane is known they are too weak": {files, []Candidate{in(touching(clean("a"), "src/a.go", "src/b.go"), Yes)}, "NOT_SHIPPED subject file-path a"},

		"a signed trailer":                            {nil, []Candidate{signed(trailer(clean("a")), Yes)}, "SHIPPED signed trailer-block a"},
		"inside the tree":                             {floor(Signed), []Candidate{in(signed(trailer(clean("a")), Yes), Yes)}, "SHIPPED signed trailer-block a"},
		"outside it the signature adds nothing":       {floor(Signed), []Candidate{in(signed(trailer(clean("a")), Yes), No)}, "NOT_SHIPPED subject trailer-block a"},
		"a signature nobody may give":                 {floor(Signed), []Candidate{signed(trailer(clean("a")), No)}, "NOT_SHIPPED subject trailer-block a"},
		"one that cannot be checked":                  {floor(Signed), []Candidate{signed(trailer(clean("a")), Unknown)}, "INDETERMINATE subject trailer-block a"},
		"one that cannot be checked, outside":         {floor(Signed), []Candidate{in(signed(trailer(clean("a")), Unknown), No)}, "NOT_SHIPPED subject trailer-block a"},
		"a good one whose tree cannot be read":        {floor(Signed), []Candidate{in(signed(trailer(clean("a")), Yes), Unknown)}, "INDETERMINATE subject trailer-block a"},
		"a signed stamp is a stamp":                   {floor(Signed), []Candidate{signed(clean("a"), Yes)}, "NOT_SHIPPED subject direct a"},
		"a signed trailer beats a newer plain one":    {nil, []Candidate{in(trailer(clean("b")), Yes), in(signed(trailer(clean("a")), Yes), Yes)}, "SHIPPED signed trailer-block a"},
		"a ledger entry beats a newer signature":      {ledger(entry("a", Yes)), []Candidate{signed(trailer(clean("b")), Yes), clean("a")}, "SHIPPED ledger ledger a"},
		"a ledger entry of a commit that mentions it": {ledger(entry("a", Yes)), []Candidate{in(release(clean("a")), Yes)}, "SHIPPED trailer ledger a"},

		"a reverted ship":                        {reverted("a"), []Candidate{clean("a")}, "NOT_SHIPPED subject direct a"},
		"a ship after the revert":                {reverted("a"), []Candidate{clean("b"), clean("a")}, "SHIPPED subject direct b"},
		"a revert that may have been undone":     {maybeRestored("a"), []Candidate{clean("a")}, "INDETERMINATE subject direct a"},
		"missing objects outweigh a ship":        {history(Missing), []Candidate{clean("a")}, "INDETERMINATE   "},
		"a history nobody vouched for":           {history(""), []Candidate{clean("a")}, "INDETERMINATE   "},
		"a shallow history all below the ship":   {history(Shallow), []Candidate{clean("a")}, "SHIPPED subject direct a"},
		"a shallow edge beside the ship":         {history(Shallow), []Candidate{with(clean("a"), func(c *Candidate) { c.Whole = No })}, "INDETERMINATE subject direct a"},
		"a shallow edge nobody checked":          {history(Shallow), []Candidate{with(clean("a"), func(c *Candidate) { c.Whole = Unknown })}, "INDETERMINATE subject direct a"},
		"nothing in a shallow history is no no":  {history(Shallow), nil, "INDETERMINATE   "},
		"nor is a reverted ship in one":          {both(history(Shallow), reverted("a")), []Candidate{clean("a")}, "INDETERMINATE   "},
		"an unborn branch is a true miss":        {func(ev Evidence) Evidence { ev.RefID = ""; return ev }, nil, "NOT_SHIPPED   "},
		"a number two plans share names nothing": {shared, []Candidate{clean("a")}, "NOT_SHIPPED  ambiguous-number "},
	} {
		ev := evidence(t, c.list...)
		if c.ev != nil {
			ev = c.ev(ev)
		}
		v := Decide(ev)
		if got := fmt.Sprintf("%s %s %s %s", v.Outcome, v.Witness, v.Rung, v.Sha); got != c.want {
			t.Errorf("%s: got %q (%s), want %q", name, got, v.Reason, c.want)
		}
		if v.Shipped != (v.Outcome == Shipped) || v.Shipped == (v.Source == SourceNowhere) {
			t.Errorf("%s: %s with shipped %v and source %s", name, v.Outcome, v.Shipped, v.Source)
		}
		if v.Reason == "" {
			t.Errorf("%s: no reason", name)
		}
		counted := slices.ContainsFunc(Explain(ev), func(w Weighing) bool { return w.Counts == "yes" })
		decided := slices.ContainsFunc(Explain(ev), func(w Weighing) bool { return w.Counts == "yes" && w.Sha == v.Sha && w.Rung == v.Rung })
		if v.Outcome == Shipped && !decided || v.Outcome == NotShipped && counted && v.Rung != RungAmbiguous {
			t.Errorf("%s: %s is explained by %v", name, v.Outcome, Explain(ev))
		}
	}
}

type change = func(Evidence) Evidence

func release(c Candidate) Candidate {
	c.Subject = "v1.2.3: AUTH2 and more"
	return c
}

func signed(c Candidate, by Fact) Candidate {
	c.Signed = by
	return c
}

func touching(c Candidate, paths ...string) Candidate {
	c.Subject, c.Touches = "feat: the work", paths
	return c
}

func section(says Section) change { return func(ev Evidence) Evidence { ev.Section = says; return ev } }

func files(ev Evidence) Evidence {
	ev.Files = []PlanFile{{Path: "src/a.go"}, {Path: "src/b.go"}, {Path: "src/c.go"}}
	return ev
}

func floor(w Witness) change { return func(ev Evidence) Evidence { ev.Floor = w; return ev } }

func history(h History) change { return func(ev Evidence) Evidence { ev.History = h; return ev } }

func ledger(e ...LedgerEntry) change { return func(ev Evidence) Evidence { ev.Ledger = e; return ev } }

func unleased(e LedgerEntry) LedgerEntry {
	e.Leased = No
	return e
}

func ofPhase(e LedgerEntry, phase string) LedgerEntry {
	e.Phase = phase
	return e
}

func both(f, g change) change { return func(ev Evidence) Evidence { return g(f(ev)) } }

func reverted(id string) change {
	return func(ev Evidence) Evidence {
		ev.Reverts = []Revert{{ID: "r", Undoes: []Undo{{ID: id}}}}
		return ev
	}
}

func maybeRestored(id string) change {
	return func(ev Evidence) Evidence {
		ev = reverted(id)(ev)
		ev.Reverts = append(ev.Reverts, Revert{ID: "rr", Undoes: []Undo{{ID: "r"}}})
		return ev
	}
}

func shared(ev Evidence) Evidence {
	q, err := NewQuery("docs/117", "P1", policy.Stamp{})
	if err != nil {
		panic(err)
	}
	q.SameNumber = []string{"docs/117_a-plan.md", "docs/117_b-plan.md"}
	ev.Query = q
	ev.Candidates[0].Subject = "docs/117: P1 x"
	return ev
}

func TestExitCodes(t *testing.T) {
	for outcome, want := range map[Outcome]int{Shipped: verdict.Yes, NotShipped: verdict.No, Indeterminate: 4, "": verdict.NoVerdict, "shipped": verdict.NoVerdict} {
		if got := (Verdict{Outcome: outcome}).ExitCode(); got != want {
			t.Errorf("%q exits %d, want %d", outcome, got, want)
		}
	}
	if v := Decide(Evidence{History: Complete}); v != (Verdict{}) {
		t.Errorf("no question got %+v", v)
	}
}

func TestTheRevertIsNamed(t *testing.T) {
	v := Decide(reverted("a")(evidence(t, clean("a"))))
	if v.RevertedBy != "r" || !strings.Contains(v.Reason, "reverted by r") {
		t.Errorf("got %+v", v)
	}
}

func TestText(t *testing.T) {
	id := strings.Repeat("0123456789", 4)
	for want, ev := range map[string]Evidence{
		"SHIPPED AUTH AUTH2 012345678901 (via grep-subject) on refs/heads/main":                                    evidence(t, clean(id)),
		"NOT_SHIPPED AUTH AUTH2 (via none) on refs/heads/main: no commit names it":                                 evidence(t),
		"NOT_SHIPPED AUTH AUTH2 (via none) on refs/heads/main: 012345678901 was reverted by r":                     reverted(id)(evidence(t, clean(id))),
		"INDETERMINATE AUTH AUTH2 (via none) on refs/heads/main: history is not all readable here: object is gone": func() Evidence { ev := history(Missing)(evidence(t)); ev.Gap = "object is gone"; return ev }(),
	} {
		if got := Decide(ev).String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestJSONKeysAndHostileText(t *testing.T) {
	c := clean("a")
	c.Subject = stamped + "\x1b[2J\xe9\u2028\u202e" + strings.Repeat("x", 500)
	data, err := json.Marshal(Decide(evidence(t, c)))
	if err != nil || !utf8.Valid(data) || len(data) > 1200 || strings.Contains(string(data), "\\u001b") || strings.Contains(string(data), "\u202e") {
		t.Errorf("%v: %s", err, data)
	}
	var keys map[string]any
	if err := json.Unmarshal(data, &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"outcome", "plan", "phase", "shipped", "rung", "sha", "source", "summary", "witness", "ref", "reason"} {
		if keys[key] == nil {
			t.Errorf("no key %s in %s", key, data)
		}
	}
}

func TestFloors(t *testing.T) {
	for name, ok := range map[string]bool{"": true, "ledger": true, "trailer": true, "subject-in-tree": true, "subject": true,
		"signed": true, "mention": true, "Subject": false, "direct": false} {
		if _, err := ParseFloor(name); (err == nil) != ok {
			t.Errorf("floor %q: %v", name, err)
		}
	}
	for i, w := range ranking {
		for j, f := range ranking {
			if got := w.atLeast(f); got != (i <= j) {
				t.Errorf("%s at least %s: %v", w, f, got)
			}
		}
	}
	if Witness("").atLeast(Mention) {
		t.Error("no witness at all passed a floor")
	}
}

func TestAnUnrelatedCommitChangesNoAnswer(t *testing.T) {
	other := with(clean("z"), func(c *Candidate) { c.Subject = "AUTH: AUTH3 other" })
	for _, ev := range []Evidence{evidence(t, clean("a")), evidence(t), reverted("a")(evidence(t, clean("a"))), history(Shallow)(evidence(t))} {
		want := Decide(ev)
		ev.Candidates = append([]Candidate{other}, ev.Candidates...)
		ev.Reverts = append(ev.Reverts, Revert{ID: "y", Undoes: []Undo{{ID: "z"}}})
		if got := Decide(ev); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
