package admit

import (
	"context"
	"testing"
	"time"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/lease"
	"github.com/git-dos/git-dos/refstore"
)

// A slow authority is one whose transactions can be under way when their sender
// is told that nothing has happened. onTxn sees each with its number, and
// onRead each snapshot, from 1.
type slow struct {
	refstore.Authority
	onTxn       func(n int, moves []refstore.Move, do func() refstore.Outcome) refstore.Outcome
	onRead      func(n int)
	beforeRead  func()
	txns, reads int
}

func (s *slow) Txn(ctx context.Context, moves []refstore.Move) refstore.Outcome {
	s.txns++
	do := func() refstore.Outcome { return s.Authority.Txn(ctx, moves) }
	if s.onTxn == nil {
		return do()
	}
	return s.onTxn(s.txns, moves, do)
}

func (s *slow) Read(ctx context.Context, q refstore.Query) (refstore.Snapshot, error) {
	if s.beforeRead != nil {
		s.beforeRead()
	}
	snap, err := s.Authority.Read(ctx, q)
	s.reads++
	if s.onRead != nil {
		s.onRead(s.reads)
	}
	return snap, err
}

// arrivesLate holds the first transaction of a desk back until its second is
// sent: to the desk the first did not happen. Meanwhile something else may.
func arrivesLate(d *Desk, meanwhile func()) {
	var late func() refstore.Outcome
	d.auth = &slow{Authority: d.auth, onTxn: func(n int, _ []refstore.Move, do func() refstore.Outcome) refstore.Outcome {
		switch n {
		case 1:
			late = do
			meanwhile()
			return refstore.Outcome{Result: refstore.Unchanged}
		case 2:
			late()
		}
		return do()
	}}
}

// A VOID is under way while its sender, asked again, decides to complete. The
// VOID arrives first: nothing was acquired.
func TestAnEarlierRefusalThatLandsIsTheAnswer(t *testing.T) {
	dir := localRepo(t)
	other := open(t, dir)
	acquireWord(t, other, "word", "api/x/**")
	onLane, _ := halfGrant(t, "alice")
	appendTo(t, dir, onLane)
	d := open(t, dir)
	arrivesLate(d, func() { gitIn(t, dir, "update-ref", "refs/dos/lane/k.00", freedEntry(t, dir, "k.00")) })
	req := ask("api", "alice")
	req.Identity = lease.Identity{RunID: "run-alice"}
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Refused, lane.Collision)
	if r := stateOf(t, dir, "api"); r.State != lane.Free {
		t.Errorf("the lane is %+v", r)
	}
}

// Right before a half-done admission is repaired, another one gets half done.
// It is given its own time.
func TestRepairGivesEveryAdmissionItsTime(t *testing.T) {
	t.Parallel()
	dir := localRepo(t)
	_, inOrder := halfGrant(t, "alice")
	appendTo(t, dir, inOrder)
	d := open(t, dir)
	var last, planted time.Time
	begun := time.Now()
	d.auth = &slow{Authority: d.auth, beforeRead: func() {
		// The read of the repair follows at once on the one that found the time up.
		if planted.IsZero() && time.Since(begun) >= lease.TornFor && time.Since(last) < lease.TornFor/8 {
			planted = time.Now()
			gitIn(t, dir, "update-ref", orderRef, secondHalf(t, dir))
		}
		last = time.Now()
	}}
	v, err := d.Acquire(t.Context(), ask("web", "bob"))
	wantVerdict(t, v, err, lease.Acquired, "")
	if took := time.Since(planted); planted.IsZero() || took < lease.TornFor {
		t.Errorf("repaired %s after it was seen first", took)
	}
	if ops := opsOf(t, dir, "refs/dos/lane/api"); ops != "VOID" || stateOf(t, dir, "api").Gen != 2 {
		t.Errorf("the chain is %s", ops)
	}
}

// secondHalf writes, without moving a ref, the order part of a second admission
// of lane api.
func secondHalf(t *testing.T, dir string) string {
	t.Helper()
	payload := `{"v":1,"seq":2,"lanes":{"api":{"gen":2,"nonce":"dead2","kind":"cluster","tree":["api/**"]}},"units":{},"seats":{},"classes":{},"policy":"","newest":{"api":0}}`
	tip := refstore.OID(gitIn(t, dir, "rev-parse", orderRef))
	id, err := openRepo(t, dir).WriteEntry(context.Background(), orderRef, tip, refstore.Entry{Op: lease.OpGranted, Gen: 2, Payload: []byte(payload), At: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return string(id)
}

// freedEntry writes, without moving a ref, what an operator would append.
func freedEntry(t *testing.T, dir, name string) string {
	t.Helper()
	cur := stateOf(t, dir, name)
	_, writes := lease.Scavenge(lease.KeepEvidence{Lane: cur.Lane, Chain: name, Current: &cur, Operator: "oncall", Stamp: lease.Stamp{Now: cur.RenewedAt}})
	target, err := ref(name)
	if err != nil {
		t.Fatal(err)
	}
	tip := refstore.OID(gitIn(t, dir, "rev-parse", target))
	id, err := openRepo(t, dir).WriteEntry(context.Background(), target, tip, refstore.Entry{Op: writes[0].Op, Gen: writes[0].Gen, Payload: writes[0].Payload, At: cur.RenewedAt})
	if err != nil {
		t.Fatal(err)
	}
	return string(id)
}

// A grant that arrives after its sender has tried again is had once, and its
// lane moves once more, so that nothing else that is under way can end it.
func TestALateGrantIsConfirmed(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	arrivesLate(d, func() {})
	got := acquire(t, d, "api", "alice")
	if ops := opsOf(t, dir, "refs/dos/lane/api"); ops != "ACQUIRE HEARTBEAT" {
		t.Errorf("the chain is %s", ops)
	}
	if r := stateOf(t, dir, "api"); r.Nonce != got.Nonce || got.Gen != 1 || admissions(t, dir).Lanes["api"].Nonce != got.Nonce {
		t.Errorf("%+v, reported %+v", r, got)
	}
}

// An operator takes a lease away as soon as it was seen to have landed late.
func TestALateGrantThatIsTakenAwayIsContended(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	arrivesLate(d, func() {})
	taken := false
	d.auth.(*slow).onRead = func(n int) {
		if n == 3 {
			gitIn(t, dir, "update-ref", "refs/dos/lane/api", freedEntry(t, dir, "api"))
			taken = true
		}
	}
	v, err := d.Acquire(t.Context(), ask("api", "alice"))
	wantVerdict(t, v, err, lease.Contended, "")
	if !taken || v.Reason == "" || v.Next == "" || stateOf(t, dir, "api").State != lane.Free {
		t.Errorf("taken %v, %+v", taken, v)
	}
}

// An interrupted acquirer looks, and sees the lane as it was just before the
// half of its own admission landed there. It looks again.
func TestAHalfThatLandsDuringTheLookIsGivenBack(t *testing.T) {
	f := newFleet(t)
	d, other := open(t, f.clone(t)), open(t, f.clone(t))
	ctx, interrupt := context.WithCancelCause(t.Context())
	var sent []refstore.Move
	s := &slow{Authority: d.auth}
	s.onTxn = func(n int, moves []refstore.Move, do func() refstore.Outcome) refstore.Outcome {
		if n > 1 {
			return do()
		}
		sent = moves
		gitIn(t, f.hub, "fetch", "--quiet", d.Repo.CommonDir, string(moves[0].New)) // the objects have arrived
		acquireWord(t, other, "word", "api/x/**")
		interrupt(context.Canceled)
		s.onRead = func(int) {
			s.onRead = nil
			gitIn(t, f.hub, "update-ref", sent[0].Ref, string(sent[0].New), "")
		}
		return refstore.Outcome{Result: refstore.Unchanged}
	}
	d.auth = s
	gitIn(t, f.hub, "config", "uploadpack.allowAnySHA1InWant", "true")
	gitIn(t, d.Repo.CommonDir, "config", "uploadpack.allowAnySHA1InWant", "true")
	v, err := d.Acquire(ctx, ask("api", "alice"))
	if err == nil || v.ExitCode() == 0 {
		t.Errorf("%+v %v", v, err)
	}
	if r := stateOf(t, f.hub, "api"); r.State != lane.Free || r.Gen != 1 {
		t.Errorf("the lane is %+v", r)
	}
}

// A forced grant that lands late puts two entries on its lane. The answer goes
// by the upper one.
func TestALateForcedGrantIsKnownByItsLastEntry(t *testing.T) {
	d := open(t, localRepo(t))
	acquire(t, d, "api", "bob")
	arrivesLate(d, func() {})
	req := ask("api", "alice")
	req.Force, req.Operator = true, "oncall"
	v, err := d.Acquire(t.Context(), req)
	wantVerdict(t, v, err, lease.Acquired, "")
	if ops := opsOf(t, d.Repo.CommonDir, "refs/dos/lane/api"); ops != "ACQUIRE SCAVENGE ACQUIRE HEARTBEAT" {
		t.Errorf("the chain is %s", ops)
	}
}

// What cannot be read cannot be given back, and whoever may have it says so.
func TestAnUnreadableGrantIsNotGivenBack(t *testing.T) {
	dir := localRepo(t)
	d := open(t, dir)
	ctx, interrupt := context.WithCancelCause(t.Context())
	d.auth = &slow{Authority: d.auth, onTxn: func(n int, _ []refstore.Move, do func() refstore.Outcome) refstore.Outcome {
		o := do()
		if n == 1 {
			interrupt(context.Canceled)
			gitIn(t, dir, "update-ref", "refs/dos/lane/api", "HEAD")
		}
		return o
	}}
	v, err := d.Acquire(ctx, ask("api", "alice"))
	wantStore(t, v, err, "lane api may be held")
}
