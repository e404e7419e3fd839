package wave

import (
	"fmt"
	"strings"

	"github.com/git-dos/git-dos/kernel/lane"
	"github.com/git-dos/git-dos/kernel/verdict"
)

// A Row is one candidate: a worker that is started, one of a later wave, or one
// that is left out.
type Row struct {
	Rank         int      `json:"rank"` // among those that were priced, from 1; 0 for one that was not
	WaveID       string   `json:"wave_id,omitempty"`
	Wave         int      `json:"wave"` // from 1; 0 is none
	Set          Set      `json:"disposition"`
	Unit         string   `json:"unit"`
	Title        string   `json:"title,omitempty"`
	Task         string   `json:"task,omitempty"`
	Lane         string   `json:"lane"`
	Tree         []string `json:"tree"`
	ScopeSource  string   `json:"scope_source,omitempty"` // task, lane or unknown
	Account      string   `json:"account,omitempty"`
	Seat         string   `json:"seat,omitempty"`
	Argv         []string `json:"argv"`
	Reason       string   `json:"reason,omitempty"`
	Advice       string   `json:"advice,omitempty"`
	CollidesWith []string `json:"collides_with"`
	Collisions   int      `json:"collisions"`
}

// A Verdict answers "whom does the next wave start?". It starts nobody.
type Verdict struct {
	Action lane.PriceAction `json:"action"`
	Reason string           `json:"reason"`
	Next   string           `json:"next,omitempty"` // command that goes at what keeps all of them back
	PlanID string           `json:"plan_id"`
	WaveID string           `json:"wave_id"`

	Kind      string   `json:"work_kind"`
	Downshift bool     `json:"downshift"`
	Scope     []string `json:"scope"`

	Candidates int       `json:"candidates"`
	Requested  int       `json:"requested"`
	Granted    int       `json:"granted"`
	Shortfall  int       `json:"shortfall"`
	Limiter    string    `json:"limiter"` // what bounds granted
	Terms      []Bound   `json:"terms"`
	Rung       Rung      `json:"rung,omitempty"`
	Dropped    []Dropped `json:"dropped"` // accounts that give no seat

	SafeConcurrency     int `json:"safe_concurrency"`
	CollisionsAvoided   int `json:"collisions_avoided"`
	LanesUtilized       int `json:"lanes_utilized"`
	SerializationWasted int `json:"serialization_wasted"` // places that were granted and stay empty
	WaveCount           int `json:"wave_count"`

	Rows    []Row `json:"rows"` // that are started, in this order
	Later   []Row `json:"later"`
	LeftOut []Row `json:"left_out"`
}

var _ verdict.Verdict = Verdict{}

// ExitCode implements [verdict.Verdict]: it is that of the same action of a price.
func (v Verdict) ExitCode() int { return lane.PriceVerdict{Action: v.Action}.ExitCode() }

// Err returns why there is no verdict, and nil where there is one.
func (v Verdict) Err() error {
	switch {
	case v.Action != "":
		return nil
	case v.Reason == "":
		return errNoPlan
	}
	return fmt.Errorf("%s", v.Reason)
}

// maxText bounds the rows of one list in the text. The JSON has all.
const maxText = 20

func (v Verdict) String() string {
	if v.Action == "" {
		return "no verdict: " + v.Err().Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", v.Action, v.Reason)
	fmt.Fprintf(&b, "  granted   %d of %d (%s)\n", v.Granted, v.Requested, v.termsText())
	for _, d := range v.Dropped {
		fmt.Fprintf(&b, "  no seat   account %s: %s%s\n", verdict.Show(d.Account), d.Why, after(d.Detail))
	}
	list(&b, v.Rows, func(r Row) string {
		return fmt.Sprintf("  %3d       %s  lane %s%s  %s\n            %s\n", r.Rank, verdict.Show(r.Unit), verdict.Show(r.Lane), r.seatText(), r.treeText(), argvText(r.Argv))
	})
	list(&b, v.Later, func(r Row) string {
		return fmt.Sprintf("  wave %-3d  %s  lane %s  %s: %s%s\n", r.Wave, verdict.Show(r.Unit), verdict.Show(r.Lane), r.Set, r.Reason, adviceText(r.Advice))
	})
	list(&b, v.LeftOut, func(r Row) string {
		return fmt.Sprintf("  left out  %s  %s: %s%s\n", verdict.Show(r.Unit), r.Set, r.Reason, adviceText(r.Advice))
	})
	fmt.Fprintf(&b, "  counts    %d safe at once, %d collisions avoided, %d lanes, %d places wasted, %d waves\n",
		v.SafeConcurrency, v.CollisionsAvoided, v.LanesUtilized, v.SerializationWasted, v.WaveCount)
	fmt.Fprintf(&b, "  plan      %s", v.PlanID)
	if v.Next != "" {
		fmt.Fprintf(&b, "\n  next      %s", v.Next)
	}
	return b.String()
}

func list(b *strings.Builder, rows []Row, text func(Row) string) {
	for i, r := range rows {
		if i == maxText {
			fmt.Fprintf(b, "            and %d more, in the JSON\n", len(rows)-i)
			return
		}
		b.WriteString(text(r))
	}
}

func (v Verdict) termsText() string {
	var words []string
	for _, t := range v.Terms {
		words = append(words, fmt.Sprintf("%s %d", t.Name, t.Most))
	}
	if v.Rung != "" {
		words[len(words)-1] += " " + string(v.Rung)
	}
	return strings.Join(words, ", ")
}

func (r Row) seatText() string {
	if r.Seat == "" {
		return ""
	}
	return fmt.Sprintf("  seat %s of %s", verdict.Show(r.Seat), verdict.Show(r.Account))
}

func (r Row) treeText() string {
	var words []string
	for _, entry := range r.Tree {
		words = append(words, verdict.Show(entry))
	}
	return strings.Join(words, " ") + " (" + r.ScopeSource + ")"
}

func argvText(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = verdict.ShellWord(w)
	}
	return strings.Join(words, " ")
}

// after is words that follow others, "" for none.
func after(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}

// adviceText is an advice to be added to a reason.
func adviceText(advice string) string {
	switch advice {
	case "":
		return ""
	case AdviceByHand:
		return "; have an operator look at it, and run it by hand"
	case AdviceRoute:
		return "; state a lane or files with its task, or its plan in [plans] of dos.toml"
	case AdviceHarvest:
		return "; git dos wave harvest looks at it"
	}
	return "; " + lane.AdviceText(advice)
}
