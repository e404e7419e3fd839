// Package pick says what work may be picked.
//
// Four questions are asked of it. DecideGate looks at a packet that was
// rendered and says whether there is anything in it to launch, and if not,
// whether that is for want of work. DecidePickable looks at one unit and says
// what keeps it from being offered. DecideCooldown looks at the attempts that
// were made at a unit and says whether it was tried just now, and
// DecidePriority puts what was never tried before what was.
//
// Packets, states and attempts come out of files that anybody may have
// written. What is not understood is an error that names where it stands: a
// packet that cannot be read never reads as one without work, and a unit of
// which something is not known is never offered.
package pick
