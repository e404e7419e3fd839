package queue

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestDecideAdd(t *testing.T) {
	f := holding(t, task(1, "fix the parser for empty input"), task(2, "ship it", unit("P/1")))
	machine := Machine{Paths: []string{"/srv/build/repo"}, Hosts: []string{"vm-17"}}
	tests := []struct {
		claim string
		task  Task
		want  Outcome
		twins int
	}{
		{"a new one", task(5, "write the manual"), Added, 0},
		{"without a condition", task(5, "write the manual", func(t *Task) { t.Until = nil }), AddedDraft, 0},
		{"a likely twin", task(5, "fix parser for the empty input now"), Added, 1},
		{"one with the target of another", task(5, "something else", unit("p/1")), Added, 1},
		{"the same again", task(5, "fix the parser for empty input"), Known, 0},
		{"a path", task(5, "see /srv/build/repo/x.go"), Leaks, 0},
		{"a host in the body", task(5, "x", func(t *Task) { t.Body = "a\non VM-17" }), Leaks, 0},
		{"a token in the condition", task(5, "x", func(t *Task) { t.Until = &Until{Text: "token=abcdefgh12345678"} }), Leaks, 0},
		{"a path in the owner", task(5, "x", func(t *Task) { t.By = "/home/ann/x" }), Leaks, 0},
		{"a host in the owner", task(5, "write the manual", func(t *Task) { t.By = "ann@vm-17" }), Added, 0},
		{"a path in a label", task(5, "x", labels("/home/ann/x")), Leaks, 0},
	}
	for _, tt := range tests {
		v, entries, err := DecideAdd(f, machine, tt.task)
		if err != nil || v.Outcome != tt.want || len(v.Twins) != tt.twins || (len(entries) > 0) != (tt.want == Added || tt.want == AddedDraft) {
			t.Errorf("%s: %+v, %d entries, %v; want %s and %d twins", tt.claim, v, len(entries), err, tt.want, tt.twins)
		}
		for _, e := range entries {
			if err := f.Clone().Add(e); err != nil {
				t.Errorf("%s: %v", tt.claim, err)
			}
		}
	}
	v, _, _ := DecideAdd(f, machine, task(5, "on vm-17"))
	if strings.Contains(v.String(), "vm-17") {
		t.Errorf("the refusal says what leaked: %s", v)
	}
	for claim, bad := range map[string]Task{"a dependency that is not there": task(5, "a", after(id(9))), "no title": task(5, "")} {
		var r *RequestError
		if _, entries, err := DecideAdd(f, machine, bad); !errors.As(err, &r) || entries != nil {
			t.Errorf("%s: %v", claim, err)
		}
	}
}

func TestDecideChange(t *testing.T) {
	f := foldOf(t,
		Entry{Op: OpAdd, Tasks: []Task{task(1, "a"), task(2, "b"), task(3, "c", func(t *Task) { t.State, t.Until = Draft, nil }), task(4, "d"), task(5, "e"), task(6, "f"), task(7, "g")}},
		Entry{Op: OpHold, ID: id(2), Why: "vendor"},
		Entry{Op: OpClose, ID: id(4), State: WontFix, Why: "no", Decision: "d"},
		Entry{Op: OpClose, ID: id(5), State: Duplicate, Of: id(6), Why: "no", Decision: "d"},
		Entry{Op: OpClose, ID: id(6), State: Duplicate, Of: id(7), Why: "no", Decision: "d"})
	tests := []struct {
		claim string
		Change
		want Outcome
	}{
		{"hold", Change{ID: id(1), Op: OpHold, Why: "w"}, Holding},
		{"hold for another reason", Change{ID: id(2), Op: OpHold, Why: "w"}, Holding},
		{"hold for the same", Change{ID: id(2), Op: OpHold, Why: "vendor"}, Known},
		{"hold what is closed", Change{ID: id(4), Op: OpHold, Why: "w"}, Refused},
		{"hold as a path", Change{ID: id(1), Op: OpHold, Why: "w", By: "/home/ann/x"}, Leaks},
		{"hold with a leak", Change{ID: id(1), Op: OpHold, Why: "ask on /home/ann/x"}, Leaks},
		{"release", Change{ID: id(2), Op: OpRelease}, Released},
		{"release what is open", Change{ID: id(1), Op: OpRelease}, Known},
		{"put another condition", Change{ID: id(1), Op: OpRelease, Until: &Until{Issue: 3}}, Released},
		{"release a draft", Change{ID: id(3), Op: OpRelease}, Refused},
		{"release a draft with a condition", Change{ID: id(3), Op: OpRelease, Until: &Until{Unit: "P/1"}}, Released},
		{"open what was closed", Change{ID: id(4), Op: OpRelease}, Refused},
		{"open it as an operator", Change{ID: id(4), Op: OpRelease, Operator: true}, Released},
		{"close as a worker", Change{ID: id(1), Op: OpClose, State: WontFix, Why: "w", Stands: true, Decision: "d"}, Proposed},
		{"close unproposed", Change{ID: id(1), Op: OpClose, State: WontFix, Why: "w", Operator: true}, Refused},
		{"close", Change{ID: id(1), Op: OpClose, State: WontFix, Why: "w", Operator: true, Stands: true, Decision: "d"}, ClosedNow},
		{"close again", Change{ID: id(4), Op: OpClose, State: WontFix, Why: "w"}, Known},
		{"a duplicate", Change{ID: id(1), Op: OpClose, State: Duplicate, Of: id(2), Why: "w", Operator: true, Stands: true, Decision: "d"}, ClosedNow},
		{"a duplicate of its own duplicate", Change{ID: id(6), Op: OpClose, State: Duplicate, Of: id(5), Why: "w", Operator: true, Stands: true, Decision: "d"}, Refused},
		{"and by way of another", Change{ID: id(7), Op: OpClose, State: Duplicate, Of: id(5), Why: "w"}, Refused},
		{"a duplicate of a duplicate", Change{ID: id(1), Op: OpClose, State: Duplicate, Of: id(5), Why: "w"}, Proposed},
		{"a duplicate of itself", Change{ID: id(1), Op: OpClose, State: Duplicate, Of: id(1), Why: "w", Operator: true, Stands: true, Decision: "d"}, Refused},
		{"a duplicate of nothing", Change{ID: id(1), Op: OpClose, State: Duplicate, Of: id(9), Why: "w", Operator: true, Stands: true, Decision: "d"}, Refused},
	}
	for _, tt := range tests {
		tt.At, tt.By = t0.Add(time.Hour), cmp.Or(tt.By, "w")
		v, entries, err := DecideChange(f, Machine{}, tt.Change)
		wrote := tt.want == Holding || tt.want == Released || tt.want == ClosedNow
		if err != nil || v.Outcome != tt.want || (len(entries) == 1) != wrote {
			t.Errorf("%s: %+v, %d entries, %v; want %s", tt.claim, v, len(entries), err, tt.want)
		}
	}
	var r *RequestError
	if _, _, err := DecideChange(f, Machine{}, Change{ID: id(9), Op: OpHold, Why: "w"}); !errors.As(err, &r) {
		t.Errorf("an unknown id: %v", err)
	}
	if _, _, err := DecideChange(f, Machine{}, Change{ID: id(1), Op: OpHold, Why: "a\nb", At: t0}); !errors.As(err, &r) {
		t.Errorf("a reason of two lines: %v", err)
	}
}

func TestLeaks(t *testing.T) {
	m := Machine{Paths: []string{"/srv/build/repo", "/app"}, Hosts: []string{"build-box7", "localhost", "x1"}}
	for text, want := range map[string]Rule{
		"see /srv/build/repo/kernel/x.go":              MachinePath,
		`in C:\Users\ann\x`:                            MachinePath,
		"at /home/ann/src":                             MachinePath,
		"(/Users/ann)":                                 MachinePath,
		"file:///etc/x":                                MachinePath,
		"runs on Build-Box7.":                          HostName,
		"http://wiki.corp/x":                           HostName,
		"ci-3.internal":                                HostName,
		"at 192.168.1.20":                              HostName,
		"10.1.2.3":                                     HostName,
		"AKIAABCDEFGHIJKLMNOP":                         Credential,
		"ghp_abcdefghijklmnopqrst0123":                 Credential,
		"glpat-abcdefghijklmnop12":                     Credential,
		"https://ann:hunter2@example.com/x":            Credential,
		"-----BEGIN RSA PRIVATE KEY-----":              Credential,
		"Authorization: Bearer abcdef0123456789":       Credential,
		`API_KEY="abcd1234efgh"`:                       Credential,
		"password: hunter2hunter2":                     Credential,
		"DB_PASSWORD=hunter2":                          Credential,
		"~/secret/x":                                   MachinePath,
		`on \\fileserver\share\x`:                      HostName,
		"eyJhbGciOiJI.eyJzdWIiOiIx.abcdefgh12":         Credential,
		"dapi" + strings.Repeat("0123456789abcdef", 2): Credential, // which gitleaks knows
	} {
		got := m.Leaks("body", "first\n"+text)
		if len(got) == 0 || got[0].Rule != want || got[0].Line != 2 || got[0].Where != "body" {
			t.Errorf("%q: %+v, want %s in line 2", text, got, want)
		}
		if masked := Mask("first\n"+text, got); len(m.Leaks("", masked)) > 0 || !strings.HasPrefix(masked, "first\n") {
			t.Errorf("%q masked is %q", text, masked)
		}
	}
	for _, text := range []string{
		"the route /app answers", "https://example.com/home/ann", "see kernel/lane/x.go", "localhost:8080", "box x1",
		"the token: required field", "password = something", "version 1.10.1.2", "a secret: please-keep-it", "pkg.internal is a folder",
		"read ~/.gitconfig", "~2 s", `a "\\n\t" in it`, `C:\\x\\y`, "password=abc1", "mybuild-box7x", "/srv/build/repository is another",
		"see /var/log/syslog", "ask ann.berg@mailbox.org", "in /home/runner/work",
	} {
		if got := m.Leaks("body", text); len(got) > 0 {
			t.Errorf("%q: %+v, want no leak", text, got)
		}
	}
}

func TestTextThatCannotBeJudgedLeaks(t *testing.T) {
	text := strings.Repeat("at 192.168.1.20\n", 2000)
	leaks := Machine{}.Leaks("body", text)
	if len(leaks) != 1 || leaks[0].Line != 1 || Mask(text, leaks) != "[withheld]" {
		t.Errorf("%d leaks, masked %.40q", len(leaks), Mask(text, leaks))
	}
}

func TestRoutes(t *testing.T) {
	has := func(path string) bool {
		if strings.Contains(path, "new") {
			return false
		}
		return path == "api" || path == "web" || strings.HasPrefix(path, "api/") || strings.HasPrefix(path, "docs") || strings.HasPrefix(path, "web/")
	}
	tests := []struct {
		claim    string
		task     Task
		lane     string
		rung     Rung
		conflict int
	}{
		{"a path", task(1, "crash in `api/x.go:12`."), "api", ByPath, 0},
		{"a folder", task(1, "tidy docs/"), "docs", ByPath, 0},
		{"a path in the body", task(1, "crash", func(t *Task) { t.Body = "at\n(web/a.ts)" }), "web", ByPath, 0},
		{"a path that the trunk lacks", task(1, "crash in lib/x.go"), "", "", 0},
		{"a file to be made", task(1, "serve it from api/new.go:1."), "api", ByPath, 0},
		{"a file to be made in a folder to be made", task(1, "serve it from api/new/x.go"), "", "", 0},
		{"a file to be made beside one of another lane", task(1, "web/x, and api/new.go"), "api", ByPath, 1},
		{"two words", task(1, "api/new of it"), "", "", 0},
		{"a hidden file to be made", task(1, "write api/.new"), "", "", 0},
		{"a path in two lanes is in none", task(1, "look at api/shared/x.go"), "", "", 0},
		{"a path above a scope", task(1, "docs: crash in api/x.go"), "api", ByPath, 0},
		{"two paths, and the scope agrees with one", task(1, "fix(web): api/x.go and web/x"), "web", ByPath, 1},
		{"two paths, and nothing else", task(1, "between web/x and api/x.go"), "api", ByPath, 1},
		{"two paths, and a word that is no say", task(1, "web or web/x and api/x.go"), "api", ByPath, 1},
		{"a scope", task(1, "api: it fails"), "api", ByScope, 0},
		{"a scope in parentheses", task(1, "fix(API)!: it fails"), "api", ByScope, 0},
		{"an alias", task(1, "fix(backend): it fails"), "api", ByAlias, 0},
		{"a label", task(1, "it fails", labels("bug", "area/web")), "web", ByLabel, 0},
		{"a label above a word", task(1, "docs fail", labels("area: site")), "web", ByLabel, 0},
		{"labels of two lanes say nothing", task(1, "docs fail", labels("web", "api")), "docs", ByKeyword, 0},
		{"a word", task(1, "the site fails"), "web", ByKeyword, 0},
		{"two words of two lanes", task(1, "the site and the docs"), "", "", 0},
		{"part of a word", task(1, "apiary"), "", "", 0},
		{"a hint", task(1, "it fails", func(t *Task) { t.Body = "x\nLane: docs\n" }), "docs", ByHint, 0},
		{"a lane had alone is never guessed", task(1, "global: everything"), "", "", 0},
		{"nothing", task(1, "it fails"), "", "", 0},
	}
	r := router(t)
	for _, tt := range tests {
		got := r.Route(tt.task, has)
		if got == nil {
			got = &Route{}
		} else if err := got.check(); err != nil {
			t.Errorf("%s: %v", tt.claim, err)
		}
		if got.Lane != tt.lane || got.Rung != tt.rung || len(got.Conflict) != tt.conflict {
			t.Errorf("%s: %+v; want %s by %s and %d conflicts", tt.claim, got, tt.lane, tt.rung, tt.conflict)
		}
	}
}
