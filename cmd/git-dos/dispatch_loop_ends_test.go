package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-dos/git-dos/kernel/loop"
)

// TestEveryEndOfALoopIsReachedByAScript looks for each reason to stop in the scripts
// that run whole loops. The others follow from what a dispatch-loop never says: it
// measures all that it ships, states no cause of a block, and asks nobody whether the
// run is complete, converges or spins.
func TestEveryEndOfALoopIsReachedByAScript(t *testing.T) {
	never := []loop.StopReason{loop.UnmeasuredShipped, loop.BlockedInvariant, loop.CompleteStop, loop.ThrashingStop, loop.SpinningStop}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "scripts", "dispatch_loop_*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	var all strings.Builder
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	for _, why := range loop.StopReasons() {
		reached := strings.Contains(all.String(), "json stop_reason "+string(why)+"\n")
		if reached == slices.Contains(never, why) {
			t.Errorf("%s: reached by a script: %v", why, reached)
		}
	}
}
