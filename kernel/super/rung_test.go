package super

import "testing"

func TestAWaveWaitsForTheOneBefore(t *testing.T) {
	for bits := range 1 << 4 {
		full, w := bits&8 != 0, Climber{Leased: bits&1 != 0, Over: bits&2 != 0, Proven: bits&4 != 0}
		waits := !w.Over && (!w.Leased || !full && !w.Proven)
		for _, all := range [][]Climber{{w}, {{Over: true}, w}, {w, {Leased: true, Proven: true}}} {
			if why := Hold(full, all); (why != "") != waits {
				t.Errorf("full %v, %+v: %q", full, all, why)
			}
		}
	}
	if why := Hold(false, nil); why != "" {
		t.Errorf("with no wave before: %q", why)
	}
}
