//go:build race

package lease

// histories is fewer here: the simulation has no goroutine for the detector to
// watch, and takes ten times as long under it.
const histories = 30
