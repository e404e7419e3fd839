package halt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/internal/scenario"
)

// The facts of the scenes in testdata:
//
//	run ID [declared|unreadable]   the run, and what of its intent is known
//	handle WORDS                   what whoever stops the worker knows it by
//	lane NAME STANDING [holder= run= node=]
//	known                          a ledger has the wish about this lease
//	parked [nothing]               the lane was parked, or there was none to be
//	unparkable "why" [next=]       it could not be
//	from SHA [named]               the commit to go on from
//	suspended SHA...               on record, last the one that counts
//
// The command is halt [resumable] reason=WORDS.
func TestScenarios(t *testing.T) {
	var answers []string
	scenario.Run(t, "testdata/*.txt", func(s scenario.Scene) string {
		answer := scene(s)
		answers = append(answers, answer)
		return answer
	})
	all := "\n" + strings.Join(answers, "\n") + "\n"
	for _, want := range []string{
		"\nexit 0\nRECORDED: ", "\nexit 1\nNOT_RECORDED: nobody holds lane ", "\nexit 1\nNOT_RECORDED: lane api is held by ",
		"\nexit 1\nNOT_RECORDED: node south grants lane ", "\nexit 1\nNOT_RECORDED: its lane cannot be parked: ",
		"\nexit 2\nno verdict: nothing says what is to be stopped", "\nexit 2\nno verdict: --resumable needs a run",
		"\nexit 2\nno verdict: --resumable: the ledger of run ", "\nexit 2\nno verdict: --resumable: run run-1 has no intent",
		"\nexit 2\nno verdict: the lane is to be parked first", " already", " parked", " suspended from ", " writes HALT", " writes SUSPEND", "\nnext: ",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no scene answers %q", want)
		}
	}
	if v := (Verdict{}); v.ExitCode() != 2 || v.Err() == nil || !strings.HasPrefix(v.String(), "no verdict: ") {
		t.Errorf("nothing decided is %d, %v", v.ExitCode(), v)
	}
}

func scene(s scenario.Scene) string {
	if s.Command.Name != "halt" {
		s.Command.Fail("no such command")
	}
	ev := Evidence{Resumable: s.Command.Has("resumable"), Reason: s.Command.Text("reason")}
	for _, f := range s.Facts {
		switch f.Name {
		case "run":
			ev.RunID, ev.Intent = f.Word(), Intent(f.Word())
		case "handle":
			ev.Handle = f.Word()
		case "lane":
			ev.Lease = Lease{Lane: f.Word(), Standing: Standing(f.Word()), Holder: f.Text("holder"), RunID: f.Text("run"), Node: f.Text("node")}
		case "known":
			ev.Known = true
		case "parked":
			ev.Parking = &Parking{Done: !f.Has("nothing")}
		case "unparkable":
			ev.Parking = &Parking{Refused: f.Word(), Next: f.Text("next")}
		case "from":
			ev.Point.Named, ev.Point.Sha = f.Has("named"), f.Word()
		case "suspended":
			ev.Point.OnRecord = f.Words()
		default:
			f.Fail("no such fact")
		}
	}
	return told(Decide(ev))
}

// told is a verdict with what it says to write.
func told(v Verdict) string {
	text := fmt.Sprintf("exit %d\n%s", v.ExitCode(), v)
	for _, part := range []struct {
		is   bool
		word string
	}{
		{v.Park, "park"}, {v.Already, "already"}, {v.Parked, "parked"}, {v.Suspended, "suspended from " + v.ResumeSha},
		{v.Row, "writes HALT"}, {v.Suspend, "writes SUSPEND"},
	} {
		if part.is {
			text += "\n  " + part.word
		}
	}
	if v.Next != "" {
		text += "\nnext: " + v.Next
	}
	return text
}
