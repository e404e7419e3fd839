package ship

import (
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/policy"
)

func TestMentions(t *testing.T) {
	bundle := policy.Stamp{SummaryBundlePrefixes: []string{"docs/HYG:"}, ProgressMarkers: []string{"audit"}}
	parts := policy.Stamp{SubPhaseParentFallback: true}
	for _, c := range []struct {
		name, plan, phase, subject, body string
		stamp                            policy.Stamp
		want                             Rung
	}{
		{"a release line", "AUTH", "AUTH2", "v1.2.3: A1 + AUTH2 + B2", "", policy.Stamp{}, RungRelease},
		{"without a space", "UP", "UP2.1.4", "v1.2.3:UP2.1.4", "", policy.Stamp{}, RungRelease},
		{"a range names no member", "A", "A2", "v1.2.3: A1-A3", "", policy.Stamp{}, ""},
		{"nor its ends", "A", "A1", "v1.2.3: A1-A3", "", policy.Stamp{}, ""},
		{"a longer token is another", "A", "A1", "v1.2.3: A10 and pre-A1 and A1.1", "", policy.Stamp{}, ""},
		{"a release candidate is no release", "A", "A1", "v1.2.3-rc1: A1", "", policy.Stamp{}, ""},
		{"nor are two numbers", "A", "A1", "v1.2: A1", "", policy.Stamp{}, ""},
		{"a phase of any plan needs the plan", "LF", "Phase 4", "v1.2.3: Phase 4", "", policy.Stamp{}, ""},
		{"and has it in front", "LF", "Phase 4", "v1.2.3: LF Phase 4", "", policy.Stamp{}, RungRelease},
		{"or before a colon", "AUTH", "AUTH4", "v1.0.0: AUTH: Phase 4 lands", "", policy.Stamp{}, RungRelease},
		{"or glued to the number", "LF", "Phase 4", "v1.2.3: LF4 and more", "", policy.Stamp{}, RungRelease},
		{"a bare number too", "LF", "4", "v1.2.3: 4 fixes", "", policy.Stamp{}, ""},
		{"a declared bundle", "RS", "RS4", "docs/HYG: sweep RS4 and others", "", bundle, RungRelease},
		{"still in progress there", "RS", "RS4", "docs/HYG: RS4 audit", "", bundle, ""},
		{"taken back there", "RS", "RS4", "v1.2.3: drop RS4", "", policy.Stamp{}, ""},

		{"the words of a bundle's own phase", "HYG", "dropbox_zero_apply", "docs/HYG: Dropbox zero-apply picker", "", bundle, RungSlug},
		{"not some of them", "HYG", "worker_id_audit", "docs/HYG: worker id cleanup", "", bundle, ""},
		{"not a piece of a word", "HYG", "a", "docs/HYG: all of it", "", bundle, ""},
		{"not a word of another bundle", "HYG", "all", "docs/OTHER: all of it", "", bundle, ""},
		{"not when nothing was declared", "HYG", "worker_id_audit", "docs/HYG: Worker-ID audit finished", "", policy.Stamp{}, ""},

		{"a part by its parent", "RS", "RS4-close-out", "RS: RS4 — close out now", "", parts, RungSubPhase},
		{"not by the parent alone", "RS", "RS4-close-out", "RS: RS4 done", "", parts, ""},
		{"not by another parent", "RS", "RS4-port", "RS: RS40 — port it", "", parts, ""},
		{"not by a piece of a word", "RS", "RS4-port", "RS: RS4 support", "", parts, ""},
		{"not unasked", "RS", "RS4-port", "RS: RS4 port", "", policy.Stamp{}, ""},

		{"a line of a release's body", "AUTH", "AUTH2", "v1.2.3: cut", "- AUTH2 refresh\n- other", policy.Stamp{}, RungBody},
		{"in the middle of one", "SF", "SF1.2-port", "v1.2.3: cut", "intro\n\nships (SF1.2-port) today", policy.Stamp{}, RungBody},
		{"not a longer token", "RS", "RS4", "v1.2.3: cut", "- RS4-retry\n- RS40", policy.Stamp{}, ""},
		{"not one said to be open", "RS", "RS4", "v1.2.3: cut", "- RS4 is still open\n- wip RS4", policy.Stamp{}, ""},
		{"not in any other body", "AUTH", "AUTH2", "feat: y", "AUTH: AUTH2 done", policy.Stamp{}, ""},
		{"not under bookkeeping", "AUTH", "AUTH2", "bulk snapshot: cut", "- AUTH2", policy.Stamp{}, ""},
	} {
		n := query(t, c.plan, c.phase, c.stamp).Naming(c.subject, []byte(c.body), nil)
		if n.Rung != c.want {
			t.Errorf("%s: %q names it as %q, want %q", c.name, c.subject, n.Rung, c.want)
		}
		if (n.Rung == "") != (n.Refusal != "") {
			t.Errorf("%s: rung %q with refusal %q", c.name, n.Rung, n.Refusal)
		}
		if form := c.plan + ": " + c.phase; strings.Contains(n.Refusal, "no stamp") &&
			(!strings.Contains(n.Refusal, ", as "+form+" ") || !query(t, c.plan, c.phase, c.stamp).Stamps(form, nil)) {
			t.Errorf("%s: refusal %q names no form that stamps", c.name, n.Refusal)
		}
		if q := query(t, c.plan, c.phase, c.stamp); n.any() && !holdsNeedle(q, c.subject, nil, []byte(c.body)) {
			t.Errorf("%s: no needle is in %q", c.name, c.subject)
		}
	}
}

// A squashed branch may hold the work and the revert of it.
func TestASquashThatTakesItsWorkBack(t *testing.T) {
	const stamp, revert = "* AUTH: AUTH2 add refresh\n\n", "* Revert \"AUTH: AUTH2 add refresh\"\n\nThis reverts commit 0123abcd.\n\n"
	const again, reapply = "* Revert \"Revert \"AUTH: AUTH2 add refresh\"\"\n\n", "* Reapply \"AUTH: AUTH2 add refresh\"\n\n"
	for body, want := range map[string]bool{
		"":                       false,
		stamp:                    false,
		stamp + revert:           true,
		revert + stamp:           true,
		revert:                   true,
		stamp + revert + again:   false,
		stamp + revert + reapply: false,
		stamp + revert + stamp:   false,
		stamp + revert + again + again + "* Revert \"Revert \"Revert \"AUTH: AUTH2 add refresh\"\"\"\n" + revert: true,
		"    " + strings.TrimPrefix(revert, "* "):  true, // as git merge --squash writes it
		"* Revert \"AUTH: AUTH3 other\"\n":         false,
		"it reverts \"AUTH: AUTH2 add refresh\"\n": false,
	} {
		q := query(t, "AUTH", "AUTH2", policy.Stamp{})
		for _, units := range [][]string{nil, {"AUTH/AUTH2"}} {
			if got := !q.Naming("AUTH: AUTH2 add refresh (#12)", []byte(body), units).any(); got != want {
				t.Errorf("taken back %v, want %v: %q", got, want, body)
			}
		}
		if want && !MayTakeBack([]byte(body)) {
			t.Errorf("the quick test misses %q", body)
		}
	}
}

func TestFilesOfThePlan(t *testing.T) {
	two := []PlanFile{{Path: "src/a.go"}, {Path: "src/b.go"}}
	for _, c := range []struct {
		name, subject string
		live          []PlanFile
		touches       []string
		merge         bool
		want          bool
	}{
		{"two of its files", "feat: both halves", two, []string{"src/a.go", "src/b.go"}, false, true},
		{"one of two", "feat: one half", two, []string{"src/a.go"}, false, false},
		{"hubs alone", "feat: x", []PlanFile{{"src/cli.py", true}, {"src/config.py", true}}, []string{"src/cli.py", "src/config.py"}, false, false},
		{"a hub and another", "feat: x", []PlanFile{{"src/cli.py", true}, {"src/a.go", false}}, []string{"src/cli.py", "src/a.go"}, false, true},
		{"the only one, the plan named", "feat(AUTH): add it", two[:1], []string{"src/a.go"}, false, true},
		{"the only one, the plan not named", "feat: add it", two[:1], []string{"src/a.go"}, false, false},
		{"a merge", "both halves", two, []string{"src/a.go", "src/b.go"}, true, false},
		{"bookkeeping", "bulk snapshot: all", two, []string{"src/a.go", "src/b.go"}, false, false},
		{"unfinished", "wip: both", two, []string{"src/a.go", "src/b.go"}, false, false},
		{"another plan in a directory", "docs/ZZ: other series", two, []string{"src/a.go", "src/b.go"}, false, false},
		{"another plan's stamp", "QQ: QQ7 other", two, []string{"src/a.go", "src/b.go"}, false, false},
		{"another plan's stamp of any phase", "OTHER: O1 add", two, []string{"src/a.go", "src/b.go"}, false, false},
		{"a type is no plan", "fix: a1 and b1", two, []string{"src/a.go", "src/b.go"}, false, true},
		{"another plan's release", "v1.0.0: QQ7 bundle", two, []string{"src/a.go", "src/b.go"}, false, false},
		{"a revert", "Revert \"feat: x\"", two, []string{"src/a.go", "src/b.go"}, false, false},
		{"nothing", "feat: x", two, nil, false, false},
	} {
		q := query(t, "AUTH", "AUTH2", policy.Stamp{})
		if got := q.byFiles(Candidate{Subject: c.subject, Touches: c.touches, Merge: c.merge}, c.live); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
