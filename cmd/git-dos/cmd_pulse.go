package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/ledger"
	"github.com/git-dos/git-dos/kernel/beat"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore"
)

func pulseVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "pulse",
			Usage: "does everything still beat that should?",
			Description: "Judges every name of [heartbeats] in dos.toml by its newest beat of any node, and answers with the\n" +
				"worst. A name is late after one and a half of its intervals and missing after three, or when it\n" +
				"never beat. supervise and dispatcher are judged undeclared too, once they have beaten, at the\n" +
				"interval that they beat at, and until they are stopped by git dos super stop or by a tick's own\n" +
				"stop signal. A beat stamped more than a minute ahead of this clock is not used; an older one is.\n" +
				"A beat proves that something came round, and not that anything came of it.\n\n" +
				"Nothing declared is no verdict: an empty panel must not look healthy. A node whose record cannot\n" +
				"be read is named. In a fleet FRESH may be answered from what was last seen of the remote, which\n" +
				"can only have become fresher; any other answer follows a fresh look.",
			Flags:  []cli.Flag{pulseCached()},
			Action: func(c *cli.Context) error { return pulseAll(c) },
		},
		statuses: map[string][]status{
			"pulse": {
				{Code: verdict.Yes, Outcome: string(beat.Fresh), Meaning: "every beat is at most 1.5 intervals old"},
				{Code: 3, Outcome: string(beat.Late), Meaning: "one is older, and none older than 3 intervals"},
				{Code: 4, Outcome: string(beat.Missing), Meaning: "one is older than 3 intervals, or there is none of it"},
			},
		},
	}
}

func pulseCached() cli.Flag {
	return &cli.BoolFlag{Name: "cached", Usage: "answer from what was last seen of the remote, however old, and say as of when"}
}

func pulseAll(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	return pulseOf(c)
}

// pulseOf answers for the names given, or for all that are to be watched.
func pulseOf(c *cli.Context, names ...string) error {
	for _, name := range names {
		if err := beat.CheckName(name); err != nil {
			return usagef("%w", err)
		}
	}
	repo, err := refstore.OpenAhead(c.Context, workspace(c), refstore.Ahead{Kinds: []string{"node"}})
	if err != nil {
		return repoError(err)
	}
	d, err := deskOf(c, repo, admit.Open)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := beatAllowed(name, d.Rules.Policy); err != nil {
			return err
		}
	}
	a, err := pulseLook(c.Context, d, names, now(c), c.Bool("cached"))
	if err != nil {
		return err
	}
	if err := a.Err(); err != nil {
		return usagef("%w", err).hint("git dos doctor shows which dos.toml is in force")
	}
	return answer(c, a)
}

// A pulseAnswer answers pulse and beat --check.
type pulseAnswer struct {
	beat.Verdict
	NotRead []panelUnread `json:"not_read,omitempty"` // the nodes of unread, and what of them can be read
	panelSeen
}

func (a pulseAnswer) String() string {
	lines := []string{a.Verdict.String()}
	for _, u := range a.NotRead {
		lines = append(lines, "not read: "+u.String())
	}
	return strings.Join(lines, "\n") + a.line()
}

// pulseLook judges by what is here and, where that is not enough for FRESH and
// there is a remote, once more after a look at it.
func pulseLook(ctx context.Context, d *admit.Desk, names []string, now time.Time, cached bool) (pulseAnswer, error) {
	remotes, err := d.Mirrors(ctx, true)
	if err != nil {
		return pulseAnswer{}, panelError(err)
	}
	a, err := pulseRead(ctx, d, remotes, names, now)
	if err != nil || a.Outcome == beat.Fresh || a.Outcome == "" || cached || len(remotes) == 0 {
		return a, err
	}
	if remotes, err = d.Mirrors(ctx, false); err != nil {
		return pulseAnswer{}, panelUnreached(err)
	}
	return pulseRead(ctx, d, remotes, names, now)
}

func pulseRead(ctx context.Context, d *admit.Desk, remotes []*refstore.Remote, names []string, now time.Time) (pulseAnswer, error) {
	nodes, asOf, err := ledger.Nodes(ctx, d.Repo, nil, remotes)
	var unread *ledger.UnreadError
	if err != nil && !errors.As(err, &unread) {
		return pulseAnswer{}, panelError(err)
	}
	var broken []*ledger.NodeError
	if unread != nil {
		broken = unread.Nodes
	}
	a, err := pulseJudge(ctx, d, nodes, broken, names, now)
	a.panelSeen = panelSeenAt(d, asOf)
	return a, err
}

// pulseJudge judges names by the records of nodes.
func pulseJudge(ctx context.Context, d *admit.Desk, nodes []ledger.Node, unread []*ledger.NodeError, names []string, now time.Time) (pulseAnswer, error) {
	ev := beat.Evidence{NowMS: now.UnixMilli()}
	latest := now.Add(beat.MaxAheadMS * time.Millisecond)
	for _, n := range nodes {
		beats, err := pulseBeats(ctx, d.Repo, n, latest)
		if err != nil {
			if ctx.Err() != nil {
				return pulseAnswer{}, ctx.Err()
			}
			unread = append(unread, &ledger.NodeError{Node: n.Node, Ref: refstore.Ref("node", n.Node), ID: n.Tip, Err: fmt.Errorf("its older beats: %w", err)})
		}
		ev.Beats = append(ev.Beats, beats...)
	}
	a, ended := pulseAnswer{}, pulseEnds(nodes, latest)
	for _, u := range unread {
		ev.Unread = append(ev.Unread, u.Node)
		a.NotRead = append(a.NotRead, panelUnreadOf(u))
	}
	ev.Cadences = pulseCadences(d.Rules.Policy, ev.Beats, ended, names)
	a.Verdict = beat.Decide(ev)
	return a, nil
}

// pulseEnds are when drivers were stopped, but for what is from the future.
func pulseEnds(nodes []ledger.Node, latest time.Time) map[string]int64 {
	ended := map[string]int64{}
	for _, n := range nodes {
		for name, at := range n.Ends {
			if !at.After(latest) {
				ended[name] = max(ended[name], at.UnixMilli())
			}
		}
	}
	return ended
}

// pulseBeats are the beats of one node. Beside one that is stamped too far in
// the future the newest that is not stands too.
func pulseBeats(ctx context.Context, repo *refstore.Repo, n ledger.Node, latest time.Time) (beats []beat.Beat, err error) {
	for name, b := range n.Beats {
		beats = append(beats, pulseBeat(n.Node, name, b))
		if !b.At.After(latest) {
			continue
		}
		older, bad := ledger.BeatBefore(ctx, repo, n, name, latest)
		if older != nil {
			beats = append(beats, pulseBeat(n.Node, name, *older))
		}
		err = errors.Join(err, bad)
	}
	return beats, err
}

func pulseBeat(node, name string, b ledger.Beat) beat.Beat {
	return beat.Beat{Name: name, AtMS: b.At.UnixMilli(), Node: node, Host: b.Host, RunID: b.RunID, IntervalMS: b.IntervalMS}
}

// pulseCadences are those of the names that were asked for, a driver's too
// that never beat, or of all that are to be watched.
func pulseCadences(p policy.Policy, beats []beat.Beat, ended map[string]int64, names []string) []beat.Cadence {
	drivers := map[string]time.Duration{beat.Supervise: p.Supervise.Interval, beat.Dispatcher: p.Supervise.Interval}
	if len(names) == 0 {
		return beat.Panel(p.Heartbeats, drivers, beats, ended)
	}
	var all []beat.Cadence
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		interval, ok := p.Heartbeats[name]
		if !ok {
			interval = beat.Interval(name, beats, drivers[name])
		}
		all = append(all, beat.Cadence{Name: name, IntervalMS: interval.Milliseconds()})
	}
	return all
}
