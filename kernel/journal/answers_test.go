package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAnswersAreToldOfEachNode(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	row := func(seq uint64, subject, word string) Row {
		return Row{Op: OpVerdict, Seq: seq, At: at, Verb: "v", Subject: subject, Verdict: word}
	}
	a, b := New("a"), New("b")
	a.Add(row(1, "x", "OLD"))
	a.Add(row(2, "x", "NEW"))
	b.Add(row(1, "x", "OTHER"))
	rows, forgot := Merge(a, b).Answers()
	var got []string
	for _, r := range rows {
		got = append(got, r.From+" "+r.Verdict)
	}
	if want := "[a NEW b OTHER]"; fmt.Sprint(got) != want || !forgot.IsZero() {
		t.Errorf("%v, want %s; forgot %v", got, want, forgot)
	}
	for i := range uint64(100) {
		b.Add(row(i+2, fmt.Sprint(i, strings.Repeat("s", 9000)), "MANY"))
	}
	if _, forgot = Merge(a, b).Answers(); !forgot.Equal(at) {
		t.Errorf("more than there is room for: forgot %v", forgot)
	}
}
