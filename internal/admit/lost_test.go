package admit

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// strangers makes a holder of lanes on each kind of authority, and a desk that
// has never seen them there.
func strangers(t *testing.T) map[string]func(*testing.T) (holder *Desk, refs string, stranger func() *Desk) {
	return map[string]func(*testing.T) (*Desk, string, func() *Desk){
		"in the repository": func(t *testing.T) (*Desk, string, func() *Desk) {
			dir := localRepo(t)
			return open(t, dir), dir, func() *Desk { return open(t, dir) }
		},
		"on a remote": func(t *testing.T) (*Desk, string, func() *Desk) {
			f := newFleet(t)
			return open(t, f.clone(t)), f.hub, func() *Desk { return open(t, f.clone(t)) }
		},
	}
}

const apiRef = "refs/dos/lane/api"

// wantLost checks that an answer is none because a lane's state was lost.
func wantLost(t *testing.T, err error, name string) {
	t.Helper()
	var store *StoreError
	if !errors.Is(err, ErrLostState) || !errors.As(err, &store) || !strings.Contains(err.Error(), "lane "+name+" is") || !strings.Contains(store.Hint, "scavenge --lane "+name) {
		t.Errorf("got %v, want that the state of lane %s was lost", err, name)
	}
}

// A lane's ref is deleted or moved back while its holder is at work. No verb
// decides on it, nor on any other lane, until an operator has settled it.
func TestALaneBehindTheOrderIsNotFree(t *testing.T) {
	for where, make := range strangers(t) {
		for what, back := range map[string]string{"deleted": "", "moved back to free": "~1", "moved back to an earlier lease": "~2"} {
			t.Run(where+", "+what, func(t *testing.T) {
				t.Parallel() // each answer takes its time
				holder, refs, stranger := make(t)
				first := acquire(t, holder, "api", "alice")
				v, err := holder.Release(t.Context(), "api", lease.Identity{Nonce: first.Nonce})
				wantVerdict(t, v, err, lease.Released, "")
				got := acquire(t, holder, "api", "alice")
				acquire(t, holder, "web", "alice")
				if back == "" {
					gitIn(t, refs, "update-ref", "-d", apiRef)
				} else {
					gitIn(t, refs, "update-ref", apiRef, gitIn(t, refs, "rev-parse", apiRef+back))
				}
				before := gitIn(t, refs, "for-each-ref", "refs/dos")

				d := stranger()
				mine := lease.Identity{Nonce: got.Nonce}
				switch back {
				case "":
					_, err = d.Acquire(t.Context(), ask("docs", "bob")) // nor any other
					wantLost(t, err, "api")
					_, err = d.Push(t.Context(), riding(commit(t, d.Repo.WorkTree, "work", "api/a", "2\n"), got))
				case "~1":
					_, err = d.Release(t.Context(), "api", mine)
				case "~2":
					_, err = d.Acquire(t.Context(), ask("api", "bob"))
					wantLost(t, err, "api")
					_, err = d.Heartbeat(t.Context(), "api", mine)
				}
				wantLost(t, err, "api")
				if now := gitIn(t, refs, "for-each-ref", "refs/dos"); now != before {
					t.Errorf("written:\n%s\nbefore:\n%s", now, before)
				}

				v, err = d.Scavenge(t.Context(), "api", "oncall")
				wantVerdict(t, v, err, lease.Scavenged, "")
				if r := stateOf(t, refs, "api"); r.State != lane.Free || r.Gen != 2 || r.Nonce != got.Nonce || r.Operator != "oncall" {
					t.Errorf("the lane is %+v", r)
				}
				if ops := strings.Fields(opsOf(t, refs, apiRef)); ops[len(ops)-1] != "SCAVENGE" {
					t.Errorf("the chain is %s", ops)
				}
				if again := acquire(t, d, "api", "bob"); again.Gen != 3 {
					t.Errorf("granted %+v", again)
				}
				v, err = d.Heartbeat(t.Context(), "api", mine)
				wantVerdict(t, v, err, lease.LostLease, lease.StaleLease)
			})
		}
	}
}

// Without a readable order, a lane that is not there is not said to be free.
func TestNoLaneIsFreeWithoutTheOrder(t *testing.T) {
	d := open(t, localRepo(t))
	appendTo(t, d.Repo.CommonDir, refstore.Write{Ref: orderRef, Entry: refstore.Entry{Op: lease.OpGranted, Gen: 1, Payload: []byte(`{"v":1,"seq":1}`), At: time.Now()}})
	v, err := d.Release(t.Context(), "api", lease.Identity{Nonce: "n"})
	wantStore(t, v, err, "no table of lanes")
	v, err = d.Scavenge(t.Context(), "api", "oncall")
	wantStore(t, v, err, "no table of lanes")
}
