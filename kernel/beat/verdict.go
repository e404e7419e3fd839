package beat

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Member is what is found of one name. Node, Host and RunID are those of the
// beat at LastMS.
type Member struct {
	Name        string  `json:"name"`
	IntervalMS  int64   `json:"interval_ms"`
	LastMS      *int64  `json:"last_beat_ms"` // of the newest beat that is used
	AgeMS       *int64  `json:"age_ms"`
	Outcome     Outcome `json:"verdict"`
	NeverBeaten bool    `json:"never_beaten"` // no node has a beat of it, and all were read
	ClockSkew   bool    `json:"clock_skew"`   // there is a beat from the future, which is not used
	SkewedMS    *int64  `json:"skewed_ms,omitempty"`
	SkewedNode  string  `json:"skewed_node,omitempty"`
	Node        string  `json:"node,omitempty"`
	Host        string  `json:"host,omitempty"`
	RunID       string  `json:"run_id,omitempty"`
	Reason      string  `json:"reason"`
}

// Verdict answers "does everything beat that should?".
type Verdict struct {
	Outcome Outcome  `json:"verdict"` // of the worst member
	Reason  string   `json:"reason"`
	Beats   []Member `json:"beats"`
	Unread  []string `json:"unread,omitempty"` // nodes whose beats could not be read
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict].
func (v Verdict) ExitCode() int {
	switch v.Outcome {
	case Fresh:
		return verdict.Yes
	case Late:
		return verdict.FirstOwned
	case Missing:
		return verdict.FirstOwned + 1
	}
	return verdict.NoVerdict
}

// Err returns why there is no verdict, and nil where there is one.
func (v Verdict) Err() error { return verdict.Err(v.Outcome, v.Reason) }

// String has a line for the whole and one for each name.
func (v Verdict) String() string {
	if err := v.Err(); err != nil {
		return "no verdict: " + err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", v.Outcome, v.Reason)
	for _, m := range v.Beats {
		fmt.Fprintf(&b, "\n%s %s: %s", m.Outcome, m.Name, m.Reason)
	}
	return b.String()
}

// summary counts the names by outcome, and tells what could not be read.
func (v Verdict) summary() string {
	counts := map[Outcome]int{}
	for _, m := range v.Beats {
		counts[m.Outcome]++
	}
	s := fmt.Sprintf("of %s %d fresh, %d late, %d missing", verdict.Count(len(v.Beats), "beat"), counts[Fresh], counts[Late], counts[Missing])
	if n := len(v.Unread); n > 0 {
		s += fmt.Sprintf("; the beats of %s could not be read: %s", verdict.Count(n, "node"), verdict.Show(strings.Join(v.Unread, ", ")))
	}
	return s
}

// silence says when the name beat last, how often it should, and which beat is
// from the future. Of a name that nobody ever used it says what would end that.
func (ev Evidence) silence(m Member) string {
	s := "it has never beaten"
	switch {
	case m.AgeMS != nil:
		s = span(*m.AgeMS) + " ago"
		if m.Node != "" {
			s += " on node " + verdict.Show(m.Node)
		}
	case m.ClockSkew:
		s = "it has no beat that can be used"
	case !m.NeverBeaten:
		s = "no node that could be read has a beat of it"
	}
	s += ", every " + span(m.IntervalMS) + " is expected"
	if m.NeverBeaten {
		s += fmt.Sprintf("; git dos beat %s is for whatever runs under that name, and if nothing does, take it out of [heartbeats]", m.Name)
	}
	if m.ClockSkew {
		s += fmt.Sprintf("; SKEWED: node %s stamped one %s, now is %s", verdict.Show(m.SkewedNode), stamp(*m.SkewedMS), stamp(ev.NowMS))
	}
	return s
}

// span is a length of time for people.
func span(ms int64) string {
	const longest = int64(math.MaxInt64 / time.Millisecond)
	d := time.Duration(min(ms, longest)) * time.Millisecond
	if d >= time.Second {
		d = d.Round(time.Second)
	}
	return d.String()
}

// stamp is a time for people.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
