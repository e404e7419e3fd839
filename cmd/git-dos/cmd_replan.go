package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/facts"
	"github.com/git-dos/git-dos/internal/life"
	"github.com/git-dos/git-dos/internal/replan"
	"github.com/git-dos/git-dos/internal/tasks"
	"github.com/git-dos/git-dos/kernel/journal"
	look "github.com/git-dos/git-dos/kernel/replan"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func replanVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "replan",
			Usage: "look back: what was closed, what re-opens, what is stamped wrong?",
			Description: "Asks of each unit of the plan documents at the trunk, and of each task of the queue, what\n" +
				"git dos verify asks.\n\n" +
				"closed: history shows it shipped, and this node had not counted it yet. Nothing else closes a unit.\n" +
				"re-opened: a plan document, the newest attempt or a worker says that it is done, and history does\n" +
				"not (QUIET_INCOMPLETE). It is recorded in this node's ledger, once for each claim. No claim keeps a\n" +
				"unit from being picked, so there is nothing else to undo.\n" +
				"stamped: a row that lacks SHIPPED gets it, with the commit; before one that history does not bear\n" +
				"out goes \"not\". Only that row changes, in the work tree, and is committed by its path under a lease\n" +
				"of the caller that covers the document: of this worktree, or of GIT_DOS_NONCE. Without one, or with\n" +
				"changes that no commit has, the document is named and left alone. No other file is written.\n\n" +
				"At most two things that need an operator are named, the most important first. A second look right\n" +
				"after finds nothing new. Where nothing is new, and of some unit it cannot be told what history\n" +
				"says, there is no verdict, and nothing is written.\n\n" +
				"Once a look has found nothing and left nothing to stamp, the next one of this clone is skipped\n" +
				"while neither the trunk nor the rules, the queue, a lane or a ledger has moved; what needs an\n" +
				"operator is still looked up. --force looks at everything.",
			Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "scope", Usage: "only units of `LANE`; may be given again"},
				&cli.StringFlag{Name: "nonce", Usage: "the `NONCE` of the lease to stamp under, by default GIT_DOS_NONCE; beside those this worktree took"},
				&cli.BoolFlag{Name: "force", Usage: "look at everything, also where nothing has moved since the last look"},
				&cli.BoolFlag{Name: "dry-run", Usage: "say what would be done, and write nothing"},
				&cli.BoolFlag{Name: "cached", Usage: "go by what was last seen of the remote, however old, and say as of when"},
			},
			Action: writes(replanLook),
		},
		statuses: map[string][]status{
			"replan": {
				{Code: verdict.Yes, Outcome: "PRODUCTIVE", Meaning: "something was closed, re-opened or stamped"},
				{Code: verdict.FirstOwned, Outcome: "UNPRODUCTIVE", Meaning: "nothing was, or nothing has moved since the last look"},
			},
		},
	}
}

func replanLook(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if err := checkNonce(c); err != nil {
		return err
	}
	d, err := openDesk(c)
	if err != nil {
		return err
	}
	scope, err := nextUpScope(c, d)
	if err != nil {
		return err
	}
	a, err := replanOnce(c, d, scope)
	if err != nil {
		return err
	}
	return answer(c, a)
}

// replanOnce is one look back.
func replanOnce(c *cli.Context, d *admit.Desk, scope []string) (replanAnswer, error) {
	if !c.Bool("dry-run") {
		unlock, err := replanLock(c, d.Repo)
		if err != nil {
			return replanAnswer{}, err
		}
		defer unlock()
	}
	r, err := replanOpen(c, d, scope)
	if err != nil {
		return replanAnswer{}, err
	}
	if !c.Bool("force") {
		if seen, ok := replan.LastSeen(d.Repo, scope, r.mark); ok {
			return r.skip(c, seen)
		}
	}
	if err := r.gather(c); err != nil {
		return replanAnswer{}, err
	}
	return r.act(c)
}

// A replanned is a look with what it comes to.
type replanned struct {
	book  *life.Book
	list  *tasks.Book
	scope []string
	mark  string // of what is looked at, "" where none can be made

	look  replan.Look
	found look.Finding
	later int // of those re-opened, those that are left for the next time
	items []replanItem
}

// replanMost bounds the rows that one look records.
const replanMost = 100

// replanOpen opens what is looked at.
func replanOpen(c *cli.Context, d *admit.Desk, scope []string) (r replanned, err error) {
	r.scope = scope
	node, err := d.LookNode(c.Context)
	if err != nil {
		return r, environmentf("%w", err)
	}
	if !node.Copied {
		d.Node = node.ID
	}
	if r.book, err = pickBook(c, d); err != nil {
		return r, err
	}
	if r.list, err = tasks.Read(c.Context, d, c.Bool("cached")); err != nil {
		return r, panelUnreached(queueError(err))
	}
	lifeWarn(c, r.book)
	if r.mark, err = replanMark(c, r.book, scope); err != nil {
		return r, nextUpError(err)
	}
	return r, nil
}

// gather looks.
func (r *replanned) gather(c *cli.Context) (err error) {
	if r.look, err = replan.Gather(c.Context, r.book, r.list, r.scope); err != nil {
		return nextUpError(err)
	}
	for _, id := range r.look.Lost {
		warn(c, "the commit of an earlier look, %.40s, is not in this repository: what shipped is counted by what the plans say", id)
	}
	r.found = look.Decide(r.look.Evidence)
	if more := len(r.found.Reopened) - replanMost; more > 0 {
		r.later, r.found.Reopened = more, r.found.Reopened[:replanMost]
	}
	return r.decisions(c)
}

// decisions looks up what needs one.
func (r *replanned) decisions(c *cli.Context) error {
	view, err := decisionsOf(c.Context, r.book, false, now(c))
	r.items = replanDecisions(view)
	return err
}

// act stamps, judges and records.
func (r replanned) act(c *cli.Context) (a replanAnswer, err error) {
	d, dry := r.book.Desk, c.Bool("dry-run")
	leases, err := replanLeases(c, r.book)
	if err != nil {
		return a, err
	}
	pages, err := replan.Stamp(c.Context, d.Repo, facts.ShipScope{Ledger: d.Ships}, r.found.Drift, leases, dry)
	if err != nil {
		return a, replanStamping(pages, err)
	}
	v := r.found.Judge(replan.Stamped(pages))
	if v.Err() != nil {
		u := r.found.Unknown[0]
		return a, errorf(kindIndeterminate, "no verdict: %s", v.Reason).hint("git dos verify %s %s says more", verdict.ShellWord(u.Plan), verdict.ShellWord(u.Phase))
	}
	a = replanAnswerOf(r, v, pages)
	if a.DryRun = dry; !dry {
		if a.Recorded, err = r.record(c, v); err != nil {
			return a, replanUnrecorded(pages, err)
		}
		r.keep(c, a)
	}
	return a, nil
}

// replanStamping is an error of stamping, with the commits that there are.
func replanStamping(pages []replan.Page, err error) error {
	if e := asCmdError(planError(scopeError(err))); e != nil {
		e.Message = replanCommitted(pages) + e.Message
		return e
	}
	return environmentf("%s%w", replanCommitted(pages), err)
}

// replanUnrecorded is the error of a look that could not be recorded.
func replanUnrecorded(pages []replan.Page, err error) error {
	e := asCmdError(lifeError(err))
	if e == nil {
		return err
	}
	e.Message = replanCommitted(pages) + "the look could not be recorded: " + e.Message
	return e
}

func replanCommitted(pages []replan.Page) string {
	for _, p := range pages {
		if p.Commit != "" {
			return "commit " + p.Commit + " has stamps; "
		}
	}
	return ""
}

// record writes what was re-opened, and last of all that this was looked at:
// whoever is killed before that counts again, and loses nothing. A look that
// found what the last one saw is not recorded.
func (r replanned) record(c *cli.Context, v look.Verdict) ([]uint64, error) {
	d := r.book.Desk
	var rows []journal.Row
	for _, u := range r.found.Reopened {
		rows = append(rows, journal.Row{Op: journal.OpVerdict, Verb: replan.Verb, Verdict: look.QuietIncomplete, Subject: u.Name, Detail: u.Claimed(), Ref: r.look.Ref, Sha: r.look.RefID})
	}
	scope := r.look.Scope
	if len(scope) == 0 {
		scope = []string{""}
	}
	for _, lane := range scope {
		if was, ok := r.look.Looks[replan.Subject(lane)]; ok && was == r.look.RefID || r.look.RefID == "" {
			continue
		}
		rows = append(rows, journal.Row{Op: journal.OpVerdict, Verb: replan.Verb, Verdict: string(v.Outcome), Subject: replan.Subject(lane), Detail: v.Reason, Ref: r.look.Ref, Sha: r.look.RefID})
	}
	if len(rows) == 0 {
		return nil, nil
	}
	if err := d.EnsureNode(c.Context); err != nil {
		return nil, err
	}
	return r.book.Record(c.Context, rows...)
}
