// Package hooks is where git's hook protocol meets the gates that answer it:
// the protocol parsed once, and one gate per file, each a function from what
// is about to be pushed or committed to what is wrong with it.
//
// It has no gate yet. What stops a stale or straying worker today is
// git dos push, which needs no hook on either side.
package hooks
