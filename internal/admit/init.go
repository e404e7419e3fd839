package admit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/refstore"
)

// Unready returns a desk of a repository whose policy has not been read. It
// can set the repository up and nothing else.
func Unready(repo *refstore.Repo, now func() time.Time) *Desk {
	return &Desk{Repo: repo, Now: now, auth: repo.Local()}
}

// A Choice says which fleet a remote is to belong to, having seen what it says
// of itself: nil for nothing. It may be asked more than once.
type Choice func(there *Meta) (fleet string, err error)

// HasLocal reports whether this repository has a meta/format that this git-dos
// knows. One it does not know is an error.
func (d *Desk) HasLocal(ctx context.Context) (bool, error) {
	s, err := d.Repo.Local().Read(ctx, refstore.Query{Kinds: []string{"meta"}})
	if err != nil {
		return false, d.storeError(err)
	}
	m, err := readMeta(s)
	return m != nil, d.storeError(err)
}

// InitLocal creates meta/format in this repository, which then is its own
// authority: it names no fleet, so that a clone that takes this repository for
// its fleet's remote is told that it is not.
func (d *Desk) InitLocal(ctx context.Context) (wrote bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, localTime, errTimeUp)
	defer cancel()
	_, wrote, err = d.settle(ctx, d.Repo.Local(), refstore.Query{Kinds: []string{"meta"}}, func(there *Meta) (string, error) {
		if there != nil {
			return there.Fleet, nil
		}
		return "", nil
	})
	return wrote, err
}

// InitRemote makes a remote the authority of the fleet that choose names. It
// fetches the trunk and what admissions read, asks, and writes meta/format
// unless it is there. A remote of another fleet stays as it is: ErrWrongFleet.
func (d *Desk) InitRemote(ctx context.Context, remote, prefix, trunk string, choose Choice) (fleet string, wrote bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, remoteTime, errTimeUp)
	defer cancel()
	d.Rules.Remote = remote
	a, err := d.Repo.Remote(remote, prefix)
	if err != nil {
		return "", false, err
	}
	fleet, wrote, err = d.settle(ctx, a, refstore.Query{Kinds: laneKinds, Branches: []string{trunk}}, choose)
	return fleet, wrote, refusedSetup(err, remote)
}

// settle writes meta/format on an authority, or finds it written.
func (d *Desk) settle(ctx context.Context, a refstore.Authority, q refstore.Query, choose Choice) (fleet string, wrote bool, err error) {
	u, err := d.Repo.Update(ctx, a, q, func(s refstore.Snapshot) ([]refstore.Write, error) {
		there, err := readMeta(s)
		if err != nil {
			return nil, err
		}
		if fleet, err = choose(there); err != nil || there != nil && there.Fleet == fleet {
			return nil, err
		}
		if there != nil && there.Fleet != "" {
			return nil, WrongFleet(a.Name(), there.Fleet, fleet)
		}
		at := d.Now().UTC().Truncate(time.Second)
		w, err := Meta{V: LayoutVersion, Fleet: fleet, Created: at}.write(at)
		return []refstore.Write{w}, err
	})
	return fleet, len(u.Wrote) > 0, d.storeError(err)
}

// WrongFleet is the error of a remote that belongs to another fleet than the
// one that is wanted.
func WrongFleet(remote, there, want string) error {
	return &StoreError{
		Err:  fmt.Errorf("remote %s %w: it is %q, dos.toml says %q", remote, ErrWrongFleet, there, want),
		Hint: "name this fleet's remote with --remote",
	}
}

// refusedSetup says what to do about a remote that cannot be an authority.
func refusedSetup(err error, remote string) error {
	var o *refstore.OutcomeError
	if !errors.As(err, &o) {
		return err
	}
	hint := ""
	switch o.Outcome.Result {
	case refstore.HiddenNames, refstore.Denied:
		hint = "if it accepts only branches, run: git dos init --remote " + remote + " --prefix refs/heads/dos; else name another remote"
	case refstore.NoAtomic:
		hint = "name another remote for coordination; code may go on living on this one"
	case refstore.Offline:
		hint = "check that git fetch " + remote + " works, then run it again"
	default:
		return err
	}
	return &StoreError{Err: o, Hint: hint}
}

// A Peeked is what a look at a remote tells without fetching.
type Peeked struct {
	Present bool
	Meta    *Meta // nil when it is absent, or present and never fetched
}

// PeekRemote looks at meta/format of a remote and changes nothing.
func (d *Desk) PeekRemote(ctx context.Context, remote, prefix string) (Peeked, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, remoteTime, errTimeUp)
	defer cancel()
	d.Rules.Remote = remote
	a, err := d.Repo.Remote(remote, prefix)
	if err != nil {
		return Peeked{}, err
	}
	id, err := a.Peek(ctx, metaRef)
	if err != nil {
		return Peeked{}, refusedSetup(d.storeError(err), remote)
	}
	s, err := a.Cached(ctx, refstore.Query{Kinds: []string{"meta"}})
	if err != nil || s.Tip(metaRef).ID != id {
		return Peeked{Present: id != ""}, d.storeError(err)
	}
	m, err := readMeta(s)
	return Peeked{Present: id != "", Meta: m}, d.storeError(err)
}

// RemoteHead asks a remote which branch its HEAD names, "" when it does not
// say, and whether it has no branch at all.
func (d *Desk) RemoteHead(ctx context.Context, remote string) (branch string, empty bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, remoteTime, errTimeUp)
	defer cancel()
	a, err := d.Repo.Remote(remote, "")
	if err != nil {
		return "", false, err
	}
	branch, empty, err = a.PeekHead(ctx)
	return branch, empty, refusedSetup(err, remote)
}

// A NodeID is how this repository's node id stands.
type NodeID struct {
	ID          string // "" when there is none yet
	Environment bool   // it is the environment's, which outranks git config
	Bound       bool   // git-dos made it, for this machine and directory
	Copied      bool   // it was made for another one: the next verb that writes makes a new one
}

// LookNode reads the node id and changes nothing.
func (d *Desk) LookNode(ctx context.Context) (NodeID, error) {
	if id := ledger.NamedNode(); id != "" {
		return NodeID{ID: id, Environment: true}, nil
	}
	c, err := d.Repo.Config()
	if err != nil {
		return NodeID{}, err
	}
	n := NodeID{ID: c.Get("dos.node")}
	bound := c.Get("dos.nodebinding")
	if n.ID == "" || bound == "" {
		return n, nil
	}
	binding, err := nodeBinding(d.Repo)
	if err != nil {
		return NodeID{}, fmt.Errorf("node id: %w", err)
	}
	n.Bound, n.Copied = bound == binding, bound != binding
	return n, nil
}

// LocalSetting is a setting of this repository's own git config, "" when unset.
func (d *Desk) LocalSetting(ctx context.Context, key string) (string, error) {
	return d.localConfig(ctx, key)
}

// Set writes a setting of this repository's own git config.
func (d *Desk) Set(ctx context.Context, key, value string) error { return d.setConfig(ctx, key, value) }

// Unset removes a setting of this repository's own git config.
func (d *Desk) Unset(ctx context.Context, key string) error {
	if value, err := d.localConfig(ctx, key); err != nil || value == "" {
		return err
	}
	return d.writeConfig(ctx, "--unset-all", key)
}
