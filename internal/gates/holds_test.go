package gates

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/refstore"
)

func holdsOf(t *testing.T, s *Site) []hooks.Hold {
	t.Helper()
	held, err := s.Holds(t.Context(), hooks.Push{})
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func TestHoldsSayWhoseALaneIs(t *testing.T) {
	f := newField(t)
	if held := holdsOf(t, f.site("", "", policy.Gates{})); len(held) != 0 {
		t.Errorf("nobody holds anything: %+v", held)
	}
	own := f.acquire("api", "ann", true)
	f.acquire("web", "bob", false)
	held := holdsOf(t, f.site("", "", policy.Gates{}))
	if len(held) != 2 || !held[0].Mine || held[0].Taken != 1 || held[1].Mine || held[1].Taken != 0 || !slices.Equal(held[1].Tree, []string{"web/**"}) || !strings.HasPrefix(held[1].Holder, "bob") {
		t.Errorf("%+v", held)
	}
	f.now = f.now.Add(time.Hour)
	if held := holdsOf(t, f.site("", "", policy.Gates{})); len(held) != 2 || !held[0].Lapsed || !held[0].Mine {
		t.Errorf("past the deadline it stands: %+v", held)
	}
	if err := f.desk().Forget("api", own.Nonce); err != nil {
		t.Fatal(err)
	}
	s := f.site("", "", policy.Gates{})
	s.Nonce = own.Nonce
	if held := holdsOf(t, s); !held[0].Mine {
		t.Errorf("the environment names the lease: %+v", held[0])
	}
	if held := holdsOf(t, f.site("", "", policy.Gates{})); held[0].Mine {
		t.Errorf("nothing names the lease: %+v", held[0])
	}
}

func TestALaneThatWasLostIsSomebodyElses(t *testing.T) {
	f := newField(t)
	first := f.acquire("api", "ann", true)
	if _, err := f.desk().Release(t.Context(), "api", lease.Identity{Nonce: first.Nonce}); err != nil {
		t.Fatal(err)
	}
	remembered := first
	f.acquire("api", "ann", false)
	if err := f.desk().Remember(remembered); err != nil {
		t.Fatal(err)
	}
	held := holdsOf(t, f.site("", "", policy.Gates{}))
	if len(held) != 1 || held[0].Mine || held[0].Gen != 2 || held[0].Taken != 1 {
		t.Errorf("%+v", held)
	}
}

func TestALaneThatCannotBeReadIsAnError(t *testing.T) {
	f := newField(t)
	f.acquire("api", "bob", false)
	f.git("update-ref", "refs/dos/lane/api", "HEAD")
	held, err := f.site("", "", policy.Gates{}).Holds(t.Context(), hooks.Push{})
	var store *admit.StoreError
	if !errors.As(err, &store) || !strings.Contains(err.Error(), "lane api") {
		t.Errorf("%+v, %v", held, err)
	}
	f.write("dos.toml", "[nonsense")
	if held, err := f.site("", "", policy.Gates{}).Holds(t.Context(), hooks.Push{}); err == nil {
		t.Errorf("a policy that cannot be read: %+v", held)
	}
}

// shipEntry writes a SHIP entry on top of a lane's tip, changed as a forger would,
// and returns it as an update.
func (f *field) shipEntry(r lease.Record, ship lease.Ship, change func(*lease.Record, *refstore.Entry)) hooks.Update {
	f.t.Helper()
	ref := "refs/dos/lane/" + r.Lane
	old := f.git("rev-parse", ref)
	r.Ship = &ship
	e := refstore.Entry{Op: lease.OpShip, Gen: r.Gen, At: time.Now()}
	change(&r, &e)
	e.Payload = recordJSON(f.t, r)
	id, err := f.repo().WriteEntry(context.Background(), ref, refstore.OID(old), e)
	if err != nil {
		f.t.Fatal(err)
	}
	return hooks.Update{Ref: ref, Old: old, New: string(id)}
}

func TestOnlyAShipOfThisPushRides(t *testing.T) {
	f := newField(t)
	r := f.acquire("api", "bob", false)
	old := f.git("rev-parse", "HEAD")
	tip := f.commit("work", "api/a", "2\n")
	p, _ := update(old, tip)
	ship := lease.Ship{Ref: onMain, Old: old, New: tip, Units: []lease.ShipUnit{}}
	as := func(*lease.Record, *refstore.Entry) {}
	tests := []struct {
		claim  string
		ship   lease.Ship
		change func(*lease.Record, *refstore.Entry)
		moved  func(*hooks.Update)
		rides  bool
	}{
		{"a ship of this move", ship, as, nil, true},
		{"one of another commit", lease.Ship{Ref: onMain, Old: old, New: old}, as, nil, false},
		{"one from another commit", lease.Ship{Ref: onMain, Old: tip, New: tip}, as, nil, false},
		{"one of another branch", lease.Ship{Ref: "refs/heads/x", Old: old, New: tip}, as, nil, false},
		{"another generation", ship, func(r *lease.Record, e *refstore.Entry) { r.Gen, e.Gen = 2, 2 }, nil, false},
		{"another lease", ship, func(r *lease.Record, _ *refstore.Entry) { r.Nonce = "abcdef0123456789" }, nil, false},
		{"another op", ship, func(_ *lease.Record, e *refstore.Entry) { e.Op = lease.OpHeartbeat }, nil, false},
		{"on top of something else", ship, as, func(u *hooks.Update) { u.Old = old }, false},
		{"a ref that is made", ship, as, func(u *hooks.Update) { u.Old = "" }, false},
		{"a ref that goes", ship, as, func(u *hooks.Update) { u.New = "" }, false},
		{"another kind of ref", ship, as, func(u *hooks.Update) { u.Ref = "refs/dos/journal/api" }, false},
	}
	for _, tt := range tests {
		u := f.shipEntry(r, tt.ship, tt.change)
		if tt.moved != nil {
			tt.moved(&u)
		}
		p.Riding = []hooks.Update{u}
		ridden, err := f.site(old, onMain, policy.Gates{}).Ridden(t.Context(), p)
		if err != nil || (len(ridden) == 1) != tt.rides {
			t.Errorf("%s: %+v, %v", tt.claim, ridden, err)
		}
		if tt.rides && (ridden[0].Lane != "api" || !slices.Equal(ridden[0].Tree, []string{"api/**"})) {
			t.Errorf("%s: %+v", tt.claim, ridden)
		}
	}
	if _, err := f.desk().Release(t.Context(), "api", lease.Identity{Nonce: r.Nonce}); err != nil {
		t.Fatal(err)
	}
	u := f.shipEntry(r, ship, as)
	p.Riding = []hooks.Update{u}
	if ridden, err := f.site(old, onMain, policy.Gates{}).Ridden(t.Context(), p); err != nil || len(ridden) != 0 {
		t.Errorf("a lane that is free rides: %+v, %v", ridden, err)
	}
	u.New = tip // a commit that is no entry
	p.Riding = []hooks.Update{u}
	if ridden, err := f.site(old, onMain, policy.Gates{}).Ridden(t.Context(), p); err == nil {
		t.Errorf("what cannot be read rides: %+v", ridden)
	}
}

func TestTouched(t *testing.T) {
	f := newField(t)
	old := f.git("rev-parse", "HEAD")
	f.git("branch", "topic")
	tip := f.commit("one", "api/a", "2\n", "x", "1\n")
	f.git("checkout", "-q", "topic")
	f.git("mv", "web/w", "moved")
	if err := os.Symlink("../x", f.dir+"/web-link"); err != nil {
		t.Fatal(err)
	}
	topic := f.commit("two")
	f.git("checkout", "-q", "--orphan", "pages")
	f.git("rm", "-rfq", ".")
	pages := f.commit("pages", "index", "1\n")
	f.git("checkout", "-q", "main")
	f.git("remote", "add", "origin", "/nowhere")
	const tracked = "refs/remotes/origin/main"
	tests := []struct {
		claim, trunk, ref, to, old, tip string
		want                            string
	}{
		{"the trunk, as it is there", old, tracked, onMain, old, tip, "api/a x"},
		{"the trunk, rewound", tip, tracked, onMain, tip, old, "api/a x"},
		{"the trunk, new there", "", tracked, onMain, "", old, "api/a dos.toml web/w"},
		{"a branch, since it parted", tip, tracked, "refs/heads/topic", "", topic, "moved web-link web/w"},
		{"a branch without a common beginning", tip, tracked, "refs/heads/pages", "", pages, "index"},
		{"a branch before there is a trunk", "", "", "refs/heads/topic", "", old, "api/a dos.toml web/w"},
		{"the trunk to a mirror, all of it known", tip, "refs/remotes/other/main", onMain, old, tip, ""},
		{"the trunk where no remote is known to have it", tip, onMain, onMain, old, tip, "api/a x"},
		{"the trunk, published for the first time", tip, onMain, onMain, "", tip, ""},
	}
	for _, tt := range tests {
		p, u := update(tt.old, tt.tip)
		u.Ref = tt.to
		touch, err := f.site(tt.trunk, tt.ref, policy.Gates{}).Touched(t.Context(), p, u)
		if err != nil || strings.Join(touch.Paths, " ") != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.claim, touch.Paths, err, tt.want)
		}
	}
	p, u := update(old, topic)
	touch, err := f.site(old, tracked, policy.Gates{}).Touched(t.Context(), p, u)
	if err != nil || len(touch.Links) != 1 || touch.Links[0].Path != "web-link" || touch.Links[0].Leads[0] != "" {
		t.Errorf("links %+v, %v", touch.Links, err)
	}
	u.Old = strings.Repeat("9", len(old))
	if touch, err := f.site(old, tracked, policy.Gates{}).Touched(t.Context(), p, u); err == nil || !strings.Contains(err.Error(), "git fetch") {
		t.Errorf("what is not here cannot be compared: %+v, %v", touch, err)
	}
}

func TestAHoldersOwnShipComesAlong(t *testing.T) {
	f := newField(t)
	there := f.git("rev-parse", "HEAD")
	r := f.acquire("api", "bob", true)
	shipped := f.commit("work", "api/a", "2\n")
	if v, err := f.desk().Push(t.Context(), admit.PushRequest{Commit: refstore.OID(shipped), Holds: []lease.Hold{{Lane: "api", Identity: lease.Identity{Nonce: r.Nonce}, Named: true}}}); err != nil || v.Outcome != lease.Landed {
		t.Fatalf("%+v, %v", v, err)
	}
	tip := f.commit("another's", "api/b", "1\n")
	p, u := update(there, tip)
	s := f.site(there, "refs/remotes/origin/main", policy.Gates{})
	touch, err := s.Touched(t.Context(), p, u)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := s.Unshipped(t.Context(), p, u, "api", touch.Paths)
	if err != nil || strings.Join(rest, " ") != "api/b" {
		t.Errorf("%q came after the ship, %v", rest, err)
	}
	if rest, err := s.Unshipped(t.Context(), p, u, "web", touch.Paths); err != nil || !slices.Equal(rest, touch.Paths) {
		t.Errorf("web has shipped nothing: %q, %v", rest, err)
	}
	p, u = update(there, there)
	if rest, err := s.Unshipped(t.Context(), p, u, "api", []string{"asked"}); err != nil || len(rest) != 1 || rest[0] != "asked" {
		t.Errorf("a push without the ship: %q, %v", rest, err)
	}
}

func TestStaged(t *testing.T) {
	f := newField(t)
	f.write("api/a", "2\n")
	f.write("new", "1\n")
	f.git("add", "-A")
	f.write("x", "not staged\n")
	touch, err := f.site("", "", policy.Gates{}).Staged(t.Context())
	if err != nil || strings.Join(touch.Paths, " ") != "api/a new" {
		t.Errorf("%+v, %v", touch, err)
	}
}
