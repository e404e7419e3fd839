package decisions

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-dos/git-dos/internal/scenario"
)

// The facts of the scenes in testdata:
//
//	rows OP N@TIME,... node=NODE   what stands in a ledger, with the keys of a row:
//	    kind= lane= class= reason= run= handle= owner= target= command= edge= gen= nonce=
//	    blocking=LANE:GEN,... streak=N count=N [answered]
//	lane NAME [held|parked] gen=N since=TIME run= nonce= owner=
//	beat NAME WORD [last=TIME] [skewed]
//	envelope PATH [blocked] [all-clear] [do-not-render] verdict= class= reason= lane= run= at=TIME
//	soak PATH unit= lane= end=DAY
//	ack ID SOURCE seq=N            what somebody has seen
//	done RUN                       nothing is left of it
//	category TOKEN WORD            of a token that only the policy knows
//	unread WORDS                   what could not be read
//	forgot TIME                    of the newest alert there was no room for
//
// The command is decisions now=TIME [all] [retention=SPAN]; with the same settings show N,
// or resolvers, a line of kind, resolver and token for each entry; or fresh OP with the
// keys of a row, which asks whether that is to be recorded.
func TestScenarios(t *testing.T) {
	var answers []string
	scenario.Run(t, "testdata/*.txt", func(s scenario.Scene) string {
		answer := scene(s)
		answers = append(answers, answer)
		return answer
	})
	all := "\n" + strings.Join(answers, "\n") + "\n"
	wants := []string{
		"exit 0", "exit 2", "nothing to decide", "not read: ", "there was no room for all of them", "more with --all", "resolved", "acknowledged",
		"(stamped in the future)", " x2", "     next: ", "     proposed: ", "takes an entry off the list", " HUMAN -\n", "no such decision: number", "\nfresh\n", "\nknown\n",
	}
	for kind := range ranks() {
		wants = append(wants, "  "+string(kind)+"  ")
	}
	for _, r := range []Resolver{Human, Judge, Oracle, Backpressure} {
		wants = append(wants, " "+string(r)+" ")
	}
	for token := range maps.Keys(selfClearing()) {
		wants = append(wants, " BACKPRESSURE "+token+"\n")
	}
	for token, category := range categories() {
		who := map[string]Resolver{trueDrain: Oracle, staleClaim: Oracle, operatorGate: Human}[category]
		wants = append(wants, fmt.Sprintf(" %s %s\n", who, token))
	}
	for _, want := range wants {
		if !strings.Contains(all, want) {
			t.Errorf("no scene answers %q", want)
		}
	}
}

func scene(s scenario.Scene) string {
	c := s.Command
	ev := Evidence{
		Now: c.Time("now"), All: c.Has("all"), Policy: Policy{Retention: c.Span("retention")},
		Acks: map[string]map[string]uint64{}, Lanes: map[string]Lane{}, Done: map[string]bool{}, Categories: map[string]string{},
	}
	for _, f := range s.Facts {
		ev.learn(f)
	}
	switch c.Name {
	case "decisions":
		v := Decide(ev)
		return fmt.Sprintf("exit %d\n%s", v.ExitCode(), v)
	case "resolvers":
		var lines []string
		for _, e := range Decide(ev).Entries {
			lines = append(lines, fmt.Sprintf("%s %s %s", e.Kind, e.Resolver, cmp.Or(e.Token, "-")))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	case "show":
		n, _ := strconv.Atoi(c.Word())
		e, err := Decide(ev).Show(n)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%s\n%s, seen %v", e, strings.Join(e.Evidence, " "), e.Seen)
	case "fresh":
		if Fresh(ev.Alerts, alertOf(c)) {
			return "fresh"
		}
		return "known"
	}
	c.Fail("no such command")
	return ""
}

// learn adds one fact.
func (ev *Evidence) learn(f *scenario.Line) {
	switch f.Name {
	case "rows":
		ev.Alerts = append(ev.Alerts, alertOf(f))
	case "lane":
		l := Lane{Parked: f.Has("parked"), Held: f.Has("held"), Gen: uint64(f.Int("gen")), Since: f.Time("since"), RunID: f.Text("run"), Nonce: f.Text("nonce"), Owner: f.Text("owner")}
		l.Held = l.Held || l.Parked
		ev.Lanes[f.Word()] = l
	case "beat":
		b := Beat{Name: f.Word(), Skewed: f.Has("skewed"), Verdict: f.Word()}
		if f.Set("last") {
			ms := f.Time("last").UnixMilli()
			b.LastMS = &ms
		}
		ev.Beats = append(ev.Beats, b)
	case "envelope":
		ev.Envelopes = append(ev.Envelopes, Envelope{
			Blocked: f.Has("blocked"), AllClear: f.Has("all-clear"), DoNotRender: f.Has("do-not-render"), Path: f.Word(), At: f.Time("at"),
			Verdict: f.Text("verdict"), ReasonClass: f.Text("class"), Reason: f.Text("reason"), Lane: f.Text("lane"), RunID: f.Text("run"),
		})
	case "soak":
		ev.Soaks = append(ev.Soaks, Soak{Path: f.Word(), Unit: f.Text("unit"), Lane: f.Text("lane"), End: f.Time("end")})
	case "ack":
		id := f.Word()
		ev.Acks[id] = map[string]uint64{f.Word(): uint64(f.Int("seq"))}
	case "done":
		ev.Done[f.Word()] = true
	case "category":
		token := f.Word()
		ev.Categories[token] = f.Word()
	case "unread":
		ev.Unread = append(ev.Unread, strings.Join(f.Words(), " "))
	case "forgot":
		ev.Forgot = f.Clock(f.Word())
	default:
		f.Fail("no such fact")
	}
}

// alertOf is what the rows of a line come to.
func alertOf(f *scenario.Line) Alert {
	a := Alert{
		Answered: f.Has("answered"), Op: f.Word(), Node: f.Text("node"), Kind: f.Text("kind"), Lane: f.Text("lane"), Class: f.Text("class"),
		Reason: f.Text("reason"), RunID: f.Text("run"), Handle: f.Text("handle"), Owner: f.Text("owner"), Target: f.Text("target"),
		Command: f.Text("command"), Edge: f.Text("edge"), Gen: uint64(f.Int("gen")), Nonce: f.Text("nonce"), Streak: uint64(f.Int("streak")),
	}
	for _, b := range f.List("blocking") {
		name, gen, _ := strings.Cut(b, ":")
		n, _ := strconv.ParseUint(gen, 10, 64)
		a.BlockingLanes, a.BlockingGens = append(a.BlockingLanes, name), append(a.BlockingGens, n)
	}
	for _, row := range strings.Split(f.Word(), ",") {
		seq, at, ok := strings.Cut(row, "@")
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(seq, 10, 64)
		if err != nil {
			f.Fail("%v", err)
		}
		a.At, a.Seq = f.Clock(at), n
		a.Seqs, a.Seconds = append(a.Seqs, n), append(a.Seconds, a.At.Unix())
	}
	a.Count = max(uint64(len(a.Seqs)), uint64(f.Int("count")))
	if len(a.Seconds) > 0 {
		a.FirstAt = time.Unix(a.Seconds[0], 0).UTC()
	}
	return a
}
