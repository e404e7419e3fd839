package refstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-dos/git-dos/refstore/git"
)

// Txn implements Authority: one atomic push with the expected old value of
// every ref. A push that exits 0 has won. On any other end the refs are read
// again and decide; what git printed only labels a loss.
func (a *Remote) Txn(ctx context.Context, moves []Move) Outcome {
	if !a.locked {
		return Outcome{Result: Unknown, Err: errors.New("transaction without the lock")}
	}
	stdout, words, err := a.push(ctx, moves, true)
	if err == nil {
		return Outcome{Result: Won}
	}
	if errors.Is(err, errNotSent) {
		return Outcome{Result: Offline, Words: firstLine(err), Err: err}
	}
	settleCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	now, rerr := a.Read(settleCtx, queryOf(moves))
	if rerr != nil {
		return Outcome{Result: Unknown, Words: gist(words), Err: rerr}
	}
	o := a.repo.judge(settleCtx, moves, now)
	if o.Result == Unchanged && errors.Is(err, errHook) {
		o.Result, o.Ref, o.Words = Denied, moves[0].Ref, cmp.Or(rejection(string(stdout)+words), gist(words))
		return o
	}
	if o.Result == Unchanged {
		return a.label(settleCtx, moves, string(stdout), words, o)
	}
	o.Words = rejection(string(stdout))
	return o
}

// errNotSent means that a push was not even begun.
var errNotSent = errors.New("nothing was sent")

// push sends moves and has the mirror follow what was won: with the push itself
// where it is short; after it where commits ride, which may take long enough
// for others to want to read.
func (a *Remote) push(ctx context.Context, moves []Move, atomic bool) (stdout []byte, words string, err error) {
	a.repo.ahead.spent(a.mirror)
	if !onlyDos(moves) {
		stdout, words, err = a.pushAsking(ctx, a.pushArgs(moves, atomic))
		if err == nil {
			a.followLater(ctx, moves)
		}
		return stdout, words, err
	}
	wait, cancel := a.bounded(ctx, Query{})
	defer cancel()
	unlock, err := a.lockMirror(wait)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", errNotSent, err)
	}
	defer unlock()
	stdout, words, err = a.run.Run(ctx, git.Call{Args: a.pushArgs(moves, atomic)})
	if err == nil && strings.HasPrefix(a.prefix, "refs/heads/") {
		a.follow(context.WithoutCancel(ctx), moves)
	}
	return stdout, words, err
}

// pushArgs are those of a push that has the mirror follow where only dos refs
// move, which no hook of the user's is asked about.
func (a *Remote) pushArgs(moves []Move, atomic bool) []string {
	if !onlyDos(moves) {
		return a.sendArgs(moves, atomic)
	}
	return append([]string{"-c", "remote." + a.name + ".fetch=+" + a.prefix + "/*:" + a.mirror + "*"}, a.sendArgs(moves, atomic, "--no-verify")...)
}

// sendArgs are those of a push of moves. A move to nothing is a deletion.
func (a *Remote) sendArgs(moves []Move, atomic bool, flags ...string) []string {
	args := []string{
		"-c", "push.pushOption=", "-c", "remote." + a.name + ".mirror=false", // a mirror takes no refspecs
		"push", "--porcelain", "--no-follow-tags", "--no-signed", "--no-recurse-submodules",
	}
	if atomic {
		args = append(args, "--atomic")
	}
	args = append(args, flags...)
	for _, m := range moves {
		args = append(args, "--force-with-lease="+a.ServerRef(m.Ref)+":"+string(m.Expect))
	}
	args = append(args, a.name)
	for _, m := range moves {
		args = append(args, string(m.New)+":"+a.ServerRef(m.Ref))
	}
	return args
}

func onlyDos(moves []Move) bool {
	for _, m := range moves {
		if !strings.HasPrefix(m.Ref, "refs/dos/") {
			return false
		}
	}
	return true
}

// follow moves the mirror where git's own tracking update does not reach it:
// under a prefix that the user's fetch refspec maps elsewhere, and for a push of
// commits. A ref that has gone on since is left alone. The mirror is a cache:
// when this fails, the next fetch does it.
func (a *Remote) follow(ctx context.Context, moves []Move) {
	for _, m := range moves {
		rest, ok := strings.CutPrefix(m.Ref, "refs/dos/")
		if !ok {
			continue
		}
		old := string(m.Expect)
		if old == "" {
			old = a.repo.Format.zero()
		}
		_, _ = a.repo.Git.Output(ctx, "update-ref", a.mirror+rest, string(m.New), old)
	}
}

// followLater is follow under the lock of the mirror. Where others keep that,
// what is cached is not to be believed until the next fetch.
func (a *Remote) followLater(ctx context.Context, moves []Move) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	unlock, err := a.lockMirror(ctx)
	if err != nil {
		_ = os.Remove(filepath.Join(a.repo.CommonDir, "dos", a.stateName("fetched")))
		return
	}
	defer unlock()
	a.follow(ctx, moves)
}

// label names the cause of a push after which nothing had moved. Only git's
// own lines count: a server's free words may say anything.
func (a *Remote) label(ctx context.Context, moves []Move, stdout, words string, o Outcome) Outcome {
	o.Ref = moves[0].Ref
	o.Words = rejection(stdout + words)
	if o.Words == "" {
		o.Words = gist(words)
	}
	reasons := refusals(stdout)
	said := func(reason string) bool { return strings.Contains(reasons, reason) }
	switch path := lockInTheWay(words); {
	case strings.Contains("\n"+words, "\nfatal: the receiving end does not support --atomic"):
		o.Result = NoAtomic
	case said("deny updating a hidden ref"), said("stale info") && a.hidden(ctx, moves):
		o.Result = HiddenNames
	case said("hook declined"):
		o.Result = Denied
	case path != "":
		o.Result, o.Path = Locked, path
		if a.onThisMachine() {
			o.Age = lockAge(path)
		}
		for _, m := range moves {
			if strings.HasSuffix(path, "/"+a.ServerRef(m.Ref)+".lock") {
				o.Ref = m.Ref
			}
		}
	case strings.Contains(words, ": reference broken"):
		o.Result = Denied // the server cannot read its own ref
	case said("stale info"), said("failed to update ref"), said("failed to lock"), said("atomic transaction failed"), said("unable to migrate objects"):
		// Another writer was in the middle of its move, or the server has a
		// trouble of its own: Unchanged.
	case said("[remote rejected]"), strings.Contains(words, "error: 403"):
		o.Result = Denied
	}
	return o
}

// hidden reports whether the server shows a ref to readers and not to writers.
// A push that would create the ref is asked about and not made: git allows it
// only when the server has named no such ref.
func (a *Remote) hidden(ctx context.Context, moves []Move) bool {
	for _, m := range moves {
		if m.Expect == "" {
			continue
		}
		name := a.ServerRef(m.Ref)
		out, err := a.run.Output(ctx, "-c", "remote."+a.name+".mirror=false", "push", "--porcelain", "--dry-run", "--no-verify", "--no-signed", "--no-follow-tags",
			"--force-with-lease="+name+":", a.name, string(m.New)+":"+name)
		if err == nil && strings.Contains(string(out), "\n*\t") {
			return true
		}
	}
	return false
}

// lockInTheWay returns the path of the lock file that git's words complain
// about, "" when they do not.
func lockInTheWay(words string) string {
	if !strings.Contains(words, ".lock': File exists") {
		return ""
	}
	return strings.ReplaceAll(quoted(words, ".lock"), "/./", "/")
}

// onThisMachine reports whether the remote is a local path, so that the paths
// its git speaks of are paths here.
func (a *Remote) onThisMachine() bool {
	c, err := a.repo.Config()
	url := c.Get("remote." + a.name + ".url")
	return err == nil && (filepath.IsAbs(url) || strings.HasPrefix(url, "file://"))
}

// lockAge is how long ago a lock file on this machine was written.
func lockAge(path string) time.Duration {
	st, err := os.Lstat(filepath.FromSlash(path))
	if path == "" || err != nil {
		return 0
	}
	return time.Since(st.ModTime())
}

// refusals returns git's porcelain lines about refused refs.
func refusals(stdout string) string {
	var lines []string
	for line := range strings.SplitSeq(stdout, "\n") {
		if strings.HasPrefix(line, "!\t") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// quoted returns the first text between single quotes that ends in suffix.
func quoted(words, suffix string) string {
	for i, part := range strings.Split(words, "'") {
		if i%2 == 1 && strings.HasSuffix(part, suffix) {
			return part
		}
	}
	return ""
}

// rejection collects what the server said about refused refs: the lines that it
// sent for people, then the reasons in git's porcelain lines, each once. What
// git says of any refusal is kept only where there is nothing better.
func rejection(words string) string {
	var sentences, reasons, generic []string
	for line := range strings.SplitSeq(words, "\n") {
		line = strings.TrimSpace(line)
		said, list := "", &reasons
		if rest, ok := strings.CutPrefix(line, "remote: "); ok {
			said, list = strings.TrimSpace(rest), &sentences
		} else if strings.HasPrefix(line, "!\t") && !strings.Contains(line, "atomic push fail") {
			said = line[strings.LastIndexByte(line, '\t')+1:]
		}
		if strings.Contains(said, "hook declined") {
			list = &generic
		}
		if said != "" && !slices.Contains(*list, said) {
			*list = append(*list, said)
		}
	}
	said := append(sentences, reasons...)
	if len(said) == 0 {
		said = generic
	}
	return strings.Join(said, "; ")
}
