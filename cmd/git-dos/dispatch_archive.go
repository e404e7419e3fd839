package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	supervise "github.com/git-dos/git-dos/kernel/fleet"
	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
	"github.com/git-dos/git-dos/refstore/git"
)

// runSchema is what a run record says that it is.
const runSchema = "git-dos-run-v1"

// A runRecord is what is kept of a run under paths.runs.
type runRecord struct {
	Schema     string         `json:"schema"`
	Verb       string         `json:"verb"`
	RunID      string         `json:"run_id"`
	Lane       string         `json:"lane"`
	Gen        uint64         `json:"gen"`
	Node       string         `json:"node"`
	At         time.Time      `json:"at"` // when it was written
	Iterations []runIteration `json:"iterations"`
	Flags      []string       `json:"flags"` // units claimed and not shipped, at any time of the run
	S0         runCounts      `json:"s0"`
	Shipped    []runShipped   `json:"shipped"`
	StopReason string         `json:"stop_reason"`
}

// A runIteration is one dispatch, or one look back.
type runIteration struct {
	N       int64               `json:"n"`
	Mode    string              `json:"mode"`
	Verdict string              `json:"verdict"`
	Reason  string              `json:"reason"`
	Gate    string              `json:"gate,omitempty"`
	Packet  string              `json:"packet,omitempty"`
	Picks   []supervise.PickRow `json:"picks,omitempty"`
	Strays  []dispatchStray     `json:"stranded,omitempty"`
	Price   *runCounts          `json:"price,omitempty"`
}

// runCounts are those of the prices of a run, added up.
type runCounts struct {
	CollisionsAvoided   int `json:"collisions_avoided"`
	LanesUtilized       int `json:"lanes_utilized"`
	SerializationWasted int `json:"serialization_wasted"`
}

// A runShipped is a unit that shipped, and the commit.
type runShipped struct {
	Unit string `json:"unit"`
	Sha  string `json:"sha,omitempty"`
}

// iterationOf is a dispatch as it is recorded.
func iterationOf(n int64, mode string, a dispatchAnswer) runIteration {
	it := runIteration{N: n, Mode: mode, Verdict: string(a.Outcome), Reason: a.Reason, Gate: a.Gate, Packet: a.Packet, Picks: slices.Clone(a.Picks), Strays: a.Stranded}
	for i, p := range it.Picks {
		if p.Log != "" {
			it.Picks[i].Log = filepath.Base(p.Log) // where this machine has it is nobody else's
		}
	}
	if p := a.Price; p != nil {
		it.Price = &runCounts{p.CollisionsAvoided, p.LanesUtilized, p.SerializationWasted}
	}
	return it
}

// sum fills in what follows from the iterations.
func (r *runRecord) sum() {
	r.Schema, r.Flags, r.Shipped = runSchema, []string{}, []runShipped{}
	for _, it := range r.Iterations {
		if it.Price != nil {
			r.S0.CollisionsAvoided += it.Price.CollisionsAvoided
			r.S0.LanesUtilized += it.Price.LanesUtilized
			r.S0.SerializationWasted += it.Price.SerializationWasted
		}
		for _, p := range it.Picks {
			switch p.State {
			case supervise.Verified:
				r.Shipped = append(r.Shipped, runShipped{p.Unit, p.Sha})
			case supervise.Quiet:
				r.Flags = append(r.Flags, p.Unit)
			}
		}
	}
}

// keepRecord writes the record of a run into the work tree, and commits it by its
// path where that is not ignored, and brings all that was committed to the trunk of
// the fleet. What has no place to be committed is said, and no error.
func (s *dispatching) keepRecord(tag string, r runRecord) (a *dispatchArchived, err error) {
	r.Node, r.At = s.desk.Node, now(s.c).UTC().Truncate(time.Second)
	r.sum()
	leaf, err := lane.Leaf(s.run)
	if err != nil {
		return nil, usagef("%w", err)
	}
	a = &dispatchArchived{}
	defer func() {
		if err == nil {
			a.Push = s.publish()
		}
	}()
	stem := path.Join(path.Clean(s.desk.Rules.Policy.Paths.Runs), leaf)
	if a.Path, err = s.placeRecord(stem+tag, r); err != nil {
		return nil, environmentf("the record of run %s: %w", s.run, err).hint("see [paths] runs of dos.toml")
	}
	ignored, err := s.ignored(a.Path)
	switch {
	case err != nil:
		a.Why = "whether it is ignored cannot be told: " + verdict.Clip(err.Error())
		return a, nil
	case ignored:
		a.Why = "it is ignored"
		return a, nil
	}
	if a.Commit, a.Why, err = s.commit(s.recordSubject(), s.withLeft(stem, a.Path), nil); err != nil {
		a.Why = verdict.Clip(err.Error())
	}
	return a, nil
}

// placeRecord writes a record under the first free name: one that was killed may have
// left its own.
func (s *dispatching) placeRecord(stem string, r runRecord) (name string, err error) {
	name = stem + ".json"
	for n := 2; n < 1000; n++ {
		if err = s.writeRecord(name, r); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
		name = fmt.Sprintf("%s.%d.json", stem, n)
	}
	return name, err
}

func (s *dispatching) writeRecord(name string, r runRecord) error {
	root, err := os.OpenRoot(s.desk.Repo.WorkTree)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o777); err != nil {
		return err
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return firstError(writeJSON(f, r), f.Close())
}

// ignored asks git whether a path is.
func (s *dispatching) ignored(name string) (bool, error) {
	_, _, err := s.desk.Repo.Git.Run(s.c.Context, git.Call{Args: []string{"check-ignore", "--quiet", "--stdin", "-z"}, Stdin: strings.NewReader(":/" + name + "\x00")})
	var g *git.Error
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &g) && g.Code == 1:
		return false, nil
	}
	return false, err
}
