//go:build !race

package lease

// histories is how many the simulation plays by default.
const histories = 1200
