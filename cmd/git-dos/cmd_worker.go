package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/git-dos/git-dos/internal/admit"
	"github.com/git-dos/git-dos/internal/worker"
	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/policy"
	"github.com/git-dos/git-dos/kernel/verdict"
)

func workerVerb() verb {
	return verb{
		command: &cli.Command{
			Name:  "worker",
			Usage: "run a command as a worker that holds a lane while it runs",
			Description: "Admission first, process second: preflight, then lane, unit and seat in one admission; refused, nothing\n" +
				"is started.",
			Subcommands: []*cli.Command{{
				Name:      "run",
				Usage:     "take a lane, run CMD under it, and grade from git what came of it",
				ArgsUsage: "-- CMD ARG...",
				Description: "CMD, by default worker.command of dos.toml, runs in this worktree, or with --worktree in a linked one of its\n" +
					"own, in a process group of its own, and sees of the environment what is on a list: PATH, HOME, the\n" +
					"locale, TMPDIR, TERM, proxies, the git identity, worker.env_pass, and GIT_DOS_RUN_ID, GIT_DOS_LEASE,\n" +
					"GIT_DOS_NONCE, GIT_DOS_OWNER, FLEET_WORKER_ID. Its prompt is standard input; in its words {lane}, {unit},\n" +
					"{run_id} and {prompt_file} are replaced. All it prints goes to one log.\n\n" +
					"The lease is renewed at a third of its ttl. When it is lost, or --timeout is over, the group is asked to end,\n" +
					"and killed after worker.grace. When CMD has ended, what is left of its group is ended too, the run is graded\n" +
					"by the commits that name it or lie in its lane's tree, an EXIT row is written and the lease released. Its\n" +
					"exit status and its words are no ship. A hang-up of the terminal stops nothing; an interrupt stops CMD,\n" +
					"grades it and exits 130; --detach leaves at once, and git dos log --run-id tells later what came of it.\n\n" +
					"Where GIT_DOS_NONCE names a live lease on LANE, the worker rides it: it takes no lane, and never renews or\n" +
					"releases that one, but stops when it is lost. --unit, --seat and --tree are claimed inside that lease then, and\n" +
					"end with it: a unit and a seat are had once by all, and no two parts of one lane's tree overlap.\n\n" +
					"Where dos.toml declares accounts, --seat, --account or --work-kind binds the worker to one: it has the\n" +
					"account's environment, which is told nowhere, and holds one of its seats with the lane. A free seat is looked\n" +
					"for by what is known of leases, caps and probes; one that is taken meanwhile is passed over. A worker that\n" +
					"ends with a status of worker.exit.rate_limited caps its account. Without any of the three it has no account.\n\n" +
					"A run that was killed keeps the lane until its lease lapses. Then the lane is to be had here too, once nothing\n" +
					"of that run is left running on this machine; what is left refuses every worker, and git dos reclaim tells of it.",
				Flags: append([]cli.Flag{
					&cli.StringFlag{Name: "lane", Usage: "the `LANE` to work in; required"},
					&cli.StringSliceFlag{Name: "tree", Usage: "a `GLOB` of the lane's files, for one that dos.toml does not declare or that is ridden; repeatable"},
					&cli.StringFlag{Name: "unit", Usage: "the unit of work that it is to ship, `PLAN/PHASE`"},
					&cli.StringFlag{Name: "owner", Usage: "who is at work, to people: `NAME`"},
					&cli.StringFlag{Name: "ttl", Usage: "how long the lease lives without being renewed: `DURATION`"},
					&cli.StringFlag{Name: "timeout", Usage: "the most that CMD may take, in place of worker.timeout: `DURATION`"},
					&cli.StringFlag{Name: "prompt", Usage: "give CMD this `FILE` as standard input, in place of worker.prompt"},
					&cli.BoolFlag{Name: "worktree", Usage: "run CMD in a linked worktree of its own, at the trunk"},
					&cli.StringFlag{Name: "wave", Usage: "it is launched by the wave `ID`: a LAUNCH row is written, and refused where the wave has launched the unit before"},
					&cli.BoolFlag{Name: "detach", Usage: "leave once CMD runs; its keeper goes on without a terminal"},
					&cli.IntFlag{Name: detachFlag, Hidden: true, Usage: "of a keeper that was detached: say on descriptor `FD` that CMD runs"},
				}, append(accountSeatFlags(), preflightFlags()...)...),
				Action: writes(workerRun),
			}},
		},
		statuses: map[string][]status{
			"worker run": {
				{Code: verdict.Yes, Outcome: string(supervise.ClaimWitnessed), Meaning: "what it did is on the trunk, and git bears it out"},
				{Code: verdict.Yes, Outcome: workerStarted, Meaning: "with --detach: CMD runs"},
				{Code: 3, Outcome: string(supervise.NotAdmitted), Meaning: "not admitted: preflight, the lane, the unit, the seat, its wave or uncommitted work stands against it; nothing was started"},
				{Code: 4, Outcome: string(supervise.LeaseLost), Meaning: "its lease was lost, and it was stopped"},
				{Code: 5, Outcome: string(supervise.ClaimUnwitnessed), Meaning: "it committed, and git does not bear it out, or could not be asked"},
				{Code: 6, Outcome: string(supervise.ClaimNoCommit), Meaning: "no commit of it is found; the cause is named"},
				{Code: 7, Outcome: string(supervise.SpawnFailed), Meaning: "CMD could not be started"},
				{Code: 8, Outcome: string(supervise.TimedOut), Meaning: "its time was over, and it was stopped"},
			},
		},
	}
}

const (
	detachFlag    = "detached" // a descriptor on which the keeper says that CMD runs
	workerStarted = "STARTED"
)

// A workerJob is what was asked for, checked before anything is held.
type workerJob struct {
	req      admit.Request
	ask      accountAsk // of a seat
	seats    []string   // that are asked for, one after another; of none, none
	further  bool       // a seat beside that of the lease that it rides
	command  []string   // with its words still to be filled in
	dir      string     // the top of the worktree that was asked from
	prompt   string     // a file, "" for none
	timeout  time.Duration
	grace    time.Duration
	worktree bool
}

// maxPrompt bounds a prompt, in characters.
const maxPrompt = 4000

// workerAsked reads the flags. What it refuses was not started, and nothing is
// held for it.
func workerAsked(c *cli.Context, d *admit.Desk) (j workerJob, err error) {
	p := d.Rules.Policy
	if !c.IsSet("lane") || c.String("lane") == "" {
		return j, usagef("no lane is named").hint("say with --lane LANE where the worker is to work; git dos arbitrate names one that is free")
	}
	if err := checkTrees(c); err != nil {
		return j, err
	}
	if err := waveAskedOf(c.String("wave"), c.String("unit"), c.IsSet("wave")); err != nil {
		return j, err
	}
	ask, err := accountAsked(c, p)
	if err != nil {
		return j, err
	}
	for _, name := range []string{"unit", "owner"} {
		if c.IsSet(name) && c.String(name) == "" {
			return j, usagef("--%s is empty", name).hint("name one, or leave the flag out")
		}
	}
	if j, err = workerCommand(c, d); err != nil {
		return j, err
	}
	if j.prompt, err = workerPrompt(c, d, p.Worker.Prompt); err != nil {
		return j, err
	}
	j.req = admit.Request{
		Lanes: []string{c.String("lane")}, Tree: c.StringSlice("tree"), Owner: statedOwner(c), Worker: firstEnv("FLEET_WORKER_ID"),
		Unit: c.String("unit"), Seat: ask.seat,
	}
	j.ask = ask
	if j.req.TTL, err = ttlFlag(c, p.Lease.TTL); err != nil {
		return j, err
	}
	if err := d.Check(j.req); err != nil {
		return j, usagef("%w", err)
	}
	if j.prompt == "" && slices.ContainsFunc(j.command, func(w string) bool { return strings.Contains(w, "{prompt_file}") }) {
		return j, usagef("the command names {prompt_file}, and there is no prompt").hint("give one with --prompt FILE, or set worker.prompt in dos.toml")
	}
	if err := worker.Find(j.filled("", ""), j.dir); err != nil {
		return j, usagef("%w", err).hint("name a program that is in PATH, or one by its path")
	}
	return j, nil
}

// workerCommand is what is run, where, and for how long.
func workerCommand(c *cli.Context, d *admit.Desk) (j workerJob, err error) {
	p := d.Rules.Policy
	j = workerJob{command: c.Args().Slice(), dir: d.Repo.WorkTree, timeout: p.Worker.Timeout, grace: p.Worker.Grace, worktree: p.Worker.Worktree || c.Bool("worktree")}
	if len(j.command) == 0 {
		if j.command = slices.Clone(p.Worker.Command); len(j.command) == 0 {
			return j, usagef("no command to run").hint("write it after --, as in -- CMD ARG..., or set worker.command in dos.toml")
		}
	}
	if j.dir == "" {
		return j, usagef("a bare repository has no files to work on").hint("run it in a clone")
	}
	if c.IsSet("timeout") {
		if j.timeout, err = policy.ParseDuration(c.String("timeout")); err != nil || j.timeout <= 0 {
			return j, usagef("--timeout %q is no duration above 0", c.String("timeout")).hint("write it like 90s, 30m or 2h")
		}
	}
	return j, nil
}

// workerPrompt is the file of the prompt, whole and short enough.
func workerPrompt(c *cli.Context, d *admit.Desk, path string) (string, error) {
	what := "worker.prompt"
	if c.IsSet("prompt") {
		path, what = c.String("prompt"), "--prompt"
		if path == "" {
			return "", usagef("--prompt is empty").hint("name a file, or leave the flag out")
		}
		path = under(workspace(c), path)
	} else if path != "" {
		path = under(d.Repo.WorkTree, path)
	}
	if path == "" {
		return "", nil
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return "", usagef("%s: %s is no file", what, path).hint("write the prompt to a file: it is read once to be looked at, and again by CMD")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", usagef("%s: %w", what, err)
	}
	defer f.Close()
	text, err := readInput(c, f, maxPrompt*utf8.UTFMax)
	switch {
	case err != nil:
		return "", usagef("%s: %w", what, err)
	case !utf8.Valid(text) && len(text) <= maxPrompt*utf8.UTFMax:
		return "", usagef("%s: %s is not UTF-8", what, path)
	case utf8.RuneCount(text) > maxPrompt:
		return "", usagef("%s: %s is longer than %d characters", what, path, maxPrompt).hint("put what is long into a file of the repository, and name it in the prompt")
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", usagef("%s: %w", what, err)
	}
	return path, nil
}

// filled is the command with what the worker is told in its words.
func (j workerJob) filled(lane, run string) []string {
	fill := strings.NewReplacer("{lane}", lane, "{unit}", j.req.Unit, "{run_id}", run, "{prompt_file}", j.prompt)
	words := slices.Clone(j.command)
	for i := range words {
		words[i] = fill.Replace(words[i])
	}
	return words
}
