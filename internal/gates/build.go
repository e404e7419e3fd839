package gates

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/git-dos/git-dos/hooks"
	"github.com/git-dos/git-dos/internal/suite"
	"github.com/git-dos/git-dos/internal/wholefile"
	"github.com/git-dos/git-dos/refstore"
	"github.com/git-dos/git-dos/refstore/ancestry"
)

// builds is the folder of git-dos's own that keeps how builds ended: for each a
// record, <tree>-<command>.json, and beside it what the command printed.
const builds = "builds"

// keptBuilds is how many of them are kept.
const keptBuilds = 100

// A buildRecord is a build that passed.
type buildRecord struct {
	V       int       `json:"v"`
	Tree    string    `json:"tree"`
	Command []string  `json:"command"`
	Digest  string    `json:"digest"` // of the command and the system it ran on
	Passed  bool      `json:"passed"`
	TookMS  int64     `json:"took_ms"`
	At      time.Time `json:"at"`
}

// Build builds a commit, unless the same command passed on the same tree before.
// Only a build that passed is taken from the cache: one that failed may have
// failed for a reason of the machine's, and is tried again.
func (s *Site) Build(ctx context.Context, commit string) (hooks.Built, error) {
	command := s.Gates.CompileCommand
	if len(command) == 0 {
		return hooks.Built{}, errors.New("there is no command to build with: set gates.trunk_would_not_compile.command in dos.toml")
	}
	tree, err := s.treeOf(ctx, commit)
	if err != nil {
		return hooks.Built{}, err
	}
	at := cachedBuild{repo: s.Repo, tree: tree, command: command, digest: digestOf(command)}
	if r, ok := at.read(); ok {
		return hooks.Built{Command: command, Tree: string(tree), Passed: true, Cached: true, Took: time.Duration(r.TookMS) * time.Millisecond}, nil
	}
	r, err := suite.Run(ctx, s.Repo, tree, command, s.Gates.CompileTimeout)
	if err != nil {
		return hooks.Built{}, err
	}
	b := hooks.Built{
		Command: command, Tree: string(tree), Passed: r.Passed(), TimedOut: r.TimedOut, Exit: r.Exit, Took: r.Took,
		Last: lastLine(r.Output), Submodules: r.Submodules,
	}
	// What cannot be kept costs a build the next time, and decides nothing.
	b.Output, _ = at.keep(r, s.Now())
	return b, nil
}

func (s *Site) treeOf(ctx context.Context, commit string) (refstore.OID, error) {
	if _, ok := refstore.ParseOID(commit); !ok {
		return "", fmt.Errorf("%q is not a full object id", commit)
	}
	out, err := s.Repo.Git.Offline().Output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{tree}")
	if err != nil {
		return "", ancestry.Unreadable(ctx, "the files of "+commit, err)
	}
	tree, ok := refstore.ParseOID(strings.TrimSpace(string(out)))
	if !ok {
		return "", fmt.Errorf("%w: %s has no tree", ancestry.ErrMissing, commit)
	}
	return tree, nil
}

// digestOf identifies a command on a system: a build for another tells nothing.
func digestOf(command []string) string {
	data, _ := json.Marshal(append([]string{runtime.GOOS, runtime.GOARCH}, command...)) // strings can be encoded
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

type cachedBuild struct {
	repo    *refstore.Repo
	tree    refstore.OID
	command []string
	digest  string
}

const shortDigest = 16

func (c cachedBuild) file(ext string) (string, error) {
	return c.repo.SharedFile(builds, string(c.tree)+"-"+c.digest[:shortDigest]+ext)
}

// maxBuildRecord bounds a record: a command is no longer than a policy.
const maxBuildRecord = 1 << 20

// read is the record of a build that passed on this tree by this command.
// Whatever is wrong with it, it is none.
func (c cachedBuild) read() (r buildRecord, ok bool) {
	name, err := c.file(".json")
	if err != nil {
		return r, false
	}
	if st, err := os.Lstat(name); err != nil || !st.Mode().IsRegular() || st.Size() > maxBuildRecord {
		return r, false
	}
	data, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(data, &r) != nil {
		return buildRecord{}, false
	}
	return r, r.V == 1 && r.Passed && r.Tree == string(c.tree) && r.Digest == c.digest && slices.Equal(r.Command, c.command)
}

// keep stores what the command printed and, where it passed, the record.
func (c cachedBuild) keep(r suite.Result, now time.Time) (output string, err error) {
	if output, err = c.file(".log"); err != nil {
		return "", err
	}
	if err := wholefile.Write(output, []byte(r.Output), 0o600); err != nil {
		return "", err
	}
	name, err := c.file(".json")
	if err != nil {
		return output, err
	}
	if !r.Passed() {
		err = os.Remove(name) // it may be another's, who was luckier
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return output, errors.Join(err, prune(filepath.Dir(output)))
	}
	data, err := json.Marshal(buildRecord{1, string(c.tree), c.command, c.digest, true, r.Took.Milliseconds(), now.UTC().Truncate(time.Second)})
	if err == nil {
		err = wholefile.Write(name, append(data, '\n'), 0o600)
	}
	return output, errors.Join(err, prune(filepath.Dir(output)))
}

// prune removes the oldest files, two of which are one build.
func prune(dir string) error {
	all, err := os.ReadDir(dir)
	if err != nil || len(all) <= 2*keptBuilds {
		return err
	}
	type aged struct {
		name string
		at   time.Time
	}
	var old []aged
	for _, f := range all {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() {
			old = append(old, aged{f.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(old, func(a, b aged) int { return b.at.Compare(a.at) })
	for _, f := range old[min(len(old), 2*keptBuilds):] {
		err = errors.Join(err, os.Remove(filepath.Join(dir, f.name)))
	}
	return err
}

// lastLine is the last line of an output that says something, fit to be shown.
func lastLine(output string) string {
	lines := strings.FieldsFunc(output, func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range slices.Backward(lines) {
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return ' '
		}, line))
		if line != "" {
			return line
		}
	}
	return ""
}
