package hooks

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/scope"
)

// site is what is held, what rides, and what the push touches.
type site struct {
	held, ridden []Hold
	paths        []string
	links        []scope.Link
	staged       []string
	unread       error
	unshipped    map[string][]string
}

func (s site) Holds(context.Context, Push) ([]Hold, error)  { return s.held, s.unread }
func (s site) Ridden(context.Context, Push) ([]Hold, error) { return s.ridden, nil }
func (s site) Touched(context.Context, Push, Update) (Touch, error) {
	if s.paths == nil {
		return Touch{}, errTorn
	}
	return Touch{s.paths, s.links}, nil
}
func (s site) Unshipped(_ context.Context, _ Push, _ Update, lane string, touched []string) ([]string, error) {
	if rest, ok := s.unshipped[lane]; ok {
		return rest, nil
	}
	return touched, nil
}
func (s site) Staged(context.Context) (Touch, error) { return Touch{s.staged, s.links}, nil }

var (
	bobs = Hold{Lane: "api", Tree: []string{"api/**"}, Gen: 5, Holder: "bob on west"}
	mine = Hold{Lane: "docs", Tree: []string{"docs/**"}, Gen: 2, Holder: "ann on east", Mine: true}
)

func TestLeaseFence(t *testing.T) {
	with := func(h Hold, change func(*Hold)) Hold { change(&h); return h }
	deleting := Push{Hook: PrePush, Trunk: onTrunk, Updates: []Update{{Ref: onTrunk, Old: "old"}}}
	topic := Push{Hook: PrePush, Trunk: onTrunk, Updates: []Update{{Ref: "refs/heads/topic", New: "tip"}}}
	unknown := Push{Hook: PrePush, Updates: topic.Updates}
	tests := []struct {
		claim string
		site  site
		push  Push
		want  []string
	}{
		{"nobody holds anything", site{paths: []string{"api/a"}}, toTrunk(), nil},
		{"a file of a lane that somebody holds", site{held: []Hold{bobs}, paths: []string{"api/a", "api/b", "x"}}, toTrunk(),
			[]string{"api/a lane api is held by bob on west under generation 5, and 2 paths of its tree are touched"}},
		{"beside it", site{held: []Hold{bobs}, paths: []string{"apis/a"}}, toTrunk(), nil},
		{"a lane of one's own", site{held: []Hold{mine}, paths: []string{"docs/a"}}, toTrunk(), nil},
		{"a lane that this worktree had under another generation", site{held: []Hold{with(bobs, func(h *Hold) { h.Taken = 3 })}, paths: []string{"api/a"}}, toTrunk(),
			[]string{"this worktree took it under generation 3 and has lost it"}},
		{"a lease past its deadline still stands", site{held: []Hold{with(bobs, func(h *Hold) { h.Lapsed = true })}, paths: []string{"api/a"}}, toTrunk(),
			[]string{"past its deadline"}},
		{"every lane has a finding of its own", site{held: []Hold{bobs, with(bobs, func(h *Hold) { h.Lane, h.Tree = "web", []string{"web"} })}, paths: []string{"api/a", "web/a"}}, toTrunk(),
			[]string{"lane api", "lane web"}},
		{"a tree without entries is every file", site{held: []Hold{with(bobs, func(h *Hold) { h.Tree = nil })}, paths: []string{"x"}}, toTrunk(), []string{"x lane api"}},
		{"what is not understood of a tree may be touched", site{held: []Hold{with(bobs, func(h *Hold) { h.Tree = []string{"api/{a,b}"} })}, paths: []string{"api/a"}}, toTrunk(), []string{"lane api"}},
		{"another branch", site{held: []Hold{bobs}, paths: []string{"api/a"}}, topic, nil},
		{"the trunk is deleted", site{held: []Hold{bobs}}, deleting, []string{"the branch would be gone"}},
		{"a lane that rides proves itself", site{held: []Hold{bobs}, ridden: []Hold{bobs}, paths: []string{"api/a"}}, toTrunk(), nil},
		{"and nobody else", site{held: []Hold{bobs}, ridden: []Hold{mine}, paths: []string{"api/a", "docs/a"}}, toTrunk(), []string{"api/a lane api"}},
		{"what the lane itself has shipped comes along", site{held: []Hold{bobs}, paths: []string{"api/a"}, unshipped: map[string][]string{"api": {"x"}}}, toTrunk(), nil},
		{"what came since does not", site{held: []Hold{bobs}, paths: []string{"api/a", "api/b"}, unshipped: map[string][]string{"api": {"api/b"}}}, toTrunk(), []string{"api/b lane api"}},
		{"the trunk is not known and nothing is held", site{}, unknown, nil},
		{"the trunk is not known and something is held", site{held: []Hold{bobs}}, unknown, []string{"error: lanes are held"}},
		{"leases cannot be read", site{unread: errors.New("store is down")}, toTrunk(), []string{"error: store is down"}},
		{"what is touched cannot be read", site{held: []Hold{bobs}}, toTrunk(), []string{"error: an object is missing"}},
		{"only refs of git-dos", site{unread: errors.New("not asked")}, Push{Hook: PrePush, Trunk: onTrunk}, nil},
	}
	for _, tt := range tests {
		finds(t, tt.claim, wrong(t, LeaseFenceGate(tt.site), tt.push, nil), tt.want...)
	}
}

func TestTheFenceNamesTheWayThrough(t *testing.T) {
	lost := bobs
	lost.Taken = 3
	for _, h := range []Hold{bobs, lost} {
		found, err := LeaseFenceGate(site{held: []Hold{h}, paths: []string{"api/a"}}).Judge(context.Background(), toTrunk(), nil)
		if err != nil || len(found) != 1 || !strings.Contains(found[0].Fix, "git dos push") || found[0].Commit != "tip" {
			t.Errorf("%+v, %v", found, err)
		}
	}
}

func TestScopeEscape(t *testing.T) {
	other := mine
	other.Lane, other.Tree = "web", []string{"web/*.js"}
	commit := Push{Hook: PreCommit, Trunk: onTrunk}
	several := Push{Hook: PrePush, Trunk: onTrunk, Updates: []Update{{Ref: "refs/heads/a", New: "a"}, {Ref: "refs/heads/b", New: "b"}, {Ref: "refs/tags/t", New: "t"}, {Ref: "refs/heads/c", Old: "c"}}}
	out := scope.Link{Path: "docs/l", Leads: []string{"secret"}}
	gone := scope.Link{Path: "docs/l", Leads: []string{""}}
	in := scope.Link{Path: "docs/l", Leads: []string{"docs/a"}}
	tests := []struct {
		claim string
		site  site
		push  Push
		want  []string
	}{
		{"who holds nothing is bound to nothing", site{held: []Hold{bobs}, paths: []string{"x"}}, toTrunk(), nil},
		{"inside", site{held: []Hold{mine, bobs}, paths: []string{"docs/a"}}, toTrunk(), nil},
		{"outside, beside somebody else", site{held: []Hold{mine, bobs}, paths: []string{"docs/a", "api/a", "docsx"}}, toTrunk(), []string{"api/a it lies in no tree that is held here: lane docs", "docsx"}},
		{"several lanes count together", site{held: []Hold{mine, other}, paths: []string{"docs/a", "web/a.js", "web/a.go"}}, toTrunk(), []string{"web/a.go it lies in no tree that is held here: lane docs, web"}},
		{"a lane that rides counts", site{held: []Hold{mine}, ridden: []Hold{bobs}, paths: []string{"docs/a", "api/a"}}, toTrunk(), nil},
		{"and binds", site{ridden: []Hold{bobs}, paths: []string{"docs/a"}}, toTrunk(), []string{"docs/a"}},
		{"every branch that is not deleted, and no tag", site{held: []Hold{mine}, paths: []string{"x"}}, several, []string{"x", "x"}},
		{"what is staged", site{held: []Hold{mine}, staged: []string{"docs/a", "x"}}, commit, []string{"x it lies in no tree"}},
		{"a link that leads out", site{held: []Hold{mine}, paths: []string{"docs/l"}, links: []scope.Link{out}}, toTrunk(), []string{`docs/l the symbolic link leads to "secret"`}},
		{"a link out of the repository", site{held: []Hold{mine}, paths: []string{"docs/l"}, links: []scope.Link{gone}}, toTrunk(), []string{"leads to a place that is not in the repository"}},
		{"a link that stays", site{held: []Hold{mine}, paths: []string{"docs/l"}, links: []scope.Link{in}}, toTrunk(), nil},
		{"a link outside is outside, and that is all", site{held: []Hold{mine}, paths: []string{"x/l"}, links: []scope.Link{{Path: "x/l", Leads: []string{"secret"}}}}, toTrunk(), []string{"x/l it lies in no tree"}},
		{"leases cannot be read", site{unread: errors.New("store is down")}, toTrunk(), []string{"error: store is down"}},
		{"what is touched cannot be read", site{held: []Hold{mine}}, toTrunk(), []string{"error: an object is missing"}},
	}
	for _, tt := range tests {
		finds(t, tt.claim, wrong(t, ScopeEscapeGate(tt.site), tt.push, nil), tt.want...)
	}
}
