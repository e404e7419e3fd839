package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// roomy is how far the heap may grow before it is first looked through, as
// GOGC has it: a multiple of 4 MB.
const roomy = 400

// collectLate lets a process that soon ends do so without ever looking through its
// heap. One that goes on is as any other after the first time. Whoever sets GOGC is
// obeyed.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(roomy)
	runtime.SetFinalizer(&firstCollection{}, func(*firstCollection) { debug.SetGCPercent(usual) })
}

// A firstCollection is gone when the heap was looked through.
type firstCollection struct{ _ *byte }
