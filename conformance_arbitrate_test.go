package gitdos_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-dos/git-dos/kernel/lane"
)

// arbitrateInput is a question to admission. The policy of its overlap is
// always prefix.
type arbitrateInput struct {
	Lanes   lane.Taxonomy `json:"lanes"`
	Overlap struct {
		RatioMax float64 `json:"ratio_max"`
	} `json:"overlap"`
	RuntimeFiles []string      `json:"runtime_files"`
	Live         []vectorLease `json:"live"`
	Request      struct {
		lane.Request
		Force bool `json:"force"`
	} `json:"request"`
}

type vectorLease struct {
	Lane     string   `json:"lane"`
	LaneKind string   `json:"lane_kind"`
	Tree     []string `json:"tree"`
	Holder   string   `json:"holder"`
	LoopTS   string   `json:"loop_ts"`
}

func arbitrate(in arbitrateInput) any {
	return in.answer(lane.Arbitrate(in.evidence()))
}

func (in arbitrateInput) evidence() lane.Evidence {
	ev := lane.Evidence{
		Request: in.Request.Request, Lanes: in.Lanes, Algebra: lane.Prefix, RatioMax: in.Overlap.RatioMax,
		SelfModify: in.RuntimeFiles, Force: in.Request.Force,
	}
	for _, l := range in.Live {
		ev.Live = append(ev.Live, lane.Lease{Lane: l.Lane, Kind: l.LaneKind, Tree: l.Tree, Holder: l.Holder, State: lane.Held})
	}
	return ev
}

// answer spells a verdict as the vectors do. They name the rung that decided
// as branch, give a refusal the status 1, and repeat the name that was asked
// for as it was spelled, where a verdict has its one folded form.
func (in arbitrateInput) answer(v lane.Verdict) any {
	name := v.Lane
	if folded, err := lane.Canonical(in.Request.Lane); err == nil && folded == name {
		name = in.Request.Lane
	}
	status := map[lane.Outcome]int{lane.Acquire: 0, lane.Refuse: 1, "": 2}
	return map[string]any{
		"exit_code": status[v.Outcome], "outcome": v.Outcome, "lane": name, "lane_kind": v.LaneKind, "tree": v.Tree,
		"auto_picked": v.AutoPicked, "free_clusters": v.FreeClusters, "pick_count": v.PickCount,
		"branch": v.ReasonClass, "reason_class": olderToken(v.ReasonClass), "hint_refused": v.HintRefused,
	}
}

// olderToken is what the older tool calls a class. It has words for three only.
func olderToken(class string) string {
	switch class {
	case lane.SelfModify, lane.UnknownLane, lane.ClassBudgetExhausted:
		return class
	}
	return ""
}

type ladderInput struct {
	arbitrateInput
	Ladder       []lane.Request          `json:"ladder"`
	Picks        map[string]*int         `json:"picks"`
	Ranks        map[string]*float64     `json:"ranks"`
	ClassBudgets map[string]int          `json:"class_budgets"`
	Siblings     []struct{ Lane string } `json:"siblings"`
	SiblingTrees map[string][]string     `json:"sibling_trees"`
}

func arbitrateLadder(in ladderInput) any {
	ev := in.evidence()
	ev.Budgets = in.ClassBudgets
	l := lane.Ladder{Candidates: in.Ladder, Picks: in.Picks, Ranks: map[string]float64{}, SiblingTrees: in.SiblingTrees}
	for name, rank := range in.Ranks {
		if rank != nil {
			l.Ranks[name] = *rank
		}
	}
	for _, s := range in.Siblings {
		l.Siblings = append(l.Siblings, s.Lane)
	}
	return in.answer(lane.ArbitrateLadder(ev, l))
}

// arbitrateCLIError asks the product's own command line, in a repository in
// which the verb answers when it is asked rightly.
func arbitrateCLIError(in struct{ Argv []string }) (any, error) {
	gitAhead.once.Do(gitAhead.start)
	if gitAhead.err != nil {
		return nil, gitAhead.err
	}
	dir, err := os.MkdirTemp(gitAhead.dir, "arbitrate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(gitAhead.seed())); err != nil {
		return nil, err
	}
	policy := "[lanes]\nconcurrent = [\"src\"]\nautopick = [\"src\"]\n[lanes.trees]\nsrc = [\"src/**\"]\n"
	if err := os.WriteFile(filepath.Join(dir, "dos.toml"), []byte(policy), 0o600); err != nil {
		return nil, err
	}
	asked, err := runVerb(gitAhead.binary(), []string{"arbitrate", "--leases", "[]", "--json"}, dir, quietEnv(gitAhead.home()))
	if err != nil {
		return nil, err
	}
	if asked.exit != 0 {
		return nil, fmt.Errorf("arbitrate answers %d to a plain question: %s", asked.exit, asked.stderr)
	}
	got, err := runVerb(gitAhead.binary(), in.Argv, dir, quietEnv(gitAhead.home()))
	if err != nil {
		return nil, err
	}
	if got.value != nil {
		return nil, errors.New("it printed a value")
	}
	return map[string]any{"exit_code": got.exit, "stdout": ""}, nil
}

// asking adapts a typed function that can fail to a runner.
func asking[T any](f func(T) (any, error)) runner {
	return func(input json.RawMessage) (any, error) {
		var in T
		if err := strictly(input, &in); err != nil {
			return nil, err
		}
		return f(in)
	}
}
