package admit

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
)

// desks makes a desk of each kind of authority, and the directory with its refs.
func desks(t *testing.T) map[string]func(*testing.T) (d *Desk, refs string) {
	return map[string]func(*testing.T) (*Desk, string){
		"in the repository": func(t *testing.T) (*Desk, string) {
			dir := localRepo(t)
			return open(t, dir), dir
		},
		"on a remote": func(t *testing.T) (*Desk, string) {
			f := newFleet(t)
			return open(t, f.clone(t)), f.hub
		},
	}
}

func TestLifeOfALease(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			ctx := t.Context()
			d, refs := make(t)
			got := acquire(t, d, "API", "alice")
			if got.Lane != "api" || got.Gen != 1 || got.Scope != d.Scope() || got.Policy != d.Rules.Trunk.Commit() || got.Policy == "" {
				t.Errorf("granted %+v", got)
			}
			mine := lease.Identity{Nonce: got.Nonce}

			v, err := d.Acquire(ctx, ask("server", "bob"))
			wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
			if v.Holder == nil || v.Holder.Owner != "alice" {
				t.Errorf("refused without naming alice: %+v", v)
			}
			v, err = d.Heartbeat(ctx, "api", mine)
			wantVerdict(t, v, err, lease.Renewed, "")
			v, err = d.Heartbeat(ctx, "api", lease.Identity{Nonce: "feed"})
			wantVerdict(t, v, err, lease.LostLease, lease.StaleLease)
			v, err = d.Release(ctx, "api", lease.Identity{RunID: "run-bob"})
			wantVerdict(t, v, err, lease.Refused, lease.StaleLease)
			v, err = d.Release(ctx, "Server", mine)
			wantVerdict(t, v, err, lease.Released, "")
			v, err = d.Release(ctx, "api", mine)
			wantVerdict(t, v, err, lease.AlreadyFree, "")

			again := acquire(t, d, "api", "bob")
			if again.Gen != 2 || again.Nonce == got.Nonce {
				t.Errorf("the second lease is %+v", again)
			}
			v, err = d.Scavenge(ctx, "api", "oncall")
			wantVerdict(t, v, err, lease.Scavenged, "")
			v, err = d.Heartbeat(ctx, "api", lease.Identity{Nonce: again.Nonce})
			wantVerdict(t, v, err, lease.LostLease, lease.NoLease)

			if ops := opsOf(t, refs, "refs/dos/lane/api"); ops != "ACQUIRE HEARTBEAT RELEASE ACQUIRE SCAVENGE" {
				t.Errorf("the chain is %s", ops)
			}
			if ops := opsOf(t, refs, orderRef); ops != "GRANTED GRANTED" {
				t.Errorf("the order is %s", ops)
			}
		})
	}
}

func TestReacquireNeedsAStatedIdentity(t *testing.T) {
	d := open(t, localRepo(t))
	got := acquire(t, d, "api", "alice")
	req := ask("api", "alice")
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	for claim, id := range map[string]lease.Identity{"run id": {RunID: "run-alice"}, "nonce": {Nonce: got.Nonce}} {
		req.Identity = id
		v, err = d.Acquire(t.Context(), req)
		if err != nil || !v.Reacquired || v.Lease.Nonce != got.Nonce {
			t.Errorf("by %s: %+v %v", claim, v, err)
		}
	}
}

func TestLapsedLeaseIsRenewedByItsNonce(t *testing.T) {
	d := open(t, localRepo(t))
	got := acquire(t, d, "api", "alice")
	d.Now = func() time.Time { return time.Now().Add(time.Hour) }
	v, err := d.Acquire(t.Context(), ask("api", "bob"))
	wantVerdict(t, v, err, lease.Refused, lane.SameLaneHeld)
	v, err = d.Heartbeat(t.Context(), "api", lease.Identity{Nonce: got.Nonce})
	wantVerdict(t, v, err, lease.Renewed, "")
	if !strings.Contains(v.Reason, "lapsed") {
		t.Errorf("reason %q", v.Reason)
	}
}

// Names that no dos.toml can declare are lanes for the occasion: each is found
// by its name, in whichever slot it stands, and a slot is used again.
func TestLanesWithUnusualNames(t *testing.T) {
	for where, make := range desks(t) {
		t.Run(where, func(t *testing.T) {
			d, refs := make(t)
			for name, folded := range map[string]string{"a/b": "a/b", "Größe": "grösse", "x y": "x y"} {
				req := ask(name, "alice")
				req.Tree = []string{"area/**"}
				v, err := d.Acquire(t.Context(), req)
				if err != nil || v.Outcome != lease.Acquired {
					t.Fatalf("%s: %+v %v", name, v, err)
				}
				if v.Lease.Lane != folded || v.Lease.Slot != "k.00" || v.Lease.LaneKind != lane.Keyword {
					t.Errorf("%s: %+v", name, v.Lease)
				}
				if there := stateOf(t, refs, "k.00"); there.Nonce != v.Lease.Nonce {
					t.Errorf("%s is not in its slot: %+v", name, there)
				}
				if r, _, err := d.Lease(t.Context(), name, false); err != nil || r == nil || r.Nonce != v.Lease.Nonce {
					t.Errorf("%s is not found by its name: %+v %v", name, r, err)
				}
				v, err = d.Release(t.Context(), name, lease.Identity{Nonce: v.Lease.Nonce})
				wantVerdict(t, v, err, lease.Released, "")
			}
			if leaves := gitIn(t, refs, "for-each-ref", "--format=%(refname)", "refs/dos/lane"); leaves != "refs/dos/lane/k.00" {
				t.Errorf("lanes %s", leaves)
			}
		})
	}
}

func TestBadRequestsWriteNothing(t *testing.T) {
	d := open(t, localRepo(t))
	for claim, change := range map[string]func(*Request){
		"a ttl under twice the margin": func(r *Request) { r.TTL = time.Minute - time.Second },
		"no ttl":                       func(r *Request) { r.TTL = 0 },
		"a lane that climbs":           func(r *Request) { r.Lanes = []string{".."} },
		"an absolute tree":             func(r *Request) { r.Tree = []string{"/etc"} },
		"a tree that climbs":           func(r *Request) { r.Tree = []string{"api/../../x"} },
		"a run id with a newline":      func(r *Request) { r.RunID = "a\nb" },
		"an owner without an end":      func(r *Request) { r.Owner = strings.Repeat("x", 5000) },
		"an unknown kind":              func(r *Request) { r.Kind = "colony" },
		"an operator without force":    func(r *Request) { r.Operator = "oncall" },
		"force without an operator":    func(r *Request) { r.Force = true },
		"a tree of several lanes":      func(r *Request) { r.Lanes, r.Tree = []string{"api", "web"}, []string{"api/x"} },
		"a tree of no lane":            func(r *Request) { r.Lanes, r.Tree = nil, []string{"api/x"} },
		"a keyword without a lane":     func(r *Request) { r.Lanes, r.Kind = nil, "keyword" },
	} {
		req := ask("api", "alice")
		change(&req)
		if v, err := d.Acquire(t.Context(), req); err == nil || v.ExitCode() != 2 {
			t.Errorf("%s: %+v %v", claim, v, err)
		}
	}
	if v, err := d.Scavenge(t.Context(), "api", "\x1b[2J"); err == nil {
		t.Errorf("an operator nobody can read: %+v", v)
	}
	if refs := gitIn(t, d.Repo.CommonDir, "for-each-ref", "refs/dos"); refs != "" {
		t.Errorf("written: %s", refs)
	}
	req := ask("api", "alice")
	req.TTL = time.Minute
	if v, err := d.Acquire(t.Context(), req); err != nil || v.Outcome != lease.Acquired {
		t.Errorf("a ttl of exactly twice the margin: %+v %v", v, err)
	}
}

// tracedDesk tells of the git commands that talk to a remote.
func tracedDesk(t *testing.T, dir string) (d *Desk, commands func() string) {
	t.Helper()
	d, all := tracedGits(t, dir)
	return d, func() string {
		network := slices.DeleteFunc(all(), func(name string) bool { return !slices.Contains([]string{"push", "fetch", "ls-remote"}, name) })
		return strings.Join(network, " ")
	}
}

// tracedGits is a desk, and what lists the git commands since it was last asked,
// those that git itself starts included.
func tracedGits(t *testing.T, dir string) (d *Desk, commands func() []string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	open(t, dir) // mints the node id
	t.Setenv("GIT_TRACE2_EVENT", log)
	d = open(t, dir)
	write(t, log, "")
	return d, func() (names []string) {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var e struct{ Event, Name string }
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if e.Event == "cmd_name" {
				names = append(names, e.Name)
			}
		}
		write(t, log, "")
		return names
	}
}

func TestHeartbeatOnTheMirrorIsOnePush(t *testing.T) {
	f := newFleet(t)
	alice, bob := f.clone(t), f.clone(t)
	d, commands := tracedDesk(t, alice)
	got := acquire(t, d, "api", "alice")
	if c := commands(); c != "fetch push" {
		t.Errorf("acquire runs %q, want one fetch and one push", c)
	}
	mine := lease.Identity{Nonce: got.Nonce}
	v, err := d.Heartbeat(t.Context(), "api", mine)
	wantVerdict(t, v, err, lease.Renewed, "")
	if c := commands(); c != "push" {
		t.Errorf("heartbeat runs %q, want one push and no fetch", c)
	}
	other := open(t, bob)
	v, err = other.Heartbeat(t.Context(), "api", mine) // his mirror has never seen it
	wantVerdict(t, v, err, lease.Renewed, "")
	commands()
	v, err = d.Heartbeat(t.Context(), "api", mine)
	wantVerdict(t, v, err, lease.Renewed, "")
	if c := commands(); !strings.HasPrefix(c, "push fetch") || !strings.HasSuffix(c, "fetch push") {
		t.Errorf("on a stale mirror heartbeat runs %q, want it to look and push again", c)
	}
}

func TestLostIsOnlySaidAfterAFreshRead(t *testing.T) {
	f := newFleet(t)
	alice, bob := open(t, f.clone(t)), open(t, f.clone(t))
	got := acquire(t, alice, "api", "alice")
	v, err := alice.Release(t.Context(), "api", lease.Identity{Nonce: got.Nonce})
	wantVerdict(t, v, err, lease.Released, "")
	theirs := acquire(t, bob, "api", "bob")
	// Alice's mirror says free; the remote knows better.
	v, err = alice.Heartbeat(t.Context(), "api", lease.Identity{Nonce: theirs.Nonce})
	wantVerdict(t, v, err, lease.Renewed, "")

	v, err = alice.Scavenge(t.Context(), "api", "oncall")
	wantVerdict(t, v, err, lease.Scavenged, "")
	mine := acquire(t, alice, "api", "alice")
	v, err = bob.Heartbeat(t.Context(), "api", lease.Identity{Nonce: theirs.Nonce}) // his mirror says it is his
	wantVerdict(t, v, err, lease.LostLease, lease.StaleLease)
	if v.Holder == nil || v.Holder.Owner != "alice" {
		t.Errorf("lost to %+v", v.Holder)
	}
	if s := stateOf(t, f.hub, "api"); s.Nonce != mine.Nonce || s.State != lane.Held {
		t.Errorf("the lane is %+v", s)
	}
}

func TestLeaseReadsSayHowOldTheyAre(t *testing.T) {
	f := newFleet(t)
	alice, bob := open(t, f.clone(t)), open(t, f.clone(t))
	if _, _, err := bob.Lease(context.Background(), "api", true); err == nil {
		t.Error("a mirror that was never fetched answered")
	}
	if r, _, err := bob.Lease(t.Context(), "api", false); err != nil || r != nil {
		t.Fatalf("%+v %v", r, err)
	}
	acquire(t, alice, "api", "alice")
	r, asOf, err := bob.Lease(t.Context(), "api", true)
	if err != nil || r != nil || time.Since(asOf) > time.Minute {
		t.Errorf("cached: %+v as of %s, %v", r, asOf, err)
	}
	bob.Rules.Policy.Fleet.Interval = 0
	r, _, err = bob.Lease(t.Context(), "api", false)
	if err != nil || r == nil || r.Holder.Owner != "alice" {
		t.Errorf("fresh: %+v %v", r, err)
	}
	all, err := bob.Leases(t.Context(), true)
	if err != nil || len(all.Lanes) != 1 {
		t.Errorf("%+v %v", all, err)
	}
}
