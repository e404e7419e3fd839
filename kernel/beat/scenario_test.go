package beat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/scenario"
)

// The facts of the scenes in testdata:
//
//	declared NAME every=SPAN       in the heartbeats table
//	driver NAME every=SPAN         the interval of one of git-dos's own
//	cadence NAME every=SPAN        one that is judged as it stands, whatever is declared
//	beat NAME at=TIME [ahead=SPAN] [node= host= run=]
//	unread NODE...                 nodes whose beats could not be read
//
// The command is pulse now=TIME, or beat NAME, which asks whether it may.
func TestScenarios(t *testing.T) {
	seen := map[string]int{}
	scenario.Run(t, "testdata/*.txt", func(s scenario.Scene) string {
		answer := scene(s)
		for _, line := range strings.Split(answer, "\n") {
			word, _, _ := strings.Cut(line, " ")
			seen[strings.Trim(word, ":")]++
		}
		for _, words := range reasons {
			if strings.Contains(answer, words) {
				seen[words]++
			}
		}
		return answer
	})
	for _, want := range append([]string{string(Fresh), string(Late), string(Missing), "allowed"}, reasons...) {
		if seen[want] == 0 {
			t.Errorf("no scene answers %s", want)
		}
	}
}

// reasons are the words by which the reasons are told apart.
var reasons = []string{
	"ago on node", "it has never beaten", "it has no beat that can be used", "no node that could be read has a beat of it", "SKEWED: node",
	"could not be read", "no verdict: now_ms is negative", "no verdict: no beat is declared", "no verdict: beat name is empty",
	"is not a-z, 0-9 and -", "is longer than", "no verdict: interval_ms of beat", "is declared twice", "no verdict: at_ms of beat",
	"is not declared in [heartbeats]", "which has", "take it out of [heartbeats]",
}

func scene(s scenario.Scene) string {
	declared, drivers := map[string]time.Duration{}, map[string]time.Duration{}
	var ev Evidence
	for _, f := range s.Facts {
		switch f.Name {
		case "declared":
			declared[f.Word()] = f.Span("every")
		case "driver":
			drivers[f.Word()] = f.Span("every")
		case "cadence":
			ev.Cadences = append(ev.Cadences, Cadence{f.Word(), f.Span("every").Milliseconds()})
		case "beat":
			at := f.Time("at").Add(f.Span("ahead")).UnixMilli()
			ev.Beats = append(ev.Beats, Beat{Name: f.Word(), AtMS: at, Node: f.Text("node"), Host: f.Text("host"), RunID: f.Text("run")})
		case "unread":
			ev.Unread = f.Words()
		default:
			f.Fail("no such fact")
		}
	}
	switch c := s.Command; c.Name {
	case "beat":
		if err := Allowed(c.Word(), declared); err != nil {
			return err.Error()
		}
		return "allowed"
	case "pulse":
		ev.NowMS = c.Time("now").UnixMilli()
		ev.Cadences = slices.Concat(ev.Cadences, Panel(declared, drivers, ev.Beats, nil))
		v := Decide(ev)
		return fmt.Sprintf("exit %d\n%s", v.ExitCode(), v)
	}
	s.Command.Fail("no such command")
	return ""
}
