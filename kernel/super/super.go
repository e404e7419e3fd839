// Package super decides what a standing dispatcher may do: whether anybody else
// launches already ([Gate]), how a fleet that was looked at is to be driven
// ([Choose]), whether it has to stop ([Stop]), and what to say of it in one card
// ([Card]) or when it is over ([Report]).
//
// A launch is not a ship. Nothing here counts a worker as work done: what shipped
// is what git bore out when the worker ended.
package super

// Lane is the reserved lane of whoever dispatches in the fleet.
const Lane = "_dispatcher"
