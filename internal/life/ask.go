package life

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/journal"
)

// An Ask is something that a Book is to be asked for.
type Ask struct {
	need   journal.Need
	alerts bool
}

// AskAlerts is for [Book.Alerts], AskCounts for [Book.Counts], AskPending for
// [Book.Pending] with a window that began at a time.
func AskAlerts() Ask                 { return Ask{need: journal.NeedAlerts(), alerts: true} }
func AskCounts() Ask                 { return Ask{need: journal.NeedCounts()} }
func AskPending(since time.Time) Ask { return Ask{need: journal.NeedSpawns(since)} }

// AskAttempts is for [Book.Tried], AskLaunches for [Book.Launches] and
// [Book.Waves].
func AskAttempts() Ask { return Ask{need: journal.NeedAttempts()} }
func AskLaunches() Ask { return Ask{need: journal.NeedLaunches()} }

// AskCaps is for [Book.Caps].
func AskCaps() Ask { return Ask{need: journal.NeedCaps()} }

// AskAnswers is for [Book.Answers].
func AskAnswers() Ask { return Ask{need: journal.NeedAnswers()} }

// AskSpawns is for [Book.Spawns], AskRuns for the stories of runs, AskEverything for
// [Book.Everything].
func AskSpawns() Ask            { return AskPending(time.Time{}) }
func AskRuns(ids ...string) Ask { return Ask{need: journal.NeedRuns(ids...)} }
func AskEverything() Ask        { return Ask{need: journal.Everything} }

// Read reads what the Book is going to be asked for, all of it at once.
func (b *Book) Read(ctx context.Context, asks ...Ask) error {
	f := ledger.NewFiller(b.Desk.Repo)
	defer f.Close()
	return b.read(ctx, f, asks)
}

// read has every state take up what it lacks for the answers. A node of which
// that cannot be read is one that cannot be read.
func (b *Book) read(ctx context.Context, f *ledger.Filler, asks []Ask) error {
	var needs []journal.Need
	alerts := false
	for _, a := range asks {
		needs = append(needs, a.need)
		alerts = alerts || a.alerts
	}
	if err := b.fill(ctx, f, needs...); err != nil || !alerts {
		return err
	}
	return b.fill(ctx, f, journal.NeedRuns(b.view().AlertRuns()...))
}

func (b *Book) fill(ctx context.Context, f *ledger.Filler, needs ...journal.Need) error {
	for _, node := range slices.Sorted(maps.Keys(b.states)) {
		s := b.states[node]
		if err := f.Fill(ctx, s.State, s.checkpoint, needs...); err != nil {
			if err := b.lost(err); err != nil {
				return err
			}
			delete(b.states, node)
		}
	}
	return nil
}

// lost takes note of a node whose parts could not be read.
func (b *Book) lost(err error) error {
	var node *ledger.NodeError
	if errors.As(err, &node) {
		return b.unread(&ledger.UnreadError{Nodes: []*ledger.NodeError{node}})
	}
	return storeError(err)
}

// view is what was read so far. It answers only what was asked for.
func (b *Book) view() journal.View {
	states := make([]*journal.State, 0, len(b.states))
	for _, s := range b.states {
		states = append(states, s.State)
	}
	return journal.Merge(states...)
}

// Ledgers are the ledgers that could be read, and how many rows each has.
func (b *Book) Ledgers() map[string]uint64 { return b.view().Nodes() }

// Doubts are the entries of ledgers that could not be read as rows: see
// [journal.View.Doubts].
func (b *Book) Doubts() []journal.Doubt { return b.view().Doubts() }

// Hidden are the entries of ledgers that are no rows, and what they may hide: see
// [journal.View.Hidden].
func (b *Book) Hidden() []journal.Hidden { return b.view().Hidden() }

// Story is what the ledgers say of a run.
func (b *Book) Story(ctx context.Context, id string) (journal.Story, error) {
	if err := b.Read(ctx, AskRuns(id)); err != nil {
		return journal.Story{}, err
	}
	return b.view().Story(id), nil
}

// Alerts are what asks for attention, with what was acknowledged and up to when
// some had to be forgotten.
type Alerts struct {
	Alerts []journal.Alert
	Acks   map[string]map[string]uint64
	Forgot time.Time
}

// Alerts are the alerts in all ledgers.
func (b *Book) Alerts(ctx context.Context) (Alerts, error) {
	if err := b.Read(ctx, AskAlerts()); err != nil {
		return Alerts{}, err
	}
	v := b.view()
	return Alerts{v.Alerts(), v.Acks(), v.ForgotAlerts()}, nil
}

// Spawns are the workers that were started: see [journal.View.Spawns].
func (b *Book) Spawns(ctx context.Context) ([]journal.Row, error) {
	if err := b.Read(ctx, AskSpawns()); err != nil {
		return nil, err
	}
	return b.view().Spawns(), nil
}

// Spawned finds the spawn of a request by its key, and SpawnOn the newest one on a
// lane: see [journal.View.Spawned] and [journal.View.SpawnOn].
func (b *Book) Spawned(ctx context.Context, key string) (journal.Row, bool, error) {
	if err := b.Read(ctx, AskSpawns()); err != nil {
		return journal.Row{}, false, err
	}
	row, ok := b.view().Spawned(key)
	return row, ok, nil
}

func (b *Book) SpawnOn(ctx context.Context, lane string) (journal.Row, bool, error) {
	if err := b.Read(ctx, AskSpawns()); err != nil {
		return journal.Row{}, false, err
	}
	row, ok := b.view().SpawnOn(lane)
	return row, ok, nil
}

// Pending are the spawns whose window is not over: see [journal.View.Pending].
func (b *Book) Pending(ctx context.Context, now time.Time, window time.Duration) ([]journal.Row, error) {
	if err := b.Read(ctx, AskPending(now.Add(-window))); err != nil {
		return nil, err
	}
	rows := b.view().Pending(now, window)
	if !slices.ContainsFunc(rows, func(r journal.Row) bool { return r.Key != "" }) {
		return rows, nil
	}
	err := b.Read(ctx, AskSpawns()) // it may have been asked for before
	return b.view().Pending(now, window), err
}

// Launches are the rows of a wave's workers that were not harvested: see
// [journal.View.Launches].
func (b *Book) Launches(ctx context.Context) ([]journal.Row, error) {
	if err := b.Read(ctx, AskLaunches()); err != nil {
		return nil, err
	}
	return b.view().Launches(), nil
}

// Waves are the newest rows about the workers of waves: see [journal.View.Waves].
func (b *Book) Waves(ctx context.Context) ([]journal.Row, error) {
	if err := b.Read(ctx, AskLaunches()); err != nil {
		return nil, err
	}
	return b.view().Waves(), nil
}

// Answers are the newest recorded answers of each node: see
// [journal.View.Answers]; and the newest ends of workers.
func (b *Book) Answers(ctx context.Context) (rows, exits []journal.Row, forgot time.Time, err error) {
	if err := b.Read(ctx, AskAnswers()); err != nil {
		return nil, nil, time.Time{}, err
	}
	v := b.view()
	rows, forgot = v.Answers()
	return rows, v.Exits(), forgot, nil
}

// Ended are the newest ends of workers, and up to when some had to be forgotten. It
// reads as much as Answers.
func (b *Book) Ended(ctx context.Context) (rows []journal.Row, forgot time.Time, err error) {
	if err := b.Read(ctx, AskAnswers()); err != nil {
		return nil, time.Time{}, err
	}
	v := b.view()
	return v.Exits(), v.ForgotExits(), nil
}

// Counts counts rows: see [journal.View.Count].
func (b *Book) Counts(ctx context.Context) (func(what string, from, to time.Time) uint64, error) {
	err := b.Read(ctx, AskCounts())
	return b.view().Count, err
}

// Everything is what the ledgers say, all of it read.
func (b *Book) Everything(ctx context.Context) (journal.View, error) {
	err := b.Read(ctx, AskEverything())
	return b.view(), err
}
