package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/journal"
	"github.com/git-dos/git-dos/kernel/runid"
)

// What the verbs read that look at a whole fleet: so many leases, and so many
// nodes with so many rows each behind a checkpoint.
const ledgerLeases, ledgerNodes, ledgerRows, ledgerReaders = 200, 20, 5000, 50

// readLedgers measures the verbs that look at runs and at everything, alone.
func readLedgers(b *bench) ([]row, error) {
	dir, run, err := b.ledgers()
	if err != nil {
		return nil, err
	}
	look := b.headAndRefs(dir)
	m, err := b.pairs(localPairs, b.process(dir, b.start), look, b.process(dir, b.dos, "status", run), look, b.process(dir, b.dos, "top", "--once"))
	if err != nil {
		return nil, err
	}
	return []row{
		{what: "status, 20 nodes and 100,000 rows", product: m[2], start: m[0], git: m[1], target: 1.3},
		{what: "top --once, 20 nodes and 100,000 rows", product: m[4], start: m[0], git: m[3], target: 1.3},
	}, nil
}

// readLedgersAtOnce measures the same with many at once.
func readLedgersAtOnce(b *bench) ([]row, error) {
	dir, run, err := b.ledgers()
	if err != nil {
		return nil, err
	}
	all := func(a arm) arm {
		return func() (time.Duration, error) {
			took, _, err := b.together(ledgerReaders, func(int) (time.Duration, error) { return a() })
			return took, err
		}
	}
	m, err := b.pairs(5, all(b.process(dir, b.start)), all(b.headAndRefs(dir)),
		all(b.process(dir, b.dos, "status", run)), all(b.process(dir, b.dos, "top", "--once")))
	if err != nil {
		return nil, err
	}
	const note = "all of them; git column: 50 x both git commands"
	return []row{
		{what: "50 concurrent status", product: m[2], start: m[0], git: m[1], target: 1.3, note: note},
		{what: "50 concurrent top --once", product: m[3], start: m[0], git: m[1], target: 1.3, note: note},
	}, nil
}

// headAndRefs is what git takes to resolve HEAD and list the dos refs.
func (b *bench) headAndRefs(dir string) arm {
	return sum(b.process(dir, "git", "rev-parse", "HEAD"), b.process(dir, "git", "for-each-ref", "refs/dos"))
}

// ledgers makes a repository in which many nodes have been at work for a day, and
// returns a run that holds a lane there.
func (b *bench) ledgers() (dir, run string, err error) {
	if dir, err = b.repo(ledgerLeases, noFleet); err != nil {
		return "", "", err
	}
	head, err := b.output(dir, "", "git", "rev-parse", "HEAD")
	if err != nil {
		return "", "", err
	}
	end := time.Now().UTC().Truncate(time.Second).Add(-10 * time.Minute)
	for node := range ledgerNodes {
		if err := b.ledger(dir, node, head, end); err != nil {
			return "", "", err
		}
	}
	for i := range ledgerLeases {
		run = ledgerRun(i%ledgerNodes, ledgerRows/10-1-i/ledgerNodes, end)
		if err := b.quiet(dir, []string{b.dos, "lease", "acquire", "--lane", laneName(i), "--run-id", run, "--ttl", "12h"}); err != nil {
			return "", "", err
		}
	}
	return dir, run, nil
}

// ledger fills the ledger of a node and has the product put a checkpoint over it.
func (b *bench) ledger(dir string, node int, head string, end time.Time) error {
	name := fmt.Sprintf("n%02d", node)
	var in strings.Builder
	for i := range ledgerRows {
		r := ledgerRow(node, i, head, end)
		m := fmt.Sprintf("dos journal: %s %s g0\n\n%s\n\nDos-Format: 1\nDos-Op: %s\nDos-Gen: 0\nDos-Attempt: %016x\n", r.Op, name, r.Encode(), r.Op, i)
		fmt.Fprintf(&in, "commit refs/dos/journal/%s\ncommitter git-dos <git-dos@localhost> %d +0000\ndata %d\n%s\n", name, r.At.Unix(), len(m), m)
	}
	load := exec.CommandContext(b.ctx, "git", "fast-import", "--quiet")
	load.Dir, load.Stderr, load.Stdin = dir, b.words, strings.NewReader(in.String())
	if err := load.Run(); err != nil {
		return fmt.Errorf("import a ledger: %w: %s", err, b.lastWords())
	}
	compact := exec.CommandContext(b.ctx, b.dos, "journal", "compact")
	compact.Dir, compact.Stderr, compact.Env = dir, b.words, append(os.Environ(), "GIT_DOS_NODE="+name)
	if err := compact.Run(); err != nil {
		return fmt.Errorf("compact a ledger: %w: %s", err, b.lastWords())
	}
	return nil
}

// ledgerRun is the id of a node's run, of which each has ten rows.
func ledgerRun(node, n int, end time.Time) string {
	at := end.Add(time.Duration(n*10-ledgerRows) * 10 * time.Second)
	r, err := runid.Mint(at.UnixMilli(), uint32(node*1000+n), runid.Lineage{Process: "PROC-bench"})
	if err != nil {
		panic(err) // of a time that is long past or far away
	}
	return r.RunID
}

// ledgerRow is a row of a node with many workers.
func ledgerRow(node, i int, head string, end time.Time) journal.Row {
	r := journal.Row{
		Seq: uint64(i + 1), At: end.Add(time.Duration(i-ledgerRows) * 10 * time.Second),
		RunID: ledgerRun(node, i/10, end), Lane: laneName(i % ledgerLeases),
	}
	switch i % 10 {
	case 0:
		r.Op, r.Key, r.Unit = journal.OpSpawn, r.RunID, "PLAN/P1"
	case 1:
		r.Op, r.Goal, r.DeclaredSteps = journal.OpIntent, "ship PLAN/P1", []string{"s1", "s2", "s3"}
	case 2, 3:
		r.Op, r.StepID, r.Sha = journal.OpStepClaimed, fmt.Sprintf("s%d", i%10-1), head
	case 4:
		r.Op, r.StepID, r.Sha, r.Via = journal.OpStepVerified, "s1", head, "file-path"
	case 5:
		r.Op, r.ReasonClass, r.Reason, r.Owner = journal.OpRefuse, "SAME_LANE_HELD", "lane is held by worker@node until some time", "worker@node"
	case 6:
		r.Op, r.Unit, r.Outcome = journal.OpAttempt, fmt.Sprintf("PLAN/P%d", i%300), "shipped"
	case 7:
		r.Op, r.Verb, r.Verdict, r.Subject = journal.OpVerdict, "liveness", "ADVANCING", "lane"
	case 8:
		r.Op, r.Sha, r.Ref = journal.OpGate, head, "refs/heads/main"
	default:
		r.Op, r.Outcome = journal.OpExit, "CLAIM_WITNESSED"
	}
	return r
}
