package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// percent is GOGC as it is in force.
func percent() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

func TestTheHeapIsRoomyUntilItIsFirstLookedThrough(t *testing.T) {
	t.Setenv("GOGC", "")
	_ = os.Unsetenv("GOGC")
	usual := percent()
	defer debug.SetGCPercent(usual)
	collectLate()
	if p := percent(); p != roomy {
		t.Errorf("GOGC is %d at first, want %d", p, roomy)
	}
	for end := time.Now().Add(10 * time.Second); percent() != usual; runtime.GC() {
		if time.Now().After(end) {
			t.Fatalf("GOGC is still %d, want %d", percent(), usual)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestWhoeverSetsGOGCIsObeyed(t *testing.T) {
	t.Setenv("GOGC", "77")
	usual := percent()
	if collectLate(); percent() != usual {
		t.Errorf("GOGC is %d, want it left at %d", percent(), usual)
	}
}
