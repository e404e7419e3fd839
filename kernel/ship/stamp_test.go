package ship

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
)

func query(t testing.TB, plan, phase string, stamp policy.Stamp) Query {
	t.Helper()
	q, err := NewQuery(plan, phase, stamp)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// stampCase is one subject and whether it stamps the unit.
type stampCase struct {
	name, plan, phase, subject string
	want                       bool
}

func runStamps(t *testing.T, stamp policy.Stamp, cases []stampCase) {
	t.Helper()
	for _, c := range cases {
		q := query(t, c.plan, c.phase, stamp)
		n := q.Naming(c.subject, nil, nil)
		if got := n.stamped(); got != c.want {
			t.Errorf("%s: %q stamps (%s, %s): %v, want %v", c.name, c.subject, c.plan, c.phase, got, c.want)
		}
		if n.any() && !holdsNeedle(q, c.subject, nil, nil) {
			t.Errorf("%s: no needle is in %q", c.name, c.subject)
		}
	}
}

func TestDirectStamps(t *testing.T) {
	runStamps(t, policy.Stamp{}, []stampCase{
		{"plan, colon, phase", "AUTH", "AUTH2", "AUTH: AUTH2 add refresh", true},
		{"no colon", "AUTH", "AUTH2", "AUTH AUTH2 add refresh", true},
		{"nothing after", "AUTH", "AUTH2", "AUTH: AUTH2", true},
		{"one directory", "AUTH", "AUTH2", "docs/AUTH: AUTH2 x", true},
		{"case is ignored", "AUTH", "AUTH2", "auth: auth2 x", true},
		{"a comma ends the phase", "AUTH", "AUTH2", "AUTH: AUTH2, AUTH3", true},
		{"only the first of a list", "AUTH", "AUTH3", "AUTH: AUTH2, AUTH3", false},
		{"a dash with spaces ends it", "AUTH", "AUTH2", "AUTH: AUTH2 — add", true},
		{"a full stop ends it", "AUTH", "AUTH2", "AUTH: AUTH2.", true},
		{"a name is literal text", "C++", "M.1", "C++: M.1 x", true},
		{"and no pattern", "C++", "M.1", "C++: Mx1 x", false},
		{"two directories", "AUTH", "AUTH2", "a/b/AUTH: AUTH2", false},
		{"no space after the colon", "AUTH", "AUTH2", "AUTH:AUTH2", false},
		{"behind a type", "AUTH", "AUTH2", "feat: AUTH: AUTH2", false},
		{"behind Re:", "AUTH", "AUTH2", "Re: AUTH: AUTH2", false},
		{"a fixup", "AUTH", "AUTH2", "fixup! AUTH: AUTH2", false},
		{"an indented subject", "AUTH", "AUTH2", " AUTH: AUTH2", false},
		{"another plan", "AUTH", "AUTH2", "AUTHX: AUTH2", false},
	})
}

func TestThePhaseIsAWholeToken(t *testing.T) {
	var cases []stampCase
	for _, more := range []string{"0", ".1", "-port", "_draft", "'", "’", "′", "é", "\xe9", "x", "\x00x", "\x1b[0m", "\u200dx", "..AUTH3", "–AUTH3", "\u2011port", "."} {
		cases = append(cases, stampCase{"longer by " + more, "AUTH", "AUTH2", "AUTH: AUTH2" + more + " add", more == "."})
	}
	for _, after := range []string{" x", "\tx", ", x", "/x", ": x", "; x", " + AUTH3", "—x", "!", ")", "\u2028x", "\vx", "\u0085x"} {
		cases = append(cases, stampCase{"ended by " + after, "AUTH", "AUTH2", "AUTH: AUTH2" + after, true})
	}
	for _, sign := range strings.Split(`= ~ + @ # % ^ & * $ \ < > |`, " ") {
		cases = append(cases,
			stampCase{"joined by " + sign, "AUTH", "AUTH2", "AUTH: AUTH2" + sign + "1", false},
			stampCase{"joined behind a full stop by " + sign, "AUTH", "AUTH2", "AUTH: AUTH2." + sign + "1", false},
			stampCase{"joined to nothing by " + sign, "AUTH", "AUTH2", "AUTH: AUTH2" + sign, false},
			stampCase{"apart from " + sign, "AUTH", "AUTH2", "AUTH: AUTH2 " + sign + " 1", true})
	}
	runStamps(t, policy.Stamp{}, cases)
}

func TestNoLineSeparatorBeginsASubject(t *testing.T) {
	var cases []stampCase
	for _, cut := range []string{"\u2028", "\u2029", "\v", "\f", "\u0085", "\x1c", "\r", "\x00"} {
		cases = append(cases,
			stampCase{"a stamp behind a separator", "AUTH", "AUTH9", "x" + cut + "deadbeef AUTH: AUTH9", false},
			stampCase{"a stamp right behind one", "AUTH", "AUTH9", "x" + cut + "AUTH: AUTH9", false},
			stampCase{"one in place of the space", "AUTH", "AUTH9", "AUTH:" + cut + "AUTH9", false})
	}
	runStamps(t, policy.Stamp{TrailerStamp: true}, cases)
}

func TestAGluedStampNamesThePlan(t *testing.T) {
	runStamps(t, policy.Stamp{}, []stampCase{
		{"plan and phase in one", "cache", "P3", "cacheP3: x", true},
		{"a phase that begins with the plan", "AUTH", "AUTH2", "AUTH2: x", true},
		{"behind a directory", "AUTH", "AUTH2", "docs/AUTH2: x", true},
		{"a phase alone", "cache", "P3", "P3: x", false},
		{"a conventional type is no phase", "PAYMENTS", "fix", "fix: typo", false},
		{"nor where plan and phase are one word", "fix", "fix", "fix: typo", false},
		{"Phase 2 of every plan", "PAYMENTS", "Phase 2", "Phase 2: other", false},
		{"nor of a plan called phase", "Phase", "Phase 2", "Phase 2: other", false},
		{"a longer word is no plan prefix", "A", "AUTH", "AUTH: x", false},
		{"without the colon", "AUTH", "AUTH2", "AUTH2 x", false},
	})
	runStamps(t, policy.Stamp{SubjectDirs: []string{"docs", "src"}}, []stampCase{
		{"a declared directory", "AUTH", "AUTH2", "src/AUTH: AUTH2", true},
		{"is mandatory", "AUTH", "AUTH2", "AUTH: AUTH2", false},
		{"and closed", "AUTH", "AUTH2", "lib/AUTH: AUTH2", false},
		{"and whole", "AUTH", "AUTH2", "xsrc/AUTH: AUTH2", false},
		{"nothing is glued", "AUTH", "AUTH2", "src/AUTH2: x", false},
	})
}

func TestPhaseSpellings(t *testing.T) {
	runStamps(t, policy.Stamp{}, []stampCase{
		{"a prime written out", "MG", "MG3'-1", "MG: MG3prime-1 x", true},
		{"and back", "MG", "MG3prime-1", "MG: MG3'-1 x", true},
		{"a prime is part of the name", "MG", "MG3", "MG: MG3' x", false},
		{"Phase N is SN", "LF", "Phase 4", "LF: LF4 x", true},
		{"Phase N is S N", "LF", "Phase 4", "LF: LF 4 x", true},
		{"SN is Phase N", "LF", "LF4", "LF: Phase 4 x", true},
		{"SN is PhaseN", "LF", "LF4", "LF: Phase4 x", true},
		{"another number is not", "LF", "LF4", "LF: Phase 41 x", false},
	})
}

func TestStampsInParentheses(t *testing.T) {
	on := policy.Stamp{TrailerStamp: true}
	runStamps(t, on, []stampCase{
		{"at the end", "AUTH", "AUTH2", "feat: y (AUTH AUTH2)", true},
		{"with a colon", "AUTH", "AUTH2", "feat: y (AUTH: AUTH2)", true},
		{"with spaces", "AUTH", "AUTH2", "feat: y ( AUTH   AUTH2 )", true},
		{"with refs", "AUTH", "AUTH2", "feat: y (refs AUTH AUTH2)", true},
		{"with issues", "AUTH", "AUTH2", "feat: y (AUTH AUTH2; closes #1, fixes #2)", true},
		{"with a directory", "AUTH", "AUTH2", "feat: y (docs/AUTH AUTH2)", true},
		{"a series number", "117_name", "P1", "feat: y (117 P1)", true},
		{"something after it", "AUTH", "AUTH2", "feat: y (AUTH AUTH2) z", false},
		{"a mark after it", "AUTH", "AUTH2", "feat: y (AUTH AUTH2)!", false},
		{"a comma inside", "AUTH", "AUTH2", "feat: y (AUTH, AUTH2)", false},
		{"a word before", "AUTH", "AUTH2", "feat: y (see AUTH AUTH2)", false},
		{"a word after", "AUTH", "AUTH2", "feat: y (AUTH AUTH2 done)", false},
		{"square brackets", "AUTH", "AUTH2", "feat: y [AUTH AUTH2]", false},
		{"the phase alone", "AUTH", "AUTH2", "feat: y (AUTH2)", false},
		{"a release", "AUTH", "AUTH2", "v1.2.3: y (AUTH AUTH2)", false},
		{"git's revert", "AUTH", "AUTH2", `Revert "feat: y (AUTH AUTH2)"`, false},
		{"a revert that ends in the stamp", "AUTH", "AUTH2", `Revert "feat: y" (AUTH AUTH2)`, false},
		{"the conventional type revert", "AUTH", "AUTH2", "revert: y (AUTH AUTH2)", false},
		{"with a scope", "AUTH", "AUTH2", "revert(x)!: y (AUTH AUTH2)", false},
		{"a fixup", "AUTH", "AUTH2", "fixup! feat: y (AUTH AUTH2)", false},
	})
	runStamps(t, policy.Stamp{}, []stampCase{{"off by default", "AUTH", "AUTH2", "feat: y (AUTH AUTH2)", false}})

	q := query(t, "117_name", "P1", on)
	q.SameNumber = []string{"docs/117_name-plan.md", "docs/117_other-plan.md"}
	if q.Naming("feat: y (117 P1)", nil, nil).any() {
		t.Error("a number that two plans share stands for neither")
	}
}

func TestUnfinishedOrWithdrawnWorkStampsNothing(t *testing.T) {
	var cases []stampCase
	for subject, want := range map[string]bool{
		"AUTH: AUTH2 reverted, broken":                  false,
		"AUTH: AUTH2 — reverted":                        false,
		"AUTH: AUTH2 is still open":                     false,
		"AUTH: AUTH2 is not done":                       false,
		"AUTH: AUTH2 wip":                               false,
		"AUTH: AUTH2 add tokens [WIP]":                  false,
		"AUTH: AUTH2 (draft)":                           false,
		"AUTH: AUTH2: todo":                             false,
		"AUTH: AUTH2 partial work":                      false,
		"wip/AUTH: AUTH2 x":                             false,
		"WIP: y (AUTH AUTH2)":                           false,
		"[draft] y (AUTH AUTH2)":                        false,
		"todo: y (AUTH AUTH2)":                          false,
		"chore: drop AUTH2 (AUTH AUTH2)":                false,
		"docs: AUTH2 is open (AUTH AUTH2)":              false,
		"AUTH: AUTH2: partial refunds":                  true,
		"AUTH: AUTH2 not done":                          false,
		"AUTH: AUTH2 NOT implemented":                   false,
		"AUTH: AUTH2 failed, reverting tomorrow":        false,
		"AUTH: AUTH2 (failing)":                         false,
		"AUTH: AUTH2. Broken.":                          false,
		"AUTH: AUTH2 - never finished":                  false,
		"AUTH: AUTH2: no tokens yet":                    false,
		"AUTH: AUTH2: failed login counter":             true,
		"AUTH: AUTH2: pending queue screen":             true,
		"AUTH: AUTH2 - blocked users stay out":          true,
		"AUTH: AUTH2: never log secrets":                true,
		"AUTH: AUTH2 no longer crashes":                 true,
		"AUTH: AUTH2 fail closed on no token":           true,
		"AUTH: AUTH2: failed":                           false,
		"AUTH: AUTH2 - reverted because of the outage":  false,
		"AUTH: AUTH2: reverted in favour of AUTH3":      false,
		"AUTH: AUTH2: blocked by AUTH3":                 false,
		"AUTH: AUTH2: failed, see log":                  false,
		"AUTH: AUTH2 - failing on CI":                   false,
		"AUTH: AUTH2: not quite ready":                  false,
		"AUTH: AUTH2: broken, do not use":               false,
		"AUTH: AUTH2 - skipped for now":                 false,
		"AUTH: AUTH2: abandoned in favour of AUTH3":     false,
		"AUTH: AUTH2: cannot land before AUTH1":         false,
		"AUTH: AUTH2: isn't there":                      false,
		"AUTH: AUTH2 not open yet":                      false,
		"AUTH: AUTH2 no longer works":                   false,
		"AUTH: AUTH2 does not work at all":              false,
		"AUTH: AUTH2 half done":                         false,
		"AUTH: AUTH2: does not crash on an empty token": true,
		"AUTH: AUTH2 does not log secrets any more":     true,
		"AUTH: AUTH2 to fail closed on a missing token": true,
		"AUTH: AUTH2: must not leak the token":          true,
		"AUTH: AUTH2 must never log secrets":            true,
		"AUTH: AUTH2: has no more leaks":                true,
		"AUTH: AUTH2: should not retry for ever":        true,
		"AUTH: AUTH2: to revert a draft with one click": true,
		"AUTH: AUTH2 half done uploads resume":          true,
		"AUTH: AUTH2: not yet":                          false,
		"AUTH: AUTH2 has been reverted":                 false,
		"AUTH: AUTH2 had to be reverted":                false,
		"AUTH: AUTH2 should be reverted":                false,
		"AUTH: AUTH2 work in progress":                  false,
		"AUTH: AUTH2 (DO NOT MERGE)":                    false,
		"AUTH: AUTH2 is only half done":                 false,
		"AUTH: AUTH2 does not work":                     false,
		"AUTH: AUTH2 rolled back":                       false,
		"AUTH: AUTH2 has a cache":                       true,
		"AUTH: AUTH2 - not ready":                       false,
		"AUTH: AUTH2 isn\u2019t done":                   false,
		"AUTH: AUTH2 was not done":                      false,
		"AUTH: AUTH2 can't be built":                    false,
		"AUTH2: skipped":                                false,
		"chore: x, AUTH2 failed (AUTH AUTH2)":           false,
		"AUTH: AUTH2: do not retry twice":               true,
		"AUTH: AUTH2 notes on failure":                  true,
		"AUTH: AUTH2 failover":                          true,
		"AUTH: AUTH2: retry what failed":                true,
		"AUTH: AUTH2 reverter":                          true,
		"draughts: y (AUTH AUTH2)":                      true,
		"swipe: y (AUTH AUTH2)":                         true,
		"AUTH: AUTH2 after AUTH1 was reverted":          true,
		"feat: show AUTH20 is open (AUTH AUTH2)":        true,
	} {
		cases = append(cases, stampCase{"text", "AUTH", "AUTH2", subject, want})
	}
	runStamps(t, policy.Stamp{TrailerStamp: true}, cases)
}

func TestBookkeepingAndProgress(t *testing.T) {
	stamp := policy.Stamp{TrailerStamp: true, BookkeepingPrefixes: []string{"ops:", "docs/_plans:"}, ProgressMarkers: []string{"audit", "day-1 soak"}}
	runStamps(t, stamp, []stampCase{
		{"a declared prefix", "AUTH", "AUTH2", "OPS: y (AUTH AUTH2)", false},
		{"is anchored", "AUTH", "AUTH2", "devops: y (AUTH AUTH2)", true},
		{"and whole", "AUTH", "AUTH2", "opsx: y (AUTH AUTH2)", true},
		{"a snapshot", "AUTH", "AUTH2", "working-dir snapshot: y (AUTH AUTH2)", false},
		{"an archive", "AUTH", "AUTH2", "archive 20260530 (AUTH AUTH2)", false},
		{"a rollup behind a head", "AUTH", "AUTH2", "chore: rollup 20260530T093407Z (AUTH AUTH2)", false},
		{"an archive without a day", "AUTH", "AUTH2", "archive reader (AUTH AUTH2)", true},
		{"a progress marker", "AUTH", "AUTH2", "AUTH: AUTH2 audit", false},
		{"of two words", "AUTH", "AUTH2", "AUTH: AUTH2 day-1 soak", false},
		{"is a whole word", "AUTH", "AUTH2", "AUTH: AUTH2 auditing", true},
		{"and no title", "AUTH", "AUTH2", "AUTH: AUTH2: audit", true},
		{"after a dash neither", "AUTH", "AUTH2", "AUTH: AUTH2 — audit", true},
	})
}

func TestTrailersNameUnits(t *testing.T) {
	for _, c := range []struct {
		name, plan, phase, subject, unit string
		want                             bool
	}{
		{"plan and phase", "AUTH", "AUTH2", "x", "AUTH/AUTH2", true},
		{"case is ignored", "AUTH", "AUTH2", "x", "auth/auth2", true},
		{"the last slash divides", "docs/117", "P1", "x", "docs/117/P1", true},
		{"so the plan keeps the others", "docs", "117/P1", "x", "docs/117/P1", false},
		{"a spelling of the phase", "LF", "Phase 4", "x", "LF/LF4", true},
		{"a longer phase", "AUTH", "AUTH2", "x", "AUTH/AUTH20", false},
		{"words after it", "AUTH", "AUTH2", "x", "AUTH/AUTH2 soon", false},
		{"no plan", "AUTH", "AUTH2", "x", "/AUTH2", false},
		{"no phase", "AUTH", "AUTH2", "x", "AUTH/", false},
		{"no slash", "AUTH", "AUTH2", "x", "AUTH AUTH2", false},
		{"prose does not veto it", "AUTH", "AUTH2", "wip: AUTH2 is open", "AUTH/AUTH2", true},
		{"a revert does", "AUTH", "AUTH2", `Revert "x"`, "AUTH/AUTH2", false},
		{"a fixup does", "AUTH", "AUTH2", "squash! x", "AUTH/AUTH2", false},
	} {
		if got := query(t, c.plan, c.phase, policy.Stamp{}).Naming(c.subject, nil, []string{c.unit}).Trailer; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDifferentBytesThatAreNoTextStayDifferent(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"ÜBUNG", "übung", true}, {"a\xe9", "a\xea", false}, {"a\xe9", "A\xe9", true}, {"\u212a", "k", false}, {"\ufffd", "\xe9", false},
	} {
		if got := Fold(c.a) == Fold(c.b); got != c.same {
			t.Errorf("%q and %q compare %v, want %v", c.a, c.b, got, c.same)
		}
	}
}

func TestNamesThatNoCommitCouldSayAreRefused(t *testing.T) {
	for _, name := range []string{"", " ", "a\nb", "a\x00", "a\xff", " a", "a ", "\u2028", "a\u202eb", strings.Repeat("x", maxName+1)} {
		if _, err := NewQuery(name, "P1", policy.Stamp{}); err == nil {
			t.Errorf("plan %q was accepted", name)
		}
		if _, err := NewQuery("P", name, policy.Stamp{}); err == nil {
			t.Errorf("phase %q was accepted", name)
		}
	}
	for _, name := range []string{"a.*", "(x", "[", `\`, "C++", "a b", strings.Repeat("x", maxName)} {
		query(t, name, name, policy.Stamp{}).Naming("x: y ("+name+" "+name+")", nil, nil)
	}
}

// holdsNeedle looks for the needles as the index does.
func holdsNeedle(q Query, subject string, units []string, body []byte) bool {
	text := Fold(subject + "\n" + strings.Join(units, "\n"))
	if Bundles(q.stamp, subject) {
		text += BodyMark + Fold(string(body))
	}
	return slices.ContainsFunc(q.Needles(), func(group []string) bool {
		return !slices.ContainsFunc(group, func(needle string) bool { return !strings.Contains(text, needle) })
	})
}

// Reading all the text behind each mention would not end here within the time
// that a test may take.
func TestNoSubjectCostsMoreThanItsLength(t *testing.T) {
	for _, phase := range []string{".", ":", "a", "wip", ","} {
		q := query(t, "a", phase, policy.Stamp{TrailerStamp: true, ProgressMarkers: []string{"x"}})
		for _, subject := range []string{strings.Repeat(phase, 60_000/len(phase)), strings.Repeat(phase+" ", 30_000/len(phase)), "(" + strings.Repeat("a ", 30_000) + ")"} {
			q.Naming(subject, nil, nil)
		}
	}
}

func FuzzNaming(f *testing.F) {
	f.Add("AUTH", "AUTH2", "AUTH: AUTH2 add", "AUTH/AUTH2")
	f.Add("C++", "Phase 4", "(C++ Phase 4 #1)", "\xff/\x00")
	f.Fuzz(func(t *testing.T, plan, phase, subject, unit string) {
		q, err := NewQuery(plan, phase, policy.Stamp{TrailerStamp: true})
		if err != nil {
			return
		}
		n := q.Naming(subject, nil, []string{unit})
		if n.any() && !holdsNeedle(q, subject, []string{unit}, nil) {
			t.Errorf("%q or %q names (%q, %q) and no needle is in it", subject, unit, plan, phase)
		}
	})
}

func TestAPlanMayBeCalledAfterARefusal(t *testing.T) {
	for _, plan := range []string{"REVERT", "TODO", "DRAFT", "PARTIAL", "WIP"} {
		q := query(t, plan, plan+"2", policy.Stamp{})
		if !q.Naming(plan+": "+plan+"2 add it", nil, nil).any() {
			t.Errorf("%s never ships", plan)
		}
		if q.Naming(plan+": "+plan+"2 wip", nil, nil).any() || q.Naming(plan+" "+plan+"3 and more", nil, []string{"x/y"}).any() {
			t.Errorf("%s ships unfinished", plan)
		}
	}
}
