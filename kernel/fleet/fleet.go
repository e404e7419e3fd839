// Package fleet decides whom to start, and whether this machine can bear it.
//
// A supervisor keeps a number of workers alive on a roster of lanes. It has no
// memory and no opinion: every tick it looks at the lanes again and does
// exactly what the plan says. Roster reads the taxonomy, the live leases and
// the launches of the last minutes as one list of lanes; Plan says which lanes
// to start a worker on, which stalled leases to scavenge, and whom to show to
// the operator. A missed tick or an extra one changes nothing.
//
// A lane of the roster holds one worker. A handle stands for no lane of its
// own: a worker started on it picks what is free, so it can be given to any
// number of workers, up to a budget.
//
// The plan promises no lane to anyone. Every worker that is started still asks
// for its lease and may be refused, and nothing that lives is ever stopped by
// a plan: a spinning worker and one too many are shown, and that is all.
//
// Preflight is asked right before each start: may one worker more run here now?
package fleet
