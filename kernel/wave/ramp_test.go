package wave

import "testing"

// everyWorker is each worker there can be.
func everyWorker() (all []Worker) {
	for bits := range 1 << 5 {
		is := func(n int) bool { return bits>>n&1 == 1 }
		for _, first := range []Proof{NoCommit, Borne, NotBorne, NotKnown} {
			all = append(all, Worker{Leased: is(0), Over: is(1), Stub: is(2), Throttled: is(3), Broken: is(4), First: first})
		}
	}
	return all
}

// TestRampTruthTable holds every state against every worker, alone and beside one that
// proved itself, whether the wave was refused in its midst and whether something was
// reclaimed.
func TestRampTruthTable(t *testing.T) {
	good := Worker{Leased: true, First: Borne}
	up := map[Rung]Rung{"": Step, Canary: Step, Step: Full, Full: Full}
	down := map[Rung]Rung{"": Canary, Canary: Canary, Step: Canary, Full: Step}
	n := 0
	for rung := range up {
		for drops := range 2 {
			for _, w := range everyWorker() {
				for _, others := range [][]Worker{nil, {good}} {
					for bits := range 4 {
						ev := RungEvidence{WaveID: "wave-2", Workers: append([]Worker{w}, others...), Reclaimed: bits&1 == 1}
						if bits&2 == 2 {
							ev.Refused = "REFUSE_AT_CAP"
						}
						s := State{Rung: rung, Drops: drops, WaveID: "wave-1"}
						bad := w.Stub || w.Throttled || w.Broken || w.First == NotBorne || ev.Refused != ""
						known := rung
						if known == "" {
							known = Canary
						}
						move, after := Stay, State{Rung: known, Drops: drops, WaveID: "wave-1"}
						switch {
						case ev.Reclaimed:
							move, after = Restart, State{Rung: Canary, WaveID: "wave-2"}
						case bad && drops == 1:
							move, after = Stop, State{Rung: down[rung], Drops: 2, Stopped: true, WaveID: "wave-2"}
						case bad:
							move, after = DropBack, State{Rung: down[rung], Drops: 1, WaveID: "wave-2"}
						case w.Leased && w.First == Borne:
							move, after = Promote, State{Rung: up[rung], WaveID: "wave-2"}
						}
						if c := Ramp(s, ev); c.Move != move || c.After != after || c.Reason == "" {
							t.Fatalf("%+v, %+v: %+v, want %s %+v", s, ev, c, move, after)
						}
						stopped := s
						stopped.Stopped = true
						if c := Ramp(stopped, ev); c.Move != Stop || !c.After.Stopped || c.After.Most(3, 100) != 0 {
							t.Fatalf("a ramp that had stopped went on: %+v", c)
						}
						n++
					}
				}
			}
		}
	}
	if n != 4*2*128*2*4 {
		t.Errorf("%d cases", n)
	}
}

func TestAWaveMovesTheRampOnce(t *testing.T) {
	ev := RungEvidence{WaveID: "wave-1", Workers: []Worker{{Leased: true, First: Borne}}}
	c := Ramp(State{}, ev)
	if c.Move != Promote || c.After.Rung != Step {
		t.Fatalf("%+v", c)
	}
	if again := Ramp(c.After, ev); again.Move != Stay || again.After != c.After {
		t.Errorf("looked at again: %+v", again)
	}
	ev.Workers[0].Throttled = true
	if again := Ramp(c.After, ev); again.Move != Stay {
		t.Errorf("looked at later: %+v", again)
	}
	if none := Ramp(c.After, RungEvidence{}); none.Move != Stay || none.After != c.After {
		t.Errorf("without a wave: %+v", none)
	}
}

func TestADropBackIsForgottenOnceARungIsProven(t *testing.T) {
	bad, good := []Worker{{Stub: true, Over: true}}, []Worker{{Leased: true, First: Borne}}
	s := State{Rung: Full}
	for i, step := range []struct {
		of   []Worker
		want State
	}{{bad, State{Rung: Step, Drops: 1, WaveID: "a"}}, {good, State{Rung: Full, WaveID: "b"}}, {bad, State{Rung: Step, Drops: 1, WaveID: "c"}}, {bad, State{Rung: Canary, Drops: 2, Stopped: true, WaveID: "d"}}} {
		if s = Ramp(s, RungEvidence{WaveID: string(rune('a' + i)), Workers: step.of}).After; s != step.want {
			t.Fatalf("step %d: %+v, want %+v", i, s, step.want)
		}
	}
}

func TestMost(t *testing.T) {
	for _, tt := range []struct {
		s          State
		step, room int
		want       int
	}{
		{State{}, 3, 9, 1}, {State{Rung: Canary}, 3, 0, 0}, {State{Rung: Step}, 3, 9, 3}, {State{Rung: Step}, 1, 9, 2}, {State{Rung: Step}, 8, 9, 3},
		{State{Rung: Step}, 3, 1, 1}, {State{Rung: Full}, 3, 9, 9}, {State{Rung: Full, Stopped: true}, 3, 9, 0}, {State{Rung: "else"}, 3, 9, 1},
	} {
		if got := tt.s.Most(tt.step, tt.room); got != tt.want {
			t.Errorf("%+v of step %d and room %d: %d, want %d", tt.s, tt.step, tt.room, got, tt.want)
		}
	}
}
