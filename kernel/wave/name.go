package wave

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
)

// The parts of a plan's name, in their order: each is a digest of its own, so that
// two names tell in what the plans differ.
var parts = []string{"the request or the rules", "the queue", "the leases", "the cap or the seats"}

const (
	namePrefix = "plan"
	wavePrefix = "wave-"
	partLength = 12 // hexadecimal digits
)

// name gives the plan and its wave their names, and the rows that of the wave. Two
// plans have one name if, and as far as anybody can tell only if, they propose the
// same on the same grounds. A lane's generation is among the grounds: once a worker
// of a wave has had its lane, no later plan has the name of that one.
func (p *planner) name() {
	id := strings.Join([]string{namePrefix, digest(p.asked()), digest(p.queue()), digest(p.leases()), digest(p.granted())}, "-")
	sum := sha256.Sum256([]byte(id))
	p.v.PlanID, p.v.WaveID = id, wavePrefix+hex.EncodeToString(sum[:8])
	for i := range p.v.Rows {
		row := &p.v.Rows[i]
		row.WaveID = p.v.WaveID
		at := len(p.Prefix)
		row.Argv = slices.Insert(row.Argv, at, "--wave", p.v.WaveID)
	}
}

func digest(v any) string {
	data, _ := json.Marshal(v) // of words, numbers and lists of them
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:partLength]
}

// asked is what was asked for, and the rules by which it was decided.
func (p *planner) asked() any {
	return []any{
		p.Workers, p.Kind, p.Downshift, p.Scope, p.Prefix, p.Command, p.Algebra, p.Soft, p.Protect, p.Budgets, p.Hold,
		p.Lanes.Concurrent, p.Lanes.Exclusive, p.Lanes.Trees, p.Lanes.Aliases, p.Step,
	}
}

// queue is what is to be done, and in which order. Why something is kept may be said
// in words that change by themselves, such as an age, and is no part of it.
func (p *planner) queue() any {
	all := []any{}
	for _, c := range p.Candidates {
		all = append(all, []any{c.Unit, c.Title, c.Task, c.Lane, c.Tree, c.Kept, c.Last})
	}
	return all
}

// leases are those that bind, and how often the lanes of the candidates were had.
func (p *planner) leases() any {
	var all []any
	for _, l := range p.Live {
		if lane.Reserved(lane.CanonicalOr(l.Lane)) {
			continue // it stands beside every wave
		}
		all = append(all, []any{l.Lane, l.Kind, l.Tree, l.Exclusive, l.State, l.Nonce, l.Unreadable != ""})
	}
	gens := map[string]uint64{}
	for _, c := range p.Candidates {
		if c.Lane != "" {
			gens[lane.CanonicalOr(c.Lane)] = c.Gen
		}
	}
	return []any{all, gens}
}

// granted is what was granted, and the seats that are bound to rows. Why an account gives
// none is said in words that may change by themselves.
func (p *planner) granted() any {
	all := []any{p.v.Granted, p.v.Limiter, p.v.Rung, p.Seats != nil}
	for _, r := range p.v.Rows {
		all = append(all, r.Seat)
	}
	for _, d := range p.v.Dropped {
		all = append(all, []any{d.Account, d.Why})
	}
	return all
}

// ErrPlanID means that something is no plan's name.
var ErrPlanID = errors.New("is no plan id")

// CheckPlanID reports whether a word could be the name of a plan.
func CheckPlanID(id string) error {
	words := strings.Split(id, "-")
	if len(words) != len(parts)+1 || words[0] != namePrefix {
		return ErrPlanID
	}
	for _, w := range words[1:] {
		if len(w) != partLength || strings.Trim(w, "0123456789abcdef") != "" {
			return ErrPlanID
		}
	}
	return nil
}

// Moved says what has changed between two plans, by their names; nothing where they
// are one. What is no plan's name differs in everything.
func Moved(before, after string) (moved []string) {
	if CheckPlanID(before) != nil || CheckPlanID(after) != nil {
		return slices.Clone(parts)
	}
	a, b := strings.Split(before, "-"), strings.Split(after, "-")
	for i, part := range parts {
		if a[i+1] != b[i+1] {
			moved = append(moved, part)
		}
	}
	return moved
}
