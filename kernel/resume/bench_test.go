package resume

import (
	"fmt"
	"testing"
)

// The largest run there can be: as many steps as are read, all of them done.
func BenchmarkDecideLargest(b *testing.B) {
	s := New(run)
	row := intent()
	for i := range maxList {
		row.DeclaredSteps = append(row.DeclaredSteps, fmt.Sprint("s", i))
	}
	s.Add("n1", row)
	for i, step := range row.DeclaredSteps {
		s.Add(fmt.Sprint("n", i%20), verified(step, fmt.Sprint(i)))
	}
	ev := seen(s)
	b.ReportAllocs()
	for b.Loop() {
		if v := Decide(ev); v.Outcome != Complete {
			b.Fatal(v)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	mine := []byte(`{"v":1,"op":"STEP_CLAIMED","seq":7,"at":"2026-01-02T03:04:05Z","run_id":"RID-01","round":1,"step_id":"s1","sha":"` + sha("a") + `"}`)
	theirs := []byte(`{"v":1,"op":"REFUSE","seq":8,"at":"2026-01-02T03:04:05Z","lane":"api","owner":"bob","run_id":"RID-02","reason_class":"COLLISION","reason":"src/** is held"}`)
	for name, row := range map[string][]byte{"mine": mine, "theirs": theirs} {
		b.Run(name, func(b *testing.B) {
			s := New(run)
			b.ReportAllocs()
			for b.Loop() {
				s.Read("n1", row)
			}
		})
	}
}
