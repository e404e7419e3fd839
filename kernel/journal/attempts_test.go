package journal

import (
	"fmt"
	"testing"
	"time"
)

func TestAttemptsAtAllUnits(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	row := func(seq uint64, unit, outcome string, second int) Row {
		return Row{Op: OpAttempt, Seq: seq, At: at.Add(time.Duration(second) * time.Second), Unit: unit, Outcome: outcome}
	}
	a, b := New("a"), New("b")
	a.Add(row(1, "A/A1", "drained", 5))
	a.Add(row(2, "a/a1", "Drained", 1))
	a.Add(row(3, "A/A2", "error", 9))
	b.Add(row(1, "A/A1", "error", 3))
	all, forgot := Merge(b, a).Attempts()
	var got []string
	for _, x := range all {
		got = append(got, fmt.Sprint(x.Node, x.Unit, x.Outcome, x.At.Second()))
	}
	if want := "[aa/a1drained1 bA/A1error3 aA/A1drained5 aA/A2error9]"; fmt.Sprint(got) != want || !forgot.IsZero() {
		t.Errorf("%v, want %s; forgot %v", got, want, forgot)
	}
}
