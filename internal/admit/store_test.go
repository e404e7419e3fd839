package admit

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// laneWrite is an entry for a lane as a decision would make it.
func laneEntry(t *testing.T, op string, gen uint64, name, payload string) refstore.Write {
	t.Helper()
	target, err := ref(name)
	if err != nil {
		t.Fatal(err)
	}
	return refstore.Write{Ref: target, Entry: refstore.Entry{Op: op, Gen: gen, Payload: []byte(payload), At: time.Now()}}
}

// everyVerb runs each lease verb that could read a lane as free.
func everyVerb(t *testing.T, d *Desk, words string) {
	t.Helper()
	v, err := d.Acquire(t.Context(), ask("api", "bob"))
	wantStore(t, v, err, words)
	v, err = d.Heartbeat(t.Context(), "api", lease.Identity{RunID: "run-bob"})
	wantStore(t, v, err, words)
	v, err = d.Release(t.Context(), "api", lease.Identity{RunID: "run-bob"})
	wantStore(t, v, err, words)
	v, err = d.Scavenge(t.Context(), "api", "oncall")
	wantStore(t, v, err, words)
	d.Rules.Policy.Fleet.Interval = 0
	_, _, err = d.Lease(t.Context(), "api", false)
	wantStore(t, v, err, words)
	_, err = d.Leases(t.Context(), false)
	wantStore(t, v, err, words)
}

func TestRemoteOfAnotherFleetIsRefused(t *testing.T) {
	f := newFleet(t)
	d := open(t, f.clone(t))
	f.setMeta(t, Meta{V: LayoutVersion, Fleet: "fleet-2"})
	everyVerb(t, d, `it is "fleet-2", dos.toml says "fleet-1"`)
	if _, err := d.Acquire(t.Context(), ask("api", "bob")); !errors.Is(err, ErrWrongFleet) {
		t.Errorf("%v", err)
	}
	if refs := gitIn(t, f.hub, "for-each-ref", "refs/dos/lane", "refs/dos/order"); refs != "" {
		t.Errorf("written: %s", refs)
	}
}

func TestRemoteThatIsNotInitialisedIsRefused(t *testing.T) {
	f := newFleet(t)
	gitIn(t, f.hub, "update-ref", "-d", metaRef)
	d := open(t, f.clone(t))
	everyVerb(t, d, "not initialised")
	if _, err := d.Acquire(t.Context(), ask("api", "bob")); !errors.Is(err, ErrNotInitialised) {
		t.Errorf("%v", err)
	}
	if refs := gitIn(t, f.hub, "for-each-ref", "refs/dos"); refs != "" {
		t.Errorf("written: %s", refs)
	}
}

func TestLayoutOfTheFutureIsNotTouched(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			d, refs := make(t)
			if where == "in the repository" {
				w, _ := Meta{V: LayoutVersion + 1}.write(time.Now())
				appendTo(t, refs, w)
			} else {
				(&testFleet{hub: refs}).setMeta(t, Meta{V: LayoutVersion + 1, Fleet: "fleet-1"})
			}
			v, err := d.Acquire(t.Context(), ask("api", "bob"))
			wantStore(t, v, err, "layout 2")
		})
	}
}

func TestDeletedRefsAreNotFreeLanes(t *testing.T) {
	f := newFleet(t)
	alice, bob := f.clone(t), f.clone(t)
	acquire(t, open(t, alice), "api", "alice")
	d := open(t, bob)
	v, err := d.Acquire(t.Context(), ask("api", "bob"))
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)

	gitIn(t, f.clone(t), "push", "--quiet", "--mirror", "origin") // a clone without the refs
	if refs := gitIn(t, f.hub, "for-each-ref", "refs/dos"); strings.Contains(refs, "lane/api") {
		t.Fatalf("the mirror push left %s", refs)
	}
	for range 2 { // and it stays so
		everyVerb(t, d, "lost")
	}
	v, err = open(t, alice).Heartbeat(t.Context(), "api", lease.Identity{RunID: "run-alice"})
	wantStore(t, v, err, "lost")
	if refs := gitIn(t, f.hub, "for-each-ref", "refs/dos/lane"); refs != "" {
		t.Errorf("written: %s", refs)
	}
}

func TestRemoteOutOfReachIsNoAnswer(t *testing.T) {
	f := newFleet(t)
	d := open(t, f.clone(t))
	got := acquire(t, d, "api", "alice")
	gitIn(t, f.root, "config", "--file", filepath.Join(d.Repo.CommonDir, "config"), "remote.origin.url", filepath.Join(f.root, "gone.git"))
	d = open(t, d.Repo.WorkTree)
	everyVerb(t, d, "")
	v, err := d.Heartbeat(t.Context(), "api", lease.Identity{Nonce: got.Nonce})
	wantStore(t, v, err, "")
	if r, _, err := d.Lease(t.Context(), "api", true); err != nil || r.Nonce != got.Nonce {
		t.Errorf("what was last seen: %+v %v", r, err)
	}
}

// A lane that cannot be read, and that the order admitted nobody to, blocks
// itself and nothing else.
func TestBrokenLaneBlocksItselfOnly(t *testing.T) {
	for where, make := range desks(t) {
		for what, payload := range map[string]string{
			"a version of the future": `{"v":2,"lane":"web","gen":1,"state":"free"}`,
			"another lane's record":   `{"v":1,"lane":"docs","gen":1,"state":"free","tree":[]}`,
			"a list":                  `[]`,
		} {
			t.Run(where+", "+what, func(t *testing.T) {
				d, refs := make(t)
				got := acquire(t, d, "api", "alice")
				appendTo(t, refs, laneEntry(t, "ACQUIRE", 1, "web", payload))
				v, err := d.Acquire(t.Context(), ask("web", "bob"))
				wantStore(t, v, err, "lane web")
				v, err = d.Acquire(t.Context(), ask("docs", "bob"))
				wantVerdict(t, v, err, lease.Acquired, "")
				v, err = d.Scavenge(t.Context(), "web", "oncall")
				wantStore(t, v, err, "lane web")
				v, err = d.Heartbeat(t.Context(), "api", lease.Identity{Nonce: got.Nonce})
				wantVerdict(t, v, err, lease.Renewed, "")
				if r, _, err := d.Lease(t.Context(), "api", false); err != nil || r.Nonce != got.Nonce {
					t.Errorf("show: %+v %v", r, err)
				}
				v, err = d.Release(t.Context(), "api", lease.Identity{Nonce: got.Nonce})
				wantVerdict(t, v, err, lease.Released, "")
			})
		}
	}
}

func TestBrokenOrderBlocksAllButTheEndOfALease(t *testing.T) {
	d := open(t, localRepo(t))
	got := acquire(t, d, "api", "alice")
	appendTo(t, d.Repo.CommonDir, refstore.Write{Ref: orderRef, Entry: refstore.Entry{Op: "GRANTED", Gen: 2, Payload: []byte(`{"v":1,"seq":2}`), At: time.Now()}})
	v, err := d.Acquire(t.Context(), ask("web", "bob"))
	wantStore(t, v, err, "no table of lanes")
	v, err = d.Heartbeat(t.Context(), "api", lease.Identity{Nonce: got.Nonce})
	wantStore(t, v, err, "no table of lanes")
	v, err = d.Release(t.Context(), "api", lease.Identity{Nonce: got.Nonce})
	wantVerdict(t, v, err, lease.Released, "")
}

// The trunk moved and this clone does not know: it fetches and goes on.
func TestPolicyOfANewerTrunkIsFetched(t *testing.T) {
	f := newFleet(t)
	alice, bob := f.clone(t), f.clone(t)
	d := open(t, bob) // has read the rules before the trunk moved
	newer := commit(t, alice, "one more lane", "dos.toml", strings.Replace(fleetToml, `"docs"]`, `"docs", "more"]`, 1)+"\n")
	gitIn(t, alice, "push", "--quiet", "origin", "HEAD:main")
	acquire(t, open(t, alice), "api", "alice")
	got := acquire(t, d, "web", "bob")
	if got.Policy != string(newer) || d.Rules.Trunk.ID != newer {
		t.Errorf("decided under %s, want %s", got.Policy, newer)
	}
	if o := admissions(t, f.hub); o.Policy != string(newer) || o.Seq != 2 {
		t.Errorf("the order is %+v", o)
	}
}

// The trunk was rewound after an admission: no clone can tell which is right.
func TestPolicyOfALostTrunkIsRefused(t *testing.T) {
	f := newFleet(t)
	alice, bob := f.clone(t), f.clone(t)
	old := gitIn(t, alice, "rev-parse", "HEAD")
	lost := commit(t, alice, "rewound later")
	gitIn(t, alice, "push", "--quiet", "origin", "HEAD:main")
	acquire(t, open(t, alice), "api", "alice")
	gitIn(t, f.hub, "update-ref", "refs/heads/main", old)
	other := commit(t, bob, "instead")
	gitIn(t, bob, "push", "--quiet", "origin", "HEAD:main")
	v, err := open(t, bob).Acquire(t.Context(), ask("web", "bob"))
	wantVerdict(t, v, err, lease.Refused, lease.PolicySkew)
	if !strings.Contains(v.Reason, lost.Short()) || !strings.Contains(v.Reason, other.Short()) {
		t.Errorf("the reason does not name both commits: %s", v.Reason)
	}
	if refs := gitIn(t, f.hub, "for-each-ref", "refs/dos/lane/web"); refs != "" {
		t.Errorf("written: %s", refs)
	}
}

func TestUnwritableStoreIsNoAnswer(t *testing.T) {
	f := newFleet(t)
	d := open(t, f.clone(t))
	script(t, filepath.Join(f.hub, "hooks", "update"), "echo 'no refs/dos here' >&2\nexit 1\n")
	v, err := d.Acquire(t.Context(), ask("api", "alice"))
	wantStore(t, v, err, "denied")
	if strings.Contains(err.Error(), "may be held") {
		t.Errorf("it was refused and nothing can be held: %v", err)
	}
	if refs := gitIn(t, f.hub, "for-each-ref", "refs/dos/lane"); refs != "" {
		t.Errorf("written: %s", refs)
	}
}
