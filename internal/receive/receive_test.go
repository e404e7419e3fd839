package receive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/githome"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

func TestMain(m *testing.M) { os.Exit(githome.Run(m, nil)) }

var at = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// A hub is a bare repository, and a clone of it that has one commit of these files.
type hub struct {
	*testing.T
	repo  *refstore.Repo
	dir   string
	clone string
}

func newHub(t *testing.T, files map[string]string) *hub {
	t.Helper()
	h := &hub{T: t, dir: filepath.Join(t.TempDir(), "hub.git"), clone: filepath.Join(t.TempDir(), "clone")}
	githome.Git(t, ".", "init", "-q", "--bare", h.dir)
	githome.Git(t, ".", "clone", "-q", h.dir, h.clone)
	h.commit(files)
	githome.Git(t, h.clone, "push", "-q", "origin", "HEAD:main")
	h.open()
	return h
}

func (h *hub) open() {
	h.Helper()
	repo, err := refstore.Open(context.Background(), h.dir)
	if err != nil {
		h.Fatal(err)
	}
	h.repo = repo
}

func (h *hub) commit(files map[string]string) string {
	h.Helper()
	for name, text := range files {
		path := filepath.Join(h.clone, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			h.Fatal(err)
		}
	}
	githome.Git(h, h.clone, "add", "-A")
	githome.Git(h, h.clone, "commit", "-q", "--allow-empty", "-m", "work")
	return githome.Git(h, h.clone, "rev-parse", "HEAD")
}

// entry stores an entry in the hub, on top of a parent.
func (h *hub) entry(ref, parent, op string, gen uint64, payload string) string {
	h.Helper()
	id, err := h.repo.WriteEntry(context.Background(), ref, refstore.OID(parent), refstore.Entry{Op: op, Gen: gen, Payload: []byte(payload), At: at})
	if err != nil {
		h.Fatal(err)
	}
	return string(id)
}

func (h *hub) rev(name string) string { return githome.Git(h, h.dir, "rev-parse", name) }

func (h *hub) judge(hook string, updates ...hooks.Update) Report {
	h.Helper()
	return Judge(context.Background(), h.repo, Request{Hook: hook, Updates: updates})
}

// wants checks the tokens of what refuses a push.
func (h *hub) wants(claim string, r Report, tokens ...string) {
	h.Helper()
	if got := r.Refusing(); !slices.Equal(got, tokens) {
		h.Errorf("%s: %q, want %q: %+v", claim, got, tokens, r.Refused)
	}
}

const (
	laneHeld  = `{"v":1,"lane":"api","lane_kind":"cluster","tree":["api/**"],"scope":"fleet","state":"held","gen":1,"nonce":"n1","holder":{"node":"n","owner":"a"},"run_id":"r","ttl_s":900,"acquired_at":"2026-01-02T12:00:00Z","renewed_at":"2026-01-02T12:00:00Z","policy":""}`
	orderHeld = `{"v":1,"seq":1,"lanes":{"api":{"gen":1,"nonce":"n1","kind":"cluster","tree":["api/**"]}},"units":{},"seats":{},"classes":{},"policy":"","newest":{"api":0}}`
	laneRef   = "refs/dos/lane/api"
	ruleFile  = "[overlap]\npolicy = \"glob\"\n"
)

// held puts a held lane on the hub, below a prefix.
func (h *hub) held(prefix string) (tip string) {
	tip = h.entry(laneRef, "", lease.OpAcquire, 1, laneHeld)
	githome.Git(h, h.dir, "update-ref", prefix+"/lane/api", tip)
	githome.Git(h, h.dir, "update-ref", prefix+"/order/grants", h.entry(orderRef, "", lease.OpGranted, 1, orderHeld))
	return tip
}

func TestFirstAdmissionIsTaken(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": ruleFile})
	l, o := h.entry(laneRef, "", lease.OpAcquire, 1, laneHeld), h.entry(orderRef, "", lease.OpGranted, 1, orderHeld)
	h.wants("both", h.judge(hooks.PreReceive, hooks.Update{Ref: laneRef, New: l}, hooks.Update{Ref: orderRef, New: o}))
	h.wants("the lane alone", h.judge(hooks.PreReceive, hooks.Update{Ref: laneRef, New: l}), lease.LaneWithoutOrder)
	h.wants("the order alone", h.judge(hooks.PreReceive, hooks.Update{Ref: orderRef, New: o}), lease.OrderWithoutLane)
	h.wants("one at a time", h.judge(hooks.UpdateHook, hooks.Update{Ref: laneRef, New: l}))
	h.wants("a step that one ref alone shows", h.judge(hooks.UpdateHook, hooks.Update{Ref: laneRef, New: h.entry(laneRef, "", lease.OpHeartbeat, 1, laneHeld)}), lease.IllegalStep)
}

// The refs of a fleet that keeps them as branches are judged like any others.
func TestPrefixOfTheFleet(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": ruleFile + "[fleet]\nprefix = \"refs/heads/dos\"\n"})
	tip := h.held("refs/heads/dos")
	beat := h.entry(laneRef, tip, lease.OpHeartbeat, 1, laneHeld)
	const ref = "refs/heads/dos/lane/api"
	h.wants("a renewal", h.judge(hooks.PreReceive, hooks.Update{Ref: ref, Old: tip, New: beat}))
	h.wants("a deletion", h.judge(hooks.PreReceive, hooks.Update{Ref: ref, Old: tip}), Deletion)
	main, next := h.rev("main"), h.commit(map[string]string{"api/x": "x"})
	githome.Git(t, h.clone, "push", "-q", "origin", "HEAD:refs/heads/aside")
	h.wants("the trunk over a held tree", h.judge(hooks.PreReceive, hooks.Update{Ref: "refs/heads/main", Old: main, New: next}), lease.LeaseFence)
	h.wants("another branch", h.judge(hooks.PreReceive, hooks.Update{Ref: "refs/heads/b", New: next}))
	h.wants("the end of the trunk", h.judge(hooks.PreReceive, hooks.Update{Ref: "refs/heads/main", Old: main}))
}

// No push changes what it is judged by.
func TestPolicyIsThatOfTheTrunkBefore(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": ruleFile, "api/x": "x"})
	h.held("refs/dos")
	main, next := h.rev("main"), h.commit(map[string]string{"dos.toml": ruleFile + "[gates]\nlease_fence.mode = \"off\"\n", "api/x": "y"})
	githome.Git(t, h.clone, "push", "-q", "origin", "HEAD:refs/heads/aside")
	u := hooks.Update{Ref: "refs/heads/main", Old: main, New: next}
	h.wants("the gate is put off in the same push", h.judge(hooks.PreReceive, u), lease.LeaseFence)
	githome.Git(t, h.dir, "update-ref", "refs/heads/main", next)
	after := h.commit(map[string]string{"api/x": "z"})
	githome.Git(t, h.clone, "push", "-q", "-f", "origin", "HEAD:refs/heads/aside")
	h.wants("the gate is off", h.judge(hooks.PreReceive, hooks.Update{Ref: "refs/heads/main", Old: next, New: after}))
}

// A trunk that dos.toml names is the trunk, whatever HEAD says.
func TestTrunkOfThePolicy(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": "[trunk]\nref = \"origin/live\"\n"})
	githome.Git(t, h.dir, "branch", "live", "main")
	if r := h.judge(hooks.PreReceive); r.Trunk != "refs/heads/live" {
		t.Errorf("trunk %s", r.Trunk)
	}
}

func TestUnreadableEvidenceRefuses(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": ruleFile, "web/x": "x"})
	tip := h.held("refs/dos")
	main, next := h.rev("main"), h.commit(map[string]string{"web/x": "y"})
	githome.Git(t, h.clone, "push", "-q", "origin", "HEAD:refs/heads/aside")
	u := hooks.Update{Ref: "refs/heads/main", Old: main, New: next}
	h.wants("all is well", h.judge(hooks.PreReceive, u))
	h.wants("a commit that is not there", h.judge(hooks.PreReceive, hooks.Update{Ref: "refs/heads/main", Old: main, New: strings.Repeat("1", 40)}), lease.CannotJudge)
	h.wants("an entry that is not there", h.judge(hooks.PreReceive, hooks.Update{Ref: laneRef, Old: tip, New: strings.Repeat("1", 40)}), NotAnEntry)
	crash := Judge(context.Background(), h.repo, Request{Hook: hooks.PreReceive, Updates: []hooks.Update{u}, Gates: func(context.Context, Rules, hooks.Push) Gated { panic("boom") }})
	bad := h.commit(map[string]string{"dos.toml": "no = such\n"})
	githome.Git(t, h.clone, "push", "-q", "-f", "origin", "HEAD:refs/heads/aside")
	h.wants("a policy by which nothing could be judged", h.judge(hooks.PreReceive, hooks.Update{Ref: "refs/heads/main", Old: main, New: bad}), BadPolicy)
	h.wants("a gate that crashes", crash, lease.CannotJudge)
	githome.Git(t, h.dir, "update-ref", laneRef, main)
	h.wants("a lane that cannot be read, and has another tree", h.judge(hooks.PreReceive, u))
	githome.Git(t, h.dir, "update-ref", orderRef, main)
	h.wants("an order that cannot be read", h.judge(hooks.PreReceive, u), lease.CannotJudge)
}

// A checkpoint that packs what was is taken, and one that forges it is not.
func TestCheckpointPacksWhatWas(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": ruleFile})
	tip := h.held("refs/dos")
	ctx := context.Background()
	fold := func(tip refstore.Tip) refstore.Folded {
		return refstore.Folded{Gen: tip.Entry.Gen, Payload: tip.Entry.Payload}
	}
	u, err := h.repo.Compact(ctx, h.repo.Local(), laneRef, at, fold)
	if err != nil || len(u.Wrote) != 1 {
		t.Fatal(err, u)
	}
	packed := string(u.Wrote[0].New)
	githome.Git(t, h.dir, "update-ref", laneRef, tip)
	h.wants("a checkpoint", h.judge(hooks.PreReceive, hooks.Update{Ref: laneRef, Old: tip, New: packed}))
	beat := h.entry(laneRef, tip, lease.OpHeartbeat, 1, laneHeld)
	githome.Git(t, h.dir, "update-ref", laneRef, beat)
	text := strings.Replace(githome.Git(t, h.dir, "cat-file", "commit", packed), tip, beat, 1)
	forged := filepath.Join(t.TempDir(), "forged")
	if err := os.WriteFile(forged, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := githome.Git(t, h.dir, "hash-object", "-t", "commit", "-w", forged)
	h.wants("a checkpoint that leaves a row out", h.judge(hooks.PreReceive, hooks.Update{Ref: laneRef, Old: beat, New: id}), ForgedPast)
}

// The scratch refs of doctor come and go, and are moved back by nobody.
func TestProbesOfDoctor(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": ruleFile})
	const ref = "refs/dos/meta/" + refstore.ProbePrefix + "0123456789abcdef"
	first, second := h.rev("main"), h.commit(nil)
	githome.Git(t, h.clone, "push", "-q", "origin", "HEAD:refs/heads/aside")
	h.wants("made", h.judge(hooks.PreReceive, hooks.Update{Ref: ref, New: first}))
	h.wants("moved", h.judge(hooks.PreReceive, hooks.Update{Ref: ref, Old: first, New: second}))
	h.wants("moved back", h.judge(hooks.PreReceive, hooks.Update{Ref: ref, Old: second, New: first}), Rewind)
	h.wants("taken away", h.judge(hooks.PreReceive, hooks.Update{Ref: ref, Old: first}))
}

func TestOverrideIsOfOneToken(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": ruleFile})
	tip := h.held("refs/dos")
	gone := hooks.Update{Ref: laneRef, Old: tip}
	for setting, want := range map[string]bool{"DELETION: it was a test": true, "DELETION:": false, "DELETION": false, "REWIND: no": false, "": false} {
		githome.Git(t, h.dir, "config", OverrideSetting, setting)
		h.open()
		r := h.judge(hooks.PreReceive, gone)
		if (r.Override != nil) != want || (len(r.Refused) == 0) != want {
			t.Errorf("%q: %+v", setting, r)
		}
	}
	githome.Git(t, h.dir, "config", OverrideSetting, "DELETION: it was a test")
	h.open()
	other := hooks.Update{Ref: "refs/dos/delegation/x", New: tip}
	h.wants("what else is wrong", h.judge(hooks.PreReceive, gone, other), UnknownRef, Deletion)
}

// A receipt is written of a move that was judged, and of no other.
func TestReceiptOfWhatWasJudged(t *testing.T) {
	h := newHub(t, map[string]string{"dos.toml": ruleFile})
	ctx := context.Background()
	main, next := h.rev("main"), h.commit(map[string]string{"web/x": "y"})
	githome.Git(t, h.clone, "push", "-q", "origin", "HEAD:refs/heads/aside")
	u := hooks.Update{Ref: "refs/heads/main", Old: main, New: next}
	req := Request{Hook: hooks.PreReceive, Updates: []hooks.Update{u}}
	if err := Note(ctx, h.repo, req, Judge(ctx, h.repo, req)); err != nil {
		t.Fatal(err)
	}
	other := hooks.Update{Ref: "refs/heads/other", New: next}
	got, err := Landed(ctx, h.repo, []hooks.Update{u, other}, "kim", at)
	if err != nil || got.Receipts != 1 || !slices.Equal(got.Unreceived, []string{"refs/heads/other"}) || got.Node == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if again, err := Landed(ctx, h.repo, []hooks.Update{u}, "kim", at); err != nil || again.Receipts != 0 {
		t.Errorf("a second receipt: %+v, %v", again, err)
	}
	row := githome.Git(t, h.dir, "log", "--format=%B", "refs/dos/journal/"+got.Node)
	if !strings.Contains(row, next) || !strings.Contains(row, `"tree":"`+h.rev(next+"^{tree}")) {
		t.Error(row)
	}
}
