package admit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/git-dos/git-dos/refstore"
)

// A Published is one ref of this node's own that the remote does not have as it
// is here.
type Published struct {
	Ref    string       `json:"ref"`
	Old    string       `json:"old,omitempty"` // where the remote had it
	New    string       `json:"new"`
	State  PublishState `json:"state"`
	Reason string       `json:"reason,omitempty"`
}

// A PublishState says what became of a ref that this node publishes.
type PublishState string

// The states of a ref that this node publishes.
const (
	Sent        PublishState = "published" // the remote has it now
	WouldSend   PublishState = "would"     // a dry run
	PutOff      PublishState = "put_off"   // the last push is younger than fleet.interval
	Unsent      PublishState = "refused"   // the remote refused it, now or before, and it has not changed since
	Raced       PublishState = "raced"     // another process moved it at the same time
	Unfollowed  PublishState = "ahead"     // the remote has what this repository has not: it was restored, or copied
	UnknownSent PublishState = "unknown"   // what became of it cannot be told
)

// publishedKinds are the kinds of which this node has a ref of its own name.
var publishedKinds = []string{"node", "journal"}

// publish sends what this node publishes and the remote, as read in s, has not:
// in one push, at most one in every fleet.interval, each ref by itself.
func (d *Desk) publish(ctx context.Context, s refstore.Snapshot, req SyncRequest, out *SyncReport) error {
	out.Outcome = InSync
	if req.DryRun {
		out.Outcome = WouldSync
	}
	due, err := d.unpublished(ctx, s)
	if err != nil {
		return err
	}
	refused := d.refusedRefs()
	wait := d.Rules.Policy.Fleet.Interval - time.Since(d.remote.LastEach())
	var moves []refstore.Move
	for _, p := range due {
		switch before, was := refused[p.Ref]; {
		case p.State != "":
		case was && before.ID == p.New && !req.Force:
			p.State, p.Reason = Unsent, before.Words
		case req.DryRun:
			p.State = WouldSend
		case wait > 0 && !req.Force:
			p.State, p.Reason = PutOff, fmt.Sprintf("the last push is younger than fleet.interval; due in %s", wait.Round(time.Second))
		default:
			moves = append(moves, refstore.Move{Ref: p.Ref, Expect: refstore.OID(p.Old), New: refstore.OID(p.New)})
			continue
		}
		out.add(p)
	}
	if len(moves) == 0 {
		return nil
	}
	return d.send(ctx, moves, refused, out)
}

// PublishDue reports whether a sync would send what there is to send: there is a
// remote, and the last push is not younger than fleet.interval.
func (d *Desk) PublishDue() bool {
	return d.remote != nil && time.Since(d.remote.LastEach()) >= d.Rules.Policy.Fleet.Interval
}

func (r *SyncReport) add(p Published) {
	r.Published = append(r.Published, p)
	if r.Outcome == InSync && p.State != Sent && p.State != PutOff && p.State != Raced {
		r.Outcome = PartSync
	}
}

func (d *Desk) send(ctx context.Context, moves []refstore.Move, refused map[string]refusedRef, out *SyncReport) error {
	unlock, err := d.remote.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for i, o := range d.remote.Each(ctx, moves) {
		m := moves[i]
		p := Published{Ref: m.Ref, Old: string(m.Expect), New: string(m.New), Reason: o.Words}
		delete(refused, m.Ref)
		switch o.Result {
		case refstore.Won:
			p.State, p.Reason = Sent, ""
		case refstore.Lost:
			p.State = Raced
		case refstore.Denied, refstore.HiddenNames:
			p.State = Unsent
			refused[m.Ref] = refusedRef{ID: p.New, Words: o.Words}
		default:
			p.State = UnknownSent
			if p.Reason == "" {
				p.Reason = (&refstore.OutcomeError{Authority: d.Remote(), Outcome: o}).Error()
			}
		}
		out.add(p)
	}
	d.keepRefused(refused)
	return nil
}

// unpublished compares this node's own refs with what the remote has of them.
// A ref is only ever moved forward.
func (d *Desk) unpublished(ctx context.Context, s refstore.Snapshot) (due []Published, err error) {
	if d.Node == "" {
		return nil, nil
	}
	here, err := d.Repo.Local().Read(ctx, refstore.Query{Kinds: publishedKinds})
	if err != nil {
		return nil, err
	}
	for _, kind := range publishedKinds {
		ref := refstore.Ref(kind, d.Node)
		mine, there := here.Tip(ref), s.Tip(ref)
		if mine.ID == "" && mine.Err == nil || mine.ID == there.ID {
			continue
		}
		p := Published{Ref: ref, Old: string(there.ID), New: string(mine.ID)}
		switch {
		case mine.Err != nil:
			p.State, p.Reason = Unsent, mine.Err.Error()
		case there.ID != "":
			builds, err := d.Repo.IsAncestor(ctx, there.ID, mine.ID)
			if err != nil {
				return nil, err
			}
			if !builds {
				p.State, p.Reason = Unfollowed, "the remote has entries of this node that are not here: is this clone a copy, or restored from a backup? git config --unset dos.node gives it a name of its own"
			}
		}
		due = append(due, p)
	}
	return due, nil
}

// A refusedRef is what the remote refused of a ref, and its words. It is not sent
// again until it changes.
type refusedRef struct {
	ID    string `json:"id"`
	Words string `json:"words"`
}

// maxRefused bounds the file of what was refused.
const maxRefused = 1 << 20

func (d *Desk) refusedPath() (string, error) {
	return d.Repo.SharedFile("refused." + url.PathEscape(d.Remote()) + ".json")
}

// refusedRefs is empty where nothing was refused, or nothing of it is known: it
// then costs one push.
func (d *Desk) refusedRefs() map[string]refusedRef {
	all := map[string]refusedRef{}
	path, err := d.refusedPath()
	if err != nil {
		return all
	}
	st, err := os.Stat(path)
	if err != nil || st.Size() > maxRefused {
		return all
	}
	b, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(b, &all) != nil || all == nil {
		return map[string]refusedRef{}
	}
	return all
}

func (d *Desk) keepRefused(all map[string]refusedRef) {
	path, err := d.refusedPath()
	if err != nil {
		return
	}
	if len(all) == 0 {
		_ = os.Remove(path) // it may not be there
		return
	}
	if b, err := json.Marshal(all); err == nil && os.WriteFile(path+".new", append(b, '\n'), 0o666) == nil {
		_ = os.Rename(path+".new", path) // without it the next push is tried in vain
	}
}
