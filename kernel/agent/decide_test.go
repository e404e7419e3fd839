package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/guard"
)

var (
	api     = Lane{Name: "api", Tree: []string{"api/**"}, Holder: "me@box", Mine: true}
	web     = Lane{Name: "web", Tree: []string{"web/**"}, Holder: "other@box"}
	all     = Lane{Name: "global", Holder: "other@box"}
	lapsed  = Lane{Name: "api", Tree: []string{"api/**"}, Mine: true, Lapsed: true}
	inAPI   = Place{Written: "/r/api/a.go", Path: "api/a.go"}
	inWeb   = Place{Written: "web/x", Path: "web/x"}
	inDocs  = Place{Written: "docs/x", Path: "docs/x"}
	outside = Place{Written: "/tmp/x"}
)

func TestAWriteIsHeldToTheLease(t *testing.T) {
	for name, c := range map[string]struct {
		places  []Place
		held    Held
		require bool
		want    Token // "" for allow
	}{
		"inside":                        {[]Place{inAPI}, Held{Lanes: []Lane{web, api}}, true, ""},
		"outside of it":                 {[]Place{inDocs}, Held{Lanes: []Lane{api}}, false, OutsideLease},
		"in the lane of another":        {[]Place{inWeb}, Held{Lanes: []Lane{web, api}}, false, OutsideLease},
		"one of several":                {[]Place{inAPI, inDocs}, Held{Lanes: []Lane{api}}, false, OutsideLease},
		"in no repository":              {[]Place{outside}, Held{Lanes: []Lane{api}}, true, ""},
		"without a lease":               {[]Place{inDocs}, Held{Lanes: []Lane{web}}, false, ""},
		"without a lease, in a lane":    {[]Place{inWeb}, Held{Lanes: []Lane{web}}, false, HeldByOther},
		"without a lease, in all":       {[]Place{inDocs}, Held{Lanes: []Lane{all}}, false, HeldByOther},
		"without a lease that must be":  {[]Place{inDocs}, Held{}, true, NoLease},
		"without a lease, elsewhere":    {[]Place{outside}, Held{}, true, ""},
		"with a lost one":               {[]Place{inDocs}, Held{Lost: []string{"api"}}, false, LeaseLost},
		"with a lost one and another":   {[]Place{inAPI}, Held{Lanes: []Lane{api}, Lost: []string{"docs"}}, false, ""},
		"past the deadline":             {[]Place{inAPI}, Held{Lanes: []Lane{lapsed}}, false, LeaseLapsed},
		"into .git":                     {[]Place{{Written: ".git/config", Path: ".git/config", InGit: true}}, Held{}, false, GitDirectory},
		"into .git with all":            {[]Place{{Written: ".git/HEAD", InGit: true}}, Held{Lanes: []Lane{{Name: "global", Mine: true}}}, false, GitDirectory},
		"into another worktree":         {[]Place{{Written: "/w/api/a", Beside: "/w"}}, Held{Lanes: []Lane{api}}, false, OtherWorktree},
		"everything is held here":       {[]Place{inDocs}, Held{Lanes: []Lane{{Name: "global", Mine: true}}}, true, ""},
		"another one's is past its end": {[]Place{inWeb}, Held{Lanes: []Lane{{Name: "web", Tree: []string{"web/**"}, Lapsed: true}}}, false, HeldByOther},
	} {
		v := Decide(c.places, c.held, c.require)
		if v.Token != c.want || (v.Outcome == Allow) != (c.want == "") {
			t.Errorf("%s: %+v, want %q", name, v, c.want)
		}
		if v.Outcome != Allow && (v.Reason == "" || v.Fix == "" || v.Path == "" || !strings.Contains(v.String(), "instead: ")) {
			t.Errorf("%s: %q does not say what to do", name, v)
		}
	}
}

func TestCommandsAreGuarded(t *testing.T) {
	for line, want := range map[string]Outcome{"git status": Allow, "go test ./...": Allow, "git push --force": Deny, "git $x": Deny, "git add -A && ls": Deny} {
		v := Guarded(Call{Commands: []guard.Evidence{{Command: "ls"}, {Command: line}}})
		if v.Outcome != want || v.Outcome == Deny && (v.Fix == "" || v.Token == "") {
			t.Errorf("%s: %+v", line, v)
		}
	}
}

func TestAnAgentLearnsHowItsLeaseStands(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	mine := func(age time.Duration) Held {
		l := api
		l.Renewed, l.TTL = at.Add(-age), 15*time.Minute
		return Held{Lanes: []Lane{web, l}}
	}
	for name, c := range map[string]struct {
		held Held
		want Token
	}{
		"fresh":       {mine(4 * time.Minute), ""},
		"due":         {mine(5 * time.Minute), LeaseDue},
		"past it":     {Held{Lanes: []Lane{lapsed}}, LeaseLapsed},
		"lost":        {Held{Lanes: []Lane{web}, Lost: []string{"api"}}, LeaseLost},
		"none":        {Held{Lanes: []Lane{web}}, ""},
		"renews none": {Held{}, ""},
	} {
		v := After(c.held, at)
		if v.Token != c.want || (v.Outcome == Tell) != (c.want != "") || v.Outcome == Deny {
			t.Errorf("%s: %+v, want %q", name, v, c.want)
		}
	}
}

func TestAStopIsRefusedOnce(t *testing.T) {
	first, again, unsaid := Call{AgainKnown: true}, Call{Again: true, AgainKnown: true}, Call{}
	open := []Finish{{Lane: "api", Unit: "SHOP/API1", Why: "no commit names it"}}
	for name, c := range map[string]struct {
		call Call
		ends []Finish
		want Token
	}{
		"no lease":             {first, nil, ""},
		"nothing to show":      {first, []Finish{{Lane: "api"}}, ""},
		"shipped":              {first, []Finish{{Lane: "api", Unit: "SHOP/API1", Shipped: true}}, ""},
		"not shipped":          {first, open, NotShipped},
		"not shipped, again":   {again, open, ""},
		"not shipped, unsaid":  {unsaid, open, ""},
		"it cannot be told":    {first, []Finish{{Lane: "api", Unit: "SHOP/API1", Unknown: true}}, ""},
		"not committed":        {first, []Finish{{Lane: "api", Left: []string{"api/a"}}}, NotCommitted},
		"not committed, again": {again, []Finish{{Lane: "api", Left: []string{"api/a"}}}, ""},
		"the second lane":      {first, []Finish{{Lane: "api"}, {Lane: "web", Left: []string{"web/a"}}}, NotCommitted},
	} {
		v := Stop(c.call, c.ends)
		if v.Token != c.want || (v.Outcome == Allow) != (c.want == "") {
			t.Errorf("%s: %+v, want %q", name, v, c.want)
		}
		if v.Outcome == Deny && !strings.Contains(v.Fix, "git dos lease release") {
			t.Errorf("%s: %q leaves an agent that cannot no way out", name, v)
		}
	}
}
